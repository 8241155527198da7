// Launches `interest` once and `often` 51 times and takes about 1.3 s: `interest` adds a transposed
// matrix in place, so that a launch that is repeated without its memory changes the sum that is
// printed. A word changes something:
//   cooperative  `interest` is launched cooperatively
//   pinned       `interest` also counts its launches in memory of the host, which is printed
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <unistd.h>

enum { SIDE = 4096, TILE = 32, OFTEN = 51 };

__global__ void interest(uint32_t *to, const uint32_t *from, uint32_t *launches)
{
    __shared__ uint32_t tile[TILE][TILE]; /* without padding: conflicts */
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = from[y * SIDE + x];
    __syncthreads();
    const int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
    to[ty * SIDE + tx] += 3 * tile[threadIdx.x][threadIdx.y] + 1;
    if (launches && x == 0 && y == 0) ++*launches;
}

__global__ void often(uint32_t *to, const uint32_t *from)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    to[i] = to[i] * 5 + from[i];
}

__global__ void add_up(const uint32_t *of, unsigned long long *sum)
{
    unsigned long long mine = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)SIDE * SIDE;
         i += (size_t)gridDim.x * blockDim.x)
        mine += of[i];
    atomicAdd(sum, mine);
}

static void check(cudaError_t status)
{
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    _exit(1);
}

int main(int count, char **word)
{
    const char *way = count > 1 ? word[1] : "";
    const size_t words = (size_t)SIDE * SIDE, bytes = words * sizeof(uint32_t);
    uint32_t *from, *to, *launches = nullptr;
    unsigned long long *sum, total = 0;
    check(cudaMalloc(&from, bytes));
    check(cudaMalloc(&to, bytes));
    check(cudaMalloc(&sum, sizeof *sum));
    check(cudaMemset(from, 1, bytes));
    check(cudaMemset(to, 2, bytes));
    check(cudaMemset(sum, 0, sizeof *sum));
    if (!strcmp(way, "pinned")) {
        check(cudaHostAlloc(&launches, sizeof *launches, cudaHostAllocMapped));
        *launches = 0;
    }
    for (int i = 0; i < OFTEN; i++) often<<<words / 256, 256>>>(to, from);
    const dim3 grid(SIDE / TILE, SIDE / TILE), block(TILE, TILE);
    const uint32_t *reads = from;
    void *parameters[] = {&to, &reads, &launches};
    if (!strcmp(way, "cooperative")) /* of as many blocks as can run together */
        check(cudaLaunchCooperativeKernel(interest, dim3(SIDE / TILE, 1), block, parameters, 0,
                                          nullptr));
    else
        check(cudaLaunchKernel(interest, grid, block, parameters, 0, nullptr));
    add_up<<<256, 256>>>(to, sum);
    check(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
    printf("sum %llu\n", total);
    if (launches) printf("launches %u\n", *launches);
    usleep(700000); /* what a program does beside its kernels */
    return 0;
}

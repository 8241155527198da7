/* Four kernels, each of which a commit of tests/tools/bisect_tree.sh makes slower. */
#include <cstdio>
#include <vector>

enum {
    COUNT = 1 << 22,
    TERMS = 64,
    DIVISORS = 16,
    THREADS = 256,
    BLOCKS = COUNT / TERMS / THREADS,
    REPEATS = 20
};

/* Little memory and many divisions of the index, whose type decides the time. */
__global__ void add(float *x)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += gridDim.x * blockDim.x) {
        auto rests = i;
        for (int k = 0; k < DIVISORS; k++) rests += i % (1001 + 2 * k);
        x[i] += rests % 3;
    }
}

__global__ void sum(const float *x, float *y)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < TERMS; i++) sum += x[thread + i * BLOCKS * THREADS];
    y[thread] = sum;
}

__global__ void transpose(const float *x, float *y)
{
    __shared__ float tile[32][33];
    const int at = blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x;
    float value = x[at];
    for (int i = 0; i < 4; i++) {
        tile[threadIdx.y][threadIdx.x] = value;
        __syncthreads();
        value = tile[threadIdx.x][threadIdx.y] + 1;
        __syncthreads();
    }
    y[at] = value;
}

__global__ void __launch_bounds__(THREADS, 1) spread(float *x, int rounds)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    float value[TERMS];
#pragma unroll
    for (int i = 0; i < TERMS; i++) value[i] = x[thread + i * BLOCKS * THREADS];
    for (int k = 0; k < rounds; k++)
#pragma unroll
        for (int i = 0; i < TERMS; i++)
            value[i] = value[i] * 0.5f + value[(i + 1) % TERMS] * 0.25f + value[(i + 7) % TERMS];
#pragma unroll
    for (int i = 0; i < TERMS; i++) x[thread + i * BLOCKS * THREADS] = value[i] * 0.001f;
}

static double total(const float *x)
{
    std::vector<float> copy(COUNT);
    double sum = 0;
    cudaMemcpy(copy.data(), x, COUNT * sizeof *x, cudaMemcpyDeviceToHost);
    for (float value : copy) sum += value;
    return sum;
}

int main()
{
    float *x, *y;
    cudaMalloc(&x, COUNT * sizeof *x);
    cudaMalloc(&y, COUNT * sizeof *y);
    cudaMemset(x, 0, COUNT * sizeof *x);
    cudaMemset(y, 0, COUNT * sizeof *y);
    for (int i = 0; i < REPEATS; i++) add<<<BLOCKS, THREADS>>>(x);
    for (int i = 0; i < REPEATS; i++) sum<<<BLOCKS, THREADS>>>(x, y);
    printf("%.6e\n", total(y));
    for (int i = 0; i < REPEATS; i++) transpose<<<COUNT / 1024, dim3(32, 32)>>>(x, y);
    for (int i = 0; i < REPEATS; i++) spread<<<BLOCKS, THREADS>>>(x, 8);
    printf("%.6e %.6e\n", total(x), total(y));
    const cudaError_t failure = cudaDeviceSynchronize();
    if (failure) fprintf(stderr, "%s\n", cudaGetErrorString(failure));
    return failure != cudaSuccess;
}

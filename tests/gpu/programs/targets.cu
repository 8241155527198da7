/*
 * Runs one of several small CUDA programs, each with a peculiarity that whyfast run must live with;
 * the first argument names it. Prints a checksum of its results, the same in every run.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status = (call);                                                         \
        if (status != cudaSuccess) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                        \
            _Exit(3);                                                                              \
        }                                                                                          \
    } while (0)

enum { SIDE = 4096, N = SIDE * SIDE };

/* Transposes through shared memory: with PAD 0 the reads of a column meet in one bank. */
template <int PAD> __global__ void transpose(const unsigned *from, unsigned *to)
{
    __shared__ unsigned tile[32][32 + PAD];
    const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = from[y * SIDE + x];
    __syncthreads();
    to[(blockIdx.x * 32 + threadIdx.y) * SIDE + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

/* Adds 1 to every element and sums them by atomics; run twice it gives another result. */
__global__ void count_up(unsigned *data, unsigned *sum, unsigned n)
{
    unsigned mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += data[i] += 1;
    atomicAdd(sum, mine);
}

__global__ void waits_for_host(volatile unsigned *flag)
{
    while (*flag == 0) {
    }
}

struct buffers {
    unsigned *a, *b, *sum;
};

static buffers allocate()
{
    buffers made;
    unsigned *host = (unsigned *)malloc(N * sizeof *host);
    unsigned state = 12345;
    for (int i = 0; i < N; i++) host[i] = state = state * 1664525u + 1013904223u;
    CHECK(cudaMalloc(&made.a, N * sizeof *made.a));
    CHECK(cudaMalloc(&made.b, N * sizeof *made.b));
    CHECK(cudaMalloc(&made.sum, sizeof *made.sum));
    CHECK(cudaMemcpy(made.a, host, N * sizeof *host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(made.sum, 0, sizeof *made.sum));
    free(host);
    return made;
}

template <int PAD> static void launch_transpose(const buffers &with, cudaStream_t stream = 0)
{
    transpose<PAD><<<dim3(SIDE / 32, SIDE / 32), dim3(32, 32), 0, stream>>>(with.a, with.b);
}

static void launch_count(const buffers &with, cudaStream_t stream = 0)
{
    count_up<<<528, 512, 0, stream>>>(with.b, with.sum, N);
}

static void print_sum(const buffers &with)
{
    unsigned sum;
    CHECK(cudaMemcpy(&sum, with.sum, sizeof sum, cudaMemcpyDeviceToHost));
    printf("sum %u\n", sum);
    fflush(stdout);
}

static void plain(int times)
{
    const buffers with = allocate();
    for (int i = 0; i < times; i++) {
        launch_transpose<0>(with);
        nvtxRangePushA("inner");
        launch_count(with);
        nvtxRangePop();
        launch_transpose<1>(with);
    }
    CHECK(cudaDeviceSynchronize());
    print_sum(with);
}

static void graph()
{
    const buffers with = allocate();
    cudaStream_t stream;
    cudaGraph_t captured;
    cudaGraphExec_t made;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch_transpose<0>(with, stream);
    launch_count(with, stream);
    CHECK(cudaStreamEndCapture(stream, &captured));
    CHECK(cudaGraphInstantiate(&made, captured, 0));
    for (int i = 0; i < 5; i++) CHECK(cudaGraphLaunch(made, stream));
    launch_transpose<1>(with, stream);
    CHECK(cudaStreamSynchronize(stream));
    print_sum(with);
}

/* Launches kernels in one stream while another one records a graph. */
static void beside_capture()
{
    const buffers with = allocate();
    cudaStream_t captured, other;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    CHECK(cudaStreamCreate(&captured));
    CHECK(cudaStreamCreate(&other));
    launch_transpose<0>(with, other); /* code is loaded now */
    launch_transpose<1>(with, other);
    for (int i = 0; i < 6; i++) {
        CHECK(cudaStreamSynchronize(other));
        CHECK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeRelaxed));
        launch_transpose<0>(with, captured);
        launch_count(with, captured);
        launch_transpose<1>(with, other);
        CHECK(cudaStreamEndCapture(captured, &graph));
        CHECK(cudaStreamSynchronize(other));
        CHECK(cudaGraphInstantiate(&made, graph, 0));
        CHECK(cudaGraphLaunch(made, captured));
        CHECK(cudaStreamSynchronize(captured));
    }
    print_sum(with);
}

__global__ void nothing()
{
}

/* Launches kernels that take no time, and waits now and then. */
static void tiny(int times)
{
    for (int i = 0; i < times; i++) {
        nothing<<<1, 32>>>();
        if (i % 1000 == 999) CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaDeviceSynchronize());
    printf("launched %d\n", times);
}

static void two_streams()
{
    const buffers with = allocate(), other = allocate();
    cudaStream_t stream[2];
    for (int i = 0; i < 2; i++) CHECK(cudaStreamCreate(&stream[i]));
    for (int i = 0; i < 6; i++) {
        launch_transpose<0>(i % 2 ? with : other, stream[i % 2]);
        launch_count(i % 2 ? with : other, stream[i % 2]);
    }
    CHECK(cudaDeviceSynchronize());
    print_sum(with);
    print_sum(other);
}

static void two_contexts()
{
    plain(2);
    CHECK(cudaDeviceReset());
    plain(2);
}

int main(int count, char **argument)
{
    const char *what = count > 1 ? argument[1] : "plain";
    if (!strcmp(what, "plain")) plain(count > 2 ? atoi(argument[2]) : 4);
    if (!strcmp(what, "once")) plain(1);
    if (!strcmp(what, "many")) plain(count > 2 ? atoi(argument[2]) : 30000);
    if (!strcmp(what, "tiny")) tiny(count > 2 ? atoi(argument[2]) : 100000);
    if (!strcmp(what, "graph")) graph();
    if (!strcmp(what, "beside_capture")) beside_capture();
    if (!strcmp(what, "two_streams")) two_streams();
    if (!strcmp(what, "two_contexts")) two_contexts();
    if (!strcmp(what, "fork") || !strcmp(what, "fork_exit")) {
        const pid_t child = fork();
        int status = 0;
        plain(child ? 2 : 3);
        if (!child && !strcmp(what, "fork_exit")) _Exit(0);
        if (!child) return 0;
        waitpid(child, &status, 0);
        printf("child %d\n", status);
    }
    if (!strcmp(what, "exit")) {
        plain(2);
        fflush(stdout);
        _Exit(7);
    }
    if (!strcmp(what, "killed")) {
        plain(2);
        raise(SIGKILL);
    }
    if (!strcmp(what, "closes")) {
        for (int i = 3; i < 1024; i++) close(i);
        if (chdir("/")) return 4;
        plain(2);
    }
    if (!strcmp(what, "waits")) {
        volatile unsigned *flag;
        CHECK(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped));
        *flag = 0;
        waits_for_host<<<1, 1>>>(flag);
        usleep(1000);
        *flag = 1;
        CHECK(cudaDeviceSynchronize());
        puts("waited");
    }
    if (!strcmp(what, "leaves")) { /* and lets a kernel run on */
        plain(12);
        unsigned *flag;
        CHECK(cudaMalloc(&flag, sizeof *flag));
        CHECK(cudaMemset(flag, 0, sizeof *flag));
        waits_for_host<<<1, 1>>>(flag);
        puts("left");
    }
    if (!strcmp(what, "five")) return 5;
    return 0;
}

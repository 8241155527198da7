// Multiplies matrices by a library that is linked statically, beside a kernel of its own.
#include <cstdio>
#include <cublas_v2.h>

__global__ void own(float *data) { data[blockIdx.x * blockDim.x + threadIdx.x] *= 0.5f; }

int main()
{
    const int n = 1024;
    const float one = 1, zero = 0;
    float *a, *c;
    cublasHandle_t handle;
    if (cudaMalloc(&a, n * n * sizeof *a) || cudaMalloc(&c, n * n * sizeof *c) ||
        cudaMemset(a, 0, n * n * sizeof *a) || cublasCreate(&handle))
        return 1;
    for (int i = 0; i < 12; i++) {
        own<<<n, n>>>(a);
        if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, a, n, &zero, c, n))
            return 1;
    }
    printf("%d\n", (int)cudaDeviceSynchronize());
    return 0;
}

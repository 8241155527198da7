// Launches a transposition of n x n numbers twenty times, and prints numbers of its result.
#include <cstdio>
#include <vector>
static int run(void (*kernel)(float *, const float *, int), int n)
{
    std::vector<float> host((size_t)n * n);
    float *in, *out;
    for (size_t i = 0; i < host.size(); i++) host[i] = (float)(i % 1000);
    cudaMalloc(&in, host.size() * sizeof(float));
    cudaMalloc(&out, host.size() * sizeof(float));
    cudaMemcpy(in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < 20; i++) kernel<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out, in, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaMemcpy(host.data(), out, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (size_t i = 0; i < host.size(); i++) sum += host[i] * (double)(i % 7);
    printf("result %.6e, element 1 %g\n", sum, host[1]);
    return 0;
}

/* Two products of matrices by CUTLASS, of tiles of two sizes, 20 times. Needs CUTLASS's headers. */
#include <cstdio>

#include <cutlass/gemm/device/gemm.h>

enum { N = 1024, TIMES = 20 };

template <int M, int K>
using product =
    cutlass::gemm::device::Gemm<float, cutlass::layout::RowMajor, float, cutlass::layout::RowMajor,
                                float, cutlass::layout::RowMajor, float, cutlass::arch::OpClassSimt,
                                cutlass::arch::Sm80, cutlass::gemm::GemmShape<M, 128, K>,
                                cutlass::gemm::GemmShape<32, 64, K>,
                                cutlass::gemm::GemmShape<1, 1, 1>>;

template <int M, int K> static int multiply(const float *a, const float *b, float *c)
{
    typename product<M, K>::Arguments arguments({N, N, N}, {a, N}, {b, N}, {c, N}, {c, N}, {1, 0});
    product<M, K> multiplies;
    return multiplies(arguments) != cutlass::Status::kSuccess;
}

int main()
{
    float *data, first;
    if (cudaMalloc(&data, 3 * N * N * sizeof *data) ||
        cudaMemset(data, 0, 3 * N * N * sizeof *data))
        return 1;
    for (int i = 0; i < TIMES; i++)
        if (multiply<128, 8>(data, data + N * N, data + 2 * N * N) ||
            multiply<64, 8>(data, data + N * N, data + 2 * N * N))
            return 1;
    if (cudaMemcpy(&first, data + 2 * N * N, sizeof first, cudaMemcpyDeviceToHost)) return 1;
    printf("%g\n", first);
    return 0;
}

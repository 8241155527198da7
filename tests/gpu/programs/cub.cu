/*
 * The kernels of CUB's device-wide algorithms, which come with the CUDA toolkit: scans and
 * selections whose blocks wait for others, sorts, histograms, reductions by key.
 */
#include <cstdio>

#include <cub/cub.cuh>

constexpr int N = 1 << 20, SEGMENTS = 1 << 12, TIMES = 64;

__global__ void fill(unsigned *keys, unsigned *values, int *offsets, float *x)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        keys[i] = (i * 2654435761u ^ i >> 7) * 2246822519u;
        values[i] = i / 37;
        x[i] = keys[i] * 0x1p-32f;
        if (i <= SEGMENTS) offsets[i] = i * (N / SEGMENTS);
    }
}

struct is_odd {
    __device__ bool operator()(unsigned x) const
    {
        return x & 1;
    }
};
struct is_less {
    template <typename T> __device__ bool operator()(const T &a, const T &b) const
    {
        return a < b;
    }
};

int main()
{
    unsigned *keys, *values, *keys_out, *values_out;
    int *offsets, *count, *bins;
    float *x, *y;
    void *memory;
    size_t bytes = 16 << 20;
    if (cudaMalloc(&keys, N * 4) || cudaMalloc(&values, N * 4) || cudaMalloc(&keys_out, N * 4) ||
        cudaMalloc(&values_out, N * 4) || cudaMalloc(&offsets, (SEGMENTS + 1) * 4) ||
        cudaMalloc(&count, 256) || cudaMalloc(&bins, 4096) || cudaMalloc(&x, N * 4) ||
        cudaMalloc(&y, N * 4) || cudaMalloc(&memory, bytes))
        return 3;
    fill<<<528, 256>>>(keys, values, offsets, x);
    for (int i = 0; i < TIMES; i++) {
        cub::DeviceReduce::Sum(memory, bytes, x, y, N);
        cub::DeviceScan::ExclusiveSum(memory, bytes, x, y, N);
        cub::DeviceSelect::If(memory, bytes, keys, keys_out, count, N, is_odd());
        cub::DeviceSelect::Unique(memory, bytes, values, values_out, count, N);
        cub::DeviceRunLengthEncode::Encode(memory, bytes, values, values_out, (int *)keys_out,
                                           count, N);
        cub::DeviceReduce::ReduceByKey(memory, bytes, values, values_out, x, y, count,
                                       cuda::std::plus<>(), N);
        cub::DeviceHistogram::HistogramEven(memory, bytes, x, bins, 129, 0.0f, 1.0f, N);
        cub::DeviceSegmentedReduce::Sum(memory, bytes, x, y, SEGMENTS, offsets, offsets + 1);
        cub::DeviceRadixSort::SortPairs(memory, bytes, keys, keys_out, values, values_out, N);
        cub::DeviceMergeSort::SortKeysCopy(memory, bytes, keys, keys_out, N, is_less());
        cub::DeviceSegmentedSort::SortKeys(memory, bytes, keys, keys_out, N, SEGMENTS, offsets,
                                           offsets + 1);
        cub::DeviceAdjacentDifference::SubtractLeftCopy(memory, bytes, x, y, N);
    }
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error ? 3 : 0;
}

// A sum of arrays, of which each thread adds several neighbours.
template <class T, int EACH> __global__ void add(T *c, const T *a, const T *b, int n)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    for (int i = 0; i < EACH; i++)
        if (first + i < n) c[first + i] = a[first + i] + b[first + i];
}
template __global__ void add<float, 16>(float *, const float *, const float *, int);
template __global__ void add<int, 8>(int *, const int *, const int *, int);

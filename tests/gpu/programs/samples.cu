/*
 * Kernels as samples and courses have them, with many kinds of costs. The words of the command line
 * choose: "images" (tiles, filters, transforms), "numbers" (algebra, tables, statistics),
 * "networks" (layers and solvers).
 */
#include <cstdio>
#include <cstring>

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#ifndef SAMPLES_SIDE
#define SAMPLES_SIDE 1024 /* of images; "images" has some kernels that grow with it */
#endif
enum { SIDE = SAMPLES_SIDE, N = SIDE * SIDE, THREADS = 256, TIMES = 64 };

struct data {
    float *a, *b, *c;
    double *d;
    unsigned *u, *counts;
    __half *h;
};

__constant__ float weights[64];
__constant__ unsigned table[1024];

static __device__ unsigned at()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* ---- images: tiles, filters, transforms ------------------------------------------------------ */

__global__ void matrix_product(data d)
{
    __shared__ float a[32][32], b[32][32];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, column = blockIdx.x % 16 * 32,
                   row = blockIdx.x / 16 * 32;
    float sum[4] = {};
    for (unsigned k = 0; k < 512; k += 32) {
        for (unsigned r = 0; r < 32; r += 8) {
            a[y + r][x] = d.a[(row + y + r) * SIDE + k + x];
            b[x][y + r] = d.b[(k + y + r) * SIDE + column + x];
        }
        __syncthreads();
        for (unsigned i = 0; i < 32; i++)
            for (unsigned r = 0; r < 4; r++) sum[r] += a[y + 8 * r][i] * b[x][i];
        __syncthreads();
    }
    for (unsigned r = 0; r < 4; r++) d.c[(row + y + 8 * r) * SIDE + column + x] = sum[r];
}

template <int PAD> __global__ void transpose(data d)
{
    __shared__ float tile[32][32 + PAD];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32,
                   column = blockIdx.x % (SIDE / 32) * 32, row = blockIdx.x / (SIDE / 32) * 32;
    for (unsigned r = y; r < 32; r += 8) tile[r][x] = d.a[(row + r) * SIDE + column + x];
    __syncthreads();
    for (unsigned r = y; r < 32; r += 8) d.c[(column + r) * SIDE + row + x] = tile[x][r];
}

__global__ void reduce_interleaved(data d)
{
    __shared__ float sums[THREADS];
    sums[threadIdx.x] = d.a[at()];
    __syncthreads();
    for (unsigned step = 1; step < THREADS; step *= 2) {
        const unsigned i = 2 * step * threadIdx.x;
        if (i < THREADS) sums[i] += sums[i + step];
        __syncthreads();
    }
    if (!threadIdx.x) atomicAdd(d.c, sums[0]);
}

__global__ void reduce_sequential(data d)
{
    __shared__ float sums[THREADS];
    sums[threadIdx.x] = d.a[at()] + d.b[at()];
    __syncthreads();
    for (unsigned half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (!threadIdx.x) d.c[blockIdx.x] = sums[0];
}

__global__ void histogram_shared(data d)
{
    __shared__ unsigned bins[THREADS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = at(); i < N; i += gridDim.x * THREADS) atomicAdd(&bins[d.u[i] % 256], 1);
    __syncthreads();
    atomicAdd(&d.counts[threadIdx.x], bins[threadIdx.x]);
}

/* The scan of Blelloch, with its conflicts. */
__global__ void scan_tree(data d)
{
    __shared__ float sums[2 * THREADS];
    const unsigned i = threadIdx.x, first = blockIdx.x * 2 * THREADS;
    sums[i] = d.a[first + i];
    sums[i + THREADS] = d.a[first + i + THREADS];
    unsigned step = 1;
    for (unsigned active = THREADS; active; active /= 2, step *= 2) {
        __syncthreads();
        if (i < active) sums[step * (2 * i + 2) - 1] += sums[step * (2 * i + 1) - 1];
    }
    if (!i) sums[2 * THREADS - 1] = 0;
    for (unsigned active = 1; active <= THREADS; active *= 2) {
        step /= 2;
        __syncthreads();
        if (i < active) {
            const unsigned left = step * (2 * i + 1) - 1, right = step * (2 * i + 2) - 1;
            const float kept = sums[left];
            sums[left] = sums[right];
            sums[right] += kept;
        }
    }
    __syncthreads();
    d.c[first + i] = sums[i];
    d.c[first + i + THREADS] = sums[i + THREADS];
}

__global__ void convolution_rows(data d)
{
    __shared__ float row[THREADS + 32];
    const unsigned first = blockIdx.x * THREADS;
    row[threadIdx.x] = d.a[first + threadIdx.x];
    if (threadIdx.x < 32) row[THREADS + threadIdx.x] = d.a[(first + THREADS + threadIdx.x) % N];
    __syncthreads();
    float sum = 0;
    for (unsigned i = 0; i < 17; i++) sum += weights[i] * row[threadIdx.x + i];
    d.c[first + threadIdx.x] = sum;
}

__global__ void convolution_columns(data d)
{
    __shared__ float tile[32][48];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, column = blockIdx.x % 32 * 32,
                   row = blockIdx.x / 32 * 32;
    for (unsigned r = y; r < 48; r += 8) tile[x][r] = d.a[(row + r) % SIDE * SIDE + column + x];
    __syncthreads();
    for (unsigned r = y; r < 32; r += 8) {
        float sum = 0;
        for (unsigned i = 0; i < 16; i++) sum += weights[i] * tile[x][r + i];
        d.c[(row + r) * SIDE + column + x] = sum;
    }
}

__global__ void heat(data d)
{
    __shared__ float tile[18][18];
    const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16,
                   column = blockIdx.x % (SIDE / 16) * 16, row = blockIdx.x / (SIDE / 16) * 16;
    for (unsigned i = threadIdx.x; i < 18 * 18; i += THREADS)
        tile[i / 18][i % 18] =
            d.a[(row + i / 18 + SIDE - 1) % SIDE * SIDE + (column + i % 18 + SIDE - 1) % SIDE];
    __syncthreads();
    d.c[(row + y) * SIDE + column + x] =
        0.6f * tile[y + 1][x + 1] +
        0.1f * (tile[y][x + 1] + tile[y + 2][x + 1] + tile[y + 1][x] + tile[y + 1][x + 2]);
}

__global__ void options(data d)
{
    const float spot = d.a[at()] + 1, strike = d.b[at()] + 1, root = sqrtf(strike),
                one = (logf(spot / strike) + 0.07f * strike) / (0.3f * root),
                two = one - 0.3f * root, k = 1 / (1 + 0.2316419f * fabsf(one)),
                l = 1 / (1 + 0.2316419f * fabsf(two));
    const float p = k * (0.319f + k * (-0.356f + k * (1.781f + k * (-1.821f + k * 1.330f)))),
                q = l * (0.319f + l * (-0.356f + l * (1.781f + l * (-1.821f + l * 1.330f))));
    d.c[at()] = spot * p * expf(-0.5f * one * one) - strike * q * expf(-0.5f * two * two);
}

__global__ void bodies(data d)
{
    __shared__ float4 near[THREADS];
    const float4 mine = ((const float4 *)d.a)[at()];
    float x = 0, y = 0, z = 0;
    for (unsigned tile = 0; tile < 8; tile++) {
        near[threadIdx.x] = ((const float4 *)d.b)[tile * THREADS + threadIdx.x];
        __syncthreads();
        for (unsigned i = 0; i < THREADS; i++) {
            const float dx = near[i].x - mine.x, dy = near[i].y - mine.y, dz = near[i].z - mine.z,
                        inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f),
                        force = near[i].w * inverse * inverse * inverse;
            x += dx * force;
            y += dy * force;
            z += dz * force;
        }
        __syncthreads();
    }
    ((float4 *)d.c)[at()] = make_float4(x, y, z, 0);
}

__global__ void bitonic(data d)
{
    __shared__ unsigned keys[2 * THREADS];
    const unsigned first = blockIdx.x * 2 * THREADS;
    keys[threadIdx.x] = d.u[first + threadIdx.x];
    keys[threadIdx.x + THREADS] = d.u[first + threadIdx.x + THREADS];
    for (unsigned size = 2; size <= 2 * THREADS; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            __syncthreads();
            const unsigned i = 2 * threadIdx.x - (threadIdx.x & (step - 1)), up = !(i & size),
                           a = keys[i], b = keys[i + step];
            keys[i] = up ? min(a, b) : max(a, b);
            keys[i + step] = up ? max(a, b) : min(a, b);
        }
    __syncthreads();
    d.counts[first + threadIdx.x] = keys[threadIdx.x];
    d.counts[first + threadIdx.x + THREADS] = keys[threadIdx.x + THREADS];
}

__global__ void walsh(data d)
{
    __shared__ float x[4 * THREADS];
    const unsigned first = blockIdx.x * 4 * THREADS;
    for (unsigned i = threadIdx.x; i < 4 * THREADS; i += THREADS) x[i] = d.a[first + i];
    for (unsigned stride = THREADS; stride; stride /= 4) {
        const unsigned low = threadIdx.x & (stride - 1), i = 4 * (threadIdx.x - low) + low;
        __syncthreads();
        const float a = x[i], b = x[i + stride], c = x[i + 2 * stride], e = x[i + 3 * stride];
        x[i] = a + c + b + e;
        x[i + stride] = a + c - b - e;
        x[i + 2 * stride] = a - c + b - e;
        x[i + 3 * stride] = a - c - b + e;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 4 * THREADS; i += THREADS) d.c[first + i] = x[i];
}

__global__ void cosines(data d)
{
    __shared__ float tile[32][8][8];
    const unsigned block = threadIdx.x / 8, x = threadIdx.x % 8,
                   first = (blockIdx.x * 32 + block) * 64;
    for (unsigned y = 0; y < 8; y++) tile[block][y][x] = d.a[first + y * 8 + x];
    __syncthreads();
    float sum[8];
    for (unsigned k = 0; k < 8; k++) {
        sum[k] = 0;
        for (unsigned i = 0; i < 8; i++) sum[k] += weights[k * 8 + i] * tile[block][x][i];
    }
    __syncthreads();
    for (unsigned k = 0; k < 8; k++) tile[block][k][x] = sum[k];
    __syncthreads();
    for (unsigned y = 0; y < 8; y++) d.c[first + y * 8 + x] = tile[block][y][x];
}

__global__ void paths(data d)
{
    __shared__ float sums[THREADS];
    float sum = 0;
    for (unsigned i = 0; i < 64; i++)
        sum += fmaxf(expf(0.3f * d.a[(i * THREADS * gridDim.x + at()) % N]) - 1, 0);
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (!threadIdx.x) d.c[blockIdx.x] = sums[0];
}

/* ---- numbers: algebra, tables, statistics ---------------------------------------------------- */

__global__ void product_of_doubles(data d)
{
    __shared__ double a[16][16], b[16][16];
    const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16, column = blockIdx.x % 16 * 16,
                   row = blockIdx.x / 16 * 16;
    double sum = 0;
    for (unsigned k = 0; k < 256; k += 16) {
        a[x][y] = d.d[(row + y) * 256 + k + x];
        b[y][x] = d.d[(k + y) * 256 + column + x];
        __syncthreads();
        for (unsigned i = 0; i < 16; i++) sum += a[i][y] * b[i][x];
        __syncthreads();
    }
    d.d[N / 4 + (row + y) * 256 + column + x] = sum;
}

__global__ void fractal(data d)
{
    float x = 0, y = 0;
    const float u = d.a[at()] * 3 - 2, v = d.b[at()] * 2 - 1;
    unsigned i = 0;
    for (; i < 128 && x * x + y * y < 4; i++) {
        const float next = x * x - y * y + u;
        y = 2 * x * y + v;
        x = next;
    }
    d.counts[at()] = i;
}

__global__ void sparse_rows(data d)
{
    const unsigned lane = threadIdx.x % 32, row = at() / 32;
    float sum = 0;
    for (unsigned i = lane; i < 64; i += 32)
        sum += d.a[(row * 64 + i) % N] * d.b[d.u[(row * 64 + i) % N] % N];
    for (unsigned step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (!lane) d.c[row] = sum;
}

__global__ void medians(data d)
{
    float x[32];
    for (unsigned i = 0; i < 32; i++) x[i] = d.a[(at() + i * THREADS) % N];
    for (unsigned i = 0; i < 32; i++) {
        const unsigned j = d.u[(at() + i) % N] % 32;
        const float kept = x[j];
        x[j] = x[(i * 7) % 32] + 1;
        x[i] = kept;
    }
    d.c[at()] = x[16] + x[d.u[at()] % 32];
}

__global__ void lookups(data d)
{
    unsigned x = d.u[at()];
    for (unsigned i = 0; i < 32; i++) x += table[(x ^ i) % 1024];
    d.counts[at()] = x;
}

__global__ void cipher(data d)
{
    __shared__ unsigned box[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += THREADS) box[i] = table[i];
    __syncthreads();
    unsigned x = d.u[at()], y = x >> 7;
    for (unsigned i = 0; i < 10; i++) {
        const unsigned next = box[x & 255] ^ box[256 + (y >> 8 & 255)] ^ box[512 + (x >> 16 & 255)];
        y = box[768 + (y >> 24)] + x;
        x = next;
    }
    d.counts[at()] = x ^ y;
}

__global__ void tensor_product(data d)
{
    using namespace nvcuda::wmma;
    __shared__ __half a[64 * 16], b[16 * 64];
    const unsigned warp = threadIdx.x / 32, column = blockIdx.x % 8 * 64, row = blockIdx.x / 8 * 64;
    fragment<accumulator, 16, 16, 16, float> sum[2];
    for (int i = 0; i < 2; i++) fill_fragment(sum[i], 0.0f);
    for (unsigned k = 0; k < 512; k += 16) {
        for (unsigned i = threadIdx.x; i < 64 * 16; i += THREADS) {
            a[i] = d.h[(row + i / 16) * 512 + k + i % 16];
            b[i] = d.h[N / 2 + (k + i / 64) * 512 + column + i % 64];
        }
        __syncthreads();
        fragment<matrix_a, 16, 16, 16, __half, row_major> left;
        load_matrix_sync(left, a + warp / 2 * 256, 16);
        for (int i = 0; i < 2; i++) {
            fragment<matrix_b, 16, 16, 16, __half, row_major> right;
            load_matrix_sync(right, b + (warp % 2 * 2 + i) * 16, 64);
            mma_sync(sum[i], left, right, sum[i]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        store_matrix_sync(d.c + (row + warp / 2 * 16) * 512 + column + (warp % 2 * 2 + i) * 16,
                          sum[i], 512, mem_row_major);
}

static __device__ float of_block(float x, float *sums)
{
    for (unsigned step = 16; step; step /= 2) x += __shfl_xor_sync(~0u, x, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0;
    for (unsigned w = 0; w < THREADS / 32; w++) x += sums[w];
    __syncthreads();
    return x;
}

__global__ void layer_norm(data d)
{
    __shared__ float sums[8];
    float x[4], sum = 0, squares = 0;
    for (int i = 0; i < 4; i++) sum += x[i] = d.a[blockIdx.x * SIDE + i * THREADS + threadIdx.x];
    const float mean = of_block(sum, sums) / SIDE;
    for (int i = 0; i < 4; i++) squares += (x[i] - mean) * (x[i] - mean);
    const float scale = rsqrtf(of_block(squares, sums) / SIDE + 1e-5f);
    for (int i = 0; i < 4; i++)
        d.c[blockIdx.x * SIDE + i * THREADS + threadIdx.x] =
            (x[i] - mean) * scale * d.b[i * THREADS + threadIdx.x];
}

__global__ void soft_max(data d)
{
    __shared__ float row[SIDE], sums[8];
    float sum = 0;
    for (unsigned i = threadIdx.x; i < SIDE; i += THREADS)
        sum += row[i] = expf(d.a[blockIdx.x * SIDE + i]);
    sum = of_block(sum, sums);
    for (unsigned i = threadIdx.x; i < SIDE; i += THREADS)
        d.c[blockIdx.x * SIDE + i] = row[i] / sum;
}

__global__ void embedding(data d)
{
    const unsigned word = d.u[blockIdx.x] % SIDE;
    for (unsigned i = threadIdx.x; i < SIDE; i += THREADS)
        d.c[blockIdx.x * SIDE + i] = d.a[word * SIDE + i] + d.b[i];
}

__global__ void scatter_add(data d)
{
    for (unsigned i = 0; i < 4; i++) {
        const unsigned from = i * THREADS * gridDim.x + at();
        atomicAdd(&d.c[d.u[from % N] % 4096], d.a[from % N]);
    }
}

__global__ void matrix_vector(data d)
{
    __shared__ float x[SIDE], sums[8];
    for (unsigned i = threadIdx.x; i < SIDE; i += THREADS) x[i] = d.b[i];
    __syncthreads();
    float sum = 0;
    for (unsigned i = threadIdx.x; i < SIDE; i += THREADS) sum += d.a[blockIdx.x * SIDE + i] * x[i];
    sum = of_block(sum, sums);
    if (!threadIdx.x) d.c[blockIdx.x] = sum;
}

__global__ void running_sums(data d)
{
    __shared__ float sums[8];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float x = d.a[at()];
    for (unsigned step = 1; step < 32; step *= 2) {
        const float other = __shfl_up_sync(~0u, x, step);
        if (lane >= step) x += other;
    }
    if (lane == 31) sums[warp] = x;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) x += sums[w];
    d.c[at()] = x;
}

__global__ void elimination(data d)
{
    __shared__ float m[16][16];
    const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;
    m[x][y] = d.a[at()] + (x == y ? 16 : 0);
    __syncthreads();
    for (unsigned k = 0; k < 15; k++) {
        const float factor = y > k ? m[k][y] / m[k][k] : 0;
        __syncthreads();
        if (x >= k) m[x][y] -= factor * m[x][k];
        __syncthreads();
    }
    d.c[at()] = m[x][y];
}

__global__ void distances(data d)
{
    __shared__ float points[16][64];
    float mine[16], nearest = 1e30f;
    for (unsigned i = 0; i < 16; i++) mine[i] = d.a[(i * THREADS * gridDim.x + at()) % N];
    for (unsigned tile = 0; tile < 8; tile++) {
        for (unsigned i = threadIdx.x; i < 1024; i += THREADS)
            points[i / 64][i % 64] = d.b[tile * 1024 + i];
        __syncthreads();
        for (unsigned p = 0; p < 64; p++) {
            float sum = 0;
            for (unsigned i = 0; i < 16; i++)
                sum += (mine[i] - points[i][p]) * (mine[i] - points[i][p]);
            nearest = fminf(nearest, sum);
        }
        __syncthreads();
    }
    d.c[at()] = nearest;
}

__global__ void conversions(data d)
{
    double sum = 0;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned from = (i * THREADS * gridDim.x + at()) % (N / 4);
        sum += (double)d.a[from] * d.d[from];
    }
    d.c[at()] = (float)sum;
}

/* ---- networks: layers and solvers ------------------------------------------------------------ */

__global__ void fourier(data d)
{
    __shared__ float re[2 * THREADS], im[2 * THREADS];
    const unsigned i = threadIdx.x, first = blockIdx.x * 2 * THREADS;
    for (unsigned k = i; k < 2 * THREADS; k += THREADS) {
        re[k] = d.a[first + k];
        im[k] = d.b[first + k];
    }
    for (unsigned half = 1; half <= THREADS; half *= 2) {
        const unsigned low = i & (half - 1), k = 2 * (i - low) + low;
        float s, c;
        __sincosf(-3.14159265f * low / half, &s, &c);
        __syncthreads();
        const float x = re[k + half] * c - im[k + half] * s,
                    y = re[k + half] * s + im[k + half] * c;
        re[k + half] = re[k] - x;
        im[k + half] = im[k] - y;
        re[k] += x;
        im[k] += y;
    }
    __syncthreads();
    for (unsigned k = i; k < 2 * THREADS; k += THREADS)
        d.c[first + k] = re[k] * re[k] + im[k] * im[k];
}

__global__ void waves(data d)
{
    __shared__ float tile[34][34];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, column = blockIdx.x % 32 * 32,
                   row = blockIdx.x / 32 * 32;
    for (unsigned i = threadIdx.x; i < 34 * 34; i += THREADS)
        tile[i % 34][i / 34] =
            d.a[(row + i / 34 + SIDE - 1) % SIDE * SIDE + (column + i % 34 + SIDE - 1) % SIDE];
    __syncthreads();
    for (unsigned r = y; r < 32; r += 8) {
        const float middle = tile[x + 1][r + 1], around = tile[x][r + 1] + tile[x + 2][r + 1] +
                                                          tile[x + 1][r] + tile[x + 1][r + 2];
        d.c[(row + r) * SIDE + column + x] =
            2 * middle - d.b[(row + r) * SIDE + column + x] + 0.2f * (around - 4 * middle);
    }
}

__global__ void convolution_layer(data d)
{
    __shared__ float tile[4][18][18], filter[4][4][9];
    const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16, column = blockIdx.x % 16 * 16,
                   row = blockIdx.x / 16 * 16;
    for (unsigned i = threadIdx.x; i < 4 * 18 * 18; i += THREADS)
        tile[i / 324][i % 324 / 18][i % 18] =
            d.a[i / 324 * 65536 + (row + i % 324 / 18) % 256 * 256 + (column + i % 18) % 256];
    if (threadIdx.x < 144)
        filter[threadIdx.x % 4][threadIdx.x / 4 % 4][threadIdx.x / 16] = d.b[threadIdx.x];
    __syncthreads();
    float sum[4] = {};
    for (unsigned c = 0; c < 4; c++)
        for (unsigned k = 0; k < 9; k++)
            for (unsigned o = 0; o < 4; o++)
                sum[o] += filter[o][c][k] * tile[c][y + k / 3][x + k % 3];
    for (unsigned o = 0; o < 4; o++)
        d.c[o * 65536 + (row + y) * 256 + column + x] = fmaxf(sum[o], 0);
}

__global__ void batch_norm(data d)
{
    __shared__ float sums[32][33];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, column = blockIdx.x * 32 + x;
    float sum = 0, squares = 0;
    for (unsigned r = y; r < 256; r += 8) {
        const float value = d.a[r * SIDE + column];
        sum += value;
        squares += value * value;
    }
    sums[x][y] = sum;
    sums[x][y + 8] = squares;
    __syncthreads();
    sum = squares = 0;
    for (unsigned i = 0; i < 8; i++) {
        sum += sums[x][i];
        squares += sums[x][i + 8];
    }
    const float mean = sum / 256, scale = rsqrtf(squares / 256 - mean * mean + 1e-5f);
    for (unsigned r = y; r < 256; r += 8)
        d.c[r * SIDE + column] = (d.a[r * SIDE + column] - mean) * scale;
}

/* Scores of 32 queries with 32 keys of 64 numbers. */
__global__ void attention(data d)
{
    __shared__ float query[32][64], key[32][64], scores[32][32];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, first = blockIdx.x * 2048 % N;
    for (unsigned i = threadIdx.x; i < 2048; i += THREADS) {
        query[i / 64][i % 64] = d.a[first + i];
        key[i / 64][i % 64] = d.b[first + i];
    }
    __syncthreads();
    for (unsigned r = y; r < 32; r += 8) {
        float sum = 0;
        for (unsigned i = 0; i < 64; i++) sum += query[r][i] * key[x][i];
        scores[r][x] = __expf(sum / 8);
    }
    __syncthreads();
    for (unsigned r = y; r < 32; r += 8) {
        float all = 0, sum = 0;
        for (unsigned i = 0; i < 32; i++) {
            all += scores[r][i];
            sum += scores[r][i] * key[i][x];
        }
        d.c[first + r * 64 + x] = sum / all;
    }
}

__global__ void covariance(data d)
{
    __shared__ float a[32][32], b[32][32];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, column = blockIdx.x % 8 * 32,
                   row = blockIdx.x / 8 * 32;
    float sum[4] = {};
    for (unsigned k = 0; k < 256; k += 32) {
        for (unsigned r = y; r < 32; r += 8) {
            a[x][r] = d.a[(row + r) * SIDE + k + x] - 0.5f;
            b[x][r] = d.a[(column + r) * SIDE + k + x] - 0.5f;
        }
        __syncthreads();
        for (unsigned i = 0; i < 32; i++)
            for (unsigned r = 0; r < 4; r++) sum[r] += a[i][y + 8 * r] * b[i][x];
        __syncthreads();
    }
    for (unsigned r = 0; r < 4; r++) d.c[(row + y + 8 * r) * 256 + column + x] = sum[r] / 256;
}

__global__ void clusters(data d)
{
    __shared__ float center[16][16], near[THREADS];
    if (threadIdx.x < 256) center[threadIdx.x % 16][threadIdx.x / 16] = d.b[threadIdx.x];
    __syncthreads();
    float best = 1e30f;
    for (unsigned c = 0; c < 16; c++) {
        float sum = 0;
        for (unsigned i = 0; i < 16; i++) {
            const float part = d.a[(i * gridDim.x * THREADS + at()) % N] - center[i][c];
            sum += part * part;
        }
        best = fminf(best, sum);
    }
    near[threadIdx.x] = best;
    __syncthreads();
    d.c[at()] = best + near[threadIdx.x ^ 1];
}

__global__ void optimizer(data d)
{
    const unsigned i = at();
    const float step = d.a[i] - 0.5f, mean = 0.9f * d.b[i] + 0.1f * step,
                square = 0.999f * d.c[i] + 0.001f * step * step;
    d.b[i] = mean;
    d.c[i] = square;
    d.a[i] -= 0.001f * mean / (sqrtf(square) + 1e-8f);
}

/* All pairs' shortest paths: a tile of the product of minima and sums. */
__global__ void shortest_paths(data d)
{
    __shared__ float a[32][32], b[32][33];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, column = blockIdx.x % 8 * 32,
                   row = blockIdx.x / 8 * 32;
    float least[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    for (unsigned k = 0; k < 256; k += 32) {
        for (unsigned r = y; r < 32; r += 8) {
            a[x][r] = d.a[(row + r) * 256 + k + x];
            b[r][x] = d.a[(k + r) * 256 + column + x];
        }
        __syncthreads();
        for (unsigned i = 0; i < 32; i++)
            for (unsigned r = 0; r < 4; r++) least[r] = fminf(least[r], a[i][y + 8 * r] + b[i][x]);
        __syncthreads();
    }
    for (unsigned r = 0; r < 4; r++) d.c[(row + y + 8 * r) * 256 + column + x] = least[r];
}

__global__ void relaxation(data d)
{
    __shared__ float now[1024], next[1024];
    const unsigned first = blockIdx.x * 1024;
    for (unsigned i = threadIdx.x; i < 1024; i += THREADS) now[i] = d.a[first + i];
    for (unsigned round = 0; round < 16; round++) {
        __syncthreads();
        for (unsigned i = threadIdx.x * 4; i < threadIdx.x * 4 + 4; i++)
            next[i] = 0.25f * (now[(i + 1) % 1024] + now[(i + 1023) % 1024] + now[(i + 32) % 1024] +
                               now[(i + 992) % 1024]);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < 1024; i += THREADS) now[i] = next[i];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 1024; i += THREADS) d.c[first + i] = now[i];
}

/* Records of 8 floats become arrays, through shared memory. */
__global__ void records(data d)
{
    __shared__ float kept[8 * THREADS];
    const unsigned first = blockIdx.x * 8 * THREADS;
    for (unsigned i = 0; i < 8; i++)
        kept[i * THREADS + threadIdx.x] = d.a[first + i * THREADS + threadIdx.x];
    __syncthreads();
    for (unsigned i = 0; i < 8; i++)
        d.c[i * (N / 8) + blockIdx.x * THREADS + threadIdx.x] =
            1.5f * kept[threadIdx.x * 8 + i] + 1;
}

__global__ void pooling(data d)
{
    __shared__ float tile[32][64];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32, column = blockIdx.x % 16 * 64,
                   row = blockIdx.x / 16 * 32;
    for (unsigned i = threadIdx.x; i < 2048; i += THREADS)
        tile[i / 64][i % 64] = d.a[(row + i / 64) * SIDE + column + i % 64];
    __syncthreads();
    for (unsigned r = y; r < 16; r += 8)
        d.c[(row / 2 + r) * (SIDE / 2) + column / 2 + x] =
            0.25f * (tile[2 * r][2 * x] + tile[2 * r][2 * x + 1] + tile[2 * r + 1][2 * x] +
                     tile[2 * r + 1][2 * x + 1]);
}

__global__ void deviations(data d)
{
    __shared__ double sums[THREADS];
    double sum = 0;
    for (unsigned i = 0; i < 8; i++) {
        const double x = d.d[(i * gridDim.x * THREADS + at()) % (N / 2)] - 0.5;
        sum += x * x;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (!threadIdx.x) atomicAdd(d.c, (float)sums[0]);
}

__global__ void polynomials(data d)
{
    float sum = 0, x = d.a[at()];
    for (unsigned k = 0; k < 32; k++) sum = sum * x + weights[(threadIdx.x + k) % 64];
    d.c[at()] = sum + d.b[at()];
}

__global__ void halves(data d)
{
    __shared__ __half2 row[2 * THREADS];
    const unsigned first = blockIdx.x * 2 * THREADS;
    for (unsigned i = threadIdx.x; i < 2 * THREADS; i += THREADS)
        row[i] = ((const __half2 *)d.h)[(first + i) % (N / 2)];
    __syncthreads();
    __half2 sum = __float2half2_rn(0);
    for (unsigned i = 0; i < 16; i++)
        sum = __hfma2(row[(threadIdx.x * 2 + i) % (2 * THREADS)], sum, sum);
    d.c[at()] = __low2float(sum) * 0.5f + __high2float(sum);
}

__global__ void spilled(data d)
{
    float x[48];
#pragma unroll 1
    for (unsigned i = 0; i < 48; i++) x[(i * 5) % 48] = d.a[(i * gridDim.x * THREADS + at()) % N];
    float sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < 48; i++) sum = sum * 0.5f + x[(i * 11) % 48];
    d.c[at()] = sum;
}

/* ---- the program ----------------------------------------------------------------------------- */

__global__ void fill(data d, unsigned seed)
{
    for (unsigned i = at(); i < N; i += gridDim.x * blockDim.x) {
        const unsigned x = ((i + seed) * 2654435761u ^ i >> 7) * 2246822519u;
        d.a[i] = x * 0x1p-32f;
        d.b[i] = (x * 9 + 1) * 0x1p-32f;
        d.h[i] = __float2half(d.a[i]);
        if (i < N / 2) d.d[i] = d.a[i];
        d.u[i] = x ^ x >> 15;
        d.counts[i] = 0;
        d.c[i] = 0;
    }
}

static const struct {
    const char *group;
    void (*kernel)(data);
    int blocks;
} kernels[] = {
    {"images", matrix_product, 256},
    {"images", transpose<0>, N / 1024},
    {"images", transpose<1>, N / 1024},
    {"images", reduce_interleaved, 4096},
    {"images", reduce_sequential, N / THREADS},
    {"images", histogram_shared, 264},
    {"images", scan_tree, N / (2 * THREADS)},
    {"images", convolution_rows, 4096},
    {"images", convolution_columns, 1024},
    {"images", heat, N / THREADS},
    {"images", options, 4096},
    {"images", bodies, 132},
    {"images", bitonic, 1024},
    {"images", walsh, 1024},
    {"images", cosines, 512},
    {"images", paths, 264},
    {"numbers", product_of_doubles, 256},
    {"numbers", fractal, 4096},
    {"numbers", sparse_rows, 2048},
    {"numbers", medians, 512},
    {"numbers", lookups, 512},
    {"numbers", cipher, 2048},
    {"numbers", tensor_product, 64},
    {"numbers", layer_norm, 1024},
    {"numbers", soft_max, 1024},
    {"numbers", embedding, 1024},
    {"numbers", scatter_add, 528},
    {"numbers", matrix_vector, 1024},
    {"numbers", running_sums, 4096},
    {"numbers", elimination, 1024},
    {"numbers", distances, 528},
    {"numbers", conversions, 1024},
    {"networks", fourier, 2048},
    {"networks", waves, 1024},
    {"networks", convolution_layer, 256},
    {"networks", batch_norm, 32},
    {"networks", attention, 512},
    {"networks", covariance, 64},
    {"networks", clusters, 256},
    {"networks", optimizer, 4096},
    {"networks", shortest_paths, 64},
    {"networks", relaxation, 1024},
    {"networks", records, 512},
    {"networks", pooling, 512},
    {"networks", deviations, 256},
    {"networks", polynomials, 4096},
    {"networks", halves, 1024},
    {"networks", spilled, 528},
};

int main(int count, char **word)
{
    data d;
    float weight[64];
    unsigned box[1024];
    for (int i = 0; i < 64; i++) weight[i] = (i % 9 + 1) / 32.0f;
    for (unsigned i = 0; i < 1024; i++) box[i] = i * 2654435761u >> 5;
    if (cudaMalloc(&d.a, N * sizeof *d.a) || cudaMalloc(&d.b, N * sizeof *d.b) ||
        cudaMalloc(&d.c, N * sizeof *d.c) || cudaMalloc(&d.d, N * sizeof *d.d / 2) ||
        cudaMalloc(&d.u, N * sizeof *d.u) || cudaMalloc(&d.counts, N * sizeof *d.counts) ||
        cudaMalloc(&d.h, N * sizeof *d.h) || cudaMemcpyToSymbol(weights, weight, sizeof weight) ||
        cudaMemcpyToSymbol(table, box, sizeof box))
        return 3;
    fill<<<1056, THREADS>>>(d, 1);
    for (int w = 1; w < count; w++)
        for (int i = 0; i < TIMES; i++)
            for (const auto &k : kernels)
                if (!strcmp(k.group, word[w])) k.kernel<<<k.blocks, THREADS>>>(d);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error ? 3 : 0;
}

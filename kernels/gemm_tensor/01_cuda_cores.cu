/*
 * Rung 1: the CUDA cores.
 *
 * This is rung 10 of the ladder gemm with matrices of bfloat16: block tiles of 128 x 128, 8 x 8
 * elements for each thread, two buffers. Each element becomes a float when it is loaded, by a
 * shift, and is stored into shared memory as such; the multiply-adds are those of the lanes.
 *
 * Remaining cost: a multiply-add is an instruction of a lane, so the tensor cores, which have most
 * of the device's arithmetic, are idle.
 */
#include "gemm/classic.h"

static __global__ void __launch_bounds__(THREADS)
    gemm_tensor_cuda_cores(const uint16_t *__restrict__ a, const uint16_t *__restrict__ b,
                           float *__restrict__ c, unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[2][TILE_K][TILE_M], tile_b[2][TILE_K][TILE_N];
    const struct position at = position_in_warp_tile(threadIdx.x);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    multiply_double_buffered(sum, tile_a, tile_b, tiles_of_a(a, k), tiles_of_b(b), n, k, at);
    write_result(tile_of_c(c, n), n, sum, at);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "CUDA cores",
    .suffers = "A matrix product reads each element of A and B as often as the other matrix is "
               "wide, and multiplies and adds each time.",
    .changes = "The lanes of a warp multiply, as in the ladder of floats: tiles of 128 x 128, 8 x "
               "8 elements per thread, two buffers; bfloat16 become floats on the way to shared "
               "memory.",
    .pays = "A multiply-add is an instruction of a lane, and the tensor cores are idle.",
    .claims =
        {
            {"Without tensor cores the product is more than ten times slower than the library's "
             "(in the source: 32 against 716 TFLOP/s on an H100).",
             "pranjalssh, fast.cu", "Kernel 1", "4096x4096x4096",
             "CASE WHEN speedup_library_high < 0.1 THEN 1 WHEN speedup_library_low >= 0.1 THEN 0 "
             "END"},
            {"Without tensor cores the GPU is idle for more than 90 per cent of the time (here: "
             "the peak of the CUDA cores and this kernel's rate are below a tenth of the tensor "
             "cores' peak).",
             "Skarupke, CUDA performance surprises", "Performance needs specialised hardware",
             "4096x4096x4096",
             "fp32_peak_tflops < 0.1 * unit_peak_tflops AND tflops < 0.1 * unit_peak_tflops"},
        },
    .published =
        {
            {"pranjalssh, fast.cu", "H100 SXM", 3350, "4096x4096x4096", 0, 0, 4294967, 31.25, NULL,
             "NVIDIA, H100 data sheet"},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_tensor_cuda_cores, TILE_M, TILE_N, THREADS>,
    .shared_accesses = list_tiles<address_warp_tile_a, address_warp_tile_b>,
};

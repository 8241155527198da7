#include "fixture.h"

#include "machine_code/kernel_label.h"

enum { MOST = 64 };

static char labels[MOST][KERNEL_LABEL];

/* Labels the names in the order of the rows and in the opposite one, which must be the same. */
static void label(const char *const (*rows)[2], int count)
{
    const char *names[MOST];
    char backwards[MOST][KERNEL_LABEL];
    for (int i = 0; i < count; i++) names[i] = rows[count - 1 - i][0];
    assert_int_equal(kernel_labels_make(names, count, backwards), 0);
    for (int i = 0; i < count; i++) names[i] = rows[i][0];
    assert_int_equal(kernel_labels_make(names, count, labels), 0);
    for (int i = 0; i < count; i++) assert_string_equal(labels[i], backwards[count - 1 - i]);
}

static void expect_labels(const char *const (*rows)[2], int count)
{
    label(rows, count);
    for (int i = 0; i < count; i++) assert_string_equal(labels[i], rows[i][1]);
}

#define LABELS(rows) expect_labels(rows, sizeof(rows) / sizeof *(rows))
#define LAMBDAS(n) "{lambda()#" #n "}::operator()() const::{lambda()#2}::operator()() const::"
#define ITERATOR "at::TensorIteratorBase&"

TEST(kernels_of_programs)
{
    static const char *const rows[][2] = {
        {"add", "add"},
        {"sgemm_naive", "sgemm_naive"},
        {"sgemm2DBlocktiling<128, 128, 8, 8, 8>", "sgemm2DBlocktiling<128,128,8,8,8>"},
        {"sgemm2DBlocktiling<64, 64, 8, 8, 8>", "sgemm2DBlocktiling<64,64,8,8,8>"},
        {"sgemmWarptiling<128, 128, 16, 64, 64, 4, 8, 4, 128>",
         "sgemmWarptiling<128,128,16,64,64,4,8,4,128>"},
        {"MatrixMulCUDA<32>", "MatrixMulCUDA<32>"},
        {"reduce6<int, 512u, true>", "reduce6<int,512,true>"},
        {"bodies::(anonymous namespace)::step<(bool)1, (Kind)2>", "step<1,2>"},
        {"k<main::{lambda(int)#1}>", "k<main(int)>"},
        {"k<main::{lambda(int)#2}>", "k<main(int)#2>"},
        {"run<Outer<Inner<float, 4>, std::allocator<float> > >",
         "run<Outer<Inner<float,4>,allocator<float>>>"},
        {"apply<my::Square<float>::operator()(float) const::{lambda(float)#1}>",
         "apply<Square<float>(float)>"},
        {"shift<(4 > 2), (1 < 3), -1>", "shift<(4 > 2),(1 < 3),-1>"},
    };
    LABELS(rows);
}

TEST(kernels_of_pytorch)
{
    static const char *const rows[][2] = {
        {"at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
         "std::array<char*, 3ul> >",
         "CUDAFunctor_add<float>"},
        {"at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>, "
         "std::array<char*, 3ul> >",
         "CUDAFunctor_add<Half>"},
        {"at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(" ITERATOR
         ", at::native::GeluType)::" LAMBDAS(2) "{lambda(float)#1}, std::array<char*, 2ul> >",
         "GeluCUDAKernelImpl(float)"},
        {"at::native::vectorized_elementwise_kernel<2, at::native::exp_kernel_cuda(" ITERATOR
         ")::" LAMBDAS(2) "{lambda(double)#1}, std::array<char*, 2ul> >",
         "vectorized_elementwise_kernel<exp_kernel_cuda>"},
        {"at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<"
         "at::native::direct_copy_kernel_cuda(" ITERATOR ")::" LAMBDAS(
             3) "{lambda(float)#1}>(" ITERATOR ", at::native::direct_copy_kernel_cuda(" ITERATOR
                ")::" LAMBDAS(3) "{lambda(float)#1} const&)::{lambda(int)#1}>",
         "elementwise_kernel<direct_copy_kernel_cuda>"},
        {"at::native::_scatter_gather_elementwise_kernel<128, 8, "
         "at::native::_cuda_scatter_gather_internal_kernel<false, at::native::OpaqueType<4>, long>"
         "::operator()<at::native::TensorAssign>(at::TensorIterator&, long)::{lambda(int)#1}>",
         "_scatter_gather_elementwise_kernel<TensorAssign>"},
        {"at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<"
         "float>, unsigned int, long, 4, 4> >",
         "reduce_kernel<ArgMaxOps<float>>"},
        {"at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, false>",
         "vectorized_layer_norm_kernel<float,float,false>"},
        {"(anonymous namespace)::softmax_warp_forward<float, float, float, 11, false, false>",
         "softmax_warp_forward<11>"},
        {"(anonymous namespace)::softmax_warp_forward<float, float, float, 10, false, false>",
         "softmax_warp_forward<10>"},
        {"at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> >",
         "tensor_kernel_scan_innermost_dim<plus<float>>"},
    };
    LABELS(rows);
}

TEST(kernels_of_libraries_and_compilers)
{
    static const char *const rows[][2] = {
        {"cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>",
         "cutlass_80_simt_sgemm_256x128_8x4_nn_align1"},
        {"ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"},
        {"nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NTT", "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NTT"},
        {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_execute_kernel__5x_cublas",
         "sm80_xmma_gemm_f32f3..tilesize128x128x8_stage3_e"},
        {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_execute_kernel__5x_cublas",
         "sm80_xmma_gemm_f32f3..tilesize64x64x8_stage3_exe"},
        {"cub::CUB_300000_900_NS::DeviceReduceKernel<cub::CUB_300000_900_NS::DeviceReducePolicy<"
         "float, unsigned int, Mine>::Policy600, float*, float*, unsigned int, Mine, float>",
         "DeviceReduceKernel<Mine>"},
        {"cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<float, int, unsigned int>::"
         "Policy900, false, float, int, unsigned int, int, int, "
         "cub::detail::identity_decomposer_t>",
         "DeviceRadixSortOnesweepKernel"},
        {"thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<"
         "thrust::cuda_cub::__transform::unary_transform_f<thrust::device_ptr<float>, "
         "thrust::cuda_cub::__transform::no_stencil_tag, square<float>>, long>, long>",
         "_kernel_agent<square<float>>"},
        {"for_each<__nv_dl_wrapper_t<__nv_dl_tag<void (*)(int), &launch, 1u>, float*> >",
         "for_each<launch>"},
        {"triton_poi_fused_add_0", "triton_poi_fused_add_0"},
        {"triton_red_fused__log_softmax_add_mean_native_layer_norm_backward_3",
         "triton_red_fused__lo..tive_layer_norm_backward_3"},
        {"triton_red_fused__log_softmax_add_mean_native_layer_norm_backward_4",
         "triton_red_fused__lo..tive_layer_norm_backward_4"},
        {"matmul_kernel_0d1d2d3de4de5de6c7de8c9de10c",
         "matmul_kernel_0d1d2d3de4de5de6c7de8c9de10c"},
        {"cupy_add__float32_float32_float32", "cupy_add__float32_float32_float32"},
    };
    LABELS(rows);
}

/* Two tiles of one template, whose names differ far from their beginnings. */
#define TILES(m)                                                                                   \
    "cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int>, "          \
    "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<"  \
    "7, cutlass::gemm::KernelTmaWarpSpecializedPingpong>, cute::tuple<cute::C<" #m                 \
    ">, cute::C<128> >, cutlass::half_t, cutlass::layout::RowMajor, cutlass::half_t> > >"
TEST(a_difference_within_a_long_name_is_shown)
{
    static const char *const rows[][2] = {
        {TILES(64), "device_kernel<GemmUn..64>,C<128>>,half_t,RowMajo"},
        {TILES(128), "device_kernel<GemmUn..128>,C<128>>,half_t,RowMaj"},
    };
    LABELS(rows);
}

/* What no compiler gives has a label that can be printed, too. */
TEST(damaged_names)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"<<<>>>", "<<<>>>"},
        {"((((", "(((("},
        {"a::b::", "b"},
        {"k<\x80\xff>", "k<__>"},
        {"k<'x', \"y\">", "k<'x',\"y\">"},
        {"a>b", "a>b"},
        {"operator()", "operator()"},
        {":x", ":x"},
        {"f<:a, 2>", "f<:a,2>"},
        {"a:", "a:"},
    };
    LABELS(rows);
}

TEST(a_very_long_name_is_cut)
{
    enum { LENGTH = 10000 };
    char name[2][LENGTH + 1];
    for (int i = 0; i < 2; i++) {
        memset(name[i], 'n', LENGTH);
        memcpy(name[i], "kernel<", strlen("kernel<"));
        for (int n = 10; n < LENGTH - 1; n += 3) memcpy(&name[i][n], n % 2 ? "<f>" : "::f", 3);
        name[i][LENGTH - 1] = i ? '1' : '2';
        name[i][LENGTH] = 0;
    }
    static const char *rows[2][2];
    for (int i = 0; i < 2; i++) rows[i][0] = name[i];
    label((const char *const(*)[2])rows, 2);
    for (int i = 0; i < 2; i++) assert_in_range(strlen(labels[i]), 1, KERNEL_LABEL - 1);
    memset(name[0], '<', LENGTH);
    label((const char *const(*)[2])rows, 2);
}

RUN_TESTS(NULL, NULL)

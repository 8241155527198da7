#include "fixture.h"

#include "machine_code/kernel_name.h"

/* A build without the C++ runtime cannot demangle. */
static int demangles(void)
{
    OWNED char *name = kernel_name("_Z3addPf");
    const int is_readable = !strcmp(name, "add");
    return is_readable;
}

TEST(kernels_have_names_for_people)
{
    static const char *const rows[][2] = {
        {"_Z10dot_slicesPKfS0_mPf", "dot_slices"},
        {"_Z17reduce_wide_loadsILj128ELj2EEvPKjPjmS1_", "reduce_wide_loads<128u, 2u>"},
        {"_ZN12_GLOBAL__N_13sumIfEEvPKf", "(anonymous namespace)::sum<float>"},
        {"_ZN7cutlass7Kernel2I31cutlass_80_simt_sgemm_256x128_8EEvNT_6ParamsE",
         "cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8>"},
        {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3",
         "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3"},
        {"", ""},
    };
    if (!demangles()) SKIP("this build has no C++ runtime");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED char *name = kernel_name(rows[i][0]);
        assert_string_equal(name, rows[i][1]);
    }
}

TEST(short_names_lack_namespaces_and_template_arguments)
{
    static const char *const rows[][2] = {
        {"_Z10dot_slicesPKfS0_mPf", "dot_slices"},
        {"_Z17reduce_wide_loadsILj128ELj2EEvPKjPjmS1_", "reduce_wide_loads"},
        {"_ZN12_GLOBAL__N_13sumIfEEvPKf", "sum"},
        {"_ZN7cutlass7Kernel2I31cutlass_80_simt_sgemm_256x128_8EEvNT_6ParamsE", "Kernel2"},
        {"plain_c", "plain_c"},
        {"", ""},
    };
    if (!demangles()) SKIP("this build has no C++ runtime");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED char *name = kernel_short_name(rows[i][0]);
        assert_string_equal(name, rows[i][1]);
    }
}

TEST(names_that_another_tool_demangled_read_like_ours)
{
    static const char *const rows[][2] = {
        {"daxpy_kernel(int, double, double *, double *)", "daxpy_kernel"},
        {"void reduce<(unsigned int)128, float, (bool)1>(const float *)", "reduce<128, float, 1>"},
        {"void (anonymous namespace)::f<(int)-4>()", "(anonymous namespace)::f<-4>"},
        {"g<(a)b>", "g<(a)b>"},
        {"plain_c", "plain_c"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED char *name = kernel_name_of(rows[i][0]);
        assert_string_equal(name, rows[i][1]);
    }
}

RUN_TESTS(NULL, NULL)

#include "injected/code_origin.h"

/* The module is not part of the program, but of the library that is loaded into others. */
#include "injected/code_origin.c" /* NOLINT(bugprone-suspicious-include) */

#include "fixture.h"

static char reason[ORIGIN_REASON];

static int of_file(const char *name, const char *contents, int is_program)
{
    write_text(name, contents);
    *reason = 0;
    return code_origin_of_file(place(name), is_program, reason);
}

#define DEVICE_CODE "an image\n.nv_fatbin"

/* Writes the contents with their last zero, which ends a name in an ELF image. */
static void write_image(const char *name, const char *contents)
{
    FILE *file = fopen(place(name), "w");
    assert_non_null(file);
    fwrite(contents, 1, strlen(contents) + 1, file);
    fclose(file);
}

TEST(libraries_of_vendors_are_refused)
{
    static const char *const libraries[] = {
        "libcublas.so.13",    "libcublasLt.so.13",
        "libcudnn_ops.so.9",  "libcufft.so.12",
        "libcusparse.so.12",  "libcusparseLt.so.0",
        "libcusolver.so.12",  "libcurand.so.10",
        "libnccl.so.2",       "libcutensor.so.2",
        "libnvshmem_host.so", "libnppif.so.13",
        "libnvinfer.so.10",   "libcudnn_engines_runtime_compiled.so.9"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        write_image(libraries[i], DEVICE_CODE);
        assert_false(code_origin_of_file(place(libraries[i]), 0, reason));
        assert_non_null(strstr(reason, libraries[i]));
        assert_non_null(strstr(reason, "it is a kernel of"));
    }
}

TEST(a_file_that_was_linked_with_a_vendor_is_refused)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char contents[200];
        snprintf(contents, sizeof contents, "code %s more .nv_fatbin", settings[i][0]);
        write_image("program", contents);
        assert_false(code_origin_of_file(place("program"), 1, reason));
        assert_non_null(strstr(reason, settings[i][1]));
        assert_false(code_origin_of_file(place("program"), 0, reason));
    }
}

TEST(kernels_of_vendors_are_refused_wherever_they_are)
{
    static const char *const symbols[] = {"_ZN8cublasLt19splitKreduce_kernelILi32ELi16EiEEvv",
                                          "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8",
                                          "_ZN5cudnn3ops18nchwToNhwcKernelEv",
                                          "_ZN8cusparse12csrmv_kernelEv",
                                          "_ZN8cusolver10potrf_diagEv",
                                          "_Z29ncclDevKernel_AllReduce_Sum_f32v",
                                          "_Z10vector_fftILj1024EEv"};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        assert_false(code_origin_is_known(symbols[i], reason));
        assert_non_null(strstr(reason, "which is not changed"));
    }
}

TEST(the_program_and_known_libraries_may_be_changed)
{
    assert_true(
        of_file("program", "an image without device code", 1)); /* it compiles at run time */
    write_image("libmine.so", DEVICE_CODE);
    assert_true(code_origin_of_file(place("libmine.so"), 0, reason));
    assert_true(code_origin_of_file("/site-packages/torch/lib/libtorch_cuda.so", 0, reason));
    assert_true(code_origin_of_file("/dist-packages/cupy_backends/cuda/api/driver.so", 0, reason));
    assert_true(code_origin_of_file("/c/__triton_launcher.cpython-312.so", 0, reason));
}

TEST(what_is_not_known_is_refused)
{
    assert_false(of_file("libffi.so.8", "an image without device code", 0));
    assert_non_null(strstr(reason, "the origin of its machine code is not known: libffi.so.8"));
    assert_false(code_origin_of_file("/opt/tritonserver/lib/missing.so", 0, reason));
    assert_false(code_origin_of_file(place("missing"), 1, reason));
    assert_non_null(strstr(reason, "cannot be read"));
}

/* This test is the caller, and holds the names of all settings. */
TEST(a_launch_is_traced_back_to_its_caller)
{
    assert_string_equal(caller(), "");
    assert_false(code_origin_is_known("_Z3addPf", reason));
    assert_non_null(strstr(reason, "the program was linked with cuBLAS"));
}

RUN_TESTS(fixture_open, fixture_close)

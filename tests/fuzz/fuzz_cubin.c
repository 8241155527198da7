/*
 * Searches an executable of arbitrary bytes for cubins: they are found in ascending order, and
 * their sections, names and kernels lie in bounds. Their signatures are read, too, patched copies
 * of the kernels are made, and their code is compared.
 */
#include "fuzz.h"

#include <limits.h>

#include "knockout/twin_code.h"
#include "machine_code/cubin.h"
#include "machine_code/kernel_signature.h"
#include "machine_code/program_code.h"

FUZZ_INPUT("", "input")

/* ---- a driver that loads everything ---------------------------------------------------------- */

static const unsigned char *loaded; /* the copy */
static size_t loaded_bytes;

static CUresult load(CUlibrary *library, const void *code, CUjit_option *options, void **values,
                     unsigned count, CUlibraryOption *library_options, void **library_values,
                     unsigned library_count)
{
    *library = NULL;
    unsigned sum = 0;
    for (size_t i = 0; i < loaded_bytes; i++) sum += ((const unsigned char *)code)[i];
    loaded = sum ? code : NULL; /* all of it was read */
    return CUDA_SUCCESS;
}

static CUresult find_kernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    *kernel = NULL;
    return strlen(name) > 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static CUresult find_module(CUmodule *module, CUfunction function)
{
    *module = NULL;
    return CUDA_SUCCESS;
}

static CUresult find_variable(CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name)
{
    *at = *bytes = strlen(name);
    return CUDA_SUCCESS;
}

static CUresult find_copy(CUdeviceptr *at, size_t *bytes, CUlibrary library, const char *name)
{
    *at = *bytes = strlen(name);
    return CUDA_SUCCESS;
}

static CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return to == from && bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void load_copies(const struct cubin *cubin, const char *kernel, size_t instructions)
{
    const struct twin_driver driver = {.load = load,
                                       .library_kernel = find_kernel,
                                       .library_global = find_copy,
                                       .function_module = find_module,
                                       .module_global = find_variable,
                                       .copy = copy};
    const struct twin_original original = {cubin, kernel, NULL};
    const int last = (int)(instructions < INT_MAX ? instructions : INT_MAX);
    CUlibrary library;
    CUkernel copied;
    const char *reason;
    loaded_bytes = cubin_bytes(cubin);
    for (int at = last - 1; at <= last; at++) {
        struct twin_patch patch = {.instruction = at, .word = {1, 2}};
        const struct twin twin = {.patch = &patch, .patch_count = 1};
        loaded = NULL;
        twin_load(&driver, &original, &twin, &library, &copied, &reason);
        if (loaded && (!loaded_bytes || at == (int)instructions)) abort();
    }
}

/* ---- images ---------------------------------------------------------------------------------- */

static void look_at(const struct executable *executable, const struct cubin *cubin)
{
    Elf64_Shdr section, found;
    const size_t bytes = cubin_bytes(cubin);
    if (cubin->before > executable->size || cubin->size > executable->size - cubin->before ||
        bytes > cubin->size)
        abort();
    cubin_architecture(cubin);
    cubin_is_of_file(cubin, "kernels/reduce/01_x.cu");
    for (unsigned i = 0; i < cubin->header.e_shnum && i < 64; i++) {
        if (!cubin_section(cubin, i, &section)) continue;
        const unsigned char *data = cubin_section_data(cubin, &section);
        const char *name = cubin_section_name(cubin, &section),
                   *kernel = cubin_kernel(cubin, &section);
        if (data < cubin->data || section.sh_size > cubin->size - (size_t)(data - cubin->data))
            abort();
        if (*name &&
            !memchr(name, 0, (size_t)(cubin->data + cubin->size - (const unsigned char *)name)))
            abort();
        if (kernel && !cubin_kernel_find(cubin, kernel, &found)) abort();
        if (kernel) load_copies(cubin, kernel, found.sh_size / 16);
        cubin_function_in(cubin, i);
        if (i == 0 || (*name && !cubin_section_find(cubin, name, &found))) abort();
    }
}

/* The kernels of a file differ in nothing from themselves, and from nothing in all. */
static void read_program(const uint8_t *data, size_t size)
{
    struct program_code code = {0}, nothing = {0};
    struct text same = {0}, all = {0};
    write_input(data, size);
    program_code_read(&code, input_path, NULL);
    program_code_change(&same, &code, &code);
    program_code_change(&all, &nothing, &code);
    if (same.length || !program_code_equal(&code, &code) || (all.length > 0) != (code.count > 0))
        abort();
    text_free(&same);
    text_free(&all);
    program_code_free(&code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct executable executable = {data, size};
    struct cubin cubin;
    struct kernel_signatures signatures;
    size_t before = 0;
    kernel_signatures_read(&signatures, (const char *)data, size);
    kernel_signatures_free(&signatures);
    read_program(data, size);
    for (int architecture = 70; architecture <= 90; architecture += 20) {
        int count = 0;
        memset(&cubin, 0, sizeof cubin);
        while (count++ < 16 && cubin_next(&executable, architecture, &cubin)) {
            if (count > 1 && cubin.before <= before) abort();
            before = cubin.before;
            if (cubin_architecture(&cubin) != architecture) abort();
            look_at(&executable, &cubin);
        }
        cubin_find(&executable, "kernels/reduce/01_x.cu", "kernel", architecture, &cubin);
    }
    return 0;
}

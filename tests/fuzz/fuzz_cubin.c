/*
 * Searches an executable of arbitrary bytes for cubins: they are found in ascending order, and
 * their sections, names and kernels lie in bounds. Their signatures are read, too.
 */
#include "fuzz.h"

#include "machine_code/cubin.h"
#include "machine_code/kernel_signature.h"

FUZZ_INPUT("", "input")

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
        if (i == 0 || (*name && !cubin_section_find(cubin, name, &found))) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct executable executable = {data, size};
    struct cubin cubin;
    struct kernel_signatures signatures;
    size_t before = 0;
    kernel_signatures_read(&signatures, (const char *)data, size);
    kernel_signatures_free(&signatures);
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

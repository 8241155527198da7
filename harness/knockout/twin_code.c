#include "knockout/twin_code.h"

#include <stdlib.h>
#include <string.h>

void twin_apply(const struct twin *twin, unsigned char *code)
{
    for (int p = 0; p < twin->patch_count; p++)
        memcpy(code + (size_t)twin->patch[p].instruction * SASS_BYTES, &twin->patch[p].word,
               sizeof twin->patch[p].word);
}

int twin_variables(const struct twin_driver *driver, const struct twin_original *original,
                   twin_visit *visit, void *context)
{
    const struct cubin *cubin = original->cubin;
    Elf64_Shdr symbols, names;
    CUmodule module;
    if (!cubin_section_find(cubin, ".symtab", &symbols) ||
        !cubin_section(cubin, symbols.sh_link, &names) ||
        driver->function_module(&module, original->function) != CUDA_SUCCESS)
        return 0;
    const unsigned char *data = cubin_section_data(cubin, &symbols);
    const char *name = (const char *)cubin_section_data(cubin, &names);
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        CUdeviceptr from;
        size_t bytes;
        memcpy(&symbol, data + at, sizeof symbol);
        const char *place = cubin_section_name_at(cubin, symbol.st_shndx);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_name < names.sh_size &&
            memchr(name + symbol.st_name, 0, names.sh_size - symbol.st_name) &&
            (!strncmp(place, ".nv.global", 10) || !strncmp(place, ".nv.constant", 12)) &&
            (driver->module_global(&from, &bytes, module, name + symbol.st_name) != CUDA_SUCCESS ||
             !visit(context, name + symbol.st_name, from, bytes)))
            return 0;
    }
    return 1;
}

struct copying {
    const struct twin_driver *driver;
    CUlibrary library;
};

static int copy_variable(void *context, const char *name, CUdeviceptr from, size_t bytes)
{
    const struct copying *copying = context;
    CUdeviceptr to;
    size_t to_bytes;
    return copying->driver->library_global(&to, &to_bytes, copying->library, name) ==
               CUDA_SUCCESS &&
           to_bytes == bytes && copying->driver->copy(to, from, bytes) == CUDA_SUCCESS;
}

int twin_copy_variables(const struct twin_driver *driver, const struct twin_original *original,
                        CUlibrary library)
{
    struct copying copying = {driver, library};
    return twin_variables(driver, original, copy_variable, &copying);
}

int twin_load(const struct twin_driver *driver, const struct twin_original *original,
              const struct twin *twin, CUlibrary *library, CUkernel *kernel, const char **reason)
{
    const size_t bytes = cubin_bytes(original->cubin);
    unsigned char *image = malloc(bytes + 1);
    Elf64_Shdr section = {0};
    *library = NULL;
    *reason = "memory is short";
    if (!image) return 0;
    *reason = "the copy of its machine code cannot be loaded";
    memcpy(image, original->cubin->data, bytes);
    int is_there = bytes && cubin_kernel_find(original->cubin, original->symbol, &section);
    for (int p = 0; p < twin->patch_count; p++)
        is_there &= (unsigned)twin->patch[p].instruction < section.sh_size / SASS_BYTES;
    if (is_there) twin_apply(twin, image + section.sh_offset);
    const int is_loaded =
        is_there && driver->load(library, image, NULL, NULL, 0, NULL, NULL, 0) == CUDA_SUCCESS &&
        driver->library_kernel(kernel, *library, original->symbol) == CUDA_SUCCESS;
    free(image);
    if (!is_loaded) return 0;
    *reason = "the variables of its module cannot be copied";
    return twin_copy_variables(driver, original, *library);
}

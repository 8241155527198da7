/*
 * Reads the line table of an arbitrary image, or refuses it: its rows are in order and in bounds,
 * and no file name shows a directory of this machine. Joined with itself, the image has each kernel
 * twice.
 */
#include "fuzz.h"

#include "base/message.h"
#include "machine_code/cubin.h"
#include "machine_code/cubin_join.h"
#include "machine_code/dwarf_lines.h"
#include "machine_code/source_names.h"

FUZZ_INPUT("", "input")

static void check_rows(const struct dwarf_lines *table)
{
    unsigned before = 0;
    if (table->row_count < 1 || table->location_count < 1) abort();
    for (int i = 0; i < table->row_count; i++) {
        const struct line_row *row = &table->row[i];
        if ((i > 0 && row->pc <= before) || row->location_count < 0 || row->first_location < 0)
            abort();
        if (row->location_count > table->location_count - row->first_location) abort();
        if (dwarf_lines_at(table, row->pc) != (row->location_count ? row : NULL)) abort();
        before = row->pc;
    }
    for (int i = 0; i < table->location_count; i++)
        if (table->location[i].line == 0 || table->location[i].path < 0 ||
            table->location[i].path >= table->path_count)
            abort();
}

static void check_names(const struct dwarf_lines *table)
{
    char *root;
    if (source_root(table->path, table->path_count, "kernels/gemm/one.cu", &root)) abort();
    for (int i = 0; i < table->path_count; i++) {
        char *name = source_name(table->path[i], root);
        if (!name || *name == '/' || !strncmp(name, "../", 3) || strstr(name, "/../")) abort();
        free(name);
    }
    free(root);
}

static void read_kernel(const struct cubin *cubin, const char *kernel)
{
    struct dwarf_lines table;
    char reason[LINE_REASON] = "";
    const int result = dwarf_lines_read(&table, cubin, kernel, reason);
    if (result) {
        if (result == FAIL_INPUT && !*reason) abort();
        if (table.row_count || table.location_count || table.path_count) abort();
        return;
    }
    check_rows(&table);
    check_names(&table);
    dwarf_lines_free(&table);
}

static void check_joined(const struct cubin *joined, const struct cubin *cubin, unsigned number)
{
    Elf64_Shdr code, found;
    for (unsigned i = 1; i < cubin->header.e_shnum && i < 16; i++) {
        const char *kernel = cubin_section(cubin, i, &code) ? cubin_kernel(cubin, &code) : NULL;
        char *name = text_new("%u.%s", number, kernel ? kernel : "");
        Elf64_Shdr first;
        if (kernel && cubin_kernel_find(cubin, kernel, &first) == i &&
            (!cubin_kernel_find(joined, name, &found) || found.sh_size != code.sh_size))
            abort();
        free(name);
    }
}

static void join(const struct cubin *cubin)
{
    const struct cubin *const twice[] = {cubin, cubin};
    struct cubin joined;
    struct text image = {0};
    unsigned first[2];
    const int result = cubin_join(&image, twice, 2, first);
    if (result && result != FAIL_INPUT) abort();
    if (!result && !cubin_open(&joined, (unsigned char *)image.data, image.length)) abort();
    if (!result && cubin_bytes(&joined) != image.length) abort();
    for (unsigned i = 0; i < 2 && !result; i++) check_joined(&joined, cubin, i);
    text_free(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cubin cubin;
    Elf64_Shdr section;
    if (!cubin_open(&cubin, data, size)) return 0;
    if (cubin_bytes(&cubin) > size) abort();
    cubin_is_of_file(&cubin, "kernels/gemm/one.cu");
    if (cubin_joins(&cubin, &cubin)) join(&cubin);
    for (unsigned i = 0, kernels = 0; i < cubin.header.e_shnum && kernels < 4; i++) {
        const char *kernel =
            cubin_section(&cubin, i, &section) ? cubin_kernel(&cubin, &section) : NULL;
        if (!kernel) continue;
        read_kernel(&cubin, kernel);
        kernels++;
    }
    return 0;
}

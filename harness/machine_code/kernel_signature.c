#include "machine_code/kernel_signature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "machine_code/cubin.h"
#include "machine_code/dwarf_lines.h"
#include "machine_code/kernel_name.h"

/* A record of .nv.info: the format, the attribute, and the length of what follows if the format is
 * FORMAT_SIZED, else a value. The second kind of parameter is that of kernels with more than 4 KB
 * of them. */
enum { FORMAT_SIZED = 4, PARAMETER = 0x17, LARGE_PARAMETER = 0x45, SIZE_SHIFT = 18 };

static int read_parameter(struct kernel_signature *kernel, struct bytes *record, unsigned attribute)
{
    byte_reader_number(record, 4);
    const int ordinal = (int)byte_reader_number(record, 2);
    byte_reader_number(record, 2); /* the offset */
    const unsigned size = (unsigned)byte_reader_number(record, 4);
    if (record->damaged) return 0;
    while (kernel->parameter_count <= ordinal) {
        if (!ARRAY_GROWS(kernel->parameter, kernel->parameter_count)) return error_memory();
        kernel->parameter[kernel->parameter_count++] = (struct kernel_parameter){.type = ""};
    }
    kernel->parameter[ordinal].bytes = attribute == PARAMETER ? size >> SIZE_SHIFT : size;
    return 0;
}

static int read_parameters(struct kernel_signature *kernel, const struct cubin *cubin)
{
    Elf64_Shdr section;
    int result = 0;
    char *name = text_new(".nv.info.%s", kernel->symbol);
    if (!name) return error_memory();
    if (cubin_section_find(cubin, name, &section)) {
        const unsigned char *data = cubin_section_data(cubin, &section);
        struct bytes bytes = {data, data + section.sh_size, 0};
        while (!result && bytes.at < bytes.end) {
            const unsigned format = (unsigned)byte_reader_number(&bytes, 1);
            const unsigned attribute = (unsigned)byte_reader_number(&bytes, 1);
            const uint64_t value = byte_reader_number(&bytes, 2);
            struct bytes record = byte_reader_part(&bytes, format == FORMAT_SIZED ? value : 0);
            if (format == FORMAT_SIZED && (attribute == PARAMETER || attribute == LARGE_PARAMETER))
                result = read_parameter(kernel, &record, attribute);
        }
    }
    free(name);
    return result;
}

/* Splits the types, which end with ')', at the commas outside of brackets. */
static void split_types(struct kernel_signature *kernel, char *types)
{
    for (int i = 0, depth = 0; i < kernel->parameter_count && *types && *types != ')'; i++) {
        kernel->parameter[i].type = types;
        for (; *types && (depth || !strchr(",)", *types)); types++) {
            depth += strchr("(<[", *types) != NULL;
            depth -= strchr(")>]", *types) != NULL;
        }
        const int is_last = *types != ',';
        if (*types) *types++ = 0;
        if (is_last) break;
        types += *types == ' ';
    }
}

/* Returns the mangled name, with types, that the host stub of an extern "C" kernel carries: the
 * stub's name is "__device_stub_" and that name, after the number of their bytes. */
static char *symbol_of_stub(const char *symbol, const char *object, size_t bytes)
{
    static const char prefix[] = "__device_stub_";
    const size_t length = strlen(prefix);
    char *wanted = text_new("%s_Z%zu%s", prefix, strlen(symbol), symbol);
    const char *found = wanted ? memmem(object, bytes, wanted, strlen(wanted)) : NULL;
    free(wanted);
    if (!found) return strdup(symbol);
    const char *number = found;
    while (number > object && isdigit((unsigned char)number[-1])) number--;
    const size_t all = strtoul(number, NULL, 10), left = (size_t)(object + bytes - found);
    return all > length && all <= left ? strndup(found + length, all - length) : strdup(symbol);
}

/* Finds the line of the kernel itself, not that of a function that is inlined there. */
static int read_line(struct kernel_signature *kernel, const struct cubin *cubin)
{
    struct dwarf_lines table;
    char reason[LINE_REASON];
    const int result = dwarf_lines_read(&table, cubin, kernel->symbol, reason);
    if (result == FAIL_OUTPUT) return result;
    const struct line_row *row = result ? NULL : dwarf_lines_at(&table, 0);
    if (row && row->location_count)
        kernel->line = table.location[row->first_location + row->location_count - 1].line;
    dwarf_lines_free(&table);
    return 0;
}

static int read_kernel(struct kernel_signature *kernel, const struct cubin *cubin,
                       const char *symbol, const char *object, size_t bytes)
{
    char *types,
        *typed = strncmp(symbol, "_Z", 2) ? symbol_of_stub(symbol, object, bytes) : strdup(symbol);
    kernel->symbol = strdup(symbol);
    kernel->name = typed ? kernel_name_and_types(typed, &types) : NULL;
    free(typed);
    if (!kernel->symbol || !kernel->name) return error_memory();
    int result = read_parameters(kernel, cubin);
    split_types(kernel, types);
    if (!result) result = read_line(kernel, cubin);
    return result;
}

static int by_line(const void *a, const void *b)
{
    const struct kernel_signature *x = a, *y = b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return strcmp(x->symbol, y->symbol);
}

int kernel_signatures_read(struct kernel_signatures *list, const char *object, size_t bytes)
{
    const struct executable executable = {(const unsigned char *)object, bytes};
    struct cubin cubin = {0};
    Elf64_Shdr section;
    int result = 0;
    memset(list, 0, sizeof *list);
    if (!cubin_next(&executable, ANY_ARCHITECTURE, &cubin)) return 0;
    for (unsigned i = 1; i < cubin.header.e_shnum && !result; i++) {
        const char *symbol =
            cubin_section(&cubin, i, &section) ? cubin_kernel(&cubin, &section) : NULL;
        if (!symbol) continue;
        if (!ARRAY_GROWS(list->kernel, list->count)) return error_memory();
        list->kernel[list->count] = (struct kernel_signature){0};
        result = read_kernel(&list->kernel[list->count++], &cubin, symbol, object, bytes);
    }
    if (!result && list->count)
        qsort(list->kernel, (size_t)list->count, sizeof *list->kernel, by_line);
    return result;
}

void kernel_signatures_free(struct kernel_signatures *list)
{
    for (int i = 0; i < list->count; i++) {
        free(list->kernel[i].symbol);
        free(list->kernel[i].name);
        free(list->kernel[i].parameter);
    }
    free(list->kernel);
    memset(list, 0, sizeof *list);
}

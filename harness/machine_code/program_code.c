#include "machine_code/program_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "machine_code/disassembly.h"
#include "machine_code/kernel_name.h"
#include "machine_code/sass_text.h"

enum { SHOWN_KERNELS = 3, SHOWN_OPERATIONS = 4 };

static const char parameters[] = ".nv.constant0."; /* a section that kernels alone have */

/* ---- reading --------------------------------------------------------------------------------- */

/* Opens the first image of a file, which may be a cubin itself, or advances to the next one. */
static int next_image(const struct executable *file, struct cubin *cubin)
{
    const int is_first = !cubin->data;
    if (is_first && cubin_open(cubin, file->data, file->size)) return 1;
    if (is_first) memset(cubin, 0, sizeof *cubin); /* of another kind, with images in it */
    return cubin_next(file, ANY_ARCHITECTURE, cubin);
}

/* Returns the symbol of the kernel whose code a section holds, or NULL; sets *is_code to 1 for that
 * of a device function, too. */
static const char *kernel_in(const struct cubin *cubin, unsigned index, Elf64_Shdr *section,
                             int *is_code)
{
    Elf64_Shdr found;
    const char *symbol = cubin_section(cubin, index, section) ? cubin_kernel(cubin, section) : NULL;
    char *name = symbol ? text_new("%s%s", parameters, symbol) : NULL;
    const int is_kernel = name && cubin_section_find(cubin, name, &found);
    *is_code = symbol != NULL;
    free(name);
    return is_kernel ? symbol : NULL;
}

static uint64_t hash_functions(const struct cubin *cubin)
{
    uint64_t value = HASH_START;
    for (unsigned i = 1; i < cubin->header.e_shnum; i++) {
        Elf64_Shdr section;
        int is_code;
        if (!kernel_in(cubin, i, &section, &is_code) && is_code)
            value = hash_bytes(value, cubin_section_data(cubin, &section), section.sh_size);
    }
    return value;
}

/* Takes over `symbol` and `name`. Code of another architecture joins the kernel of this name. */
static int add_kernel(struct program_code *code, struct code_kernel kernel)
{
    int at = 0;
    while (at < code->count && strcmp(code->kernel[at].name, kernel.name) < 0) at++;
    if (at < code->count && !strcmp(code->kernel[at].name, kernel.name)) {
        code->kernel[at].hash += kernel.hash; /* in any order */
        free(kernel.symbol);
        free(kernel.name);
        return 0;
    }
    if (ARRAY_GROWS(code->kernel, code->count)) {
        struct code_kernel *place = &code->kernel[at];
        memmove(place + 1, place, (size_t)(code->count++ - at) * sizeof *place);
        *place = kernel;
        return 0;
    }
    free(kernel.symbol);
    free(kernel.name);
    return error_memory();
}

/* Returns the readable name with the types of the parameters. */
static char *full_name(const char *symbol)
{
    char *types, *name = kernel_name_and_types(symbol, &types);
    if (!name || !*types) return name;
    char *full = text_new("%s(%s", name, types);
    free(name);
    return full;
}

static int read_kernel(struct program_code *code, const struct cubin *cubin,
                       const Elf64_Shdr *section, const char *symbol, uint64_t functions,
                       const regex_t *wanted)
{
    char *name = full_name(symbol);
    if (!name) return error_memory();
    if (wanted && regexec(wanted, symbol, 0, NULL, 0) && regexec(wanted, name, 0, NULL, 0)) {
        free(name);
        return 0;
    }
    const uint64_t facts[] = {functions, section->sh_info >> 24, /* registers */
                              cubin_shared_bytes(cubin, symbol),
                              (uint64_t)cubin_architecture(cubin)};
    struct code_kernel kernel = {.symbol = strdup(symbol),
                                 .name = name,
                                 .hash = hash_bytes(hash_bytes(HASH_START, facts, sizeof facts),
                                                    cubin_section_data(cubin, section),
                                                    section->sh_size),
                                 .instructions = (int)(section->sh_size / SASS_BYTES)};
    if (kernel.symbol) return add_kernel(code, kernel);
    free(name);
    return error_memory();
}

int program_code_read(struct program_code *code, const char *path, const regex_t *wanted)
{
    struct executable file;
    struct cubin cubin = {0};
    int result = 0, is_code;
    if (!executable_open_file(&file, path)) return 0;
    while (!result && next_image(&file, &cubin)) {
        const uint64_t functions = hash_functions(&cubin);
        for (unsigned i = 1; i < cubin.header.e_shnum && !result; i++) {
            Elf64_Shdr section;
            const char *symbol = kernel_in(&cubin, i, &section, &is_code);
            if (symbol) result = read_kernel(code, &cubin, &section, symbol, functions, wanted);
        }
    }
    executable_close(&file);
    return result;
}

void program_code_free(struct program_code *code)
{
    for (int i = 0; i < code->count; i++) {
        free(code->kernel[i].symbol);
        free(code->kernel[i].name);
        free(code->kernel[i].operation);
    }
    free(code->kernel);
    memset(code, 0, sizeof *code);
}

/* ---- operations ------------------------------------------------------------------------------ */

static int count_operation(struct code_kernel *kernel, const char *text)
{
    const struct sass sass = sass_read(text);
    char name[sizeof kernel->operation->name];
    const char *dot = strchr(sass.operation, '.');
    const size_t length =
        dot ? (size_t)(dot + 1 - sass.operation) + strcspn(dot + 1, ".") : strlen(sass.operation);
    snprintf(name, sizeof name, "%.*s", (int)length, sass.operation);
    if (!*name || !strcmp(name, "NOP")) return 0;
    int at = 0;
    while (at < kernel->operations && strcmp(kernel->operation[at].name, name) < 0) at++;
    if (at == kernel->operations || strcmp(kernel->operation[at].name, name) != 0) {
        if (!ARRAY_GROWS(kernel->operation, kernel->operations)) return error_memory();
        memmove(&kernel->operation[at + 1], &kernel->operation[at],
                (size_t)(kernel->operations++ - at) * sizeof *kernel->operation);
        memset(&kernel->operation[at], 0, sizeof *kernel->operation);
        memcpy(kernel->operation[at].name, name, sizeof name);
    }
    kernel->operation[at].count++;
    return 0;
}

static struct code_kernel *kernel_of(struct program_code *code, const char *symbol)
{
    for (int i = 0; i < code->count; i++)
        if (!strcmp(code->kernel[i].symbol, symbol)) return &code->kernel[i];
    return NULL;
}

static int count_image(struct program_code *code, const struct cubin *cubin, char *functions)
{
    struct disassembler tool;
    struct disassembly disassembly;
    char reason[DISASSEMBLY_REASON];
    int result = 0;
    disassembly_start(&tool, cubin->data, cubin_bytes(cubin), functions, reason);
    if (disassembly_finish(&disassembly, &tool, reason))
        detail("operations are not counted: %s", reason);
    for (int i = 0; i < disassembly.kernel_count && !result; i++) {
        const struct disassembled_kernel *found = &disassembly.kernel[i];
        struct code_kernel *kernel = kernel_of(code, found->name);
        if (!kernel || kernel->operations) continue; /* of another architecture */
        for (int k = 0; k < found->count && !result; k++)
            result = count_operation(kernel, disassembly.instruction[found->first + k].text);
    }
    disassembly_free(&disassembly);
    return result;
}

int program_code_count(struct program_code *code, const char *path)
{
    struct executable file;
    struct cubin cubin = {0};
    int result = 0;
    if (!executable_open_file(&file, path)) return 0;
    while (!result && next_image(&file, &cubin)) {
        struct text functions = {0};
        for (int i = 0; i < code->count; i++) {
            Elf64_Shdr section;
            const unsigned at = cubin_kernel_find(&cubin, code->kernel[i].symbol, &section),
                           function = at ? cubin_function_in(&cubin, at) : 0;
            if (function && !code->kernel[i].operations)
                text_format(&functions, "%s%u", functions.length ? "," : "", function);
        }
        if (functions.length) result = count_image(code, &cubin, functions.data);
        text_free(&functions);
    }
    executable_close(&file);
    return result;
}

/* ---- comparing ------------------------------------------------------------------------------- */

int program_code_equal(const struct program_code *a, const struct program_code *b)
{
    int equal = a->count == b->count;
    for (int i = 0; i < a->count && equal; i++)
        equal =
            a->kernel[i].hash == b->kernel[i].hash && !strcmp(a->kernel[i].name, b->kernel[i].name);
    return equal;
}

/* Lists the differences of two sorted lists; `more` has room for both. */
static int operation_changes(const struct code_kernel *before, const struct code_kernel *after,
                             struct operation_count *more)
{
    int count = 0, i = 0, k = 0;
    while (i < before->operations || k < after->operations) {
        const struct operation_count *a = i < before->operations ? &before->operation[i] : NULL,
                                     *b = k < after->operations ? &after->operation[k] : NULL;
        const int order = !a ? 1 : !b ? -1 : strcmp(a->name, b->name);
        more[count] = order <= 0 ? *a : *b;
        more[count].count = (order >= 0 ? b->count : 0) - (order <= 0 ? a->count : 0);
        count += more[count].count != 0;
        i += order <= 0;
        k += order >= 0;
    }
    return count;
}

static int by_size(const void *left, const void *right)
{
    const struct operation_count *a = left, *b = right;
    const int size = abs(b->count) - abs(a->count);
    return size ? size : strcmp(a->name, b->name);
}

static int all_operations(const struct code_kernel *kernel)
{
    int count = 0;
    for (int i = 0; i < kernel->operations; i++) count += kernel->operation[i].count;
    return count ? count : kernel->instructions;
}

static void append_change(struct text *text, const struct code_kernel *before,
                          const struct code_kernel *after)
{
    const int a = all_operations(before), b = all_operations(after);
    struct operation_count *more =
        calloc((size_t)(before->operations + after->operations + 1), sizeof *more);
    const int count = more ? operation_changes(before, after, more) : 0;
    if (a == b)
        text_format(text, "%s: %d instructions as before", after->name, a);
    else
        text_format(text, "%s: %d -> %d instructions", after->name, a, b);
    if (before->operations && after->operations && !count)
        text_append(text, ", the same operations");
    if (count) qsort(more, (size_t)count, sizeof *more, by_size);
    for (int i = 0; i < count && i < SHOWN_OPERATIONS; i++)
        text_format(text, "%s%+d %s", i ? ", " : " (", more[i].count, more[i].name);
    if (count) text_append(text, count > SHOWN_OPERATIONS ? ", ...)" : ")");
    free(more);
}

void program_code_change(struct text *text, const struct program_code *before,
                         const struct program_code *after)
{
    int changes = 0, i = 0, k = 0;
    while (i < before->count || k < after->count) {
        const struct code_kernel *a = i < before->count ? &before->kernel[i] : NULL,
                                 *b = k < after->count ? &after->kernel[k] : NULL;
        const int order = !a ? 1 : !b ? -1 : strcmp(a->name, b->name);
        const int is_change = order || a->hash != b->hash;
        if (is_change && changes++ < SHOWN_KERNELS) {
            if (text->length) text_append(text, "; ");
            if (order)
                text_format(text, "%s is %s", order < 0 ? a->name : b->name,
                            order < 0 ? "gone" : "new");
            else
                append_change(text, a, b);
        }
        i += order <= 0;
        k += order >= 0;
    }
    if (changes > SHOWN_KERNELS)
        text_format(text, "; and %d more kernels", changes - SHOWN_KERNELS);
}

#include "run/named_kernels.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/names.h"
#include "base/text.h"
#include "catalog/registry.h"

/* Characters of a family before a number, and of what is behind the name of a variant. */
enum { MOST_NAME = 56, MOST_SUFFIX = 24 };

/* Copies letters, digits, '_', '.' and '-' of a text as a name of at most `most` characters; others
 * become '_'. */
static void make_name(char name[NAMED_KERNEL], const char *from, size_t most)
{
    size_t length = 0;
    for (; *from && length < most; from++) {
        const unsigned char byte = (unsigned char)*from;
        const int is_plain = byte < 128 && (isalnum(byte) || (length && strchr("_.-", byte)));
        if (is_plain || length) name[length++] = is_plain ? (char)byte : '_';
    }
    while (length && name[length - 1] == '_') length--;
    if (!length) name[length++] = 'x';
    name[length] = 0;
}

void named_kernel_family(char name[NAMED_KERNEL], const char *file)
{
    char stem[NAMED_KERNEL];
    const size_t script = text_before(file, ".py");
    snprintf(stem, sizeof stem, "%.*s", (int)(script ? script : strlen(file)), file);
    make_name(name, stem, MOST_NAME);
    for (char *p = name; (p = strchr(p, '.'));) *p = '_';
}

/* Returns 1 for numbers that are joined by 'x'. */
static int is_size(const char *word)
{
    return isdigit((unsigned char)*word) && word[strspn(word, "0123456789x")] == 0;
}

/* A mark of whyfast.h in the range of a launch: "whyfast|VARIANT|SIZE|USEFUL BYTES", the last one
 * if there are several. */
static int read_mark(struct named_kernel *point)
{
    static const char prefix[] = "whyfast|";
    char part[3][NAMED_KERNEL] = {"", "", ""};
    const char *mark = NULL, *range = point->range;
    for (const char *p = range; (p = strstr(p, prefix)); p += sizeof prefix - 1)
        if (p == range || p[-1] == '/') mark = p;
    if (!mark) return 0;
    mark += sizeof prefix - 1;
    for (int i = 0; i < 3; i++) {
        const size_t length = strcspn(mark, i < 2 ? "|" : "|/");
        snprintf(part[i], NAMED_KERNEL, "%.*s", (int)length, mark);
        mark += length + (mark[length] == '|');
    }
    if (*part[0]) snprintf(point->title, NAMED_KERNEL, "%s", part[0]);
    if (is_size(part[1])) snprintf(point->size, NAMED_KERNEL, "%s", part[1]);
    char *end;
    const double bytes = strtod(part[2], &end);
    if (end != part[2] && bytes > 0) point->useful_bytes = bytes;
    return *part[0] != 0;
}

static int is_same_name(const struct named_kernel *a, const struct named_kernel *b)
{
    return a->process == b->process && !strcmp(a->size, b->size) && !strcmp(a->variant, b->variant);
}

enum difference { RANGE = 1, GRID = 2, BLOCK = 4, SHARED = 8, DEVICE = 16, GRAPH = 32 };

static unsigned differences(const struct named_kernel *a, const struct named_kernel *b)
{
    return (memcmp(a->grid, b->grid, sizeof a->grid) ? GRID : 0u) |
           (memcmp(a->block, b->block, sizeof a->block) ? BLOCK : 0u) |
           (a->dynamic_shared != b->dynamic_shared ? SHARED : 0u) |
           (strcmp(a->range, b->range) ? RANGE : 0u) | (a->device != b->device ? DEVICE : 0u) |
           (a->is_graph_node != b->is_graph_node ? GRAPH : 0u);
}

static void append_extent(struct text *text, char letter, const unsigned size[3])
{
    text_format(text, ".%c%u", letter, size[0]);
    if (size[1] > 1 || size[2] > 1) text_format(text, "x%u", size[1]);
    if (size[2] > 1) text_format(text, "x%u", size[2]);
}

/* Writes in what a kernel differs from others with its name: ".g64x2.b128". */
static void write_suffix(char suffix[MOST_SUFFIX + 1], const struct named_kernel *kernel,
                         unsigned differ)
{
    struct text text = {0};
    char range[NAMED_KERNEL];
    text_append(&text, "");
    if (differ & RANGE && *kernel->range && !strstr(kernel->range, "whyfast|")) {
        const char *slash = strrchr(kernel->range, '/');
        make_name(range, slash ? slash + 1 : kernel->range, MOST_SUFFIX / 2);
        text_format(&text, ".%s", range);
    }
    if (differ & GRID) append_extent(&text, 'g', kernel->grid);
    if (differ & BLOCK) append_extent(&text, 'b', kernel->block);
    if (differ & SHARED) text_format(&text, ".s%.0f", kernel->dynamic_shared);
    if (differ & DEVICE) text_format(&text, ".d%d", kernel->device);
    if (differ & GRAPH && kernel->is_graph_node) text_append(&text, ".graph");
    snprintf(suffix, MOST_SUFFIX + 1, "%s", text.length <= MOST_SUFFIX ? text_string(&text) : "");
    text_free(&text);
}

static void append_suffix(char name[NAMED_KERNEL], const char *suffix)
{
    const size_t most = NAMED_KERNEL - 1 - strlen(suffix), length = strlen(name);
    snprintf(name + (length < most ? length : most), MOST_SUFFIX + 1, "%s", suffix);
}

/* Returns in what kernels with the name of a point differ: the first thing in which all of them do,
 * or everything in which any does. `every` has in what each of them differs from all others. */
static unsigned choose_differences(const struct named_kernel *kernels, int count,
                                   const unsigned *every, const struct named_kernel *point)
{
    unsigned any = 0, all = ~0u;
    for (int i = 0; i < count; i++) {
        if (!is_same_name(&kernels[i], point)) continue;
        any |= differences(&kernels[i], point);
        all &= every[i];
    }
    return all & any ? all & any & -(all & any) : any;
}

/* Adds numbers to a name that earlier ones have, too, in the order of their first launches. `given`
 * counts the numbers that the name of each kernel was given. */
static void number_name(const struct named_kernel *kernels, unsigned *given,
                        struct named_kernel *point)
{
    struct named_kernel numbered = *point;
    unsigned *number = NULL;
    for (const struct named_kernel *before = kernels; before < point; before++) {
        char suffix[MOST_SUFFIX + 1];
        if (!is_same_name(&numbered, before)) continue;
        if (!number) number = &given[before - kernels];
        snprintf(suffix, sizeof suffix, ".%u", 2 + (*number)++);
        numbered = *point;
        append_suffix(numbered.variant, suffix);
        append_suffix(numbered.title, suffix);
        before = kernels - 1; /* that name may be another's */
    }
    *point = numbered;
}

/* Writes in what kernels with the same name differ behind their names. */
static int tell_apart(struct named_kernel *kernels, int count)
{
    char(*suffix)[MOST_SUFFIX + 1] = calloc((size_t)count + 1, sizeof *suffix);
    unsigned *every = calloc((size_t)count + 1, sizeof *every);
    const int result = suffix && every ? 0 : error_memory();
    for (int i = 0; i < count && !result; i++) {
        every[i] = ~0u;
        for (int k = 0; k < count; k++)
            if (k != i && is_same_name(&kernels[i], &kernels[k]))
                every[i] &= differences(&kernels[i], &kernels[k]);
    }
    for (int i = 0; i < count && !result; i++)
        write_suffix(suffix[i], &kernels[i],
                     choose_differences(kernels, count, every, &kernels[i]));
    if (!result) memset(every, 0, (size_t)count * sizeof *every);
    for (int i = 0; i < count && !result; i++) {
        append_suffix(kernels[i].variant, suffix[i]);
        append_suffix(kernels[i].title, suffix[i]);
        number_name(kernels, every, &kernels[i]);
    }
    free(every);
    free(suffix);
    return result;
}

int named_kernels_make(struct named_kernel *kernels, int count)
{
    for (int i = 0; i < count; i++) {
        struct named_kernel *kernel = &kernels[i];
        snprintf(kernel->size, sizeof kernel->size, "%s", SIZE_AS_RUN);
        kernel->useful_bytes = NAN;
        if (!read_mark(kernel)) snprintf(kernel->title, sizeof kernel->title, "%s", kernel->label);
        names_key(kernel->title, kernel->variant); /* of a title that may be empty */
        if (!*kernel->variant) snprintf(kernel->variant, NAMED_KERNEL, "x");
    }
    return tell_apart(kernels, count);
}

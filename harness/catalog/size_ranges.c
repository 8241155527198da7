#include "catalog/size_ranges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/registry.h"

enum { MOST_SIZES = 4096 };

void size_list_free(struct size_list *sizes)
{
    for (int i = 0; i < sizes->count; i++) free(sizes->size[i]);
    free(sizes->size);
}

static int size_list_add(struct size_list *sizes, const char *size)
{
    if (sizes->count == MOST_SIZES)
        return error(FAIL_USAGE, "--size asks for more than %d sizes", MOST_SIZES);
    char **larger = realloc(sizes->size, (size_t)(sizes->count + 1) * sizeof *larger);
    if (!larger) return error_memory();
    sizes->size = larger;
    larger[sizes->count] = strdup(size);
    return larger[sizes->count] ? (sizes->count++, 0) : error_memory();
}

/* Reads "2^6..2^13" or a single number, up to an 'x' or the end. Returns 0, or FAIL_USAGE without a
 * message. */
static int read_range(const char *text, uint64_t *low, uint64_t *high)
{
    const size_t length = strcspn(text, "x");
    char words[64];
    struct shape first, last;
    if (length >= sizeof words) return FAIL_USAGE;
    snprintf(words, sizeof words, "%.*s", (int)length, text);
    char *dots = strstr(words, "..");
    if (dots) *dots = 0;
    if (shape_read(&first, words, 1) || shape_read(&last, dots ? dots + 2 : words, 1))
        return FAIL_USAGE;
    *low = first.dim[0];
    *high = last.dim[0];
    return *low > *high ? FAIL_USAGE : 0;
}

/* Adds every combination of the dimensions from `at` on, each doubled from its low to its high. */
static int add_grid(struct size_list *sizes, struct shape *shape, int at, uint64_t (*range)[2])
{
    char text[72];
    int result = 0;
    if (at == shape->rank) return size_list_add(sizes, shape_text(shape, text));
    for (uint64_t side = range[at][0]; side <= range[at][1] && !result; side *= 2) {
        shape->dim[at] = side;
        result = add_grid(sizes, shape, at + 1, range);
        if (side > range[at][1] / 2) break;
    }
    return result;
}

/* Adds the sizes that "2^6..2^13x2^6..2^13x2048" stands for, or the size itself. */
static int expand_size(struct size_list *sizes, const char *size)
{
    struct shape shape = {.rank = size_rank(size)};
    uint64_t range[SHAPE_RANK][2];
    const char *p = size;
    if (!strstr(size, "..")) return size_list_add(sizes, size);
    for (int i = 0; i < shape.rank; i++) {
        if (i == SHAPE_RANK || read_range(p, &range[i][0], &range[i][1]))
            return error(FAIL_USAGE,
                         "size '%s': expected a range of the form LOW..HIGH, such as 2^6..2^13, "
                         "with LOW up to HIGH",
                         size);
        p += strcspn(p, "x");
        p += *p == 'x';
    }
    return add_grid(sizes, &shape, 0, range);
}

int size_ranges_expand(struct size_list *sizes, const char *const *size, int count)
{
    int result = 0;
    for (int i = 0; i < count && !result; i++) result = expand_size(sizes, size[i]);
    return result;
}

#include "run/line_codes.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* The first columns of lines.csv. */
enum { KERNEL, PC, CODE, CODE_END = CODE + 4 };

struct line_code {
    const char *cell[CODE_END]; /* text follows */
};

static int compare(const void *a, const void *b, int first, int end)
{
    const struct line_code *one = a, *other = b;
    int order = 0;
    for (int i = first; i < end && !order; i++) order = strcmp(one->cell[i], other->cell[i]);
    return order;
}

static int compare_rows(const void *a, const void *b)
{
    return compare(a, b, KERNEL, CODE);
}

static int compare_codes(const void *a, const void *b)
{
    return compare(a, b, PC, CODE_END);
}

static int has_code(const char *const *cell)
{
    for (int i = CODE; i < CODE_END; i++)
        if (*cell[i]) return 1;
    return 0;
}

/* Adds a row unless an equal one is there, and returns the one that is there afterwards; NULL, with
 * a message, if memory is short. */
static const struct line_code *add(struct line_codes *codes, const char *const *cell,
                                   int (*order)(const void *a, const void *b))
{
    size_t size = sizeof(struct line_code);
    for (int i = 0; i < CODE_END; i++) size += strlen(cell[i]) + 1;
    struct line_code *fresh = malloc(size), **found = NULL;
    if (fresh) {
        char *text = (char *)(fresh + 1);
        for (int i = 0; i < CODE_END; i++) {
            fresh->cell[i] = text;
            text = stpcpy(text, cell[i]) + 1;
        }
        found = tsearch(fresh, &codes->tree, order);
    }
    if (!found || *found != fresh) free(fresh);
    if (!found) error_memory();
    return found ? *found : NULL;
}

int line_codes_expand(struct line_codes *codes, const struct csv_reader *row, int code_of)
{
    const char **cell = (const char **)row->cell;
    const struct line_code wanted = {.cell = {cell[code_of], cell[PC]}};
    if (!*cell[code_of]) return !has_code(cell) || add(codes, cell, compare_rows) ? 0 : FAIL_OUTPUT;
    struct line_code **found = has_code(cell) ? NULL : tfind(&wanted, &codes->tree, compare_rows);
    if (!found)
        return error(FAIL_INPUT, "%s:%d: column 'code_of': %s kernel %.80s", row->path, row->line,
                     has_code(cell) ? "the row has code, and refers to"
                                    : "no row above has code of this pc of",
                     cell[code_of]);
    for (int i = CODE; i < CODE_END; i++) cell[i] = (*found)->cell[i];
    cell[code_of] = "";
    return 0;
}

int line_codes_shorten(struct line_codes *codes, const char **cell, int code_of)
{
    if (!has_code(cell)) return 0;
    const struct line_code *found = add(codes, cell, compare_codes);
    if (!found) return FAIL_OUTPUT;
    if (!strcmp(found->cell[KERNEL], cell[KERNEL])) return 0;
    for (int i = CODE; i < CODE_END; i++) cell[i] = "";
    cell[code_of] = found->cell[KERNEL];
    return 0;
}

void line_codes_free(struct line_codes *codes)
{
    tdestroy(codes->tree, free);
    codes->tree = NULL;
}

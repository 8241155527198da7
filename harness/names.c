#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "registry.h"
#include "text.h"

int names_add(void *context, const struct scope *row)
{
    struct names *names = context;
    char **name = realloc(names->name, (size_t)(names->count + 1) * sizeof *name);
    if (!name) return error_memory();
    names->name = name;
    name[names->count] = strdup(row->value[0]);
    if (!name[names->count]) return error_memory();
    names->count++;
    return 0;
}

void names_free(struct names *names)
{
    for (int i = 0; i < names->count; i++) free(names->name[i]);
    free(names->name);
    memset(names, 0, sizeof *names);
}

const char *names_bare(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash ? slash + 1 : name;
}

int names_nearest(const struct names *names, const char *word, const char **nearest)
{
    const char **candidates = calloc(2 * (size_t)names->count + 1, sizeof *candidates);
    if (!candidates) return error_memory();
    for (int i = 0; i < names->count; i++) {
        candidates[2 * i] = names->name[i];
        candidates[2 * i + 1] = names_bare(names->name[i]);
    }
    *nearest = text_nearest(word, candidates, 2 * (size_t)names->count);
    free(candidates);
    return 0;
}

int size_digits(const char *size, char digits[72])
{
    struct shape shape;
    int rank = 1;
    for (const char *p = size; *p; p++) rank += *p == 'x';
    const int result = shape_parse(&shape, size, rank > 3 ? 3 : rank);
    if (!result) shape_text(&shape, digits);
    return result;
}

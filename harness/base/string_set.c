#include "base/string_set.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* The tuple as one string: each part with its length, so that different tuples differ. */
static char *join(const char *const *part, int parts)
{
    struct text joined = {0};
    for (int i = 0; i < parts; i++) text_format(&joined, "%zu:%s", strlen(part[i]), part[i]);
    if (joined.failed) text_free(&joined);
    return joined.data;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

int string_set_add(struct string_set *set, const char *const *part, int parts)
{
    char *key = join(part, parts);
    char **found = key ? tsearch(key, &set->tree, compare) : NULL;
    if (!found || *found != key) free(key);
    return found ? 0 : error_memory();
}

int string_set_has(const struct string_set *set, const char *const *part, int parts)
{
    char *key = join(part, parts);
    const int has = key && tfind(key, &set->tree, compare);
    free(key);
    return has;
}

void string_set_free(struct string_set *set)
{
    tdestroy(set->tree, free);
    set->tree = NULL;
}

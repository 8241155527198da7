#include "base/string_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/message.h"

enum { MOST_PARTS = 8 };

/* A text is its parts one after the other, each with its NUL. All texts of a set have as many. */
static int is_name(const char *name, const char *const *part, int parts)
{
    for (int i = 0; i < parts; i++) {
        if (strcmp(name, part[i])) return 0;
        name += strlen(name) + 1;
    }
    return 1;
}

static uint64_t find_slot(const struct string_set *set, const char *const *part, int parts)
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < parts; i++) hash = hash_bytes(hash, part[i], strlen(part[i]) + 1);
    uint64_t at = hash & (uint64_t)(set->slots - 1);
    while (set->name[at] && !is_name(set->name[at], part, parts))
        at = (at + 1) & (uint64_t)(set->slots - 1);
    return at;
}

static int grow(struct string_set *set, int parts)
{
    struct string_set grown = {set->count, set->slots ? 2 * set->slots : 64, NULL};
    grown.name = calloc((size_t)grown.slots, sizeof *grown.name);
    if (!grown.name) return error_memory();
    for (int i = 0; i < set->slots; i++) {
        const char *part[MOST_PARTS];
        const char *p = set->name[i];
        for (int k = 0; p && k < parts; k++) {
            part[k] = p;
            p += strlen(p) + 1;
        }
        if (set->name[i]) grown.name[find_slot(&grown, part, parts)] = set->name[i];
    }
    free(set->name);
    *set = grown;
    return 0;
}

int string_set_add(struct string_set *set, const char *const *part, int parts)
{
    size_t length = 1;
    if (2 * set->count >= set->slots) {
        const int result = grow(set, parts);
        if (result) return result;
    }
    const uint64_t at = find_slot(set, part, parts);
    if (set->name[at]) return 0;
    for (int i = 0; i < parts; i++) length += strlen(part[i]) + 1;
    char *name = calloc(length, 1), *p = name;
    if (!name) return error_memory();
    for (int i = 0; i < parts; i++) p = stpcpy(p, part[i]) + 1;
    set->name[at] = name;
    set->count++;
    return 0;
}

int string_set_has(const struct string_set *set, const char *const *part, int parts)
{
    return set->slots > 0 && set->name[find_slot(set, part, parts)] != NULL;
}

void string_set_free(struct string_set *set)
{
    for (int i = 0; i < set->slots; i++) free(set->name[i]);
    free(set->name);
    memset(set, 0, sizeof *set);
}

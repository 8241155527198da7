#include "query/point_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/message.h"

static uint64_t hash_key(const char *family, const char *variant, const char *size, int64_t block,
                         int64_t sweep)
{
    uint64_t hash = hash_bytes(HASH_START, family, strlen(family) + 1);
    hash = hash_bytes(hash, variant, strlen(variant) + 1);
    hash = hash_bytes(hash, size, strlen(size) + 1);
    return hash ^ (uint64_t)block * 0x9E3779B97F4A7C15u ^ (uint64_t)sweep * 0xBF58476D1CE4E5B9u;
}

static int is_at(const struct indexed_point *point, const char *family, const char *variant,
                 const char *size, int64_t block, int64_t sweep)
{
    return point->sweep == sweep && point->block == block && !strcmp(point->size, size) &&
           !strcmp(point->variant, variant) && !strcmp(point->family, family);
}

/* Slot of the key, or the empty one where it belongs. */
static int *find_slot(const struct point_index *index, const char *family, const char *variant,
                      const char *size, int64_t block, int64_t sweep)
{
    const uint64_t mask = (uint64_t)index->slots - 1;
    uint64_t i = hash_key(family, variant, size, block, sweep) & mask;
    while (index->slot[i] &&
           !is_at(&index->point[index->slot[i] - 1], family, variant, size, block, sweep))
        i = (i + 1) & mask;
    return &index->slot[i];
}

static int grow(struct point_index *index)
{
    const int slots = index->slots ? 2 * index->slots : 1024;
    struct indexed_point *point = realloc(index->point, (size_t)slots / 2 * sizeof *point);
    if (point) index->point = point;
    int *slot = calloc((size_t)slots, sizeof *slot);
    if (!point || !slot) {
        free(slot);
        return error_memory();
    }
    free(index->slot);
    index->slot = slot;
    index->slots = slots;
    for (int i = 0; i < index->count; i++) {
        const struct indexed_point *old = &index->point[i];
        *find_slot(index, old->family, old->variant, old->size, old->block, old->sweep) = i + 1;
    }
    return 0;
}

/* Columns: rowid and the key. */
static int add_point(void *context, const struct scope *row)
{
    struct point_index *index = context;
    const char *const *cell = row->value;
    struct indexed_point point = {.block = strtoll(cell[4], NULL, 10),
                                  .sweep = strtoll(cell[5], NULL, 10),
                                  .rowid = strtoll(cell[0], NULL, 10)};
    if (2 * index->count >= index->slots) {
        const int result = grow(index);
        if (result) return result;
    }
    int *slot = find_slot(index, cell[1], cell[2], cell[3], point.block, point.sweep);
    if (*slot) return 0;
    point.family = malloc(strlen(cell[1]) + strlen(cell[2]) + strlen(cell[3]) + 3);
    if (!point.family) return error_memory();
    point.variant = stpcpy(point.family, cell[1]) + 1;
    point.size = stpcpy(point.variant, cell[2]) + 1;
    strcpy(point.size, cell[3]);
    index->point[index->count++] = point;
    *slot = index->count;
    return 0;
}

int point_index_make(struct point_index *index, struct query *query)
{
    memset(index, 0, sizeof *index);
    return query_each(
        query, NULL, "SELECT rowid, family, variant, size, block, sweep FROM points ORDER BY rowid",
        NULL, add_point, index);
}

void point_index_free(struct point_index *index)
{
    for (int i = 0; i < index->count; i++) free(index->point[i].family);
    free(index->point);
    free(index->slot);
    memset(index, 0, sizeof *index);
}

int64_t point_index_find(struct point_index *index, const struct table_rows *rows, int first)
{
    char **cell = rows->reader.cell + first;
    const int64_t block = strtoll(cell[3], NULL, 10), sweep = strtoll(cell[4], NULL, 10);
    if (!index->count) return 0;
    if (!is_at(&index->point[index->last], cell[0], cell[1], cell[2], block, sweep)) {
        const int found = *find_slot(index, cell[0], cell[1], cell[2], block, sweep);
        if (!found) return 0;
        index->last = found - 1;
    }
    return index->point[index->last].rowid;
}

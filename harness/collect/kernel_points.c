#include "collect/kernel_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "query/common_settings.sql.h"
#include "query/query.h"

/* Columns of the statement, after those of the point. */
enum { FILE_NAME = POINT_KEY_COLUMNS, TIME, IS_LARGEST, IS_PRIMARY, IS_OF_GRID };

static const char times[] =
    "CREATE TABLE setting_times AS SELECT " POINT_KEY ", median(time_ns) AS ns FROM samples JOIN "
    "families f USING (family) WHERE l2 = 'cold' AND kind = 'end_to_end' AND copy = 'a' AND status "
    "= 'ok' AND block = coalesce(f.usual_block, block) GROUP BY " POINT_KEY "; %s";

static const char chosen[] =
    "WITH size AS (SELECT s.family, s.size, s.place,"
    "  rank() OVER (PARTITION BY s.family ORDER BY s.bytes DESC, s.size) AS from_largest"
    "  FROM sizes s WHERE (s.family, s.size) IN (SELECT family, size FROM points"
    "    WHERE status = 'ok')),"
    "setting AS (SELECT p.*, v.file, t.ns, s.from_largest, s.place,"
    "  row_number() OVER (PARTITION BY p.family, p.variant, p.size, p.block"
    "    ORDER BY t.ns IS NULL, p.sweep <> coalesce(c.sweep, p.sweep), t.ns, p.sweep)"
    "  AS from_fastest"
    "  FROM points p JOIN size s ON s.family = p.family AND s.size = p.size"
    "  JOIN variants v USING (family, variant) JOIN families f USING (family)"
    "  LEFT JOIN setting_times t USING (" POINT_KEY ")"
    "  LEFT JOIN common_settings c ON c.family = p.family AND c.size = p.size"
    "  WHERE p.status = 'ok' AND v.kind <> 'cpu' AND p.block = coalesce(f.usual_block, p.block))"
    "SELECT " POINT_KEY ", file, ns, from_largest = 1, place = 1, family IN "
    "  (SELECT family FROM variants WHERE factors <> '') FROM setting"
    "  WHERE from_fastest = 1 ORDER BY family, size, block, variant";

struct choice {
    struct kernel_points *points;
    int grids;
};

static int add(void *context, const struct scope *row)
{
    const struct choice *choice = context;
    struct kernel_points *points = choice->points;
    const int is_of_grid = row->value[IS_OF_GRID] && *row->value[IS_OF_GRID] == '1';
    if (is_of_grid && !choice->grids) return 0;
    struct kernel_point *grown =
        realloc(points->point, (size_t)(points->count + 1) * sizeof *grown);
    if (!grown) return error_memory();
    points->point = grown;
    struct kernel_point *point = &grown[points->count++];
    memset(point, 0, sizeof *point);
    const int result = point_key_copy(&point->key, row->value);
    point->file = strdup(row->value[FILE_NAME] ? row->value[FILE_NAME] : "");
    point->time_ns = row_number(row, TIME);
    point->is_largest = row->value[IS_LARGEST] && *row->value[IS_LARGEST] == '1';
    point->is_primary = row->value[IS_PRIMARY] && *row->value[IS_PRIMARY] == '1';
    return result || point->file ? result : error_memory();
}

int kernel_points_choose(struct kernel_points *points, const struct run *run, int grids)
{
    struct choice choice = {points, grids};
    struct query query;
    memset(points, 0, sizeof *points);
    int result = query_open(&query, run);
    if (result) return result;
    result = QUERY_LOAD(&query, TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS, TABLE_SAMPLES);
    if (!result) result = query_make_sizes(&query);
    if (!result) result = query_write(&query, times, common_settings_sql);
    if (!result) result = query_each(&query, NULL, chosen, NULL, add, &choice);
    query_close(&query);
    if (result) kernel_points_free(points);
    return result;
}

void kernel_points_free(struct kernel_points *points)
{
    for (int i = 0; i < points->count; i++) {
        point_key_free(&points->point[i].key);
        free(points->point[i].file);
    }
    free(points->point);
    memset(points, 0, sizeof *points);
}

int kernel_points_group_end(const struct kernel_points *points, int start)
{
    const struct point_key *first = &points->point[start].key;
    int end = start + 1;
    for (; end < points->count; end++) {
        const struct point_key *key = &points->point[end].key;
        if (strcmp(key->family, first->family) || strcmp(key->size, first->size) ||
            strcmp(key->block, first->block))
            break;
    }
    return end;
}

#include "report/report_scope.h"

#include <stdlib.h>
#include <string.h>

#include "query/query.h"
#include "report/report_scope.sql.h"

static int add_names(void *context, const struct scope *row)
{
    return string_set_add(context, row->value, row->count);
}

static int take_counts(void *context, const struct scope *row)
{
    struct report_scope *scope = context;
    struct report_scope_count *const count[] = {&scope->families, &scope->places, &scope->kernels};
    for (int i = 0; i < 3; i++) {
        count[i]->all = (int)row_integer(row, 2 * i);
        count[i]->shown = (int)row_integer(row, 2 * i + 1);
    }
    return 0;
}

static int choose(struct report_scope *scope, struct query *query)
{
    static const char hidden[] =
        "SELECT 'family', family, '' FROM hidden_family UNION ALL SELECT 'place', family, size "
        "FROM "
        "hidden_place UNION ALL SELECT 'kernel', kernel, '' FROM hidden_kernel UNION ALL SELECT "
        "'trace', trace, '' FROM hidden_trace";
    int result =
        query_write(query,
                    "CREATE TABLE scope_limit AS SELECT %d AS whole_families, %d AS "
                    "whole_places, %d AS whole_kernels, %d AS shown_families, %d AS "
                    "shown_places",
                    WHOLE_FAMILIES, WHOLE_PLACES, WHOLE_KERNELS, SHOWN_FAMILIES, SHOWN_PLACES);
    if (!result)
        result = QUERY_LOAD(query, TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS, TABLE_KERNELS,
                            TABLE_TRACES, TABLE_METRICS);
    if (!result) result = query_make_sizes(query);
    if (!result) result = query_write(query, "%s", report_scope_sql);
    if (!result) result = query_each(query, NULL, hidden, NULL, add_names, &scope->hidden);
    return result ? result
                  : query_each(query, NULL, "SELECT * FROM scope_count", NULL, take_counts, scope);
}

int report_scope_choose(struct report_scope *scope, const struct run *run)
{
    struct query query;
    memset(scope, 0, sizeof *scope);
    int result = query_open(&query, run);
    if (result) return result;
    result = choose(scope, &query);
    query_close(&query);
    if (result) report_scope_free(scope);
    return result;
}

void report_scope_free(struct report_scope *scope)
{
    string_set_free(&scope->hidden);
    memset(scope, 0, sizeof *scope);
}

int report_scope_is_selection(const struct report_scope *scope)
{
    return scope->families.shown < scope->families.all || scope->places.shown < scope->places.all ||
           scope->kernels.shown < scope->kernels.all;
}

static int is_hidden(const struct report_scope *scope, const char *kind, const char *name,
                     const char *size)
{
    return string_set_has(&scope->hidden, (const char *const[]){kind, name, size}, 3);
}

int report_scope_keeps(void *context, const struct table_rows *row)
{
    const struct report_scope *scope = context;
    char *const *cell = row->reader.cell;
    const int family = row->width > 1 && !strcmp(row->name[0], "family")   ? 0
                       : row->width > 1 && !strcmp(row->name[1], "family") ? 1
                                                                           : -1;
    if ((!strcmp(row->name[0], "kernel") || !strcmp(row->name[0], "trace")) &&
        is_hidden(scope, row->name[0], cell[0], ""))
        return 0;
    if (family < 0 || !strcmp(row->table->name, "stages")) return 1;
    /* The shape map has a summary of all sizes, which needs no page for each. */
    return !is_hidden(scope, "family", cell[family], "") &&
           (row->size_column < 0 || !strcmp(row->table->name, "shape_map") ||
            !is_hidden(scope, "place", cell[family], cell[row->size_column]));
}

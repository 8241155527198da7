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
        count[i]->all = (int)strtol(row->value[2 * i], NULL, 10);
        count[i]->shown = (int)strtol(row->value[2 * i + 1], NULL, 10);
    }
    return 0;
}

static int choose(struct report_scope *scope, struct query *query)
{
    static const enum table_id needed[] = {TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS,
                                           TABLE_KERNELS,  TABLE_TRACES,   TABLE_METRICS};
    const struct {
        const char *sql;
        row_visitor *visit;
        void *context;
    } reading[] = {
        {"SELECT family FROM hidden_family", add_names, &scope->hidden_families},
        {"SELECT family, size FROM hidden_place", add_names, &scope->hidden_places},
        {"SELECT kernel FROM hidden_kernel", add_names, &scope->hidden_kernels},
        {"SELECT trace FROM hidden_trace", add_names, &scope->hidden_traces},
        {"SELECT * FROM scope_count", take_counts, scope},
    };
    int result =
        query_write(query,
                    "CREATE TABLE scope_limit AS SELECT %d AS whole_families, %d AS "
                    "whole_places, %d AS whole_kernels, %d AS shown_families, %d AS "
                    "shown_places",
                    WHOLE_FAMILIES, WHOLE_PLACES, WHOLE_KERNELS, SHOWN_FAMILIES, SHOWN_PLACES);
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(query, needed[i]);
    if (!result) result = query_write(query, "%s", report_scope_sql);
    for (size_t i = 0; i < sizeof reading / sizeof *reading && !result; i++)
        result =
            query_each(query, NULL, reading[i].sql, NULL, reading[i].visit, reading[i].context);
    return result;
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
    string_set_free(&scope->hidden_families);
    string_set_free(&scope->hidden_places);
    string_set_free(&scope->hidden_kernels);
    string_set_free(&scope->hidden_traces);
    memset(scope, 0, sizeof *scope);
}

int report_scope_is_selection(const struct report_scope *scope)
{
    return scope->families.shown < scope->families.all || scope->places.shown < scope->places.all ||
           scope->kernels.shown < scope->kernels.all;
}

int report_scope_keeps(void *context, const struct table_rows *row)
{
    const struct report_scope *scope = context;
    const char *const *cell = (const char *const *)row->reader.cell;
    const int family = row->width > 1 && !strcmp(row->name[0], "family")   ? 0
                       : row->width > 1 && !strcmp(row->name[1], "family") ? 1
                                                                           : -1;
    if ((!strcmp(row->name[0], "kernel") && string_set_has(&scope->hidden_kernels, cell, 1)) ||
        (!strcmp(row->name[0], "trace") && string_set_has(&scope->hidden_traces, cell, 1)))
        return 0;
    if (family < 0 || !strcmp(row->table->name, "stages")) return 1;
    const char *const place[] = {cell[family], row->size_column >= 0 ? cell[row->size_column] : ""};
    return !string_set_has(&scope->hidden_families, place, 1) &&
           !string_set_has(&scope->hidden_places, place, 2);
}

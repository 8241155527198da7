#include "report/page_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "catalog/thresholds.h"
#include "explain/account_sentence.h"
#include "explain/causes.h"
#include "explain/metric_words.h"
#include "explain/pairs.h"
#include "lines/lines_tables.h"
#include "explain/limiters.sql.h"
#include "explain/resources.sql.h"
#include "query/published_here.sql.h"
#include "report/compare_tables.sql.h"
#include "report/conflict_places.sql.h"
#include "report/coverage.sql.h"
#include "report/map_tables.sql.h"
#include "report/pages.sql.h"
#include "report/rise.sql.h"
#include "report/report_scope.h"

/* A record in the glossary has a formula, the counter or fact that it is read from with its bounds,
 * what a track shows, or the condition of a check. */
static int load_glossary(struct query *query, const struct records *records)
{
    static const char sql[] =
        "INSERT INTO glossary VALUES(%Q, %Q, %Q, %Q, %Q, coalesce(%Q || coalesce('; least ' || "
        "%Q, '') || coalesce('; most ' || %Q, ''), %Q || ', where value is ' || %Q, %Q, %Q), %Q, "
        "%Q)";
    static const enum record_kind kinds[] = {RECORD_METRIC, RECORD_FACT, RECORD_COUNTER,
                                             RECORD_CAUSE,  RECORD_TERM, RECORD_TRACK,
                                             RECORD_CHECK};
    int result = query_write(
        query, "CREATE TABLE glossary(kind, name, title, words, unit, formula, better, means)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *from = record_field(record, "from"), *holds = record_field(record, "holds");
        size_t kind = 0;
        while (kind < sizeof kinds / sizeof *kinds && kinds[kind] != record->kind) kind++;
        if (kind == sizeof kinds / sizeof *kinds) continue;
        result = query_write(
            query, sql, record_kind_name(record->kind), record->name, record_field(record, "title"),
            record_field(record, "words"), record_field(record, "unit"),
            record_field(record, "formula"), record_field(record, "least"),
            record_field(record, "most"), record_field(record, "shows"), from, from, holds,
            record_field(record, "better"), record_field(record, holds ? "because" : "means"));
    }
    return result;
}

static int load_facts(struct query *query, const struct run *run)
{
    int result = query_write(query, "CREATE TABLE facts(key, value)");
    for (int i = 0; i < run->facts.count && !result; i++)
        result = query_write(query, "INSERT INTO facts VALUES(%Q, %Q)", run->facts.fact[i].key,
                             run->facts.fact[i].value);
    return result;
}

/* Loads the lines of the kernels at the size of each family at which they were counted, else at its
 * primary one; views about lines are stored as tables. */
static int load_lines(struct query *query)
{
    static const char primary[] =
        "SELECT kernel FROM (SELECT kernel, rank() OVER (PARTITION BY family ORDER BY is_counted "
        "DESC, place NULLS LAST) AS nth FROM kernels JOIN (SELECT family, size, max(counts_status "
        "= 'ok') AS is_counted FROM kernels GROUP BY family, size) USING (family, size) LEFT JOIN "
        "sizes USING (family, size)) WHERE nth = 1",
                      sql[] = "CREATE TABLE kernel_rows AS SELECT * FROM kernel_sums;"
                              "CREATE TABLE line_rows AS SELECT * FROM line_sums;"
                              "CREATE INDEX kernel_rows_key ON kernel_rows(family, variant);"
                              "CREATE INDEX line_rows_key ON line_rows(kernel, source, line)";
    const int result = lines_tables_load(query, primary);
    return result ? result : query_write(query, "%s", sql);
}

static int add_witness(void *context, const struct scope *row)
{
    struct query *query = context;
    const char *name = row->value[0], *place = row->value[1];
    return query_write(
        query,
        "INSERT INTO witness VALUES(%Q, %s); INSERT INTO witness_values SELECT " POINT_KEY
        ", %s, \"%w\" FROM metrics WHERE best = 1",
        name, place, place, name);
}

/* Every metric that shows a cause at work. */
static int load_witnesses(struct query *query)
{
    static const char names[] = "SELECT witness, min(place) FROM cause WHERE witness IS NOT NULL "
                                "GROUP BY witness";
    int result = query_write(query, "CREATE TABLE witness(name, place);"
                                    "CREATE TABLE witness_values(" POINT_KEY ", place, value)");
    if (!result) result = query_each(query, NULL, names, NULL, add_witness, query);
    return result
               ? result
               : query_write(query, "CREATE INDEX witness_values_key ON witness_values(" POINT_KEY
                                    ", place)");
}

static int count_impossible(struct query *query, struct run *run)
{
    char *kernels = NULL;
    const int result = query_text(
        query, NULL, "SELECT count(DISTINCT kernel) FROM impossible_lines", NULL, &kernels);
    if (!result && !run->impossible) run->impossible = (int)strtol(kernels, NULL, 10);
    free(kernels);
    return result;
}

/* The one row of this table gives the extent of a selection. */
static int load_selection(struct query *query, const struct report_scope *scope)
{
    const int result = query_write(
        query,
        "CREATE TABLE selection(families, all_families, places, all_places, kernels, all_kernels)");
    if (result || !report_scope_is_selection(scope)) return result;
    return query_write(query, "INSERT INTO selection VALUES(%d, %d, %d, %d, %d, %d)",
                       scope->families.shown, scope->families.all, scope->places.shown,
                       scope->places.all, scope->kernels.shown, scope->kernels.all);
}

/* The items of the sources, with the figures that they ask for. */
static int load_items(struct query *query, const struct records *records)
{
    int result = query_write(query, "CREATE TABLE items(source, place, says, shown, figure)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *figure = record_field(record, "figure");
        char *text = NULL, origin[300];
        if (record->kind != RECORD_ITEM) continue;
        snprintf(origin, sizeof origin, "%s:%d", record->file, record_line(record, "figure"));
        if (figure) result = query_text(query, origin, figure, NULL, &text);
        if (!result)
            result = query_write(query, "INSERT INTO items VALUES(%Q, %Q, %Q, %Q, %Q)",
                                 record_field(record, "source"), record_field(record, "place"),
                                 record_field(record, "says"), record_field(record, "shown"),
                                 figure && !text ? "absent: not measured in this run" : text);
        free(text);
    }
    if (!result) result = query_write(query, "%s", published_here_sql);
    return result ? result : query_write(query, "%s", coverage_sql);
}

static int load_tables(struct query *query, const struct run *run, const struct records *records,
                       struct report_scope *scope)
{
    int result = report_scope_choose(scope, run);
    if (!result) result = load_selection(query, scope);
    if (!result && report_scope_is_selection(scope)) {
        query->keeps = report_scope_keeps;
        query->keeps_context = scope;
    }
    for (enum table_id id = 0; id < TABLE_COUNT && !result; id++) {
        if (id == TABLE_SAMPLES || id == TABLE_COUNTERS || id == TABLE_LINES ||
            id == TABLE_TRACE_SAMPLES || id == TABLE_CHARTS)
            continue;
        result = query_load(query, id);
    }
    if (!result) result = query_make_sizes(query);
    if (!result) result = query_make_library_ratios(query);
    if (!result) result = load_lines(query);
    if (!result) result = load_glossary(query, records);
    if (!result) result = load_items(query, records);
    if (!result) result = causes_names(query, records);
    if (!result) result = metric_words_make(query, records);
    if (!result) result = load_witnesses(query);
    if (!result) result = pairs_make(query, records);
    if (!result)
        result = query_write(query, "%s %s %s", resources_sql, limiters_sql, map_tables_sql);
    if (!result) result = load_facts(query, run);
    if (!result) result = query_write(query, "%s %s %s", rise_sql, conflict_places_sql, pages_sql);
    return result ? result : query_write(query, "%s", compare_tables_sql);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* A number of four digits, or as many as asked for, so that scripts stay small. The digits before
 * the point stay: a count must not look exact when it is rounded. One that ends in 5 has two more,
 * because pages round it once more. */
static void short_number(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    char digits[40];
    if (sqlite3_value_numeric_type(arguments[0]) == SQLITE_NULL) return;
    const double value = sqlite3_value_double(arguments[0]),
                 whole = fabs(value) < 1 ? 0 : floor(log10(fabs(value))) + 1,
                 most = fmax(count > 1 ? sqlite3_value_double(arguments[1]) : 4, whole);
    int length = snprintf(digits, sizeof digits, "%.*g", (int)fmin(fmax(most, 1), 15), value);
    if (digits[length - 1] == '5')
        snprintf(digits, sizeof digits, "%.*g", (int)fmin(fmax(most, 1), 15) + 2, value);
    const double rounded = strtod(digits, NULL);
    if (rounded == floor(rounded) && fabs(rounded) < 1e15)
        sqlite3_result_int64(context, (sqlite3_int64)rounded);
    else
        sqlite3_result_double(context, rounded);
}

static int add_functions(struct query *query)
{
    const int failures = query_add_function(query, "short_number", 1, short_number) +
                         query_add_function(query, "short_number", 2, short_number);
    return failures ? error_memory() : 0;
}

int page_tables_load(struct query *query, struct run *run, const struct records *records)
{
    struct report_scope scope = {.families = {0, 0}};
    int result = add_functions(query);
    if (!result) result = load_tables(query, run, records, &scope);
    if (!result) result = count_impossible(query, run);
    report_scope_free(&scope);
    return result;
}

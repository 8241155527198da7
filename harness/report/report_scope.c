#include "report/report_scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "query/query.h"

/* ---- choosing -------------------------------------------------------------------------------- */

/* Families in the order of the report, and the sizes of each: that of its lines first, then the
 * largest. */
static const char places_sql[] =
    "CREATE TABLE shown_place AS WITH family AS (SELECT f.family, f.lines_size, row_number() OVER "
    "(ORDER BY (SELECT count(*) FROM variants v WHERE v.family ="
    " f.family) DESC, f.family) AS place FROM families f),"
    " sizes AS (SELECT family, size, max(useful_bytes) AS bytes FROM points GROUP BY family, size)"
    " SELECT f.family, f.place AS family_place, s.size, row_number() OVER (PARTITION BY f.family "
    "ORDER BY s.size = f.lines_size DESC, s.bytes DESC, s.size) AS"
    " size_place FROM family f LEFT JOIN sizes s ON s.family = f.family";

/* Those beyond the limits; nothing of a run that keeps them. */
static const char hidden_sql[] =
    "CREATE TABLE hidden_family AS SELECT DISTINCT family FROM shown_place WHERE family_place > %d "
    "AND (SELECT count(DISTINCT family) > %d OR count(size) > %d FROM"
    " shown_place);"
    "CREATE TABLE hidden_place AS SELECT family, size FROM (SELECT p.*, row_number() OVER (ORDER "
    "BY p.size_place, p.family_place) AS place FROM shown_place p WHERE"
    " p.size IS NOT NULL AND p.family NOT IN (SELECT family FROM hidden_family)) WHERE place > %d "
    "AND (SELECT count(DISTINCT family) > %d OR count(size) > %d FROM"
    " shown_place)";

/* Of each variant the kernels of one point, in the best setting where that is known. */
static const char kernels_sql[] =
    "CREATE INDEX metrics_point ON metrics(family, variant, size, block, sweep);"
    "CREATE TABLE hidden_kernel AS WITH visible AS (SELECT k.* FROM kernels k WHERE k.family NOT "
    "IN (SELECT family FROM hidden_family) AND (k.family, k.size) NOT IN"
    " (SELECT family, size FROM hidden_place)),"
    " point AS (SELECT k.family, k.variant, k.size, k.block, k.sweep, dense_rank() OVER (PARTITION "
    "BY k.family, k.variant ORDER BY coalesce(m.best, 0) DESC, k.size ="
    " f.lines_size DESC, m.useful_bytes DESC, k.size, k.block, k.sweep) AS place, k.kernel FROM "
    "visible k LEFT JOIN metrics m USING (family, variant, size, block,"
    " sweep) LEFT JOIN families f USING (family))"
    " SELECT kernel FROM kernels WHERE kernel NOT IN (SELECT kernel FROM point WHERE place = 1 OR "
    "(SELECT count(*) FROM kernels) <= %d) AND (SELECT count(*) FROM"
    " kernels) > %d;"
    "INSERT INTO hidden_kernel SELECT kernel FROM kernels WHERE family IN (SELECT family FROM "
    "hidden_family) OR (family, size) IN (SELECT family, size FROM"
    " hidden_place)";

struct numbers {
    unsigned char **hidden;
    int64_t *count;
};

static int add_number(void *context, const struct scope *row)
{
    enum { MOST = 100000000 };
    const struct numbers *numbers = context;
    const long long number = strtoll(row->value[0], NULL, 10);
    if (number >= MOST)
        return error(FAIL_INPUT,
                     "a table of the run numbers its rows from 0 on: %lld; expected less than %d",
                     number, MOST);
    if (number >= *numbers->count) {
        const int64_t count = 2 * number + 64;
        unsigned char *grown = realloc(*numbers->hidden, (size_t)count);
        if (!grown) return error_memory();
        memset(grown + *numbers->count, 0, (size_t)(count - *numbers->count));
        *numbers->hidden = grown;
        *numbers->count = count;
    }
    (*numbers->hidden)[number] = 1;
    return 0;
}

static int add_names(void *context, const struct scope *row)
{
    return string_set_add(context, row->value, row->count);
}

static int take_counts(void *context, const struct scope *row)
{
    struct report_scope_count *const *count = context;
    for (int i = 0; i < 3; i++)
        *count[i] = (struct report_scope_count){(int)strtol(row->value[2 * i], NULL, 10),
                                                (int)strtol(row->value[2 * i + 1], NULL, 10)};
    return 0;
}

static int choose(struct report_scope *shown, struct query *query)
{
    static const enum table_id needed[] = {TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS,
                                           TABLE_KERNELS, TABLE_TRACES};
    struct numbers kernels = {&shown->hidden_kernel, &shown->kernel_count},
                   traces = {&shown->hidden_trace, &shown->trace_count};
    struct report_scope_count *counts[] = {&shown->families, &shown->places, &shown->kernels};
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(query, needed[i]);
    if (!result) result = query_write(query, "%s", places_sql);
    if (!result)
        result = query_write(query, hidden_sql, SHOWN_FAMILIES, WHOLE_FAMILIES, WHOLE_PLACES,
                             SHOWN_PLACES, WHOLE_FAMILIES, WHOLE_PLACES);
    if (!result)
        result = query_each(query, NULL, "SELECT family FROM hidden_family", NULL, add_names,
                            &shown->hidden_families);
    if (!result)
        result = query_each(query, NULL, "SELECT family, size FROM hidden_place", NULL, add_names,
                            &shown->hidden_places);
    if (!result)
        result = query_load_some(query, TABLE_METRICS, report_scope_keeps,
                                 shown); /* of what is shown by now */
    if (!result) result = query_write(query, kernels_sql, WHOLE_KERNELS, WHOLE_KERNELS);
    if (!result)
        result = query_each(query, NULL, "SELECT DISTINCT kernel FROM hidden_kernel", NULL,
                            add_number, &kernels);
    if (!result)
        result = query_each(query, NULL,
                            "SELECT trace FROM traces WHERE family IN (SELECT family FROM "
                            "hidden_family) OR (family, size) IN (SELECT family, size FROM"
                            " hidden_place)",
                            NULL, add_number, &traces);
    if (!result)
        result = query_each(query, NULL,
                            "SELECT f.all_of, f.all_of - (SELECT count(*) FROM hidden_family), "
                            "p.all_of, p.all_of - (SELECT count(*) FROM hidden_place) -"
                            " (SELECT count(size) FROM shown_place WHERE family IN (SELECT family "
                            "FROM hidden_family)), k.all_of, k.all_of - (SELECT"
                            " count(DISTINCT kernel) FROM hidden_kernel) FROM (SELECT count(*) AS "
                            "all_of FROM families) f, (SELECT count(size) AS all_of"
                            " FROM shown_place) p, (SELECT count(*) AS all_of FROM kernels) k",
                            NULL, take_counts, counts);
    return result;
}

int report_scope_choose(struct report_scope *shown, const struct run *run)
{
    struct query query;
    memset(shown, 0, sizeof *shown);
    int result = query_open(&query, run);
    if (result) return result;
    result = choose(shown, &query);
    query_close(&query);
    if (result) report_scope_free(shown);
    return result;
}

void report_scope_free(struct report_scope *shown)
{
    string_set_free(&shown->hidden_families);
    string_set_free(&shown->hidden_places);
    free(shown->hidden_kernel);
    free(shown->hidden_trace);
    memset(shown, 0, sizeof *shown);
}

int report_scope_is_selection(const struct report_scope *shown)
{
    return shown->families.shown < shown->families.all || shown->places.shown < shown->places.all ||
           shown->kernels.shown < shown->kernels.all;
}

/* ---- filtering ------------------------------------------------------------------------------- */

static int is_hidden(const unsigned char *hidden, int64_t count, const char *cell)
{
    const long long number = strtoll(cell, NULL, 10);
    return number >= 0 && number < count && hidden[number];
}

/* Where a column stands: of a row as of the header that it is below. */
int report_scope_keeps(void *context, const struct table_rows *row)
{
    const struct report_scope *shown = context;
    char **cell = row->reader.cell;
    const int family = row->width > 1 && !strcmp(row->name[0], "family")   ? 0
                       : row->width > 1 && !strcmp(row->name[1], "family") ? 1
                                                                           : -1;
    if (!strcmp(row->name[0], "kernel") &&
        is_hidden(shown->hidden_kernel, shown->kernel_count, cell[0]))
        return 0;
    if (!strcmp(row->name[0], "trace") &&
        is_hidden(shown->hidden_trace, shown->trace_count, cell[0]))
        return 0;
    if (family < 0 || !strcmp(row->table->name, "stages")) return 1;
    const char *const place[] = {cell[family], row->size_column >= 0 ? cell[row->size_column] : ""};
    return !string_set_has(&shown->hidden_families, place, 1) &&
           !string_set_has(&shown->hidden_places, place, 2);
}

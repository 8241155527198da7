#include "explain/pairs.h"

#include "explain/causes.h"
#include "explain/pair_ratios.sql.h"
#include "explain/pairs.sql.h"

static int load(struct query *query, const struct records *records)
{
    int result = QUERY_LOAD(query, TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS, TABLE_METRICS,
                            TABLE_SIDES, TABLE_STEPS, TABLE_CAUSE_LINES);
    if (!result) result = query_make_sizes(query);
    return result ? result : causes_names(query, records);
}

static int explain_all(struct query *query, const struct records *records)
{
    int result = load(query, records);
    if (!result) result = query_make_library_ratios(query);
    if (!result) result = query_write(query, "%s %s", pair_ratios_sql, pairs_sql);
    if (!result) result = causes_make(query, records);
    return result ? result : causes_said(query);
}

static int copy_step(void *pages, const struct scope *row)
{
    return query_run(pages, row,
                     "INSERT INTO pair_steps VALUES(:family, :variant, :size, :after, "
                     ":speedup_prev, :speedup_prev_low, :speedup_prev_high, :floor_pct, :evidence, "
                     ":place)",
                     "");
}

static int copy_said(void *pages, const struct scope *row)
{
    return query_run(
        pages, row,
        "INSERT INTO pair_said VALUES(:family, :variant, :size, :after, :place, :id, :title, "
        ":saved_ns, :share_pct, :direction, :proves, :note, :sentence, :main_moved)",
        "");
}

static int copy_rows(struct query *query, struct query *pages)
{
    int result = query_write(
        pages,
        "CREATE TABLE pair_steps(family TEXT, variant TEXT, size TEXT, after TEXT, "
        "speedup_prev REAL, speedup_prev_low REAL, speedup_prev_high REAL, floor_pct REAL, "
        "evidence TEXT, place INTEGER); CREATE TABLE pair_said(family TEXT, variant TEXT, "
        "size TEXT, after TEXT, place INTEGER, id TEXT, title TEXT, saved_ns REAL, share_pct REAL, "
        "direction INTEGER, proves INTEGER, note TEXT, sentence TEXT, main_moved TEXT); BEGIN");
    if (!result)
        result = query_each(query, NULL, "SELECT * FROM pair_sizes", NULL, copy_step, pages);
    if (!result)
        result = query_each(query, NULL, "SELECT * FROM said WHERE NOT is_small", NULL, copy_said,
                            pages);
    return result ? result : query_write(pages, "COMMIT");
}

int pairs_make(struct query *pages, const struct records *records)
{
    struct query query;
    int result = query_open(&query, pages->run);
    if (result) return result;
    query.keeps = pages->keeps;
    query.keeps_context = pages->keeps_context;
    result = explain_all(&query, records);
    if (!result) result = copy_rows(&query, pages);
    query_close(&query);
    return result;
}

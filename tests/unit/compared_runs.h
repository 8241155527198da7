/*
 * Makes two runs, before/ and after/, and compares them, for the tests about comparisons. The runs
 * and the comparison are the header's until the next comparison, the texts of their tables until
 * begin_run.
 */
#ifndef TESTS_UNIT_COMPARED_RUNS_H
#define TESTS_UNIT_COMPARED_RUNS_H

#include "project_columns.h"

#include "explain/compare_runs.h"

/* The tables of a run, row by row. */
static struct text variants, points, metrics, samples;

UNUSED_IS_FINE static void begin_run(void)
{
    struct text *const texts[] = {&variants, &points, &metrics, &samples};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) text_free(texts[i]);
    text_append(&metrics, "family,variant,size,block,sweep,best,time_ns,floor_pct\n");
}

UNUSED_IS_FINE static void end_run(const char *run)
{
    char name[128];
    make_run(run);
    write_table(run, TABLE_VARIANTS, text_string(&variants));
    write_table(run, TABLE_POINTS, text_string(&points));
    write_table(run, TABLE_SAMPLES, text_string(&samples));
    snprintf(name, sizeof name, "%s/metrics.csv", run);
    write_metrics(name, text_string(&metrics));
}

/* Adds a variant f/name whose machine code has this hash. */
UNUSED_IS_FINE static void add_variant(const char *name, const char *hash, const char *kind)
{
    text_format(&variants, "f,%s,1,Title,,,,,,,,,%s,%s,%s\n", name, hash, *hash ? "sm_90" : "none",
                kind);
}

/* Adds a point that was measured right: samples in even steps from time_ns - spread_ns to time_ns +
 * spread_ns, and a few that do not count. */
struct timed {
    const char *variant, *size;
    int sweep, best, count;
    double time_ns, spread_ns;
    const char *floor_pct, *l2;
};

UNUSED_IS_FINE static void add_point(const struct timed *timed)
{
    const int count = timed->count ? timed->count : 41;
    const char *size = timed->size ? timed->size : "1024", *l2 = timed->l2 ? timed->l2 : "cold";
    text_format(&points, "f,%s,%s,128,%d,ok\n", timed->variant, size, timed->sweep);
    text_format(&metrics, "f,%s,%s,128,%d,%d,%.9g,%s\n", timed->variant, size, timed->sweep,
                timed->best, timed->time_ns, timed->floor_pct ? timed->floor_pct : "0.5");
    for (int i = 0; i < count; i++)
        text_format(&samples, "f,%s,%s,128,%d,%s,end_to_end,a,%d,%.9g,1000,ok\n", timed->variant,
                    size, timed->sweep, l2, i,
                    timed->time_ns + timed->spread_ns * (2.0 * i / (count - 1) - 1));
    text_format(&samples, "f,%s,%s,128,%d,%s,end_to_end,a,99,77777,500,throttled\n", timed->variant,
                size, timed->sweep, l2);
    text_format(&samples, "f,%s,%s,128,%d,%s,end_to_end,b,0,88888,1000,ok\n", timed->variant, size,
                timed->sweep, l2);
    text_format(&samples, "f,%s,%s,128,%d,%s,end_to_end,a,0,99999,1000,ok\n", timed->variant, size,
                timed->sweep, *l2 == 'c' ? "warm" : "cold");
}

UNUSED_IS_FINE static void add_bad_point(const char *variant, int sweep, const char *status,
                                         const char *reason)
{
    text_format(&points, "f,%s,1024,128,%d,%s,%s\n", variant, sweep, status, reason);
}

/* Makes both runs with one variant and these times. */
UNUSED_IS_FINE static void make_pair(const struct timed *before, const struct timed *after)
{
    const struct timed *const timed[] = {before, after};
    for (int i = 0; i < 2; i++) {
        begin_run();
        add_variant(timed[i]->variant, i ? "22" : "11", "kernel");
        add_point(timed[i]);
        end_run(i ? "after" : "before");
    }
}

static struct run before, after;
static struct run_comparison comparison;

UNUSED_IS_FINE static void finish(void)
{
    compare_close(&comparison);
    run_close(&before);
    run_close(&after);
}

/* Opens both runs, in place of those before. */
UNUSED_IS_FINE static void open_runs(const char *first, const char *second)
{
    finish();
    assert_int_equal(run_open(&before, place(first)), 0);
    assert_int_equal(run_open(&after, place(second)), 0);
}

UNUSED_IS_FINE static void compare_with(struct compare_options options)
{
    open_runs("before", "after");
    assert_int_equal(compare_open(&comparison, &before, &after, &options), 0);
}

#define COMPARE(...) compare_with((struct compare_options){__VA_ARGS__})

/* Returns an expression over the first row that satisfies the condition; "NULL" if it is NULL. */
UNUSED_IS_FINE static const char *found(const char *column, const char *where)
{
    static char value[128];
    char sql[512], *text = NULL;
    snprintf(sql, sizeof sql, "SELECT %s FROM compared WHERE %s", column, where);
    assert_int_equal(query_text(&comparison.query, NULL, sql, NULL, &text), 0);
    snprintf(value, sizeof value, "%s", text ? text : "NULL");
    free(text);
    return value;
}

UNUSED_IS_FINE static double number(const char *column)
{
    return strtod(found(column, "1"), NULL);
}

/* before: 01, 02, 03, 06 right, 04 missing, 05 failed; after: 01, 04, 05 right, 02 failed, 03
 * skipped, 06 missing. */
UNUSED_IS_FINE static void make_partial_runs(void)
{
    static const char *const names[] = {"01_a", "02_b", "03_c", "04_d", "05_e", "06_f"};
    static const char *const right[] = {"01_a 02_b 03_c 06_f", "01_a 04_d 05_e"};
    for (int side = 0; side < 2; side++) {
        begin_run();
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const struct timed timed = {names[i], .best = 1, .time_ns = 1000, .spread_ns = 1};
            add_variant(names[i], "11", "kernel");
            if (strstr(right[side], names[i])) add_point(&timed);
        }
        if (side) add_bad_point("02_b", 0, "failed", "element 3");
        if (side) add_bad_point("03_c", 0, "skipped", "needs more");
        if (!side) add_bad_point("05_e", 0, "failed", "element 5");
        end_run(side ? "after" : "before");
    }
}

/* Group teardown. */
UNUSED_IS_FINE static int compared_runs_close(void **state)
{
    finish();
    begin_run();
    text_free(&metrics);
    return fixture_close(state);
}

#endif

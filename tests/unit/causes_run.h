/*
 * Makes levels, features and causes of the run of ledger_run.h, for the tests about them. The
 * tables are open until ledger_close.
 */
#ifndef TESTS_UNIT_CAUSES_RUN_H
#define TESTS_UNIT_CAUSES_RUN_H

#include "ledger_run.h"

#include "catalog/point_key.h"

/* ---- levels ---------------------------------------------------------------------------------- */

/* Opens the ledger and the levels by the project's records; the caller closes them. */
UNUSED_IS_FINE static int levels_open(void)
{
    const int result = ledger_open();
    return result ? result : causes_levels(&ledger_query, &ledger_records);
}

#define LEVEL(column, variant, cause)                                                              \
    first("SELECT sum(%s) FROM ledger_cause WHERE variant = '%s' AND cause = '%s'", column,        \
          variant, cause)
#define CYCLES(cause) LEVEL("cycles", "01_a", cause)

UNUSED_IS_FINE static void make_levels(void)
{
    use_project_records();
    SUCCEEDS(levels_open(), "");
    /* Asserts that the levels of every point sum to the elapsed cycles. */
    assert_string_equal(first("SELECT count(*) FROM ledger l JOIN (SELECT variant, sum(cycles) AS "
                              "cycles FROM ledger_cause GROUP BY "
                              "variant) c USING (variant)"
                              " WHERE l.term = 'elapsed' AND abs(l.cycles - c.cycles) <= 1e-6"),
                        first("SELECT count(DISTINCT variant) FROM ledger"));
}

/* ---- features -------------------------------------------------------------------------------- */

/* Adds features of a point: "input/cause=value ...". */
UNUSED_IS_FINE static void add_features(const char *variant, int block, const char *words)
{
    for (const char *word = words; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
        const int input = (int)strcspn(word, "/"), cause = (int)strcspn(word + input + 1, "=");
        assert_int_equal(query_write(&ledger_query,
                                     "INSERT INTO features VALUES('f', %Q, '1024', %d, 0, 0, "
                                     "'%.*s', '%.*s', %.17g)",
                                     variant, block, input, word, cause, word + input + 1,
                                     strtod(word + input + cause + 2, NULL)),
                         0);
    }
}

UNUSED_IS_FINE static void make_features_table(void)
{
    assert_int_equal(
        query_write(&ledger_query, "CREATE TABLE features(" POINT_KEY ", input, cause, value)"), 0);
}

/* ---- causes ---------------------------------------------------------------------------------- */

/* A point of one warp at 1 cycle per ns: 60000 ns of instructions and 40000 of waiting for memory.
 */
#define USUAL "issue/work=40000 issue/overhead=20000 long/global_latency=40000 "
#define FASTER "time_ns=60000 time_low_ns=59940 time_high_ns=60060 "
#define FASTER_BY "issue/work=40000 issue/overhead=10000 long/global_latency=10000 "

/* The interval of a cause of a step from 100000 to 60000 ns. */
UNUSED_IS_FINE static double usual_half(void)
{
    return sqrt(100 * 100 + 60 * 60 + 800 * 800);
}

/* Opens the tables of the run r/, with the features of its points by hand: the time of a point is
 * that of metrics.csv. */
UNUSED_IS_FINE static void open_points(const char *before, const char *after)
{
    use_project_records();
    SUCCEEDS(levels_open(), "");
    make_features_table();
    add_features("01_a", 32, before);
    add_features("02_b", 32, after);
}

/* Makes causes for the steps from 01_a to 02_b, and so on, as explain does: by the ratio of their
 * times, with this evidence. They sum to the changes. */
UNUSED_IS_FINE static void make_causes(const char *evidence)
{
    static const char sql[] = "INSERT INTO features SELECT " POINT_KEY_OF(
        "m.") ", 'time_ns', NULL, m.time_ns FROM "
              "metrics m WHERE EXISTS (SELECT 1 FROM features f WHERE f.variant = m.variant AND "
              "f.block "
              "= m.block);"
              "CREATE TABLE points(" POINT_KEY ", trials, wrong_trials);"
              "CREATE TABLE cause_lines(family, variant, cause, path, line, share_pct);"
              "INSERT INTO cause_lines VALUES('f', '01_a', 'barriers', 'kernels/f/01_a.cu', 7, 80);"
              "CREATE TABLE steps AS SELECT v.family, v.variant, m.size, m.block, m.sweep, "
              "m.device, "
              "v.after, p.time_ns / m.time_ns AS speedup_prev, p.time_low_ns / m.time_high_ns AS "
              "speedup_prev_low, p.time_high_ns / m.time_low_ns AS speedup_prev_high, 0.5 AS "
              "floor_pct, "
              "%Q AS evidence FROM variants v JOIN metrics m USING (family, variant) JOIN metrics "
              "p ON "
              "p.variant = v.after AND p.block = m.block";
    assert_int_equal(query_write(&ledger_query, sql, evidence), 0);
    SUCCEEDS(causes_make(&ledger_query, &ledger_records), "");
    assert_string_equal(first("SELECT count(*) FROM (SELECT abs(sum(c.saved_ns) - (p.time_ns - "
                              "m.time_ns)) AS wrong FROM causes c JOIN metrics m USING (variant, "
                              "block) JOIN metrics p ON p.variant = c.after AND p.block = c.block "
                              "GROUP BY c.variant, c.block) WHERE wrong > 1e-6"),
                        "0");
}

UNUSED_IS_FINE static const char *CAUSE(const char *column, const char *cause)
{
    return first("SELECT %s FROM causes WHERE variant = '02_b' AND cause = '%s'", column, cause);
}

UNUSED_IS_FINE static const char *DETAIL(const char *column, const char *detail)
{
    return first("SELECT %s FROM details WHERE variant = '02_b' AND detail = '%s'", column, detail);
}

UNUSED_IS_FINE static const char *headline(const char *variant)
{
    return first("SELECT sentence FROM said WHERE place = 0 AND variant = '%s'", variant);
}

/* Replaces each {id of a cause} of a text by the cause's title in the records. */
UNUSED_IS_FINE static const char *titled(const char *words, struct text *text)
{
    static char kept[600];
    for (const char *p = words; *p; p++) {
        char id[64] = "";
        if (*p == '{' && sscanf(p, "{%63[a-z_]}", id) == 1) {
            const struct record *cause = records_find(&ledger_records, RECORD_CAUSE, id);
            assert_non_null(cause);
            text_append(text, record_field(cause, "title"));
            p += strlen(id) + 1;
        } else {
            text_append_bytes(text, p, 1);
        }
    }
    snprintf(kept, sizeof kept, "%s", text_string(text));
    text_free(text);
    return kept;
}
#define TITLED(words) titled(words, &(struct text){0})

UNUSED_IS_FINE static void set_metric(const char *variant, const char *metric, double value)
{
    assert_int_equal(query_write(&ledger_query, "UPDATE metrics SET %s = %.17g WHERE variant = %Q",
                                 metric, value, variant),
                     0);
}

#endif

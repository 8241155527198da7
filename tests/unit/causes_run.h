/*
 * Makes levels, sides and causes of the run of ledger_run.h, for the tests about them.
 */
#ifndef TESTS_UNIT_CAUSES_RUN_H
#define TESTS_UNIT_CAUSES_RUN_H

#include "ledger_run.h"

#include "catalog/point_key.h"

/* ---- levels ---------------------------------------------------------------------------------- */

/* Makes the ledger and the levels by the records that WHYFAST_DATA names. */
UNUSED_IS_FINE static int levels_open(void)
{
    const int result = ledger_open();
    return result ? result : causes_levels(&query, &records);
}

/* ---- sides ----------------------------------------------------------------------------------- */

/* Calls `put` for each number of a side: of a function whose one resident warp waits as the words
 * say, "wait=ns ...", at 1 cycle per ns; its instructions are those that it issues. */
UNUSED_IS_FINE static void each_number(const char *words,
                                       void (*put)(void *context, const char *function,
                                                   const char *name, double value),
                                       void *context)
{
    static const char *const sums[] = {"active",  "resident", "elapsed",
                                       "sm_mean", "sm_most",  "main"};
    double time_ns = 0, issued = 0;
    for (struct word word; next_word(&words, &word);) {
        char name[128];
        const double value = strtod(word.value, NULL);
        snprintf(name, sizeof name, "wait_%s", word.name);
        put(context, "kernel", name, value);
        time_ns += value;
        if (!strcmp(word.name, "selected")) issued = value;
    }
    put(context, "kernel", "instructions", issued);
    put(context, "kernel", "issued", issued);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        put(context, "kernel", sums[i], time_ns);
    put(context, "", "time_ns", time_ns);
    put(context, "", "sm_clock_mhz", 1000);
    put(context, "", "global_load_instructions", 0);
    put(context, "", "scheduler_count", 4);
    put(context, "", "time_low_ns", 0.999 * time_ns);
    put(context, "", "time_high_ns", 1.001 * time_ns);
}

struct side_key {
    const char *variant;
    int block;
};

static void insert_number(void *context, const char *function, const char *name, double value)
{
    const struct side_key *key = context;
    WORKS(query_write(&query, "INSERT INTO sides VALUES('f', %Q, '1024', %d, 0, 0, %Q, %Q, %.17g)",
                      key->variant, key->block, function, name, value));
}

UNUSED_IS_FINE static void add_side(const char *variant, int block, const char *words)
{
    struct side_key key = {variant, block};
    each_number(words, insert_number, &key);
}

/* ---- causes ---------------------------------------------------------------------------------- */

/* A point of 100000 ns, and a faster one of 60000. */
#define USUAL "selected=40000 global=40000 barriers=20000"
#define FASTER "time_ns=60000 time_low_ns=59940 time_high_ns=60060 "
#define FASTER_BY "selected=40000 global=10000 barriers=10000"

/* The least saving that counts in a step from 100000 to 60000 ns. */
UNUSED_IS_FINE static double usual_half(void)
{
    return sqrt(100 * 100 + 60 * 60 + 800 * 800);
}

/* Opens the tables of the run r/, with the sides of its points by hand. */
UNUSED_IS_FINE static void open_points(const char *before, const char *after)
{
    use_project_records();
    SUCCEEDS(levels_open(), "");
    WORKS(query_write(&query, "CREATE TABLE sides(" POINT_KEY ", function, name, "
                              "value)"));
    if (*before) add_side("01_a", 32, before);
    if (*after) add_side("02_b", 32, after);
}

/* Makes causes for the steps from 01_a to 02_b, and so on, as explain does: by the ratio of their
 * times, with this evidence. They sum to the changes. */
UNUSED_IS_FINE static void make_causes(const char *evidence)
{
    static const char sql[] =
        "CREATE TABLE points(" POINT_KEY ", status, trials, wrong_trials);"
        "CREATE TABLE cause_lines(family, variant, cause, path, line, share_pct, called_from);"
        "INSERT INTO cause_lines VALUES('f', '01_a', 'barriers', 'kernels/f/01_a.cu', 7, 80, NULL);"
        "CREATE TABLE steps AS SELECT v.family, v.variant, m.size, m.block, m.sweep, m.device, "
        "v.after, p.time_ns / m.time_ns AS speedup_prev, p.time_low_ns / m.time_high_ns AS "
        "speedup_prev_low, p.time_high_ns / m.time_low_ns AS speedup_prev_high, 0.5 AS floor_pct, "
        "%Q AS evidence FROM variants v JOIN metrics m USING (family, variant) JOIN metrics p ON "
        "p.variant = v.after AND p.block = m.block";
    assert_int_equal(query_write(&query, sql, evidence), 0);
    SUCCEEDS(causes_make(&query, &records), "");
    SUCCEEDS(causes_said(&query), "");
    finds("SELECT count(*) FROM (SELECT abs(sum(c.saved_ns) - (p.time_ns - m.time_ns)) AS wrong "
          "FROM causes c JOIN metrics m USING (variant, block) JOIN metrics p ON p.variant = "
          "c.after AND p.block = c.block GROUP BY c.variant, c.block) WHERE wrong > 1e-6",
          "0");
}

UNUSED_IS_FINE static const char *headline(const char *variant)
{
    return ask("SELECT sentence FROM said WHERE place = 0 AND variant = '%s'", variant);
}

/* Replaces each {id of a cause} of a text by the cause's title in the records. */
UNUSED_IS_FINE static const char *titled(const char *words, struct text *text)
{
    static char kept[600];
    for (const char *p = words; *p; p++) {
        char id[64] = "";
        if (*p == '{' && sscanf(p, "{%63[a-z0-9_]}", id) == 1) {
            const struct record *cause = records_find(&records, RECORD_CAUSE, id);
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

#endif

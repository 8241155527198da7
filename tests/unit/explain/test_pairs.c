/* Tests the pairs of rungs that compare.html shows. */
#include "causes_run.h"

#include "explain/pairs.h"

struct rows {
    struct text *sides;
    const char *variant;
};

static void append_number(void *context, const char *function, const char *name, double value)
{
    const struct rows *rows = context;
    text_format(rows->sides, "f,%s,1024,32,0,%s,%s,%.9g\n", rows->variant, function, name, value);
}

/* Writes the side and the point of a rung of the run r/, as CSV. */
static void append_point(struct text *sides, struct text *points, const char *variant,
                         const char *words)
{
    struct rows rows = {sides, variant};
    text_format(points, "f,%s,1024,32,0,ok,,4096\n", variant);
    each_number(words, append_number, &rows);
}

/* Makes the tables that a page would read. */
static void open_pairs(const struct text *sides, const struct text *points, const char *steps)
{
    use_project_records();
    write_table("r", TABLE_SIDES, text_string(sides));
    write_table("r", TABLE_POINTS, text_string(points));
    write_table("r", TABLE_STEPS, steps);
    write_table("r", TABLE_CAUSE_LINES, "");
    assert_int_equal(ask_run("r"), 0);
    assert_int_equal(records_read_own(&records), 0);
    SUCCEEDS(pairs_make(&query, &records), "");
}

/* Three kernels, the last as fast as the second, and one on the CPU. */
static void open_three(void)
{
    OWNED_BY(text_free) struct text sides = {0}, points = {0};
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER}, {"03_c", FASTER}, {"91_cpu", ""});
    write_variants("r", "f,01_a,1,A,,kernel\nf,02_b,2,B,01_a,kernel\nf,03_c,3,C,02_b,kernel\n"
                        "f,91_cpu,91,CPU,,cpu\n");
    append_point(&sides, &points, "01_a", USUAL);
    append_point(&sides, &points, "02_b", FASTER_BY);
    append_point(&sides, &points, "03_c", FASTER_BY);
    text_append(&points, "f,91_cpu,1024,32,0,ok,,4096\nf,01_a,512,32,0,ok,,2048\n");
    open_pairs(&sides, &points, "f,02_b,1024,32,0,01_a,1.66666667,1.65,1.68,,,,0.5,faster\n");
}

static const char *pair(const char *column, const char *before, const char *after)
{
    return ask("SELECT %s FROM pair_steps s JOIN pair_said h USING (family, variant, size, after) "
               "WHERE h.place = 0 AND variant = '%s' AND after = '%s' AND size = '1024'",
               column, after, before);
}

TEST(every_pair_in_both_orders)
{
    open_three();
    row_is("pair_steps", "count(*)=6");
    row_is("pair_said WHERE place = 0", "count(*)=6");
    assert_string_equal(pair("evidence", "01_a", "03_c"), "faster");
    assert_string_equal(pair("evidence", "03_c", "01_a"), "slower");
    assert_string_equal(pair("evidence", "02_b", "03_c"), "no evidence");
    assert_string_equal(
        pair("sentence", "03_c", "01_a"),
        TITLED("1.67× slower, 40.00 µs lost: 75 % to {global_latency} (waits +300 %), 25 % to "
               "{barriers} (waits +100 %)."));
}

/* A step of the run has the interval of steps.csv; others that of both times. */
TEST(intervals)
{
    open_three();
    is_near(pair("speedup_prev_low", "01_a", "02_b"), 1.65);
    is_near(pair("speedup_prev_high", "01_a", "02_b"), 1.68);
    is_near(pair("speedup_prev_low", "01_a", "03_c"), 99900.0 / 60060);
    is_near(pair("speedup_prev_high", "02_b", "01_a"), 60060.0 / 99900);
    is_near(pair("floor_pct", "02_b", "01_a"), 0.5);
}

TEST(causes_sum_to_the_change_and_are_opposite)
{
    open_three();
    finds("SELECT group_concat(round(saved), ' ') FROM (SELECT variant, after, sum(saved_ns) AS "
          "saved FROM pair_said WHERE place > 0 GROUP BY variant, after ORDER BY variant, after)",
          "-40000.0 -40000.0 40000.0 40000.0");
    finds("SELECT count(*) >= 4 AND max(abs(x.saved_ns + y.saved_ns)) < 1e-6 AND min(x.direction = "
          "-y.direction) FROM pair_said x JOIN pair_said y ON y.variant = x.after AND y.after = "
          "x.variant AND y.id = x.id",
          "1");
    finds("SELECT group_concat(title || ' ' || direction || ' ' || main_moved) FROM pair_said "
          "WHERE variant = '03_c' AND after = '01_a' AND place > 0",
          TITLED("{global_latency} 1 −30.00 µs"));
}

/* The pairs of a long ladder, such as the kernels of a program, are those of its first rungs. */
TEST(long_ladders_are_cut)
{
    OWNED_BY(text_free) struct text sides = {0}, points = {0}, metrics = {0}, variants = {0};
    WRITE_RUN({"01_a", ""});
    text_append(&metrics, "family,variant,size,block,sweep,best,time_ns,time_low_ns,time_high_ns,"
                          "floor_pct\n");
    for (int i = 1; i <= 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "%02d_a", i);
        text_format(&metrics, "f,%s,1024,32,0,1,%d,%d,%d,0.1\n", name, 1000 * i, 999 * i, 1001 * i);
        text_format(&variants, "f,%s,%d,A,,kernel\n", name, i);
        text_format(&points, "f,%s,1024,32,0,ok,,4096\n", name);
    }
    text_append(&metrics, "f,01_a,512,32,0,1,500,499,501,0.1\nf,03_a,512,32,0,1,250,249,251,0.1\n");
    text_append(&points, "f,01_a,512,32,0,ok,,2048\nf,03_a,512,32,0,ok,,2048\n");
    write_metrics("r/metrics.csv", text_string(&metrics));
    write_variants("r", text_string(&variants));
    open_pairs(&sides, &points, "");
    finds("SELECT count(*) || ' ' || max(variant) FROM pair_steps WHERE size = '1024'", "992 32_a");
    /* At another size it is those that have a time there. */
    finds("SELECT s.speedup_prev || ' ' || h.sentence FROM pair_steps s JOIN pair_said h USING "
          "(family, variant, size, after) WHERE size = '512' AND variant = '03_a'",
          "2.0 2.00× faster; the counters that would explain it are missing.");
    assert_string_equal(pair("sentence", "32_a", "01_a"),
                        "32.0× faster; the counters that would explain it are missing.");
}

RUN_TESTS(fixture_open, asked_close)

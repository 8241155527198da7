/*
 * Evaluates a run of two rungs by records of a test's own, and reads cells of the results.
 */
#ifndef TESTS_UNIT_EVALUATED_H
#define TESTS_UNIT_EVALUATED_H

#include "fixture.h"

#include "evaluate/evaluate.h"

static const char counters[] =
    "counter c_sum\n    from x\n    set one\n    over sum\n    unit u\n    means m\n"
    "counter c_longest\n    from y\n    set one\n    over longest\n    unit u\n    means m\n"
    "counter c_absent\n    from z\n    set one\n    over sum\n    unit u\n    means m\n";

#define METRIC(name, formula, rest)                                                                \
    "metric " name "\n    unit u\n    formula " formula "\n    better lower\n    means m\n" rest

/* Writes the samples of one series: `count` times, beginning at `from`, in steps of `step`. */
static void add_samples(struct text *rows, const char *variant, int sweep, const char *series,
                        double from, double step, int count)
{
    for (int i = 0; i < count; i++)
        text_format(rows, "f,%s,64,32,%d,%s,%d,%.9g,%d,ok\n", variant, sweep, series, i,
                    from + step * i, 1000 + i);
}

/* Two rungs at one size: 100 ns and 50 ns; the second is swept, its other setting takes 60 ns. */
static void make_ladder_run(void)
{
    struct text samples = {0};
    make_run("r");
    write_variants("r", "f,01_a,1,A,,kernel\nf,02_b,2,B,01_a,kernel\n");
    write_table("r", TABLE_POINTS,
                "f,01_a,64,32,0,ok,,256,63,2\nf,02_b,64,32,1,ok,,256,63,1\nf,02_b,64,32,2,ok,,256,"
                "63,1\nf,02_b,64,32,4,failed,element 0 is 1; expected 2,256,63,1\n");
    write_table("r", TABLE_LAUNCHES,
                "f,01_a,64,32,0,0,3,32,10,0,128,0,16,50,warps,7\nf,01_a,64,32,0,1,1,32,10,0,128,0,"
                "16,50,warps,1\nf,02_b,64,32,1,0,3,32,12,"
                "0,128,0,16,50,warps,\n");
    add_samples(&samples, "01_a", 0, "cold,end_to_end,a", 98, 1, 5);
    text_append(&samples, "f,01_a,64,32,0,cold,end_to_end,a,5,9999,500,throttled\n");
    add_samples(&samples, "01_a", 0, "warm,end_to_end,a", 80, 0, 7);
    add_samples(&samples, "01_a", 0, "cold,kernels,a", 90, 0, 7);
    add_samples(&samples, "02_b", 1, "cold,end_to_end,a", 60, 0, 8);
    add_samples(&samples, "02_b", 1, "cold,end_to_end,b", 63, 0, 8);
    add_samples(&samples, "02_b", 2, "cold,end_to_end,a", 50, 0, 8);
    write_table("r", TABLE_SAMPLES, text_string(&samples));
    text_free(&samples);
    write_table(
        "r", TABLE_COUNTERS,
        "f,01_a,64,32,0,0,0,one,1,c_sum,x,3,ok\nf,01_a,64,32,0,1,0,one,1,c_sum,x,4,ok\nf,01_a,64,"
        "32,0,0,0,one,1,c_longest,y,3,ok\nf,"
        "01_a,64,32,0,1,0,one,"
        "1,c_longest,y,1000,ok\n"
        "f,01_a,64,32,0,0,1,one,1,c_sum,x,5,ok\nf,01_a,64,32,0,1,1,one,1,c_sum,x,6,ok\nf,01_a,64,"
        "32,0,0,1,one,1,c_longest,y,3,ok\nf,"
        "01_a,64,32,0,1,1,one,"
        "1,c_longest,y,1000,ok\n"
        "f,01_a,64,32,0,0,2,one,1,c_sum,x,8,ok\nf,01_a,64,32,0,1,2,one,1,c_sum,x,9,ok\nf,01_a,64,"
        "32,0,0,2,one,1,c_longest,y,3,ok\nf,"
        "01_a,64,32,0,1,2,one,"
        "1,c_longest,y,1000,ok\n"
        "f,01_a,64,32,0,0,0,one,1,c_absent,,,absent: why\nf,01_a,64,32,0,1,0,one,1,c_absent,,5,ok\n"
        "f,02_b,64,32,2,0,0,one,1,c_sum,x,0,ok\nf,02_b,64,32,2,0,0,one,1,c_longest,y,150,ok\n");
}

static int evaluate(const char *metrics)
{
    struct text records = {0};
    struct run run;
    text_format(&records, "%s%s", counters, metrics);
    make_data(text_string(&records));
    text_free(&records);
    int result = run_open(&run, place("r"));
    if (!result) {
        result = evaluate_run(&run);
        run_close(&run);
    }
    return result;
}

#define A "f,01_a,64,32,0"
#define B1 "f,02_b,64,32,1"
#define B2 "f,02_b,64,32,2"

static int open_ladder(void **state)
{
    make_ladder_run();
    return 0;
}

/* A test that finds the run made. */
#define LADDER_TEST(test) TEST_WITHIN(test, open_ladder, NULL)

/* Assert that a point has these metrics, and this noise. */
#define metrics_are(point, words) cells_are("r/metrics.csv", point, words)
#define noise_is(point, words) cells_are("r/noise.csv", point, words)

#endif

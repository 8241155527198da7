/*
 * Tests how a comparison of two runs is printed: as a table, as CSV and as JSON.
 */
#include "compared_runs.h"

#include "report/compare_print.h"

static const char *printed(int (*print)(FILE *file))
{
    FILE *file = fopen(place("printed"), "w");
    assert_non_null(file);
    assert_int_equal(print(file), 0);
    assert_int_equal(fclose(file), 0);
    return read_text("printed");
}

static struct terminal screen = {80, 0};
static int all_rows;
static int print_table(FILE *file)
{
    return compare_print(&comparison, &screen, all_rows, file);
}
static int print_csv(FILE *file)
{
    return compare_print_data(&comparison, PRINT_AS_CSV, file);
}
static int print_json(FILE *file)
{
    return compare_print_data(&comparison, PRINT_AS_JSON, file);
}

TEST(tables_of_all_kinds)
{
    const struct timed old = {"01_a", .sweep = 8, .best = 1, .time_ns = 22960, .spread_ns = 10},
                       new = {"01_a", .sweep = 4, .best = 1, .time_ns = 23649, .spread_ns = 10};
    make_pair(&old, &new);
    COMPARE(.threshold_pct = 0);
    const char *page = printed(print_table);
    holds(page, "\nslower: f/01_a@4 2^10, before: @8; machine code changed\n    1.030  1.030 to "
                "1.030     0.50       22.96      23.65\n");
    holds(page, "\n    ratio   95 % interval  floor %  before, \u00b5s  after, \u00b5s\n");
    holds(page, "\n1 slower, 0 faster, 0 without evidence of a difference\n");
    screen.columns = 120;
    holds(printed(print_table), "\n1.030  1.030 to 1.030     0.50       22.96      23.65  slower: "
                                "f/01_a@4 2^10, before: @8; machine code changed\n");
    screen.colour = 1;
    holds(printed(print_table), "\033[1;31m");
    screen = (struct terminal){80, 0};
    holds(printed(print_csv),
          "family,variant,size,block,sweep_before,sweep_after,verdict,ratio,ratio_low,ratio_high,"
          "floor_pct,time_before_ns,"
          "time_after_ns,machine_code,reason,account,reason_code\nf,01_a,1024,128,8,4,slower,1."
          "03000871,");
    const char *json = printed(print_json);
    holds(json, "{\"schema\":\"whyfast.compare/4\",\"before\":{\"path\":");
    holds(json, "\"device_name\":\"Test GPU\"");
    holds(json, "\"summary\":{\"failed_now\":0,\"slower\":1,");
    holds(json, "\"points\":[{\"family\":\"f\",\"variant\":\"01_a\",\"size\":\"1024\"");
    make_partial_runs();
    COMPARE(.threshold_pct = 0);
    page = printed(print_table);
    holds(page, "\nbefore, ns\n      1000  failed now: f/02_b 2^10; element 3\n\nno evidence: 1 "
                "point of 1 variant, ratios from 1.000 to 1.000; -v lists them\nonly in RUN1: 2 "
                "points of 2 variants; -v");
    holds(page,
          "\n0 slower, 0 faster, 1 without evidence of a difference, 1 failed now, 2 only in\n"
          "RUN1, 2 only in RUN2\n");
    all_rows = 1;
    page = printed(print_table);
    all_rows = 0;
    holds(page,
          "\nno evidence: f/01_a 2^10\n    1.000  1.000 to 1.000     0.50        1000       1000\n"
          "only in RUN1: f/03_c 2^10; skipped: needs more\n");
}

RUN_TESTS(fixture_open, compared_runs_close)

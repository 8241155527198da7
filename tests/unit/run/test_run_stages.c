#include "rows.h"
#include "run/run_stages.h"

/*
 * Tests stages.csv, and that its times never decrease, even if a run is resumed after the system's
 * clock was set back.
 */
static long long number(const char *column)
{
    return strtoll(value(column), NULL, 10);
}

TEST(a_stage_that_ends_well_is_a_row)
{
    struct run run;
    struct stage whole, ceilings, failed;
    assert_int_equal(run_begin(&run, place("r"), 0), 0);
    assert_int_equal(stage_epoch_ns(&run), 0);
    assert_int_equal(stage_begin(&whole, NULL, STAGE_MEASURE, NULL), 0);
    assert_int_equal(stage_begin(&ceilings, &run, STAGE_CEILINGS, NULL), 0);
    assert_int_equal(stage_epoch_ns(&run), ceilings.begin_ns);
    assert_int_equal(stage_end(&ceilings, 0), 0);
    assert_int_equal(stage_begin(&failed, &run, STAGE_LINES, NULL), 0);
    assert_int_equal(stage_end(&failed, FAIL_INTERRUPTED), FAIL_INTERRUPTED);
    assert_int_equal(stage_end(&whole, 0), 0);
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    open_rows(place("r"), "stages");
    assert_true(next_row());
    assert_string_equal(value("stage"), "ceilings");
    assert_string_equal(value("family"), "");
    assert_string_equal(value("size"), "");
    assert_int_equal(number("begin_ns"), 0);
    assert_true(number("end_ns") > 0);
    assert_false(next_row());
    close_rows();
}

TEST(the_clock_goes_on_evenly)
{
    const uint64_t first = stage_clock_ns(), second = stage_clock_ns();
    assert_true(second > first || second == first);
    assert_true(first > 1700000000000000000u); /* since 1970 */
}

/* The run has times up to an hour ahead of the system's clock. */
TEST(a_resumed_run_goes_on_behind_what_it_wrote)
{
    static const long long hour_ns = 3600000000000;
    const uint64_t epoch = stage_clock_ns();
    struct run run;
    struct stage stage;
    assert_int_equal(stage_clock_of(1), 1);
    assert_int_equal(run_begin(&run, place("s"), 0), 0);
    assert_int_equal(run_fact_set(&run, "epoch_ns", "%llu", (unsigned long long)epoch), 0);
    struct csv_writer *writer = run_writer(&run, TABLE_STAGES);
    assert_non_null(writer);
    for (int i = 0; i < 3; i++) csv_text(writer, i ? "" : "measure");
    csv_integer(writer, 0);
    csv_integer(writer, hour_ns);
    csv_end(writer);
    assert_int_equal(run_unit_finish(&run, "measure"), 0);
    run_close(&run);
    assert_int_equal(run_begin(&run, place("s"), 1), 0);
    assert_int_equal(stage_begin(&stage, &run, STAGE_LINES, NULL), 0);
    assert_int_equal(stage_epoch_ns(&run), epoch);
    assert_true(stage.begin_ns >= epoch + (uint64_t)hour_ns);
    /* Times from others on the system's clock are shifted by that hour. */
    assert_true(stage_clock_of(1) > (uint64_t)hour_ns - 60000000000 &&
                stage_clock_of(1) <= (uint64_t)hour_ns + 1);
    assert_int_equal(stage_end(&stage, 0), 0);
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    open_rows(place("s"), "stages");
    assert_true(next_row());
    assert_true(next_row());
    assert_string_equal(value("stage"), "lines");
    assert_true(number("begin_ns") >= hour_ns && number("begin_ns") < hour_ns + 60000000000);
    assert_true(number("end_ns") >= number("begin_ns"));
    close_rows();
}

RUN_TESTS(fixture_open, fixture_close)

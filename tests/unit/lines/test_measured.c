/*
 * Tests what counts of the knock-outs of a run (lines/measured.sql), and what they say of other
 * sizes (lines/costs_of_sides.sql).
 */
#include "queried.h"

#include "lines/costs_of_sides.sql.h"
#include "lines/measured.sql.h"

#define POINT "'f', '01_a', '1024', 32, 0, 0"

/* Makes what was measured of a point of 1000 ns, whose launches take `first_ns` and `second_ns` one
 * by one and 200 ns less without barriers. */
static void measure(int first_ns, int second_ns)
{
    WORKS(query_write(
        &query,
        "CREATE TABLE knockout_kinds(knockout, cause); INSERT INTO knockout_kinds "
        "VALUES('nothing', ''), ('barriers', 'barriers'); CREATE TABLE sides(family, variant, "
        "size, block, sweep, device, function, name, value); CREATE TABLE metrics AS SELECT 'f' AS "
        "family, '01_a' AS variant, '1024' AS size, 32 AS block, 0 AS sweep, 0 AS device, 1000 AS "
        "time_ns; CREATE TABLE knockouts(family, variant, size, block, sweep, device, launch, "
        "symbol, knockout, status, left, time_ns, saved_ns, low_ns, high_ns); INSERT INTO "
        "knockouts VALUES(" POINT ", 0, 'k', 'nothing', 'no cost', 0, %d, 0, 0, 0), "
        "(" POINT ", 1, 'l', 'nothing', 'no cost', 0, %d, 0, 0, 0), "
        "(" POINT ", 0, 'k', 'barriers', 'ok', 0, %d, 150, 140, 160), "
        "(" POINT ", 1, 'l', 'barriers', 'ok', 0, %d, 50, 40, 60); %s",
        first_ns, second_ns, first_ns, second_ns, measured_sql));
}

QUERY_TEST(launches_are_summed)
{
    measure(700, 300);
    gives("(SELECT saved_ns || ' ' || low_ns || ' ' || high_ns FROM measured)", "200 180 220");
}

/* There were further launches. */
QUERY_TEST(kernels_that_take_a_part_of_the_time_do_not_count)
{
    measure(600, 300);
    gives("(SELECT count(*) FROM knocked_out)", "0");
}

/* Together the second launch reads from the caches what the first one left there. */
QUERY_TEST(kernels_that_take_longer_one_by_one_do_not_count)
{
    measure(700, 400);
    gives("(SELECT count(*) FROM knocked_out)", "0");
}

QUERY_TEST(a_kernel_of_which_nothing_can_be_taken_out_has_no_cost_whatever_its_time)
{
    measure(700, 400);
    query_write(&query, "DROP TABLE measured; DROP TABLE knocked_out; DELETE FROM knockouts WHERE "
                        "launch = 1; UPDATE knockouts SET status = 'none', time_ns = NULL, "
                        "saved_ns = NULL, low_ns = NULL, high_ns = NULL");
    assert_int_equal(query_write(&query, "%s", measured_sql), 0);
    gives("(SELECT cause || ' ' || saved_ns FROM measured)", "barriers 0");
    gives("(SELECT is_none || is_cost FROM knocked_out WHERE knockout = 'barriers')", "10");
}

/* One that was not timed for another reason may have them. */
QUERY_TEST(a_kernel_whose_copies_were_not_timed_does_not_count)
{
    measure(700, 300);
    query_write(&query, "DROP TABLE measured; DROP TABLE knocked_out; UPDATE knockouts SET status "
                        "= 'absent: no time', time_ns = NULL, saved_ns = NULL WHERE knockout = "
                        "'nothing'");
    assert_int_equal(query_write(&query, "%s", measured_sql), 0);
    gives("(SELECT count(*) FROM knocked_out)", "0");
}

/* Makes the cost of a point of 1000 ns, which does 100 operations, at one of `time_ns` that does
 * `work` on this part of the SMs. Both have a cost of 100 ns alone and of 150 together: 50 beside
 * each other. The loads cost 300 ns; the point has no half of the products. */
static void scale(int work, int time_ns, int coverage_pct)
{
    WORKS(query_write(
        &query,
        "CREATE TABLE sides(family, variant, size, block, sweep, device, function, name, "
        "value); CREATE TABLE metrics(family, variant, size, block, sweep, device, best, "
        "time_ns, useful_operations, useful_bytes, sm_coverage_pct); INSERT INTO metrics "
        "VALUES(" POINT ", 1, 1000, 100, NULL, 99), ('f', '01_a', '2048', 32, 0, 0, 1, %d, "
        "%d, NULL, %d); CREATE TABLE knocked_out(family, variant, size, block, sweep, device, "
        "knockout, cause, saved_ns, is_whole, is_cost, is_none, is_measured); INSERT INTO "
        "knocked_out VALUES(" POINT ", 'barriers', 'barriers', 100.0, 1, 1, 0, 1), "
        "(" POINT ", 'conflicts', 'bank_conflicts', 100.0, 1, 1, 0, 1), "
        "(" POINT ", 'barriers_conflicts', 'barriers_conflicts', 150.0, 1, 1, 0, 1), "
        "(" POINT ", 'global_loads', '', 300.0, 1, 1, 0, 0), "
        "(" POINT ", 'half_tensor', '', 0.0, 1, 0, 1, 0); %s",
        time_ns, work, coverage_pct, costs_of_sides_sql));
}

/* Prints a cost as least and most. */
#define SCALED(cost)                                                                               \
    "(SELECT group_concat(printf('%.0f', value), ' ') FROM (SELECT value FROM sides WHERE "        \
    "size = '2048' AND name IN ('scaled_" cost "_least_ns', 'scaled_" cost                         \
    "_most_ns') ORDER BY name))"

QUERY_TEST(costs_grow_as_the_work_does)
{
    scale(400, 4000, 99);
    gives(SCALED("loads"), "1200 1200");
    gives(SCALED("barriers"), "200 400");
    gives(SCALED("barriers_conflicts"), "600 600");
    gives(SCALED("half_tensor"), "0 0");
    gives("(SELECT group_concat(name, ' ') FROM (SELECT name FROM sides WHERE size = '1024' ORDER "
          "BY name))",
          "measured_bank_conflicts_ns measured_barriers_conflicts_ns measured_barriers_ns "
          "measured_half_tensor_ns measured_loads_ns");
}

/* What the time grows by more or less than the work may be of any cost, but of none that the kernel
 * does not have. */
QUERY_TEST(costs_may_grow_as_the_time_does)
{
    scale(400, 5000, 99);
    gives(SCALED("loads"), "1200 2200");
    gives(SCALED("half_tensor"), "0 0");
    query_write(&query, "DROP TABLE side_cost; DROP TABLE scaled_cost; DROP TABLE sides; DROP "
                        "TABLE metrics; DROP TABLE knocked_out");
    scale(400, 3500, 99);
    gives(SCALED("loads"), "700 1200");
    gives(SCALED("barriers"), "0 400");
}

QUERY_TEST(costs_of_idle_sms_do_not_scale)
{
    scale(400, 4000, 80);
    gives("(SELECT count(*) FROM scaled_cost)", "0");
}

QUERY_TEST(costs_do_not_scale_to_much_more_work)
{
    scale(6500, 65000, 99);
    gives("(SELECT count(*) FROM scaled_cost)", "0");
}

RUN_TESTS(fixture_open, fixture_close)

/*
 * Tests what counts of the knock-outs of a run (lines/measured.sql).
 */
#include "queried.h"

#include "lines/measured.sql.h"

#define POINT "'f', '01_a', '1024', 32, 0, 0"

/* Makes what was measured of a point of 1000 ns, whose launches take `first_ns` and `second_ns` one
 * by one and 200 ns less without barriers. */
static void measure(int first_ns, int second_ns)
{
    assert_int_equal(
        query_write(
            &query,
            "CREATE TABLE knockout_kinds(knockout, cause); INSERT INTO knockout_kinds "
            "VALUES('nothing', ''), ('barriers', 'barriers'); "
            "CREATE TABLE sides(family, variant, size, block, sweep, device, function, name, "
            "value); CREATE TABLE metrics AS SELECT 'f' AS family, '01_a' AS variant, '1024' AS "
            "size, 32 AS block, 0 AS sweep, 0 AS device, 1000 AS time_ns; "
            "CREATE TABLE knockouts(family, variant, size, block, sweep, device, launch, symbol, "
            "knockout, status, left, time_ns, saved_ns, low_ns, high_ns); INSERT INTO knockouts "
            "VALUES(" POINT ", 0, 'k', 'nothing', 'no cost', 0, %d, 0, 0, 0), "
            "(" POINT ", 1, 'l', 'nothing', 'no cost', 0, %d, 0, 0, 0), "
            "(" POINT ", 0, 'k', 'barriers', 'ok', 0, %d, 150, 140, 160), "
            "(" POINT ", 1, 'l', 'barriers', 'ok', 0, %d, 50, 40, 60); %s",
            first_ns, second_ns, first_ns, second_ns, measured_sql),
        0);
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

RUN_TESTS(fixture_open, fixture_close)

#include "counterfactual_run.h"

/* ---- waits and warps ------------------------------------------------------------------------- */

/* Points whose warps wait together, so that they hide nothing of each other's long waits. */
#define WAITING(warps, waits, cause)                                                               \
    POINT(0, {FEATURE_ISSUE, "work", 1000}, {FEATURE_WARPS, "residency", warps},                   \
          {FEATURE_GROUP, "residency", warps}, {FEATURE_LONG, cause, waits})

static void half_the_warps_that_wait_half_as_often(void **state)
{
    const struct time_point before = WAITING(8, 8000, "global_latency"),
                            after = WAITING(4, 4000, "global_latency"),
                            less = WAITING(4, 2000, "global_latency"),
                            more = WAITING(4, 6000, "global_latency");
    (void)state;
    is_number(before.time_ns, 2000);
    compare(&before, &after);
    saves("");
    compare(&after, &before);
    saves("");
    compare(&before, &less); /* half of the half */
    saves("latency=500 global_latency=500");
    compare(&before, &more); /* fewer warps, by 2, that wait less often, by 4 / 3 */
    saves("latency=-500 residency=-500");
}

static void half_the_warps_that_wait_as_often(void **state)
{
    const struct time_point before = WAITING(8, 8000, "barriers"),
                            fewer = WAITING(4, 8000, "barriers"),
                            longer = WAITING(8, 16000, "barriers"),
                            both = WAITING(4, 16000, "barriers");
    (void)state;
    compare(&before, &fewer);
    saves("latency=-1000 residency=-1000");
    compare(&before, &longer);
    saves("barriers=-1000");
    compare(&before, &both); /* 1000 to 4000: opposite changes are not set off */
    saves("barriers=-1500 latency=-1500 residency=-1500");
}

static void short_waits_are_set_off_by_themselves(void **state)
{
    const struct time_point before = POINT(
                                0, {FEATURE_ISSUE, "work", 1000}, {FEATURE_WARPS, "residency", 8},
                                {FEATURE_FIXED, "dependencies", 8e8},
                                {FEATURE_SHORT_QUEUE, "pipes", 2e8},
                                {FEATURE_GROUP, "residency", 8}, {FEATURE_LONG, "barriers", 800}),
                            after = POINT(
                                0, {FEATURE_ISSUE, "work", 1000}, {FEATURE_WARPS, "residency", 4},
                                {FEATURE_FIXED, "dependencies", 4e8},
                                {FEATURE_SHORT_QUEUE, "pipes", 1e8},
                                {FEATURE_GROUP, "residency", 4}, {FEATURE_LONG, "barriers", 800});
    (void)state;
    compare(&before, &after); /* warps of which each waits for 125e6 cycles and for 100, then 200 */
    is_between(fabs(saved("instructions")), 0, 1e-6);
    is_between(fabs(saved("pipes")), 0, 1e-6);
    is_between(saved("barriers"), -1e-3, 1e-3);
    is_between(saved("residency"), -230, -90);
}

static void bytes_in_flight_of_both_sides(void **state)
{
    const struct time_point before = POINT(0, {FEATURE_ISSUE, "work", 1000},
                                           {FEATURE_LOADED_BYTES, "global_latency", 5000},
                                           {FEATURE_BYTES_PER_WAIT, "bytes_in_flight", 100},
                                           {FEATURE_WAIT_CYCLES, "global_latency", 20}),
                            after = POINT(0, {FEATURE_ISSUE, "work", 1000},
                                          {FEATURE_LOADED_BYTES, "global_latency", 5000},
                                          {FEATURE_BYTES_PER_WAIT, "bytes_in_flight", 400},
                                          {FEATURE_WAIT_CYCLES, "global_latency", 20}),
                            fewer = POINT(0, {FEATURE_ISSUE, "work", 1000},
                                          {FEATURE_LOADED_BYTES, "global_latency", 2500},
                                          {FEATURE_BYTES_PER_WAIT, "bytes_in_flight", 100},
                                          {FEATURE_WAIT_CYCLES, "global_latency", 10});
    (void)state;
    compare(&before, &after);
    saves("latency=750 bytes_in_flight=750");
    compare(&before, &fewer);
    saves("latency=750 global_latency=750");
}

static void bytes_in_flight_of_one_side_are_no_cause(void **state)
{
    const struct time_point known = POINT(0, {FEATURE_ISSUE, "work", 1000},
                                          {FEATURE_LOADED_BYTES, "global_latency", 5000},
                                          {FEATURE_BYTES_PER_WAIT, "bytes_in_flight", 100},
                                          {FEATURE_WAIT_CYCLES, "global_latency", 20}),
                            unknown = POINT(0, {FEATURE_ISSUE, "work", 1000},
                                            {FEATURE_LONG, "global_latency", 400}),
                            none = POINT(0, {FEATURE_ISSUE, "work", 1000});
    (void)state;
    compare(&known, &unknown);
    saves("latency=600 global_latency=600");
    compare(&unknown, &known);
    saves("latency=-600 global_latency=-600");
    compare(&known, &none);
    saves("latency=1000 global_latency=1000");
}

/* ---- saturated device memory ----------------------------------------------------------------- */

#define SATURATED(time, bytes, again, rest)                                                        \
    POINT(time, {FEATURE_DRAM_NS, "dram_bytes", bytes}, {FEATURE_DRAM_NS, "reread", again},        \
          {FEATURE_ISSUE, "work", rest}, {FEATURE_LONG, "barriers", 100 * (rest)},                 \
          {FEATURE_WARPS, "residency", rest}, {FEATURE_DATA, "bank_conflicts", rest})

static void saturated_memory_leaves_its_bytes_alone(void **state)
{
    const struct time_point before = SATURATED(1000, 600, 400, 50),
                            fewer = SATURATED(600, 600, 0, 7), more = SATURATED(1200, 800, 400, 7),
                            slower = SATURATED(1100, 600, 400, 7);
    (void)state;
    compare(&before, &fewer);
    saves("dram=400 reread=400");
    compare(&before, &more);
    saves("dram=-200 dram_bytes=-200");
    compare(&before, &slower);
    saves("dram=-100 dram_rate=-100");
}

static void saturated_memory_has_launches_and_a_clock(void **state)
{
    const struct time_point before =
                                POINT(1200, {FEATURE_DRAM_NS, "dram_bytes", 1000},
                                      {FEATURE_LAUNCH_NS, "launches", 100},
                                      {FEATURE_END, "launches", 100}, {FEATURE_GHZ, "clock", 1}),
                            after =
                                POINT(1150, {FEATURE_DRAM_NS, "dram_bytes", 1000},
                                      {FEATURE_LAUNCH_NS, "launches", 50},
                                      {FEATURE_END, "launches", 100}, {FEATURE_GHZ, "clock", 1}),
                            clocked =
                                POINT(1150, {FEATURE_DRAM_NS, "dram_bytes", 1000},
                                      {FEATURE_LAUNCH_NS, "launches", 100},
                                      {FEATURE_END, "launches", 100}, {FEATURE_GHZ, "clock", 2});
    (void)state;
    compare(&before, &after);
    saves("launches=50");
    compare(&before, &clocked);
    saves("clock=50");
}

#define UNEVEN(time, wave, blocks)                                                                 \
    POINT(time, {FEATURE_DRAM_NS, "dram_bytes", 1000}, {FEATURE_UNEVEN, "last_wave", wave},        \
          {FEATURE_UNEVEN, "unequal_blocks", blocks})

static void rate_and_uneven_work_are_set_off(void **state)
{
    const struct time_point even = UNEVEN(1000, 1, 1), offset = UNEVEN(1000, 1.6, 1.25),
                            uneven = UNEVEN(1100, 1.1, 1), partly = UNEVEN(900, 1.6, 1.25),
                            more = UNEVEN(1150, 1.25, 1);
    (void)state;
    compare(&even, &offset); /* the same bytes in the same time */
    saves("");
    compare(&offset, &even);
    saves("");
    compare(&even, &partly); /* and a bit faster, by its rate */
    saves("dram=100 dram_rate=100");
    compare(&even, &more); /* the rate offsets a part only */
    saves("imbalance=-150 last_wave=-150");
    compare(&even, &uneven); /* at the same rate */
    saves("imbalance=-100 last_wave=-100");
    compare(&uneven, &even);
    saves("imbalance=100 last_wave=100");
}

/* If only one side is saturated, everything else matters as well. */
static void one_saturated_side_is_not_enough(void **state)
{
    const struct time_point before = POINT(2000, {FEATURE_DRAM_NS, "dram_bytes", 1000},
                                           {FEATURE_ISSUE, "work", 1500},
                                           {FEATURE_LONG, "barriers", 490}),
                            after = POINT(1000, {FEATURE_DRAM_NS, "dram_bytes", 900},
                                          {FEATURE_ISSUE, "work", 400},
                                          {FEATURE_LONG, "barriers", 200});
    (void)state;
    compare(&before, &after);
    is_between(saved("instructions"), 300, 1100);
    is_between(saved("barriers"), 10, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_the_warps_that_wait_half_as_often),
        cmocka_unit_test(half_the_warps_that_wait_as_often),
        cmocka_unit_test(short_waits_are_set_off_by_themselves),
        cmocka_unit_test(bytes_in_flight_of_both_sides),
        cmocka_unit_test(bytes_in_flight_of_one_side_are_no_cause),
        cmocka_unit_test(saturated_memory_leaves_its_bytes_alone),
        cmocka_unit_test(saturated_memory_has_launches_and_a_clock),
        cmocka_unit_test(rate_and_uneven_work_are_set_off),
        cmocka_unit_test(one_saturated_side_is_not_enough),
    };
    return cmocka_run_group_tests(tests, records_open, records_close);
}

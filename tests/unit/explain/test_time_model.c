#include "time_points.h"

/* The modelled time of a point with these features. */
#define TIME(...) time_of(POINT(1, __VA_ARGS__))

static double time_of(struct time_point point)
{
    return time_model_ns(&point, NULL, NULL, NULL);
}

/* ---- one SM ---------------------------------------------------------------------------------- */

static void one_warp_pays_for_everything(void **state)
{
    (void)state;
    is_number(TIME({FEATURE_ISSUE, "overhead", 1000}), 1000);
    is_number(TIME({FEATURE_ISSUE, "overhead", 600}, {FEATURE_ISSUE, "work", 400}), 1000);
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_FIXED, "dependencies", 500}), 1500);
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_SHORT, "shared_waits", 200},
                   {FEATURE_SHORT_QUEUE, "pipes", 50}, {FEATURE_LONG, "barriers", 30},
                   {FEATURE_LONG_QUEUE, "global_queue", 7}, {FEATURE_TURNOVER, "residency", 4}),
              1291);
    is_number(TIME({FEATURE_WARPS, "residency", 0.25}, {FEATURE_ISSUE, "work", 1000},
                   {FEATURE_LONG, "barriers", 100}),
              1400); /* the only warp is there at a quarter of the time */
}

static void waits_for_memory_go_by_bytes(void **state)
{
    (void)state;
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_LOADED_BYTES, "global_latency", 5000},
                   {FEATURE_BYTES_PER_WAIT, "bytes_in_flight", 100},
                   {FEATURE_WAIT_CYCLES, "global_latency", 20}),
              2000);
    is_number(TIME({FEATURE_LOADED_BYTES, "global_latency", 5000},
                   {FEATURE_BYTES_PER_WAIT, "bytes_in_flight", 200},
                   {FEATURE_WAIT_CYCLES, "global_latency", 20}),
              500);
}

/* Resources that work beside each other: the larger counts, and the sum only if they are alike. */
static void a_hidden_pipe_costs_nothing(void **state)
{
    const double alone = 1000;
    (void)state;
    is_between(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_FMA, "pipes", 500}), alone,
               alone * (1 + 1e-7));
    is_between(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_ALU, "pipes", 500}), alone,
               alone * (1 + 1e-7));
    is_between(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_DATA, "shared_traffic", 500}), alone,
               alone * 1.0001);
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_ALU, "pipes", 1000}),
              alone * pow(2, 1.0 / 20));
    is_number(TIME({FEATURE_FMA, "pipes", 1000}, {FEATURE_ALU, "pipes", 1000}),
              alone * pow(2, 1.0 / 20));
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_DATA, "shared_traffic", 1000}),
              alone * pow(2, 1.0 / 10));
    is_number(TIME({FEATURE_DATA, "shared_traffic", 1000}), alone);
    is_between(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_TENSOR, "tensor_pipe", 500}), alone,
               alone * 1.0001);
    is_number(TIME({FEATURE_ISSUE, "work", 10}, {FEATURE_TENSOR, "tensor_pipe", 1000}), alone);
    is_number(TIME({FEATURE_DATA, "shared_traffic", 1000}, {FEATURE_TENSOR, "tensor_pipe", 1000}),
              alone * pow(2, 1.0 / 10));
}

/* Two customers, of which each works for 100 and waits for 100: 100 + overlap(1 + p; 100, 100). */
static void warps_hide_short_waits_of_each_other(void **state)
{
    double last = 2000;
    (void)state;
    is_number(TIME({FEATURE_WARPS, "residency", 2}, {FEATURE_ISSUE, "work", 200},
                   {FEATURE_FIXED, "dependencies", 200}),
              100 + 100 * pow(2, 1 / 1.2));
    for (double warps = 1; warps <= 1024; warps *= 2) {
        const double time = TIME({FEATURE_WARPS, "residency", warps}, {FEATURE_ISSUE, "work", 1000},
                                 {FEATURE_FIXED, "dependencies", 1000 * warps});
        is_between(time, 1000, last); /* each warp waits as long, and more warps hide more */
        last = time - 1;
    }
}

static void groups_hide_long_waits_of_each_other(void **state)
{
    double last = 2000;
    (void)state;
    is_number(TIME({FEATURE_WARPS, "residency", 2}, {FEATURE_ISSUE, "work", 200},
                   {FEATURE_LONG, "global_latency", 200}),
              100 + 100 * pow(2, 1 / 1.5));
    for (double warps = 1; warps <= 1024; warps *= 2) {
        const double time = TIME({FEATURE_WARPS, "residency", warps}, {FEATURE_ISSUE, "work", 1000},
                                 {FEATURE_LONG, "global_latency", 1000 * warps});
        is_between(time, 1000, last);
        last = time - 1;
    }
    is_between(TIME({FEATURE_WARPS, "residency", 1024}, {FEATURE_ISSUE, "work", 1000},
                    {FEATURE_LONG, "global_latency", 1024 * 500.0}),
               1000, 1005);
}

static void one_group_pays_for_work_and_wait(void **state)
{
    (void)state;
    is_number(TIME({FEATURE_WARPS, "residency", 1024}, {FEATURE_GROUP, "residency", 1024},
                   {FEATURE_ISSUE, "work", 1000}, {FEATURE_LONG, "global_latency", 1024 * 500.0}),
              1500);
    is_number(TIME({FEATURE_WARPS, "residency", 16}, {FEATURE_GROUP, "residency", 8},
                   {FEATURE_ISSUE, "work", 200}, {FEATURE_LONG, "barriers", 16 * 100.0}),
              100 + 100 * pow(2, 1 / 1.5)); /* two groups */
    is_number(TIME({FEATURE_WARPS, "residency", 2}, {FEATURE_GROUP, "residency", 8},
                   {FEATURE_ISSUE, "work", 1000}, {FEATURE_LONG, "barriers", 1000}),
              1500); /* never less than one */
}

static void slots_divide_the_waits(void **state)
{
    (void)state;
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_SHORT_SLOTS, "residency", 2},
                   {FEATURE_FIXED, "dependencies", 100}, {FEATURE_SHORT, "shared_waits", 100},
                   {FEATURE_SHORT_QUEUE, "pipes", 200}),
              1200);
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_LONG_SLOTS, "residency", 4},
                   {FEATURE_LONG, "barriers", 100}, {FEATURE_LONG_QUEUE, "global_queue", 100},
                   {FEATURE_TURNOVER, "residency", 200}),
              1100);
}

/* ---- the device ------------------------------------------------------------------------------ */

static void uneven_work_multiplies(void **state)
{
    (void)state;
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_UNEVEN, "last_wave", 1.5},
                   {FEATURE_UNEVEN, "unequal_blocks", 2}),
              3000);
    is_number(TIME({FEATURE_L2_NS, "l2", 1000}, {FEATURE_UNEVEN, "last_wave", 1.5}),
              1000); /* the L2 cache serves all SMs */
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_UNEXPLAINED, "residual", 1.25}), 1250);
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_SCALE, "residual", 1.25}), 1250);
}

static void launches_and_ends_add(void **state)
{
    (void)state;
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_LAUNCH_NS, "launches", 300}), 1300);
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_LAUNCH_NS, "launches", 300},
                   {FEATURE_END, "launches", 100}, {FEATURE_GHZ, "clock", 2},
                   {FEATURE_UNEVEN, "last_wave", 3}, {FEATURE_SCALE, "residual", 1}),
              300 + (3000 + 100) / 2.0);
}

static void the_clock_divides_cycles_alone(void **state)
{
    (void)state;
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_GHZ, "clock", 2}), 500);
    is_number(TIME({FEATURE_L2_NS, "l2", 1000}, {FEATURE_GHZ, "clock", 2}), 1000);
    is_number(TIME({FEATURE_ATOMIC_NS, "atomics", 1000}, {FEATURE_GHZ, "clock", 2}), 1000);
    is_number(TIME({FEATURE_DRAM_NS, "dram_bytes", 1000}, {FEATURE_GHZ, "clock", 2}), 1000);
    is_number(
        TIME({FEATURE_L2_NS, "l2", 1000}, {FEATURE_ISSUE, "work", 2000}, {FEATURE_GHZ, "clock", 2}),
        1000 * pow(2, 0.25));
}

static void memory_works_beside_the_sms(void **state)
{
    (void)state;
    is_number(TIME({FEATURE_DRAM_NS, "dram_bytes", 700}, {FEATURE_DRAM_NS, "reread", 200},
                   {FEATURE_ROUND_TRIP_NS, "latency", 100}),
              1000);
    is_number(TIME({FEATURE_DRAM_NS, "dram_bytes", 1000}, {FEATURE_DRAM_RATE, "dram_rate", 2},
                   {FEATURE_ROUND_TRIP_NS, "latency", 100}),
              600);
    is_number(TIME({FEATURE_ISSUE, "work", 1000}, {FEATURE_ROUND_TRIP_NS, "latency", 900}),
              1000); /* without bytes there is no round trip */
    is_number(TIME({FEATURE_DRAM_NS, "dram_bytes", 1000}, {FEATURE_ISSUE, "work", 1000}),
              1000 * pow(2, 0.25));
    is_number(TIME({FEATURE_DRAM_NS, "dram_bytes", 1000}, {FEATURE_ISSUE, "work", 1000},
                   {FEATURE_ATOMIC_NS, "atomics", 1000}, {FEATURE_L2_NS, "l2", 1000}),
              1000 * pow(4, 0.25));
    is_between(TIME({FEATURE_DRAM_NS, "dram_bytes", 1000}, {FEATURE_ISSUE, "work", 100}), 1000,
               1000.03);
}

/* ---- features of another point --------------------------------------------------------------- */

static int takes_one(void *context, const char *cause)
{
    return !strcmp(context, cause);
}

static double with_cause(const struct time_point *point, const struct time_point *other,
                         const char *cause)
{
    char name[32];
    snprintf(name, sizeof name, "%s", cause); /* compared as text */
    return time_model_ns(point, other, takes_one, name);
}

static void chosen_causes_come_from_the_other_point(void **state)
{
    const struct time_point one = POINT(
                                1, {FEATURE_ISSUE, "work", 1000}, {FEATURE_ISSUE, "overhead", 500},
                                {FEATURE_FIXED, "overhead", 40}, {FEATURE_UNEVEN, "last_wave", 2}),
                            two = POINT(
                                1, {FEATURE_ISSUE, "work", 100}, {FEATURE_ISSUE, "overhead", 70},
                                {FEATURE_LONG, "overhead", 8}, {FEATURE_LONG, "barriers", 300},
                                {FEATURE_UNEVEN, "unequal_blocks", 3});
    (void)state;
    is_number(time_of(one), 2 * 1540);
    is_number(time_of(two), 3 * 478);
    is_number(with_cause(&one, &two, "work"), 2 * (100 + 540));
    is_number(with_cause(&one, &two, "overhead"), 2 * (1000 + 70 + 8)); /* all of its inputs */
    is_number(with_cause(&one, &two, "barriers"), 2 * 1840);            /* the first one has none */
    is_number(with_cause(&two, &one, "barriers"), 3 * 178); /* neither does this one now */
    is_number(with_cause(&one, &two, "last_wave"), 1540);
    is_number(with_cause(&one, &two, "unequal_blocks"), 6 * 1540);
    is_number(with_cause(&one, &two, "clock"), 2 * 1540);
}

/* ---- fitting --------------------------------------------------------------------------------- */

/* The product of all features of an input, and the sum. */
static double product_of(const struct time_point *point, enum time_input input)
{
    double product = 1;
    for (int f = 0; f < point->count; f++)
        if (point->feature[f].input == input) product *= point->feature[f].value;
    return product;
}

static double sum_of(const struct time_point *point, enum time_input input)
{
    double sum = 0;
    for (int f = 0; f < point->count; f++)
        if (point->feature[f].input == input) sum += point->feature[f].value;
    return sum;
}

/* Fits the point, which reproduces its time, with these factors. */
static void fits(struct time_point *point, double rate, double unexplained, double scale)
{
    time_model_fit(point);
    is_number(time_of(*point), point->time_ns);
    is_number(product_of(point, FEATURE_DRAM_RATE), rate);
    is_number(product_of(point, FEATURE_UNEXPLAINED), unexplained);
    is_number(product_of(point, FEATURE_SCALE), scale);
}

static void fit_hides_a_part_of_the_waits(void **state)
{
    struct time_point point =
        POINT(1650, {FEATURE_ISSUE, "work", 1000}, {FEATURE_FIXED, "dependencies", 400},
              {FEATURE_SHORT, "shared_waits", 200}, {FEATURE_LONG, "barriers", 100},
              {FEATURE_LOADED_BYTES, "global_latency", 1000},
              {FEATURE_BYTES_PER_WAIT, "bytes_in_flight", 100},
              {FEATURE_WAIT_CYCLES, "global_latency", 20}, {FEATURE_SHORT_QUEUE, "pipes", 900},
              {FEATURE_LONG_QUEUE, "global_queue", 900});
    (void)state;
    fits(&point, 1, 1, 1);
    is_number(sum_of(&point, FEATURE_FIXED), 400); /* fixed latencies are no guess */
    is_number(sum_of(&point, FEATURE_SHORT), 100);
    is_number(sum_of(&point, FEATURE_LONG), 50);
    is_number(sum_of(&point, FEATURE_WAIT_CYCLES), 10);
    is_number(sum_of(&point, FEATURE_SHORT_QUEUE), 0); /* no queue is exposed before all waits */
    is_number(sum_of(&point, FEATURE_LONG_QUEUE), 0);
    is_number(sum_of(&point, FEATURE_LOADED_BYTES), 1000);
    is_number(sum_of(&point, FEATURE_BYTES_PER_WAIT), 100);
}

static void fit_exposes_a_part_of_the_queues(void **state)
{
    struct time_point point =
        POINT(1250, {FEATURE_ISSUE, "work", 800}, {FEATURE_LONG, "barriers", 300},
              {FEATURE_SHORT_QUEUE, "pipes", 200}, {FEATURE_LONG_QUEUE, "global_queue", 400});
    (void)state;
    fits(&point, 1, 1, 1);
    is_number(sum_of(&point, FEATURE_LONG), 300);
    is_number(sum_of(&point, FEATURE_SHORT_QUEUE), 50);
    is_number(sum_of(&point, FEATURE_LONG_QUEUE), 100);
}

static void fit_leaves_a_ratio(void **state)
{
    struct time_point slow =
                          POINT(3000, {FEATURE_ISSUE, "work", 800}, {FEATURE_LONG, "barriers", 300},
                                {FEATURE_LONG_QUEUE, "global_queue", 400}),
                      fast = POINT(500, {FEATURE_ISSUE, "work", 1000},
                                   {FEATURE_LONG, "barriers", 300}),
                      slower = POINT(5000, {FEATURE_ISSUE, "work", 10}),
                      faster = POINT(1000, {FEATURE_ISSUE, "work", 10000}),
                      beside =
                          POINT(2000, {FEATURE_ISSUE, "work", 1000}, {FEATURE_L2_NS, "l2", 1000});
    (void)state;
    fits(&slow, 1, 2, 1);
    is_number(sum_of(&slow, FEATURE_LONG_QUEUE), 400);
    fits(&fast, 1, 0.5, 1);
    is_number(sum_of(&fast, FEATURE_LONG), 0);
    fits(&slower, 1, 100, 5); /* at most 100 */
    fits(&faster, 1, 0.2, 0.5);
    fits(&beside, 1, pow(15, 0.25), 1); /* of an SM's cycles: x^4 + 1 = 2^4 */
}

static void fit_leaves_out_launch_and_end(void **state)
{
    struct time_point point = POINT(
        1000, {FEATURE_ISSUE, "work", 1000}, {FEATURE_LAUNCH_NS, "launches", 300},
        {FEATURE_END, "launches", 400}, {FEATURE_GHZ, "clock", 2}, {FEATURE_LONG, "barriers", 100});
    (void)state;
    fits(&point, 1, 1, 1); /* 700 ns or 1400 cycles are 1000 more than those of the end */
    is_number(sum_of(&point, FEATURE_LONG), 0);
}

static void fit_raises_the_rate_of_memory(void **state)
{
    struct time_point point = POINT(1000, {FEATURE_DRAM_NS, "dram_bytes", 1600},
                                    {FEATURE_ROUND_TRIP_NS, "latency", 200},
                                    {FEATURE_LONG, "global_latency", 5000}),
                      much = POINT(1000, {FEATURE_DRAM_NS, "dram_bytes", 5000}),
                      busy = POINT(1000, {FEATURE_DRAM_NS, "dram_bytes", 900},
                                   {FEATURE_ISSUE, "work", 1100});
    (void)state;
    fits(&point, 2, 1, 1);
    is_number(sum_of(&point, FEATURE_LONG), 0);
    fits(&much, 1, 0.2,
         0.2);             /* even four times the rate is too slow: it is no matter of the rate */
    time_model_fit(&busy); /* nor is it where the SMs alone are too slow */
    is_number(time_of(busy), 1000);
    is_number(product_of(&busy, FEATURE_DRAM_RATE), 1);
    is_number(product_of(&busy, FEATURE_UNEXPLAINED) * 1100, pow(pow(1000, 4) - pow(900, 4), 0.25));
}

/* A kernel that is measured to take no longer than its launch has 300 cycles nevertheless. */
static void fit_keeps_some_cycles(void **state)
{
    struct time_point point =
        POINT(100, {FEATURE_ISSUE, "work", 600}, {FEATURE_LAUNCH_NS, "launches", 200});
    (void)state;
    time_model_fit(&point);
    is_number(time_of(point), 500);
    is_number(product_of(&point, FEATURE_UNEXPLAINED), 0.5);
}

/* ---- device memory alone --------------------------------------------------------------------- */

static void saturated_goes_by_the_busy_time(void **state)
{
    const struct time_point more = POINT(1100, {FEATURE_DRAM_NS, "dram_bytes", 851},
                                         {FEATURE_LAUNCH_NS, "launches", 100}),
                            less = POINT(1100, {FEATURE_DRAM_NS, "dram_bytes", 849},
                                         {FEATURE_LAUNCH_NS, "launches", 100}),
                            end = POINT(1000, {FEATURE_DRAM_NS, "dram_bytes", 400},
                                        {FEATURE_DRAM_NS, "reread", 50}, {FEATURE_GHZ, "clock", 2},
                                        {FEATURE_END, "launches", 1000}),
                            none = POINT(1000, {FEATURE_ISSUE, "work", 1000});
    (void)state;
    assert_int_equal(time_model_saturated(&more), 1);
    assert_int_equal(time_model_saturated(&less), 0);
    assert_int_equal(time_model_saturated(&end), 1);
    assert_int_equal(time_model_saturated(&none), 0);
}

static void every_input_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < FEATURE_INPUTS; i++) {
        assert_non_null(time_input_names[i]);
        for (int other = 0; other < i; other++)
            assert_string_not_equal(time_input_names[i], time_input_names[other]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_warp_pays_for_everything),
        cmocka_unit_test(waits_for_memory_go_by_bytes),
        cmocka_unit_test(a_hidden_pipe_costs_nothing),
        cmocka_unit_test(warps_hide_short_waits_of_each_other),
        cmocka_unit_test(groups_hide_long_waits_of_each_other),
        cmocka_unit_test(one_group_pays_for_work_and_wait),
        cmocka_unit_test(slots_divide_the_waits),
        cmocka_unit_test(uneven_work_multiplies),
        cmocka_unit_test(launches_and_ends_add),
        cmocka_unit_test(the_clock_divides_cycles_alone),
        cmocka_unit_test(memory_works_beside_the_sms),
        cmocka_unit_test(chosen_causes_come_from_the_other_point),
        cmocka_unit_test(fit_hides_a_part_of_the_waits),
        cmocka_unit_test(fit_exposes_a_part_of_the_queues),
        cmocka_unit_test(fit_leaves_a_ratio),
        cmocka_unit_test(fit_leaves_out_launch_and_end),
        cmocka_unit_test(fit_raises_the_rate_of_memory),
        cmocka_unit_test(fit_keeps_some_cycles),
        cmocka_unit_test(saturated_goes_by_the_busy_time),
        cmocka_unit_test(every_input_has_a_name),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

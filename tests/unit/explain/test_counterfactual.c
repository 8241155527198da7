#include "counterfactual_run.h"

/* ---- one cause and several ------------------------------------------------------------------- */

static void a_single_change_is_the_cause(void **state)
{
    const struct time_point before = POINT(0, {FEATURE_ISSUE, "work", 1000},
                                           {FEATURE_ISSUE, "overhead", 400},
                                           {FEATURE_LONG, "barriers", 600},
                                           {FEATURE_LAUNCH_NS, "launches", 100}),
                            after = POINT(0, {FEATURE_ISSUE, "work", 1000},
                                          {FEATURE_ISSUE, "overhead", 150},
                                          {FEATURE_LONG, "barriers", 600},
                                          {FEATURE_LAUNCH_NS, "launches", 100});
    (void)state;
    compare(&before, &after);
    saves("instructions=250 overhead=250");
    assert_true(has_row("work")); /* has features, but saves nothing */
    assert_true(has_row("barriers"));
    assert_false(has_row("shared_memory"));
    compare(&after, &before);
    saves("instructions=-250 overhead=-250");
    compare(&before, &before);
    saves("");
}

static void several_changes_share_what_they_save_together(void **state)
{
    const struct time_point before = POINT(0, {FEATURE_ISSUE, "work", 1000},
                                           {FEATURE_UNEVEN, "last_wave", 2}),
                            after = POINT(0, {FEATURE_ISSUE, "work", 500},
                                          {FEATURE_UNEVEN, "last_wave", 1.5});
    (void)state;
    compare(&before, &after); /* 2000 to 750; first 1000 and 500, last 750 and 250 */
    saves("instructions=875 work=875 imbalance=375 last_wave=375 interaction=0");
}

/* Either of two resources hides the other: what only both save is the interaction. */
static void only_both_together(void **state)
{
    const struct time_point before = POINT(0, {FEATURE_L2_NS, "l2", 1000},
                                           {FEATURE_ATOMIC_NS, "atomics", 1000}),
                            after = POINT(0, {FEATURE_L2_NS, "l2", 500},
                                          {FEATURE_ATOMIC_NS, "atomics", 500});
    (void)state;
    compare(&before, &after);
    const double whole = 500 * pow(2, 0.25),
                 each = (1000 * pow(2, 0.25) - 1000 * pow(1 + 0.0625, 0.25)) / 2 +
                        (500 * pow(17, 0.25) - 500 * pow(2, 0.25)) / 2;
    is_number(saved("l2"), each);
    is_number(saved("atomics"), each);
    is_number(saved("interaction"), whole - 2 * each);
    is_number(saved("residual"), 0);
}

static void what_is_hidden_saves_nothing(void **state)
{
    const struct time_point before =
                                POINT(0, {FEATURE_ISSUE, "work", 10000},
                                      {FEATURE_DATA, "bank_conflicts", 4000},
                                      {FEATURE_ALU, "pipes", 5000}, {FEATURE_L2_NS, "l2", 1000}),
                            after = POINT(0, {FEATURE_ISSUE, "work", 9000},
                                          {FEATURE_DATA, "bank_conflicts", 0},
                                          {FEATURE_ALU, "pipes", 1000}, {FEATURE_L2_NS, "l2", 500});
    (void)state;
    compare(&before, &after);
    is_between(saved("instructions"), 999, 1001);
    is_between(saved("bank_conflicts"), 0, 0.5);
    is_between(saved("shared_memory"), 0, 0.5);
    is_between(saved("pipes"), 0, 0.5);
    is_between(saved("l2"), 0, 0.5);
}

/* ---- details --------------------------------------------------------------------------------- */

static void a_cause_changes_with_all_of_its_details(void **state)
{
    const struct time_point before = POINT(0, {FEATURE_DATA, "bank_conflicts", 600},
                                           {FEATURE_DATA, "shared_traffic", 200},
                                           {FEATURE_ISSUE, "shared_memory", 300}),
                            after = POINT(0, {FEATURE_DATA, "shared_traffic", 500},
                                          {FEATURE_DATA, "idle_accesses", 300},
                                          {FEATURE_ISSUE, "shared_memory", 300});
    (void)state;
    compare(&before, &after); /* nothing changes as a whole */
    is_number(saved("shared_memory"), 0);
    is_between(saved("bank_conflicts"), 400, 600);
    is_between(saved("shared_traffic"), -300, -200);
    is_between(saved("idle_accesses"), -300, -200);
    for (int i = 0; i < result.count; i++) {
        const struct counterfactual_row *row = &result.row[i];
        const char *within = record_field(row->cause, "within");
        assert_true(!row->within == !within);
        if (within) assert_string_equal(row->within, within);
    }
    assert_false(has_row("same_word"));
}

static void rows_are_in_the_order_of_the_records(void **state)
{
    const struct time_point before = POINT(0, {FEATURE_L2_NS, "l2", 600},
                                           {FEATURE_DATA, "bank_conflicts", 600},
                                           {FEATURE_ISSUE, "work", 200}),
                            after = POINT(0, {FEATURE_ISSUE, "work", 500});
    (void)state;
    compare(&before, &after);
    for (int i = 1; i < result.count - 2; i++)
        assert_true(result.row[i - 1].cause < result.row[i].cause);
    assert_string_equal(result.row[0].cause->name,
                        "instructions"); /* without features of its own */
    assert_int_equal(result.count, 9);   /* with the rate of device memory, which is fitted */
}

/* ---- measured times -------------------------------------------------------------------------- */

/* The residual takes the part of the change that the counters do not explain. */
static void the_rest_is_the_residual(void **state)
{
    const struct time_point before = POINT(1000, {FEATURE_ISSUE, "work", 1000}),
                            faster = POINT(700, {FEATURE_ISSUE, "work", 1000}),
                            slower = POINT(6000, {FEATURE_ISSUE, "work", 600}),
                            shortest = POINT(100, {FEATURE_ISSUE, "work", 1000});
    (void)state;
    compare(&before, &faster);
    saves("residual=300");
    compare(&before, &slower); /* 10 times as long as its instructions: 400 and 4000 less */
    saves("instructions=2200 work=2200 residual=-7200");
    compare(&before, &shortest); /* its model takes 300 ns */
    saves("residual=900");
}

static void waits_are_exposed_as_far_as_the_times_say(void **state)
{
    const struct time_point before = POINT(1500, {FEATURE_ISSUE, "work", 1000},
                                           {FEATURE_LONG, "global_latency", 1000}),
                            after = POINT(1100, {FEATURE_ISSUE, "work", 1000},
                                          {FEATURE_LONG, "global_latency", 1000});
    (void)state;
    compare(&before, &after);
    saves("latency=400 global_latency=400");
}

/* ---- any points ------------------------------------------------------------------------------ */

/* Returns a number from 0 to 1 from a sequence that is always the same. */
static double next(void)
{
    static uint32_t seed = 20261123;
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 16777216.0;
}

static const struct time_feature usual_features[] = {
    {FEATURE_ISSUE, "work", 20000},
    {FEATURE_ISSUE, "overhead", 10000},
    {FEATURE_ISSUE, "divergence", 5000},
    {FEATURE_ISSUE, "dispatch", 1000},
    {FEATURE_FMA, "pipes", 20000},
    {FEATURE_ALU, "pipes", 20000},
    {FEATURE_DATA, "bank_conflicts", 20000},
    {FEATURE_DATA, "global_traffic", 10000},
    {FEATURE_FIXED, "dependencies", 100000},
    {FEATURE_SHORT, "shared_waits", 100000},
    {FEATURE_SHORT_QUEUE, "bank_conflicts", 100000},
    {FEATURE_LONG, "barriers", 100000},
    {FEATURE_LONG_QUEUE, "uncoalesced", 100000},
    {FEATURE_TURNOVER, "residency", 10000},
    {FEATURE_LOADED_BYTES, "global_latency", 200000},
    {FEATURE_BYTES_PER_WAIT, "bytes_in_flight", 1000},
    {FEATURE_WAIT_CYCLES, "global_latency", 1000},
    {FEATURE_L2_NS, "l2", 20000},
    {FEATURE_DRAM_NS, "dram_bytes", 20000},
    {FEATURE_DRAM_NS, "reread", 10000},
    {FEATURE_ROUND_TRIP_NS, "latency", 500},
    {FEATURE_ATOMIC_NS, "atomics", 5000},
    {FEATURE_WARPS, "residency", 16},
    {FEATURE_GROUP, "residency", 4},
    {FEATURE_UNEVEN, "last_wave", 1.5},
    {FEATURE_UNEVEN, "unequal_blocks", 1.2},
    {FEATURE_LAUNCH_NS, "launches", 4000},
    {FEATURE_END, "launches", 3000},
    {FEATURE_GHZ, "clock", 1.5},
};

/* Every point has warps and a clock; bytes are loaded by waits of a number of bytes and cycles, or
 * not at all. */
static struct time_point any_point(void)
{
    struct time_point point = {.time_ns = 8000 + 60000 * next()};
    const int has_bytes = next() < 0.7;
    for (size_t i = 0; i < sizeof usual_features / sizeof *usual_features; i++) {
        struct time_feature feature = usual_features[i];
        const enum time_input input = feature.input;
        const int is_factor = input == FEATURE_GHZ || input == FEATURE_UNEVEN,
                  is_bytes = input == FEATURE_LOADED_BYTES || input == FEATURE_BYTES_PER_WAIT ||
                             input == FEATURE_WAIT_CYCLES;
        feature.value *= is_factor ? 0.9 + 0.3 * next() : 0.1 + 2 * next();
        if (is_bytes ? has_bytes : is_factor || input == FEATURE_WARPS || next() < 0.8)
            point.feature[point.count++] = feature;
    }
    return point;
}

static void sums_close_whatever_changes(void **state)
{
    int saturated = 0, explained = 0;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        const struct time_point before = any_point(), after = any_point();
        compare(&before, &after);
        saturated += time_model_saturated(&before) && time_model_saturated(&after);
        explained += fabs(saved("residual")) < 1e-6;
        for (int row = 0; row < result.count; row++)
            if (!isfinite(result.row[row].saved_ns))
                fail_msg("%s of pair %d is no number", result.row[row].cause->name, i);
    }
    assert_in_range(saturated, 100, 1000); /* both kinds are tried, */
    assert_in_range(explained, 100, 1900); /* and points that need no ratio, and those that do */
}

static void set_warps(struct time_point *point, double warps)
{
    for (int f = 0; f < point->count; f++)
        if (point->feature[f].input == FEATURE_WARPS) point->feature[f].value = warps;
}

/* A pair the other way round has the opposite causes, but those that are set off. */
static void the_other_way_round(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        struct time_point before = any_point(), after = any_point();
        double saved_ns[COUNTERFACTUAL_ROWS];
        set_warps(&before, 8);
        set_warps(&after, 8);
        if (time_model_saturated(&before) && time_model_saturated(&after)) continue;
        compare(&before, &after);
        const int count = result.count;
        for (int row = 0; row < count; row++) saved_ns[row] = result.row[row].saved_ns;
        compare(&after, &before);
        assert_int_equal(result.count, count);
        for (int row = 0; row < count; row++)
            if (fabs(saved_ns[row] + result.row[row].saved_ns) > 1e-6)
                fail_msg("%s of pair %d: %.15g and back %.15g", result.row[row].cause->name, i,
                         saved_ns[row], result.row[row].saved_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_change_is_the_cause),
        cmocka_unit_test(several_changes_share_what_they_save_together),
        cmocka_unit_test(only_both_together),
        cmocka_unit_test(what_is_hidden_saves_nothing),
        cmocka_unit_test(a_cause_changes_with_all_of_its_details),
        cmocka_unit_test(rows_are_in_the_order_of_the_records),
        cmocka_unit_test(the_rest_is_the_residual),
        cmocka_unit_test(waits_are_exposed_as_far_as_the_times_say),
        cmocka_unit_test(sums_close_whatever_changes),
        cmocka_unit_test(the_other_way_round),
    };
    return cmocka_run_group_tests(tests, records_open, records_close);
}

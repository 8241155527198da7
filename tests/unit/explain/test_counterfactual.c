#include "time_points.h"

#include "base/message.h"
#include "explain/counterfactual.h"

static struct records records;
static struct counterfactual result;

static int records_open(void **state)
{
    setenv("WHYFAST_DATA", root(), 1);
    return fixture_open(state) || records_read_own(&records);
}

static int records_close(void **state)
{
    records_free(&records);
    return fixture_close(state);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* What the cause saves; 0 if it has no row. */
static double saved(const char *cause)
{
    for (int i = 0; i < result.count; i++)
        if (!strcmp(result.row[i].cause->name, cause)) return result.row[i].saved_ns;
    return 0;
}

static int has_row(const char *cause)
{
    for (int i = 0; i < result.count; i++)
        if (!strcmp(result.row[i].cause->name, cause)) return 1;
    return 0;
}

/* Asserts that the causes that are no details, the interaction and the residual add up. */
static void sums_close(const struct time_point *before, const struct time_point *after)
{
    double sum = 0;
    for (int i = 0; i < result.count; i++)
        if (!result.row[i].within) sum += result.row[i].saved_ns;
    const double change = before->time_ns - after->time_ns;
    if (!(fabs(sum - change) <= 1e-9 * (before->time_ns + after->time_ns)))
        fail_msg("the causes sum to %.15g instead of %.15g", sum, change);
    assert_in_range(result.count, 2, COUNTERFACTUAL_ROWS);
    assert_string_equal(result.row[result.count - 2].cause->name, "interaction");
    assert_string_equal(result.row[result.count - 1].cause->name, "residual");
}

static void compare(const struct time_point *before, const struct time_point *after)
{
    counterfactual_make(&result, &records, before, after);
    sums_close(before, after);
}

/* Asserts that causes save this much, and that all other rows save nothing: "cause=ns ...". */
static void saves(const char *words)
{
    for (int i = 0; i < result.count; i++) {
        const struct counterfactual_row *row = &result.row[i];
        const char *name = row->cause->name, *word = words;
        const size_t length = strlen(name);
        while ((word = strstr(word, name)) &&
               ((word != words && word[-1] != ' ') || word[length] != '='))
            word++;
        const double expected = word ? strtod(word + length + 1, NULL) : 0;
        if (!(fabs(row->saved_ns - expected) <= 1e-8 * (1 + fabs(expected))))
            fail_msg("%s saves %.15g instead of %.15g", name, row->saved_ns, expected);
    }
    for (const char *word = words; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        if (!has_row(name)) fail_msg("%s has no row", name);
    }
}

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

/* What the counters do not explain is left to the residual. */
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
        cmocka_unit_test(half_the_warps_that_wait_half_as_often),
        cmocka_unit_test(half_the_warps_that_wait_as_often),
        cmocka_unit_test(short_waits_are_set_off_by_themselves),
        cmocka_unit_test(bytes_in_flight_of_both_sides),
        cmocka_unit_test(bytes_in_flight_of_one_side_are_no_cause),
        cmocka_unit_test(saturated_memory_leaves_its_bytes_alone),
        cmocka_unit_test(saturated_memory_has_launches_and_a_clock),
        cmocka_unit_test(rate_and_uneven_work_are_set_off),
        cmocka_unit_test(one_saturated_side_is_not_enough),
        cmocka_unit_test(sums_close_whatever_changes),
        cmocka_unit_test(the_other_way_round),
    };
    return cmocka_run_group_tests(tests, records_open, records_close);
}

#include "fixture.h"

#include <math.h>

#include "explain/attribution.h"

/* A side whose levels are its whole time. */
static struct attribution_side side(double ghz, double warps, int count,
                                    const struct attribution_level *level)
{
    struct attribution_side made = {.ghz = ghz, .warps = warps, .count = count};
    for (int i = 0; i < count; i++) {
        made.level[i] = level[i];
        made.time_ns += level[i].cycles / ghz;
    }
    return made;
}

#define SIDE(ghz, warps, ...)                                                                      \
    side(ghz, warps,                                                                               \
         (int)(sizeof((struct attribution_level[]){__VA_ARGS__}) /                                 \
               sizeof(struct attribution_level)),                                                  \
         (struct attribution_level[]){__VA_ARGS__})

static const struct attribution_row *row_of(const struct attribution *attribution,
                                            const char *cause)
{
    const struct attribution_row *found = NULL;
    for (int i = 0; i < attribution->count; i++) {
        if (strcmp(attribution->row[i].cause, cause)) continue;
        assert_null(found); /* each cause once */
        found = &attribution->row[i];
    }
    return found;
}

static double saved(const struct attribution *attribution, const char *cause)
{
    const struct attribution_row *row = row_of(attribution, cause);
    assert_non_null(row);
    return row->saved_ns;
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%.17g instead of %.17g", value, expected);
}

/* Attributes the change between the two; the rows sum to the change of time. */
static struct attribution account_of(const struct attribution_side *before,
                                     const struct attribution_side *after)
{
    struct attribution attribution;
    double sum = 0;
    attribution_make(&attribution, before, after);
    for (int i = 0; i < attribution.count; i++) sum += attribution.row[i].saved_ns;
    near(sum, before->time_ns - after->time_ns);
    return attribution;
}

static void rows_are_levels_before_less_after(void **state)
{
    const struct attribution_side before = SIDE(2, NAN, {"a", 0, 1200, 0}, {"b", 0, 800, 0}),
                                  after = SIDE(2, NAN, {"b", 0, 900, 0}, {"a", 0, 300, 0});
    const struct attribution attribution = account_of(&before, &after);
    (void)state;
    assert_int_equal(attribution.count, 3);
    assert_string_equal(attribution.row[0].cause, "a"); /* in the order of the first */
    assert_string_equal(attribution.row[2].cause, "clock");
    near(saved(&attribution, "a"), 450);
    near(attribution.row[0].before_ns, 600);
    near(attribution.row[0].after_ns, 150);
    near(saved(&attribution, "b"), -50);
    near(saved(&attribution, "clock"), 0);
}

static void a_clock_has_a_row_of_its_own(void **state)
{
    const struct attribution_side before = SIDE(2, NAN, {"a", 0, 2000, 0}),
                                  after = SIDE(1.6, NAN, {"a", 0, 800, 0});
    const struct attribution attribution = account_of(&before, &after);
    (void)state;
    near(saved(&attribution, "a"), 1200 * (1 / 2.0 + 1 / 1.6) / 2);
    near(saved(&attribution, "clock"), 1400 * (1 / 2.0 - 1 / 1.6)); /* slower: it costs */
    assert_true(isnan(row_of(&attribution, "clock")->before_ns) &&
                isnan(row_of(&attribution, "clock")->half_ns));
    const struct attribution_side same = SIDE(1, NAN, {"a", 0, 2000, 0});
    const struct attribution clock_alone = account_of(&before, &same);
    near(saved(&clock_alone, "a"), 0);
    near(saved(&clock_alone, "clock"), -1000);
}

static void a_level_of_one_side_only(void **state)
{
    const struct attribution_side before = SIDE(1, NAN, {"a", 0, 100, 1}),
                                  after = SIDE(1, NAN, {"b", 0, 40, 2});
    const struct attribution attribution = account_of(&before, &after);
    (void)state;
    near(saved(&attribution, "a"), 100);
    near(row_of(&attribution, "a")->after_ns, 0);
    near(row_of(&attribution, "a")->half_ns, 1);
    near(saved(&attribution, "b"), -40);
    near(row_of(&attribution, "b")->before_ns, 0);
    near(row_of(&attribution, "b")->half_ns, 2);
}

static void intervals_add_in_quadrature(void **state)
{
    const struct attribution_side before = SIDE(2, NAN, {"a", 0, 1000, 30}, {"b", 0, 10, NAN},
                                                {"c", 0, 10, 6}, {"c", 0, 10, 8}),
                                  after = SIDE(2, NAN, {"a", 0, 500, 40}, {"b", 0, 10, 1},
                                               {"c", 0, 0, 0});
    const struct attribution attribution = account_of(&before, &after);
    (void)state;
    near(row_of(&attribution, "a")->half_ns, 25);
    assert_true(isnan(
        row_of(&attribution, "b")->half_ns)); /* unknown on one side makes the difference unknown */
    near(row_of(&attribution, "c")->half_ns, 5); /* levels of one cause are one row */
    near(saved(&attribution, "c"), 10);
}

/* 400 cycles of waiting with 8 warps; ln 2 of them for twice as many. */
static void more_warps_hide_waiting(void **state)
{
    const struct attribution_side before = SIDE(1, 8, {"memory", 1, 400, 3}, {"memory", 0, 50, 4},
                                                {"work", 0, 100, 0}),
                                  after = SIDE(1, 16, {"memory", 1, 100, 0}, {"memory", 0, 50, 0},
                                               {"work", 0, 100, 0});
    const struct attribution attribution = account_of(&before, &after);
    const double effect = 300 / log(4) * log(2); /* the logarithmic mean of 400 and 100, and the
                                                    ratio of the warps: half of the change */
    (void)state;
    near(effect, 150);
    near(saved(&attribution, "residency"), 150);
    near(saved(&attribution, "memory"), 150);
    near(row_of(&attribution, "memory")->before_ns, 450); /* its levels stay */
    near(row_of(&attribution, "memory")->half_ns, 5);
    near(row_of(&attribution, "residency")->half_ns,
         2.5); /* the share of the interval of the level that it was taken from */
    near(saved(&attribution, "work"), 0);
    assert_true(isnan(row_of(&attribution, "residency")->before_ns) &&
                isnan(row_of(&attribution, "residency")->after_ns));
}

static void fewer_warps_cost(void **state)
{
    const struct attribution_side before = SIDE(1, 16, {"memory", 1, 100, 0}),
                                  after = SIDE(1, 8, {"memory", 1, 400, 0});
    const struct attribution attribution = account_of(&before, &after);
    (void)state;
    near(saved(&attribution, "residency"), -150);
    near(saved(&attribution, "memory"), -150);
}

/* More warps and more waiting, fewer and less: the number of warps is not the reason. */
static void only_with_the_sign_of_the_change(void **state)
{
    const struct attribution_side few = SIDE(1, 8, {"memory", 1, 100, 0}),
                                  many = SIDE(1, 16, {"memory", 1, 400, 0}),
                                  same = SIDE(1, 8, {"memory", 1, 30, 0}),
                                  not_waiting = SIDE(1, 16, {"memory", 0, 10, 0});
    struct attribution attribution = account_of(&few, &many);
    (void)state;
    assert_null(row_of(&attribution, "residency"));
    near(saved(&attribution, "memory"), -300);
    attribution = account_of(&many, &few);
    assert_null(row_of(&attribution, "residency"));
    attribution = account_of(&few, &same);
    assert_null(row_of(&attribution, "residency")); /* as many warps as before */
    attribution = account_of(&few, &not_waiting);
    assert_null(row_of(&attribution,
                       "residency")); /* nothing waits any more: the ratio would be unbounded */
}

static void never_more_than_the_change(void **state)
{
    const struct attribution_side before = SIDE(1, 2, {"memory", 1, 400, 0}),
                                  after = SIDE(1, 64, {"memory", 1, 390, 0});
    const struct attribution attribution = account_of(&before, &after);
    (void)state;
    near(saved(&attribution, "residency"), 10);
    near(saved(&attribution, "memory"), 0);
}

/* A level that grew is no source of a reduction. */
static void it_is_taken_in_proportion(void **state)
{
    const struct attribution_side before = SIDE(1, 8, {"memory", 1, 600, 0}, {"results", 1, 200, 0},
                                                {"pipes", 1, 10, 0}, {"barriers", 0, 300, 0}),
                                  after = SIDE(1, 9, {"memory", 1, 300, 0}, {"results", 1, 100, 0},
                                               {"pipes", 1, 60, 0}, {"barriers", 0, 100, 0});
    const struct attribution attribution = account_of(&before, &after);
    const double effect = (810 - 460) / log(810.0 / 460) * log(9.0 / 8);
    (void)state;
    near(saved(&attribution, "residency"), effect);
    near(saved(&attribution, "memory"), 300 - effect * 3 / 4);
    near(saved(&attribution, "results"), 100 - effect / 4);
    near(saved(&attribution, "pipes"), -50);
    near(saved(&attribution, "barriers"), 200);
    const struct attribution_side full = SIDE(1, 800, {"memory", 1, 300, 0}, {"results", 1, 100, 0},
                                              {"pipes", 1, 60, 0}, {"barriers", 0, 100, 0});
    const struct attribution all = account_of(&before, &full);
    near(saved(&all, "residency"),
         350); /* the whole change, and no more: 50 of the 400 came back as pipes */
    near(saved(&all, "memory") + saved(&all, "results"), 50);
}

static void warps_that_are_not_known_explain_nothing(void **state)
{
    const struct attribution_side known = SIDE(1, 8, {"memory", 1, 400, 0}),
                                  unknown = SIDE(1, NAN, {"memory", 1, 100, 0}),
                                  none = SIDE(1, 0, {"memory", 1, 400, 0});
    struct attribution attribution = account_of(&known, &unknown);
    (void)state;
    assert_null(row_of(&attribution, "residency"));
    attribution = account_of(&unknown, &known);
    assert_null(row_of(&attribution, "residency"));
    attribution = account_of(&none, &none);
    assert_null(row_of(&attribution, "residency"));
}

static void an_interval_that_is_not_known_goes_on(void **state)
{
    const struct attribution_side before = SIDE(1, 8, {"memory", 1, 400, NAN}),
                                  after = SIDE(1, 16, {"memory", 1, 100, 1});
    const struct attribution attribution = account_of(&before, &after);
    (void)state;
    assert_true(isnan(row_of(&attribution, "memory")->half_ns) &&
                isnan(row_of(&attribution, "residency")->half_ns));
}

static void levels_of_zero(void **state)
{
    const struct attribution_side before = SIDE(1, 8, {"memory", 1, 0, 0}, {"work", 0, 10, 0}),
                                  after = SIDE(1, 16, {"memory", 1, 0, 0}, {"work", 0, 10, 0}),
                                  nothing = {.ghz = 1, .warps = 8};
    struct attribution attribution = account_of(&before, &after);
    (void)state;
    near(saved(&attribution, "memory"), 0);
    assert_null(row_of(&attribution, "residency"));
    attribution = account_of(&nothing, &nothing);
    assert_int_equal(attribution.count, 1);
    near(saved(&attribution, "clock"), 0);
}

/* The maximum number of causes, none of them on both sides: none is lost. */
static void all_causes_have_a_row(void **state)
{
    static char name[2 * ATTRIBUTION_CAUSES][8];
    struct attribution_side sides[2] = {{.ghz = 1, .warps = 8, .count = ATTRIBUTION_CAUSES},
                                        {.ghz = 1, .warps = 16, .count = ATTRIBUTION_CAUSES}};
    (void)state;
    for (int i = 0; i < 2 * ATTRIBUTION_CAUSES; i++) {
        snprintf(name[i], sizeof name[i], "c%d", i);
        struct attribution_side *into = &sides[i / ATTRIBUTION_CAUSES];
        into->level[i % ATTRIBUTION_CAUSES] = (struct attribution_level){name[i], 1, 200 - i, 0};
        into->time_ns += 200 - i;
    }
    const struct attribution attribution = account_of(&sides[0], &sides[1]);
    assert_int_equal(attribution.count, 2 * ATTRIBUTION_CAUSES + 2);
}

static void what_a_row_is_worth(void **state)
{
    const struct attribution_row above = {"a", 0, 0, 10, 9}, below = {"a", 0, 0, -10, 9},
                                 within = {"a", 0, 0, 10, 10}, wide = {"a", 0, 0, -1, 10},
                                 unknown = {"a", 0, 0, 10, NAN}, exact = {"a", 0, 0, 0, 0};
    (void)state;
    assert_string_equal(attribution_status(&above, "faster"), "resolved");
    assert_string_equal(attribution_status(&below, "slower"), "resolved");
    assert_string_equal(attribution_status(&within, "faster"), "unresolved");
    assert_string_equal(attribution_status(&wide, "faster"), "unresolved");
    assert_string_equal(attribution_status(&exact, "faster"), "unresolved"); /* nothing changed */
    assert_string_equal(attribution_status(&unknown, "faster"), "no interval");
    assert_string_equal(attribution_status(&above, "no evidence"), "no evidence");
    assert_string_equal(attribution_status(&unknown, "no evidence"), "no evidence");
    assert_string_equal(attribution_status(&above, "not measured"), "not measured");
    assert_string_equal(attribution_status(&above, NULL), "resolved");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_levels_before_less_after),
        cmocka_unit_test(a_clock_has_a_row_of_its_own),
        cmocka_unit_test(a_level_of_one_side_only),
        cmocka_unit_test(intervals_add_in_quadrature),
        cmocka_unit_test(more_warps_hide_waiting),
        cmocka_unit_test(fewer_warps_cost),
        cmocka_unit_test(only_with_the_sign_of_the_change),
        cmocka_unit_test(never_more_than_the_change),
        cmocka_unit_test(it_is_taken_in_proportion),
        cmocka_unit_test(warps_that_are_not_known_explain_nothing),
        cmocka_unit_test(an_interval_that_is_not_known_goes_on),
        cmocka_unit_test(levels_of_zero),
        cmocka_unit_test(all_causes_have_a_row),
        cmocka_unit_test(what_a_row_is_worth),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

/*
 * Tests the newest recorded run of the planted causes, evaluated again: for each step of a planted
 * family to a rung that is named after a cause, that cause is the largest term. tests/gpu/causes.sh
 * makes such a run on a GPU.
 */
#include "fixture.h"

#include <math.h>

#include "newest_recorded.h"
#include "evaluate/evaluate.h"
#include "explain/explain.h"
#include "rows.h"

/* To add a cause: the rung that is named after it. */
static const char *const planted_causes[] = {"bank_conflicts", "divergence", "spills",
                                             "uncoalesced",    "residency",  "barriers"};

enum { CAUSES = sizeof planted_causes / sizeof *planted_causes };

static struct run replayed;
static int recorded; /* there is a run */

/* Returns "bank_conflicts" for "02_bank_conflicts". */
static const char *without_number(const char *variant)
{
    const char *name = variant + strspn(variant, "0123456789");
    return *name == '_' ? name + 1 : name;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Copies its raw tables, evaluates and explains them. */
static int open_all(void **state)
{
    struct run from;
    if (fixture_open(state)) return -1;
    setenv("WHYFAST_DATA", root(), 1);
    if (newest_run_open(&from, "tests/gpu/recorded")) return 0;
    recorded = 1;
    int result = run_begin(&replayed, place("replayed"), 0);
    if (!result) result = run_copy_raw(&replayed, &from, 0);
    if (!result) result = evaluate_run(&replayed);
    if (!result) result = explain_run(&replayed);
    run_close(&from);
    return result ? -1 : 0;
}

static int close_all(void **state)
{
    if (recorded) run_close(&replayed);
    return fixture_close(state);
}

#define NEEDS_A_RUN                                                                                \
    if (!recorded) fail_msg("there is no run of the planted causes under tests/gpu/recorded/")

/* Sets `largest` to the cause of this step with the largest term, or to "" if the step is not
 * explained. */
static void largest_cause(char largest[64], const char *family, const char *variant,
                          const char *size)
{
    struct rows causes;
    double most = 0;
    *largest = 0;
    rows_of(&causes, replayed.directory, "causes");
    while (csv_next(&causes.reader) > 0) {
        if (strcmp(value(&causes, "family"), family) ||
            strcmp(value(&causes, "variant"), variant) || strcmp(value(&causes, "size"), size))
            continue;
        const double saved =
            fabs(strtod(value(&causes, "saved_ns"), NULL)); /* 0 for an empty cell */
        if (saved <= most) continue;
        most = saved;
        snprintf(largest, 64, "%s", value(&causes, "cause"));
    }
    csv_close(&causes.reader);
}

static void every_step_is_explained_by_what_was_planted(void **state)
{
    struct rows steps;
    int seen[CAUSES] = {0};
    (void)state;
    NEEDS_A_RUN;
    rows_of(&steps, replayed.directory, "steps");
    while (csv_next(&steps.reader) > 0) {
        char largest[64];
        const char *variant = value(&steps, "variant"), *size = value(&steps, "size");
        for (int i = 0; i < CAUSES; i++) {
            if (strcmp(without_number(variant), planted_causes[i])) continue;
            largest_cause(largest, value(&steps, "family"), variant, size);
            if (strcmp(largest, planted_causes[i]))
                fail_msg("%s at size %s: the largest cause is '%s'; '%s' was planted", variant,
                         size, largest, planted_causes[i]);
            seen[i]++;
        }
    }
    csv_close(&steps.reader);
    for (int i = 0; i < CAUSES; i++)
        if (!seen[i])
            fail_msg("%s has no step with the planted cause '%s'", steps.path, planted_causes[i]);
}

/* Each planted rung claims that its cause is there and that nothing else differs. */
static void every_planting_is_confirmed(void **state)
{
    struct rows verdicts;
    int count = 0;
    (void)state;
    NEEDS_A_RUN;
    rows_of(&verdicts, replayed.directory, "verdicts");
    while (csv_next(&verdicts.reader) > 0) {
        if (strcmp(value(&verdicts, "verdict"), "confirmed"))
            fail_msg("%s:%d: %s: '%s' is %s: %s", verdicts.path, verdicts.reader.line,
                     value(&verdicts, "variant"), value(&verdicts, "says"),
                     value(&verdicts, "verdict"), value(&verdicts, "numbers"));
        count++;
    }
    csv_close(&verdicts.reader);
    assert_true(count >= CAUSES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_planting_is_confirmed),
        cmocka_unit_test(every_step_is_explained_by_what_was_planted),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

/*
 * Tests the run of the planted causes, evaluated again: for each step of a planted family to a rung
 * that is named after what was planted, the cause of tests/gpu/planted_causes.csv comes first.
 * tests/gpu/causes.sh makes such a run on a GPU.
 */
#include "fixture.h"

#include <math.h>

#include "fixture_run.h"
#include "evaluate/evaluate.h"
#include "explain/explain.h"
#include "rows.h"

enum { CAUSES = 28, PAIRS = 33, WITHOUT = 12 };
static char planted_causes[CAUSES][64], found_causes[CAUSES][64];

static int read_planted(void)
{
    char path[1024];
    struct csv_reader reader;
    int count = 0;
    snprintf(path, sizeof path, "%s/tests/gpu/planted_causes.csv", root());
    if (csv_open(&reader, path) || csv_next(&reader) <= 0) return -1;
    for (; csv_next(&reader) > 0 && count < CAUSES; count++) {
        snprintf(planted_causes[count], 64, "%s", reader.cell[0]);
        snprintf(found_causes[count], 64, "%s", reader.cell[1]);
    }
    csv_close(&reader);
    return count == CAUSES ? 0 : -1;
}

/* Returns the place of the longest cause that begins the name of the variant, without its number;
 * -1 if it is named after none: "16_bank_conflicts_async" is of bank_conflicts. */
static int planted_in(const char *variant)
{
    const char *name = variant + strspn(variant, "0123456789_");
    int found = -1;
    for (int i = 0; i < CAUSES; i++) {
        const size_t length = strlen(planted_causes[i]);
        const int begins =
            !strncmp(name, planted_causes[i], length) && (name[length] == '_' || !name[length]);
        if (begins && (found < 0 || length > strlen(planted_causes[found]))) found = i;
    }
    return found;
}

static struct run replayed;

/* ---- the run --------------------------------------------------------------------------------- */

/* Unpacks it into the fixture's directory and opens it. Returns 0, or -1 if there is none. */
static int unpacked_open(struct run *run)
{
    char command[2048], pattern[512];
    snprintf(command, sizeof command,
             "cp -R '%s/tests/gpu/recorded' '%s/recorded' && xz -d '%s'/recorded/*/*.xz", root(),
             scratch, scratch);
    snprintf(pattern, sizeof pattern, "%s/recorded/*/run.txt", scratch);
    return system(command) ? -1 : run_open_one(run, pattern);
}

/* Copies its raw tables, evaluates and explains them. */
static int open_all(void **state)
{
    struct run from;
    if (fixture_open(state) || read_planted()) return -1;
    setenv("WHYFAST_DATA", root(), 1);
    if (unpacked_open(&from)) return -1;
    int result = run_begin(&replayed, place("replayed"), 0);
    if (!result) result = run_copy_raw(&replayed, &from, 0);
    if (!result) result = evaluate_run(&replayed);
    if (!result) result = explain_run(&replayed);
    run_close(&from);
    return result ? -1 : 0;
}

static int close_all(void **state)
{
    run_close(&replayed);
    return fixture_close(state);
}

/* The cause that a step is explained by first. */
struct leading {
    char cause[64], status[64];
    double share_pct;
};

/* Finds the cause of this step that saves or costs most; "" if the step is not explained. */
static void find_leading(struct leading *leading, const char *family, const char *variant)
{
    struct rows causes;
    memset(leading, 0, sizeof *leading);
    rows_of(&causes, replayed.directory, "causes");
    while (csv_next(&causes.reader) > 0) {
        if (strcmp(value(&causes, "family"), family) || strcmp(value(&causes, "variant"), variant))
            continue;
        const double share = strtod(value(&causes, "share_pct"), NULL);
        if (fabs(share) <= fabs(leading->share_pct)) continue;
        leading->share_pct = share;
        snprintf(leading->cause, 64, "%s", value(&causes, "cause"));
        snprintf(leading->status, 64, "%s", value(&causes, "status"));
    }
    csv_close(&causes.reader);
}

/* The planted cause is the first one, and its share of the change is between 0.6 and 1.3; without a
 * difference there is no cause. */
TEST(every_step_is_explained_by_what_was_planted)
{
    struct rows steps;
    int seen[CAUSES] = {0}, pairs = 0, without = 0;
    rows_of(&steps, replayed.directory, "steps");
    while (csv_next(&steps.reader) > 0) {
        struct leading leading;
        const char *family = value(&steps, "family"), *variant = value(&steps, "variant");
        const int planted = planted_in(variant);
        find_leading(&leading, family, variant);
        if (!strncmp(variant + strspn(variant, "0123456789_"), "nothing", strlen("nothing"))) {
            assert_string_not_equal(leading.status, "resolved");
            without++;
            continue;
        }
        if (planted < 0) continue;
        if (strcmp(leading.cause, found_causes[planted]) || strcmp(leading.status, "resolved") ||
            !(leading.share_pct >= 60 && leading.share_pct <= 130))
            fail_msg("%s/%s: the first cause is '%s', %.0f %%, %s; '%s' was planted", family,
                     variant, leading.cause, leading.share_pct, leading.status,
                     planted_causes[planted]);
        seen[planted]++;
        pairs++;
    }
    csv_close(&steps.reader);
    assert_int_equal(without, WITHOUT);
    assert_int_equal(pairs, PAIRS);
    for (int i = 0; i < CAUSES; i++)
        if (!seen[i])
            fail_msg("%s has no step with the planted cause '%s'", steps.path, planted_causes[i]);
}

/* Each planted rung claims that its cause is there and that nothing else differs. */
TEST(every_planting_is_confirmed)
{
    struct rows verdicts;
    int count = 0;
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

RUN_TESTS(open_all, close_all)

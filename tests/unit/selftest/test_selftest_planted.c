/*
 * Tests the run of the planted causes, evaluated again: for each step of a planted family to a rung
 * that is named after what was planted, the cause of tests/gpu/planted_causes.csv comes first.
 * tests/gpu/causes.sh makes such a run on a GPU.
 */
#include "asked.h"

#include "explain/explain.h"

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

/* ---- the run --------------------------------------------------------------------------------- */

/* Unpacks it into the fixture's directory and opens it. Returns 0, or a failure. */
static int unpacked_open(struct run *from)
{
    char command[2048];
    snprintf(command, sizeof command,
             "sh '%s/tools/unpack_run.sh' '%s'/tests/gpu/recorded/* '%s/recorded'", root(), root(),
             scratch);
    return system(command) ? -1 : run_open(from, place("recorded"));
}

/* Copies its raw tables, evaluates and explains them. */
static int open_all(void **state)
{
    struct run from;
    if (fixture_open(state) || read_planted()) return -1;
    setenv("WHYFAST_DATA", root(), 1);
    if (unpacked_open(&from)) return -1;
    int result = run_begin(&run, place("replayed"), 0);
    if (!result) result = run_copy_raw(&run, &from, 0);
    if (!result) result = explain_run(&run, 0);
    run_close(&from);
    if (!result) result = query_open(&query, &run);
    return result ? result : LOAD_TABLES(TABLE_STEPS, TABLE_CAUSES, TABLE_VERDICTS);
}

/* The cause of a step that saves or costs most. */
#define LEADING                                                                                    \
    "(SELECT s.family, s.variant, coalesce(c.cause, '') AS cause, coalesce(c.status, '') AS "      \
    "status, coalesce(c.share_pct, 0) AS share_pct, row_number() OVER (PARTITION BY s.family, "    \
    "s.variant ORDER BY abs(c.share_pct) DESC) AS place FROM steps s LEFT JOIN causes c USING "    \
    "(family, variant)) WHERE place = 1"

/* Counts the steps that are seen: pairs of each cause, and those to rungs named after nothing. */
struct seen {
    int of[CAUSES], pairs, without;
};

/* The planted cause is the first one, and its share of the change is between 0.6 and 1.3; without a
 * difference there is no cause. */
static int check_step(void *context, const struct scope *row)
{
    struct seen *seen = context;
    const char *const *cell = row->value;
    const char *family = cell[0], *variant = cell[1], *cause = cell[2], *status = cell[3];
    const double share_pct = strtod(cell[4], NULL);
    const int planted = planted_in(variant), is_resolved = !strcmp(status, "resolved");
    if (!strncmp(variant + strspn(variant, "0123456789_"), "nothing", strlen("nothing"))) {
        assert_false(is_resolved);
        seen->without++;
        return 0;
    }
    if (planted < 0) return 0;
    if (strcmp(cause, found_causes[planted]) || !is_resolved ||
        !(share_pct >= 60 && share_pct <= 130))
        fail_msg("%s/%s: the first cause is '%s', %.0f %%, %s; '%s' was planted", family, variant,
                 cause, share_pct, status, planted_causes[planted]);
    seen->of[planted]++;
    seen->pairs++;
    return 0;
}

TEST(every_step_is_explained_by_what_was_planted)
{
    struct seen seen = {.pairs = 0};
    WORKS(query_each(&query, "test",
                     "SELECT family, variant, cause, status, share_pct FROM " LEADING, NULL,
                     check_step, &seen));
    assert_int_equal(seen.without, WITHOUT);
    assert_int_equal(seen.pairs, PAIRS);
    for (int i = 0; i < CAUSES; i++)
        if (!seen.of[i]) fail_msg("no step has the planted cause '%s'", planted_causes[i]);
}

/* Each planted rung claims that its cause is there and that nothing else differs. */
TEST(every_planting_is_confirmed)
{
    finds_nothing(CAUSES,
                  "SELECT variant || ': \"' || says || '\" is ' || verdict || ': ' || numbers "
                  "FROM verdicts WHERE wrong(verdict <> 'confirmed')");
}

RUN_TESTS(open_all, asked_close)

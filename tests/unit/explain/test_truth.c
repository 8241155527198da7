/*
 * Tests the account of a change against what is known: 176 steps of the run of 2026-11-27 on an
 * H200 whose causes an expert has named (tests/truth/steps.csv), and 80 pairs of its ablation grids
 * that differ in one factor (twins.csv). Their numbers are in sides.csv. The steps, the rule
 * (grade.h) and the twins are frozen: a row that is believed wrong still counts.
 */
#include "fixture.h"

#include "../../truth/grade.h"
#include "../../truth/read_sides.h"
#include "base/csv.h"

/* What the account is known to reach: raised when it is beaten, never lowered. */
enum { LEAST_FIRST = 171, LEAST_RIGHT = 151, MOST_WRONG = 3, LEAST_TWINS = 80, LEAST_ALIKE = 18 };

/* ---- sides ----------------------------------------------------------------------------------- */

enum { POINTS = 400 };
static struct known_side {
    char key[160]; /* family,variant,size,block,sweep */
    struct account_side side;
} * points;
static int point_count;

static const struct account_side *find_side(const char *key)
{
    for (int i = 0; i < point_count; i++)
        if (!strcmp(points[i].key, key)) return &points[i].side;
    fail_msg("sides.csv has no %s", key);
    return NULL;
}

static void take_side_number(const char *key, const char *function, const char *name, double value)
{
    if (!point_count || strcmp(points[point_count - 1].key, key)) {
        assert_true(point_count < POINTS);
        snprintf(points[point_count].key, sizeof points->key, "%s", key);
        account_begin(&points[point_count++].side);
    }
    account_take(&points[point_count - 1].side, function, name, value);
}

static int open_all(void **state)
{
    if (fixture_open(state)) return -1;
    points = calloc(POINTS, sizeof *points);
    return points ? read_sides(root(), take_side_number) : -1;
}

static int close_all(void **state)
{
    free(points);
    return fixture_close(state);
}

/* ---- grading --------------------------------------------------------------------------------- */

enum {
    FAMILY,
    VARIANT,
    SIZE,
    BEFORE,
    BLOCK,
    SWEEP,
    BEFORE_BLOCK,
    BEFORE_SWEEP,
    FIRST,
    MAY,
    MUST_NOT
};

static int name_causes(const struct csv_reader *row, struct account *account,
                       struct account_named named[ACCOUNT_NAMED])
{
    char before[160], after[160];
    char **cell = row->cell;
    snprintf(before, sizeof before, "%s,%s,%s,%s,%s", cell[FAMILY], cell[BEFORE], cell[SIZE],
             cell[BEFORE_BLOCK], cell[BEFORE_SWEEP]);
    snprintf(after, sizeof after, "%s,%s,%s,%s,%s", cell[FAMILY], cell[VARIANT], cell[SIZE],
             cell[BLOCK], cell[SWEEP]);
    assert_int_equal(account_make(account, find_side(before), find_side(after)), 1);
    double sum = 0;
    for (int i = 0; i < ACCOUNT_TERMS; i++) sum += account->term[i];
    if (!(fabs(sum - account->change_ns) <= 1e-9 * account->before.time_ns))
        fail_msg("%s: the terms are %.9g ns of %.9g", after, sum, account->change_ns);
    return account_sentence(account, named);
}

static void say(const char *grade, const struct csv_reader *row, const struct account_named *named,
                int count)
{
    OWNED_BY(text_free) struct text words = {0};
    for (int i = 0; i < count; i++) {
        text_format(&words, "%s%.0f %%", i ? ", " : "", 100 * named[i].share);
        for (int w = 0; w < ACCOUNT_WORD_COUNT; w++)
            if (named[i].words >> w & 1) text_format(&words, " %s", account_words[w]);
    }
    print_message("# %s: %s/%s %s: %s\n", grade, row->cell[FAMILY], row->cell[VARIANT],
                  row->cell[SIZE], words.length ? text_string(&words) : "none");
}

struct score {
    char family[64];
    int grade[3], first, count;
};

static void print_score(const struct score *score)
{
    print_message("# %-22s %3d right, %2d partly, %2d wrong, first cause right in %d of %d\n",
                  score->family, score->grade[GRADE_RIGHT], score->grade[GRADE_PARTLY],
                  score->grade[GRADE_WRONG], score->first, score->count);
}

static void open_rows(struct csv_reader *reader, const char *name, char path[1024])
{
    snprintf(path, 1024, "%s/tests/truth/%s", root(), name);
    assert_int_equal(csv_open(reader, path), 0);
    assert_int_equal(csv_next(reader), 1);
}

TEST(steps_have_their_known_causes)
{
    struct score all = {.family = "all"}, family = {.family = ""};
    struct csv_reader reader;
    struct account account;
    struct account_named named[ACCOUNT_NAMED];
    char path[1024];
    open_rows(&reader, "steps.csv", path);
    while (csv_next(&reader) > 0) {
        int is_first;
        const int count = name_causes(&reader, &account, named);
        const enum grade grade = grade_step(reader.cell[FIRST], reader.cell[MAY],
                                            reader.cell[MUST_NOT], named, count, &is_first);
        if (strcmp(family.family, reader.cell[FAMILY])) {
            if (family.count) print_score(&family);
            memset(&family, 0, sizeof family);
            snprintf(family.family, sizeof family.family, "%s", reader.cell[FAMILY]);
        }
        for (struct score *score = &all;; score = &family) {
            score->grade[grade]++;
            score->first += is_first;
            score->count++;
            if (score == &family) break;
        }
        if (grade == GRADE_WRONG || getenv("ALL_GRADES"))
            say((const char *const[]){"right", "partly", "wrong"}[grade], &reader, named, count);
    }
    csv_close(&reader);
    print_score(&family);
    print_score(&all);
    assert_int_equal(all.count, 176);
    assert_true(all.first >= LEAST_FIRST);
    assert_true(all.grade[GRADE_RIGHT] >= LEAST_RIGHT);
    assert_true(all.grade[GRADE_WRONG] <= MOST_WRONG);
    char said[200], *page;
    snprintf(said, sizeof said,
             "first cause is right in %d; %d sentences are right, %d partly, %d wrong", all.first,
             all.grade[GRADE_RIGHT], all.grade[GRADE_PARTLY], all.grade[GRADE_WRONG]);
    snprintf(path, sizeof path, "%s/metrics/method.md", root());
    assert_non_null(page = text_read_file(path, NULL));
    if (!strstr(page, said)) fail_msg("metrics/method.md does not say: %s", said);
    free(page);
}

/* The factor in which twins differ comes first, whether it saves or costs. */
TEST(twins_differ_in_one_cause)
{
    struct csv_reader reader;
    struct account account;
    struct account_named named[ACCOUNT_NAMED];
    char path[1024];
    int found = 0, all = 0;
    open_rows(&reader, "twins.csv", path);
    for (; csv_next(&reader) > 0; all++) {
        const int count = name_causes(&reader, &account, named);
        const struct accepted cause = accepted_words(reader.cell[FIRST]);
        const int is_right = count > 0 && (named[0].words & cause.along);
        found += is_right;
        if (!is_right) say("another cause first", &reader, named, count);
    }
    csv_close(&reader);
    print_message("# the planted cause is first in %d of %d twins\n", found, all);
    assert_int_equal(all, 80);
    assert_true(found >= LEAST_TWINS);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* How the counts of a step moved, and the unit that needs half of the time on each side. */
enum { COUNTS = 9, KEPT_STEPS = 256 };
static struct kept_step {
    char name[160], size[40];
    int moved[COUNTS], limiter[2], is_faster;
    uint64_t first;
} kept[KEPT_STEPS];

static int limiter_of(const struct account_point *point)
{
    static const enum account_fact demands[] = {
        FACT_demand_issue_ns, FACT_demand_shared_ns, FACT_demand_l1_ns,  FACT_demand_l2_ns,
        FACT_demand_dram_ns,  FACT_demand_tensor_ns, FACT_demand_alu_ns, FACT_demand_fma_ns};
    int most = 0;
    for (int i = 1; i < 8; i++)
        if (point->fact[demands[i]] > point->fact[demands[most]]) most = i;
    return point->fact[demands[most]] >= ACCOUNT_HALF * point->time_ns ? most : -1;
}

static void keep_step(struct kept_step *step, const struct csv_reader *row)
{
    static const enum account_fact counts[COUNTS] = {FACT_conflict_wavefronts,
                                                     FACT_other_wavefronts,
                                                     FACT_unused_load_part,
                                                     FACT_unused_store_part,
                                                     FACT_local_part,
                                                     FACT_dram_bytes,
                                                     FACT_l2_bytes,
                                                     FACT_tensor_cycles,
                                                     FACT_same_word_wavefronts};
    struct account account;
    struct account_named named[ACCOUNT_NAMED];
    const int count = name_causes(row, &account, named);
    snprintf(step->name, sizeof step->name, "%s/%s after %s", row->cell[FAMILY], row->cell[VARIANT],
             row->cell[BEFORE]);
    snprintf(step->size, sizeof step->size, "%s", row->cell[SIZE]);
    for (int i = 0; i < COUNTS; i++) {
        const double b = account.before.fact[counts[i]], a = account.after.fact[counts[i]];
        step->moved[i] = fabs(a - b) < ACCOUNT_TENTH * fmax(a, b) ? 0 : a > b ? 1 : -1;
    }
    step->limiter[0] = limiter_of(&account.before);
    step->limiter[1] = limiter_of(&account.after);
    step->is_faster = account.change_ns > 0;
    step->first = count ? named[0].words : 0;
}

/* A step whose counts moved alike at two sizes, where the same units limit it, has the same first
 * cause there. */
TEST(the_same_counts_have_the_same_cause)
{
    static const struct {
        const char *name, *because;
    } exceptions[] = {
        {"gemm/21_register_double_buffer after 20_fragments_in_turn",
         "below 2 % at the larger size, which names nothing"},
        {"gemm_tensor/12_wide_tiles after 11_producer_warps",
         "the L2 cache holds the tiles at 4096, and no longer at 8192"},
        {"reduce_float/03_grid_sync after 01_shared_tree",
         "of 264 blocks 64 have work at the larger size, and 16 at the smaller one"},
    };
    struct csv_reader reader;
    char path[1024];
    int count = 0, alike = 0;
    open_rows(&reader, "steps.csv", path);
    while (csv_next(&reader) > 0 && count < KEPT_STEPS) keep_step(&kept[count++], &reader);
    csv_close(&reader);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            const struct kept_step *a = &kept[i], *b = &kept[j];
            if (strcmp(a->name, b->name) || a->is_faster != b->is_faster ||
                memcmp(a->moved, b->moved, sizeof a->moved) ||
                memcmp(a->limiter, b->limiter, sizeof a->limiter))
                continue;
            alike++;
            if (a->first & b->first || a->first == b->first) continue;
            int is_exception = 0;
            for (size_t e = 0; e < sizeof exceptions / sizeof *exceptions && !is_exception; e++) {
                is_exception = !strcmp(exceptions[e].name, a->name);
                if (is_exception)
                    print_message("# %s: another cause at %s than at %s: %s\n", a->name, a->size,
                                  b->size, exceptions[e].because);
            }
            if (!is_exception)
                fail_msg("%s: another first cause at %s than at %s", a->name, a->size, b->size);
        }
    print_message("# %d pairs of sizes at which the counts of a step moved alike\n", alike);
    assert_true(alike >= LEAST_ALIKE);
}

/* ---- frozen ---------------------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t hash_of(const char *name)
{
    char path[1024];
    uint64_t hash = 14695981039346656037u;
    size_t size;
    snprintf(path, sizeof path, "%s/tests/truth/%s", root(), name);
    OWNED char *text = text_read_file(path, &size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

TEST(nobody_changed_the_truth)
{
    static const struct {
        const char *name;
        uint64_t hash;
    } files[] = {{"steps.csv", 0xbd85df9538db7434},
                 {"twins.csv", 0xabaa0b317f030a43},
                 {"sides.csv.xz", 0xb50a4a001d14d212},
                 {"grade.h", 0x9d7f635173d146cb}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (hash_of(files[i].name) != files[i].hash)
            fail_msg("tests/truth/%s has hash %#llx", files[i].name,
                     (unsigned long long)hash_of(files[i].name));
}

RUN_TESTS(open_all, close_all)

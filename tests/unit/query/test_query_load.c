#include "fixture_run.h"

#include <sqlite3.h>

#include "evaluate/evaluate.h"
#include "explain/explain.h"
#include "report/report_scope.h"
#include "report/timeline.h"

/* The generator of large runs, as a function. */
int scale_run_main(int count, char **argument);
#define main scale_run_main
#include "../bench/scale_run.c"
#undef main

/* ---- steps of SQLite's virtual machine: the same on every computer ----------------------------
 */

static sqlite3_int64 steps;

static int count_steps(unsigned what, void *context, void *statement, void *ns)
{
    (void)what;
    (void)context;
    (void)ns;
    steps += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    return 0;
}

/* Counts the steps of every database that is opened. */
static int watch(sqlite3 *database, const char **message,
                 const struct sqlite3_api_routines *routines)
{
    (void)message;
    (void)routines;
    sqlite3_trace_v2(database, SQLITE_TRACE_PROFILE, count_steps, NULL);
    return SQLITE_OK;
}

static double steps_of(int (*stage)(struct run *run), const char *path)
{
    struct run run;
    assert_int_equal(run_open(&run, path), 0);
    steps = 0;
    assert_int_equal(stage(&run), 0);
    run_close(&run);
    return (double)steps;
}

static int explain(struct run *run)
{
    return explain_run(run, 0);
}

static int print_timeline(struct run *run)
{
    const struct timeline_options options = {0};
    FILE *file = fopen("/dev/null", "w");
    assert_non_null(file);
    const int result = timeline_print(run, &options, file);
    fclose(file);
    return result;
}

static int rows_of(const char *directory, const char *table)
{
    char path[1024];
    struct csv_reader reader;
    int rows = -1;
    snprintf(path, sizeof path, "%s/%s.csv", directory, table);
    assert_int_equal(csv_open(&reader, path), 0);
    while (csv_next(&reader) > 0) rows++;
    csv_close(&reader);
    return rows;
}

/* Writes a run of that many kernels into the scratch directory. */
static void scale(const char *name, int kernels, const char *settings, char *path, size_t size)
{
    char count[16], program[] = "scale_run", ladder[] = "gemm", setting[4];
    snprintf(path, size, "%s/%s", scratch, name);
    snprintf(count, sizeof count, "%d", kernels);
    snprintf(setting, sizeof setting, "%s", settings);
    assert_int_equal(
        scale_run_main(6, (char *[]){program, fixture_run.path, path, count, ladder, setting}), 0);
}

/* Twice the rows take twice the steps, or little more. Looking up rows one by one without an index
 * takes steps that grow fourfold; beside the others they are seen from a twentieth on. */
#define MOST_GROWTH 2.1

TEST(cost_grows_with_the_rows)
{
    enum { SMALL = 144, LARGE = 2 * SMALL }; /* one ladder of nine rungs, and two of them */
    char directory[2][600];
    double evaluated[2], explained[2], told[2];
    scale("small", SMALL, "2", directory[0], sizeof directory[0]);
    scale("large", LARGE, "2", directory[1], sizeof directory[1]);
    assert_int_equal(setenv("WHYFAST_DATA", root(), 1), 0);
    assert_int_equal(sqlite3_auto_extension((void (*)(void))watch), SQLITE_OK);
    for (int i = 0; i < 2; i++) {
        evaluated[i] = steps_of(evaluate_run, directory[i]);
        explained[i] = steps_of(explain, directory[i]);
        told[i] = steps_of(print_timeline, directory[i]);
    }
    sqlite3_reset_auto_extension();
    const char *const small = directory[0], *const large = directory[1];
    assert_int_equal(rows_of(small, "kernels"), SMALL);
    assert_int_equal(rows_of(large, "kernels"), LARGE);
    assert_int_equal(rows_of(large, "lines"), LARGE * 50);
    assert_int_equal(rows_of(large, "metrics"), LARGE);
    assert_true(rows_of(large, "ledger") >= 1.9 * rows_of(small, "ledger") &&
                rows_of(small, "ledger") > 0);
    if (!(evaluated[0] > 0 && evaluated[1] <= MOST_GROWTH * evaluated[0]))
        fail_msg("evaluate: %.0f steps of %d kernels, %.0f of %d", evaluated[0], SMALL,
                 evaluated[1], LARGE);
    if (!(explained[0] > 0 && explained[1] <= MOST_GROWTH * explained[0]))
        fail_msg("explain: %.0f steps of %d kernels, %.0f of %d", explained[0], SMALL, explained[1],
                 LARGE);
    if (!(told[0] > 0 && told[1] <= MOST_GROWTH * told[0]))
        fail_msg("timeline: %.0f steps of %d kernels, %.0f of %d", told[0], SMALL, told[1], LARGE);
    print_message("# %.0f and %.0f steps to evaluate, %.0f and %.0f to explain, %.0f and %.0f for "
                  "the timeline\n",
                  evaluated[0], evaluated[1], explained[0], explained[1], told[0], told[1]);
}

/* ---- the scope of reports on large runs ------------------------------------------------------ */

/* Makes a run that was measured, but whose best settings are not known: metrics.csv has no rows. */
static struct report_scope shown_of(int kernels, const char *settings)
{
    struct report_scope shown;
    struct run run;
    char path[600], metrics[640], header[65536];
    scale("shown", kernels, settings, path, sizeof path);
    snprintf(metrics, sizeof metrics, "%s/metrics.csv", fixture_run.path);
    FILE *file = fopen(metrics, "r");
    assert_non_null(file);
    assert_non_null(fgets(header, sizeof header, file));
    fclose(file);
    snprintf(metrics, sizeof metrics, "%s/metrics.csv", path);
    file = fopen(metrics, "w");
    assert_non_null(file);
    assert_true(fputs(header, file) >= 0 && !fclose(file));
    assert_int_equal(run_open(&run, path), 0);
    assert_int_equal(report_scope_choose(&shown, &run), 0);
    run_close(&run);
    return shown;
}

/* One ladder of nine rungs at eight sizes in ten settings is shown whole; two such ladders are
 * shown at all sizes, but not with all kernels. */
TEST(a_large_run_is_shown_in_part)
{
    struct report_scope small = shown_of(720, "10"), large = shown_of(1440, "10");
    assert_false(report_scope_is_selection(&small));
    assert_int_equal(small.kernels.shown, small.kernels.all);
    assert_true(report_scope_is_selection(&large));
    assert_int_equal(large.families.shown, 2);
    assert_int_equal(large.places.shown, 16);
    assert_int_equal(large.kernels.all, 1440);
    assert_int_equal(large.kernels.shown, 18);
    report_scope_free(&small);
    report_scope_free(&large);
}

/* With too many ladders, the first ones are shown, each at its main size and its largest. All have
 * the same number of rungs here. */
TEST(the_first_of_many_ladders_are_shown)
{
    struct report_scope shown = shown_of(1008, "2");
    assert_int_equal(shown.families.all, 7);
    assert_int_equal(shown.families.shown, SHOWN_FAMILIES);
    assert_int_equal(shown.places.all, 7 * 8);
    assert_int_equal(shown.places.shown, SHOWN_PLACES);
    assert_int_equal(shown.kernels.shown, SHOWN_FAMILIES * 9);
    const char *const hidden[][3] = {{"family", "gemm_000", ""},
                                     {"family", "gemm_006", ""},
                                     {"place", "gemm_005", "262144x2048x2048"},
                                     {"place", "gemm_005", "4096x2048x2048"}};
    assert_false(string_set_has(&shown.hidden, hidden[0], 3));
    assert_true(string_set_has(&shown.hidden, hidden[1], 3));
    assert_false(string_set_has(&shown.hidden, hidden[2], 3));
    assert_true(string_set_has(&shown.hidden, hidden[3], 3));
    report_scope_free(&shown);
}

RUN_TESTS(fixture_run_open, fixture_run_close)

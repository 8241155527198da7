/* Tests that the cost of the analysis grows with the run, and no faster. */
#include "fixture.h"

#include <sqlite3.h>

#include "evaluate/evaluate.h"
#include "explain/explain.h"
#include "report/timeline.h"

/* Steps of SQLite's virtual machine: the same on every computer. */
static sqlite3_int64 steps;

static int count_steps(unsigned what, void *context, void *statement, void *ns)
{
    steps += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    return 0;
}

/* Counts the steps of every database that is opened. */
static int watch(sqlite3 *database, const char **message,
                 const struct sqlite3_api_routines *routines)
{
    sqlite3_trace_v2(database, SQLITE_TRACE_PROFILE, count_steps, NULL);
    return SQLITE_OK;
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

static int rows_of(const char *run, const char *table)
{
    char path[64];
    int rows = 0;
    snprintf(path, sizeof path, "%s/%s.csv", run, table);
    for (const char *p = read_text(path); (p = strchr(p, '\n')); p++) rows++;
    return rows - 1;
}

/* Twice the rows take twice the steps, or little more. Looking up rows one by one without an index
 * takes steps that grow fourfold; beside the others they are seen from a twentieth on. */
#define MOST_GROWTH 2.1

TEST(cost_grows_with_the_rows)
{
    static const char *const runs[] = {"slice", "twice"};
    static const struct {
        const char *name;
        int (*run)(struct run *run);
    } stages[] = {{"evaluate", evaluate_run}, {"explain", explain}, {"timeline", print_timeline}};
    enum { STAGES = sizeof stages / sizeof *stages };
    double cost[2][STAGES];
    setenv("WHYFAST_DATA", root(), 1);
    assert_int_equal(sqlite3_auto_extension((void (*)(void))watch), SQLITE_OK);
    for (int i = 0; i < 2; i++) {
        char *copy = text_new("sh '%s/tests/tools/copy_run.sh' '%s'/tests/fixture/*slice '%s' %d",
                              root(), root(), place(runs[i]), 1 + i);
        assert_int_equal(system(copy), 0);
        free(copy);
        for (int s = 0; s < STAGES; s++) {
            struct run run;
            assert_int_equal(run_open(&run, place(runs[i])), 0);
            steps = 0;
            assert_int_equal(stages[s].run(&run), 0);
            run_close(&run);
            cost[i][s] = (double)steps;
        }
    }
    sqlite3_reset_auto_extension();
    static const char *const names[] = {"kernels", "lines", "metrics", "ledger"};
    for (size_t t = 0; t < sizeof names / sizeof *names; t++) {
        assert_true(rows_of("slice", names[t]) > 30);
        assert_int_equal(rows_of("twice", names[t]), 2 * rows_of("slice", names[t]));
    }
    for (int s = 0; s < STAGES; s++) {
        print_message("# %s: %.0f and %.0f steps\n", stages[s].name, cost[0][s], cost[1][s]);
        if (!(cost[0][s] > 0 && cost[1][s] <= MOST_GROWTH * cost[0][s]))
            fail_msg("%s: %.0f steps, and %.0f for twice the rows", stages[s].name, cost[0][s],
                     cost[1][s]);
    }
}

RUN_TESTS(fixture_open, fixture_close)

/*
 * Judges arbitrary expressions of a run (claims) and formulas of records. They are
 * judged or refused, in bounded work; no table changes, and no forbidden function is called.
 */
#include "fuzz.h"

#include "base/message.h"
#include "query/query.h"

static struct run run;
static struct query query;

static void fuzz_begin(void)
{
    fuzz_open("run", "run/run.txt");
    static const char facts[] = "whyfast run 1\nstatus: complete\ndate: 2026-01-02\n";
    char path[600];
    write_input((const uint8_t *)facts, strlen(facts));
    snprintf(path, sizeof path, "%s/run", scratch);
    if (run_open(&run, path) || query_open(&query, &run)) abort();
    if (query_write(&query,
                    "CREATE TABLE ladder(family, variant, factors, time_ns REAL, prev_time_ns "
                    "REAL, work REAL, prev_work REAL, sweep INTEGER, computed);"
                    "INSERT INTO ladder VALUES('f', '01_a', 'a=1 b=0', 4.5, NULL, 7, NULL, 0, "
                    "NULL), ('f', '02_b', 'a=1 b=1', 3.25, 4.5, 6, 7, 8, NULL)"))
        abort();
    query.guard.work_most = 200000;
}

static int count_row(void *context, const struct scope *row)
{
    if (row->count < 1) abort();
    ++*(int *)context;
    return 0;
}

static void judge(const char *expression)
{
    struct text sql = {0};
    int rows = 0;
    if (query_guard_claim("here", expression)) return;
    text_format(&sql, "SELECT (%s) AS judgement, ladder.* FROM ladder WHERE family = 'f'",
                expression);
    const int result = query_judge(&query, "here", text_string(&sql), NULL, count_row, &rows);
    if (result && result != FAIL_INPUT) abort();
    if (!result && rows != 2) abort(); /* an expression cannot change the set of rows */
    if (query.guard.of_run || query.guard.work) abort();
    text_free(&sql);
}

/* Tries a formula and then computes it into a column, as evaluate does. */
static void compute(const char *formula)
{
    char *value = NULL, *sql = text_new("SELECT (%s) FROM ladder LIMIT 0", formula);
    if (!sql) abort();
    const int result = query_text(&query, "here:1", sql, NULL, &value);
    if (!result && !query_guard_expression("here:1", formula))
        query_compute(&query, "here:1", "UPDATE ladder SET computed = (%s)", formula);
    free(value);
    free(sql);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *found = NULL;
    judge(text);
    compute(text);
    if (query_text(&query, NULL,
                   "SELECT group_concat(quote(family) || quote(variant) || quote(time_ns) || "
                   "quote(work), ';') FROM ladder",
                   NULL, &found) ||
        !found || strcmp(found, "'f''01_a'4.57.0;'f''02_b'3.256.0"))
        abort();
    free(found);
    free(text);
    return 0;
}

#include "lines/line_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

#define BIT(column) (1u << LINE_##column)
#define LANES (BIT(THREADS) | BIT(THREADS_ON))
#define SAMPLES (BIT(SAMPLES) | BIT(NOT_ISSUED) | BIT(STALLS))

/* Absent counts compare as neither: what needs them is not judged. */
static double at(const double *count, int column)
{
    return count[column - LINE_EXECUTED];
}

static int lanes_exceed(const double *count)
{
    return at(count, LINE_THREADS) > 32 * at(count, LINE_EXECUTED);
}

static int lanes_on_exceed(const double *count)
{
    return at(count, LINE_THREADS_ON) > at(count, LINE_THREADS);
}

static int not_issued_exceeds(const double *count)
{
    return at(count, LINE_NOT_ISSUED) > at(count, LINE_SAMPLES);
}

static int branches_exceed(const double *count)
{
    return at(count, LINE_BRANCHES_UNIFORM) + at(count, LINE_BRANCHES_DIVERGENT) >
           at(count, LINE_EXECUTED);
}

static int is_negative(const double *count)
{
    for (int i = 0; i < LINE_COUNTS; i++)
        if (count[i] < 0) return 1;
    return 0;
}

/* To add one: a row, and its function above. */
static const struct {
    int (*is_broken)(const double *count);
    unsigned empties;
    const char *holds, *because;
} checks[] = {
    {lanes_exceed, BIT(EXECUTED) | LANES, "threads <= 32 * executed", "A warp has 32 lanes."},
    {lanes_on_exceed, LANES, "threads_on <= threads",
     "Those not predicated off are a part of the active lanes."},
    {not_issued_exceeds, SAMPLES, "not_issued <= samples",
     "Those in which nothing was issued are a part of the samples."},
    {branches_exceed, BIT(EXECUTED) | BIT(BRANCHES_UNIFORM) | BIT(BRANCHES_DIVERGENT),
     "branches_uniform + branches_divergent <= executed",
     "An instruction has one branch target for each time that it is executed."},
    {is_negative, ~0u, "every count >= 0", "No count is below 0."},
};

enum { CHECK_COUNT = sizeof checks / sizeof *checks };

/* Rows of a kernel come together: the last entries are looked at first. */
static int add(struct line_tally *tally, int64_t kernel, int check)
{
    for (int i = tally->count - 1; i >= 0 && tally->broken[i].kernel == kernel; i--) {
        if (tally->broken[i].check != check) continue;
        tally->broken[i].instructions++;
        return 0;
    }
    if (tally->count == tally->capacity) {
        const int capacity = tally->capacity ? 2 * tally->capacity : 16;
        struct line_broken *grown = realloc(tally->broken, (size_t)capacity * sizeof *grown);
        if (!grown) return error_memory();
        tally->broken = grown;
        tally->capacity = capacity;
    }
    tally->broken[tally->count++] = (struct line_broken){kernel, check, 1};
    return 0;
}

unsigned line_check(double count[LINE_COUNTS], int64_t kernel, struct line_tally *tally,
                    int *result)
{
    unsigned emptied = 0;
    for (int c = 0; c < CHECK_COUNT && !*result; c++) {
        if (!checks[c].is_broken(count)) continue;
        for (int i = 0; i < LINE_COUNTS; i++)
            if (checks[c].empties >> (LINE_EXECUTED + i) & 1) count[i] = NAN;
        emptied |= checks[c].empties;
        *result = add(tally, kernel, c);
    }
    return emptied;
}

/* ---- the table lines ------------------------------------------------------------------------- */

/* In the order of the columns of lines.csv. */
static const char counts_sql[] =
    "SELECT rowid, kernel, executed, threads, threads_on, branches_uniform, branches_divergent, "
    "shared_wavefronts, shared_ideal, global_sectors, global_ideal, "
    "local_sectors, samples, not_issued FROM lines";
static const char *const names[] = {
    "executed",          "threads",      "threads_on",     "branches_uniform", "branches_divergent",
    "shared_wavefronts", "shared_ideal", "global_sectors", "global_ideal",     "local_sectors",
    "samples",           "not_issued",   "stalls"};

/* Rows that change are noted, and changed when all were read. */
static int empty_row(struct query *query, int64_t row, unsigned emptied)
{
    struct text sql = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (emptied >> (LINE_EXECUTED + i) & 1)
            text_format(&sql, "%s%s = NULL", sql.length ? ", " : "", names[i]);
    const int result = sql.failed ? error_memory()
                                  : query_write(query, "UPDATE lines SET %s WHERE rowid = %lld",
                                                text_string(&sql), (long long)row);
    text_free(&sql);
    return result;
}

struct emptied_row {
    int64_t row;
    unsigned columns;
};

int line_checks_apply(struct query *query, struct line_tally *tally)
{
    sqlite3_stmt *read = NULL;
    struct emptied_row *rows = NULL;
    size_t row_count = 0, capacity = 0;
    int status = SQLITE_DONE, result = query_prepare_write(query, counts_sql, &read);
    while (!result && (status = sqlite3_step(read)) == SQLITE_ROW) {
        double count[LINE_COUNTS];
        for (int i = 0; i < LINE_COUNTS; i++)
            count[i] = sqlite3_column_type(read, i + 2) == SQLITE_NULL
                           ? NAN
                           : sqlite3_column_double(read, i + 2);
        const unsigned emptied = line_check(count, sqlite3_column_int64(read, 1), tally, &result);
        if (!emptied || result) continue;
        if (row_count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            struct emptied_row *grown = realloc(rows, capacity * sizeof *grown);
            if (!grown)
                result = error_memory();
            else
                rows = grown;
        }
        if (!result)
            rows[row_count++] = (struct emptied_row){sqlite3_column_int64(read, 0), emptied};
    }
    if (!result && status != SQLITE_DONE) result = query_error(query, NULL, counts_sql);
    sqlite3_finalize(read);
    for (size_t i = 0; i < row_count && !result; i++)
        result = empty_row(query, rows[i].row, rows[i].columns);
    free(rows);
    return result;
}

int line_checks_write(struct query *query, const struct line_tally *tally)
{
    int result = query_write(query, "CREATE TABLE impossible_lines(kernel INTEGER, holds TEXT, "
                                    "because TEXT, instructions INTEGER)");
    for (int i = 0; i < tally->count && !result; i++) {
        const struct line_broken *broken = &tally->broken[i];
        result = query_write(query, "INSERT INTO impossible_lines VALUES(%lld, %Q, %Q, %lld)",
                             (long long)broken->kernel, checks[broken->check].holds,
                             checks[broken->check].because, (long long)broken->instructions);
    }
    return result;
}

void line_tally_free(struct line_tally *tally)
{
    free(tally->broken);
    *tally = (struct line_tally){0, 0, NULL};
}

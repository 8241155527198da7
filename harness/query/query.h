/*
 * A run's tables in SQLite, in memory. A struct query owns the database and the sorted samples that
 * its statistics functions use. It must not be copied: the guard of its database knows it by its
 * address.
 *
 * Expressions from a run, from metrics/, plots/ and reports/ run here under guard
 * (query/query_guard.h). Beside SQLite's own functions they may use:
 *   median(x), nearest_rank(x, percent), geometric_mean(x)    aggregates
 *   ratio_low(a, b), ratio_high(a, b)   95 % bootstrap interval of the ratio of the medians of
 *                                       series a and b (column `series`)
 *   ratio_median(a, b), ratio_median_low(a, b), ratio_median_high(a, b)   median over the rounds of
 *       a's sample over b's in the same round, and
 *                                       its 95 % interval by order statistics
 *   human(x)                        a number as people write it: three to four significant digits,
 *                                   whole numbers in full, thousands separated
 *   time_text(ns)                   a time as people write it, in ns, us, ms or s
 *   size_text(size)                 2^22 for 4194304
 *   factor(factors, name)           value of a factor in "double_buffer=1 conflict_free=0"
 *                                   (variants.factors); NULL where it is not named
 *   opcode_of(sass)                 opcode of an instruction in machine code (lines.sass)
 *   sqrt(x)                         square root; NULL below 0
 * and on rows of the table accesses, by harness/catalog/bank_model.h; lanes, words, turns and
 * wavefronts are numbered from 0 on. NULL for a lane that takes no part, for a word beyond the
 * width, and where the columns hold no access (shared_accesses_parse):
 *   lane_address(addresses, lane)                                    byte address
 *   lane_turn(kind, width_bytes, addresses, lane)                    turn in which the lane is
 *       served
 *   lane_wavefront(kind, width_bytes, addresses, lane, word)         wavefront in which this 4-byte
 *       word of the lane is served
 *   lane_delay(kind, width_bytes, addresses, lane, word)             wavefronts of its turn before
 *       that one: 0 where no conflict holds it back
 */
#ifndef WHYFAST_QUERY_H
#define WHYFAST_QUERY_H

#include <sqlite3.h>

#include "base/stats.h"
#include "base/text.h"
#include "run/run.h"
#include "run/table_rows.h"

enum { MOST_FUNCTIONS = 48 };

struct query {
    sqlite3 *database;
    const struct run *run;
    struct kept_statement {
        sqlite3_stmt *statement; /* of query_each, prepared; NULL for none */
        int writable, of_run, is_used;
    } * statements; /* by their text, until the database is written to: templates ask the same again
                       and again */
    row_filter *keeps; /* NULL, or which rows of tables are loaded */
    void *keeps_context;
    int writable;        /* for this program's own statements only */
    int of_run;          /* while an expression out of a run is prepared (query_judge) */
    long long rows;      /* loaded so far */
    long long work_most; /* steps that a statement of someone else's may take; 0: by the rows
                            (query/query_guard.h) */
    long long *work;     /* those that are left to the one that runs; NULL while none does */
    int function_count;
    const char *function[MOST_FUNCTIONS]; /* names of those that query_add_function added */
    int series_count;
    struct sample_series {
        double *sorted; /* ok samples */
        int count;
        double
            *by_round; /* the same by the round in which they were taken, NAN where there is none */
        int rounds;
    } * series;
    struct resampling *resamplings; /* by lengths of series */
    int interval_count, interval_capacity;
    struct ratio_interval {
        int a, b; /* series */
        double low, high;
    } * intervals; /* bootstrap intervals found already: they are asked for many times */
};

/* Values by name, for :name in a statement; looked up from the inside out. */
struct scope {
    const struct scope *outer;
    int count;
    const char *const *name;
    const char *const *value; /* NULL entries are SQL NULL */
};

typedef int row_visitor(void *context, const struct scope *row);

/* Opens an empty database with the run's facts in table run(key, value). */
int query_open(struct query *query, const struct run *run);
void query_close(struct query *query);

/* Adds the functions named above to the database, of rows and of many rows; an SQLite status.
 * For query_open. */
int query_add_functions(struct query *query);
int query_add_aggregates(struct query *query); /* query_add_functions does */

/* Frees what the functions have kept. For query_close. */
void query_free_functions(struct query *query);

/* Where the opcode of an instruction begins, as the function opcode_of() gives it, and how long
 * it is. */
const char *query_opcode(const char *sass, size_t *length);

/* Adds one, a scalar or an aggregate (then `scalar` is NULL), whose user data are the query; an
 * SQLite status. It must see nothing but its arguments. The name is borrowed. */
typedef void query_function(sqlite3_context *context, int count, sqlite3_value **arguments);
int query_add_function(struct query *query, const char *name, int arguments, query_function *scalar,
                       query_function *step, void (*final)(sqlite3_context *context));

/* Appends a number as the function human() gives it. */
void query_append_human(struct text *text, double value);

/* FAIL_INPUT with SQLite's own words, at `place` (file:line) or for a statement of this program. */
int query_error(struct query *query, const char *place, const char *sql);

/* Loads a table of the run from its CSV file and checks it: header, number of cells, kinds. A
 * missing table is FAIL_INPUT; for a computed one the message names the stage to run. Columns
 * beyond the known ones are taken as they are. Where a recorded run may lack a table or a column
 * (run/tables.h: later), a missing table has no rows, and a missing column is absent from all of
 * them. */
int query_load(struct query *query, enum table_id table);

/* The same of those rows that `keeps` asks for; query_load does so with the query's own filter,
 * where it has one. */
int query_load_some(struct query *query, enum table_id table, row_filter *keeps, void *context);

/* Runs this program's own statements, which may write. The text is printf-formatted; %Q and %w
 * quote as SQLite's do. */
int query_write(struct query *query, const char *format, ...);

/* The same, but nothing is said where it fails: 1 when it is done, else 0. */
int query_attempt(struct query *query, const char *format, ...);

/* Prepares one of this program's own statements, which may write; the caller finalizes it. */
int query_prepare_write(struct query *query, const char *sql, sqlite3_stmt **statement);

/* The same for a statement with an expression in it that is not this program's: its work is
 * bounded, and messages name its `place`. */
int query_compute(struct query *query, const char *place, const char *format, ...);

/* Runs one reading statement and visits its rows. `place` is file:line for messages. Stops at
 * the first failure of a visit. */
int query_each(struct query *query, const char *place, const char *sql, const struct scope *scope,
               row_visitor *visit, void *context);

/* The same for a statement with an expression out of the run in it, which query_guard_claim has
 * passed: it may call functions of arithmetic alone. The visit must run no statement of its own. */
int query_judge(struct query *query, const char *place, const char *sql, const struct scope *scope,
                row_visitor *visit, void *context);

/* Visits the name of each column of a table or view; none if there is no such table. */
int query_columns(struct query *query, const char *table, row_visitor *visit, void *context);

/* Returns 1 if the database has the table, which is not a view, with this column, or, if `column`
 * is NULL, the table at all; else 0. */
int query_has_column(struct query *query, const char *table, const char *column);

/* First cell of the first row as a string that the caller frees; NULL in *value when there is no
 * row or it is NULL. */
int query_text(struct query *query, const char *place, const char *sql, const struct scope *scope,
               char **value);

/* Writes the rows of a statement as CSV, under the column names of the statement. */
int query_csv(struct query *query, const char *place, const char *sql, const struct scope *scope,
              FILE *file);

/* Value of a name in a scope, NULL when it is unknown or NULL; *known tells the two apart unless
 * it is NULL. */
const char *scope_value(const struct scope *scope, const char *name, int *known);

/* Table `steps_of` (family, variant, prev, first) from `variants`, and view `ladder` over
 * `source`: each row with the columns of the best row of the rung before it as prev_<column> and
 * of the ladder's first rung as first_<column>, at the same size and block, and with the
 * variant's kind. `source` needs the columns best and, where it has one, repeat. */
int query_make_ladder(struct query *query, const char *source);

/* The table steps_of alone. Wants the table variants. */
int query_make_steps_of(struct query *query);

#endif

/*
 * Holds a run's tables in SQLite, in memory, and runs statements on them. A struct query owns the
 * database and the sorted samples of the statistics functions. It must not be copied: its database
 * refers to it by its address.
 *
 * Expressions of a run, of metrics/, plots/ and reports/ run here under guard
 * (query/query_guard.h). The functions that they may call in addition to SQLite's are listed in
 * metrics/README.md.
 */
#ifndef WHYFAST_QUERY_H
#define WHYFAST_QUERY_H

#include <sqlite3.h>

#include "base/atomic_file.h"
#include "base/print_table.h"
#include "base/stats.h"
#include "base/text.h"
#include "catalog/records.h"
#include "query/query_guard.h"
#include "run/run.h"
#include "run/table_rows.h"

enum { QUERY_PARTS = 5, QUERY_KEPT = 4 };

struct query {
    sqlite3 *database;
    const struct run *run;
    struct query_guard guard;
    row_filter *keeps; /* which rows of tables are loaded; NULL for all */
    void *keeps_context;
    int series_count;
    struct sample_series {
        double *sorted; /* ok samples */
        int count;
        double *by_round; /* ok samples by the round in which they were taken; NAN for none */
        int rounds;
    } * series;
    struct kept_statement {
        const char *sql;
        sqlite3_stmt *statement;
    } kept[QUERY_KEPT]; /* of query_run */
    int kept_count;
    void *intervals; /* of ratios, which are asked for many times: a tree of tsearch */
    void *resamples; /* for those, by the lengths of the two series: a tree of tsearch */
    struct query_part {
        struct query *query;
        int part;
    } part[QUERY_PARTS]; /* for the functions of query/query_functions.c */
};

/* Values by name, for :name in a statement; inner scopes hide outer ones. */
struct scope {
    const struct scope *outer;
    int count;
    const char *const *name;
    const char *const *value; /* NULL entries are SQL NULL */
};

/* SCOPE_OF(STRINGS("family", "size"), STRINGS(family, size)) */
#define STRINGS(...) ((const char *const[]){__VA_ARGS__})
#define SCOPE_OF(names, values)                                                                    \
    {                                                                                              \
        NULL, sizeof(names) / sizeof *(names), names, values                                       \
    }

typedef int row_visitor(void *context, const struct scope *row);

/* A cell of the row that a visitor was given: NAN, or 0, if it is NULL. */
double row_number(const struct scope *row, int column);
long long row_integer(const struct scope *row, int column);

/* Opens an empty database with the run's facts in table run(key, value). */
int query_open(struct query *query, const struct run *run);
void query_close(struct query *query);

/* Adds the functions that metrics/README.md lists. For query_open. Returns an SQLite status. */
int query_add_functions(struct query *query);

/* Frees the results that the functions have kept. For query_close. */
void query_free_functions(struct query *query);

/* Adds a function whose result depends only on its arguments. The name is borrowed. Returns an
 * SQLite status. */
typedef void query_function(sqlite3_context *context, int count, sqlite3_value **arguments);
int query_add_function(struct query *query, const char *name, int arguments,
                       query_function *scalar);

/* In all functions below, `origin` is the file:line of a foreign statement, for messages. Foreign
 * statements (query/query_guard.h) have limited work. `origin` is NULL for a statement of this
 * program. */

/* Returns FAIL_INPUT with SQLite's message. */
int query_error(struct query *query, const char *origin, const char *sql);

/* Loads a table of the run from its CSV file, unless the database has it, and checks its header,
 * number of cells and kinds. Returns FAIL_INPUT for a missing table; for a computed one the message
 * names the stage to run. Columns that the program does not know are left out, but for those of
 * records. If a recorded run may lack the table or a column (`later` in run/tables.h), a missing
 * table has no rows, and a missing column is NULL in all rows. */
int query_load(struct query *query, enum table_id table);

/* Loads several tables. */
#define QUERY_LOAD(query, ...)                                                                     \
    query_load_tables(query, (const enum table_id[]){__VA_ARGS__, TABLE_COUNT})
int query_load_tables(struct query *query, const enum table_id *tables_up_to_count);

/* Adds the files of the tables, up to TABLE_COUNT, to the group, as the database has them. */
int query_write_files(struct query *query, const enum table_id *table, struct atomic_files *group);

/* Loads only the rows that `keeps` accepts; query_load uses the query's own filter, if any. */
int query_load_some(struct query *query, enum table_id table, row_filter *keeps, void *context);

/* Runs this program's own statements, which may write. The text is printf-formatted; %Q and %w
 * quote as SQLite's do. */
#define query_write(query, ...) query_compute(query, NULL, __VA_ARGS__)

/* Runs such statements and frees their text. */
int query_script(struct query *query, struct text *sql);

/* Runs one of this program's own statements, a literal that is kept prepared. `types` has a letter
 * for each parameter '?' and for its argument: t for a text, or NULL; i for an int, l for a long
 * long; n for a number, NAN for NULL. A parameter :name is the value of the scope. */
int query_run(struct query *query, const struct scope *scope, const char *sql, const char *types,
              ...);

/* Does what query_write does, without a message on failure. Returns 1 if it succeeds, else 0. */
int query_attempt(struct query *query, const char *format, ...);

/* Prepares one of this program's own statements, which may write; the caller finalizes it. */
int query_prepare_write(struct query *query, const char *sql, sqlite3_stmt **statement);

/* Runs statements of this program that contain a foreign expression, unless `origin` is NULL. */
int query_compute(struct query *query, const char *origin, const char *format, ...);

/* Runs one reading statement and visits its rows, up to the first visit that fails. */
int query_each(struct query *query, const char *origin, const char *sql, const struct scope *scope,
               row_visitor *visit, void *context);

/* Does the same for a statement that contains an expression of the run, which query_guard_claim
 * has passed: it may call only functions of arithmetic. */
int query_judge(struct query *query, const char *origin, const char *sql, const struct scope *scope,
                row_visitor *visit, void *context);

/* Tests an expression of a record, over the columns of `table`, before it becomes part of a
 * statement that writes, so that it can contain neither a second statement nor a write. Returns
 * FAIL_INPUT, with file:line, if the test fails. */
int expression_check(struct query *query, const struct record *record, const char *field,
                     const char *expression, const char *table);

/* Visits the name of each column of a table or view; none if there is no such table. */
int query_columns(struct query *query, const char *table, row_visitor *visit, void *context);

/* Returns 1 if the database has the table, which is not a view, with this column, or, if `column`
 * is NULL, the table at all; else 0. */
int query_has_column(struct query *query, const char *table, const char *column);

/* Copies the first cell of the first row into *value, which the caller frees; NULL if there is no
 * row or the cell is NULL. */
int query_text(struct query *query, const char *origin, const char *sql, const struct scope *scope,
               char **value);

/* Writes the rows of a statement as CSV, under the column names of the statement. */
int query_csv(struct query *query, const char *origin, const char *sql, const struct scope *scope,
              FILE *file);

/* Writes the rows of a statement of this program as objects, elements of an open array. Their
 * members are the columns of the statement. */
int query_json(struct query *query, const char *sql, const struct scope *scope,
               struct json_writer *writer);

/* Adds the rows of a statement of this program to a table, each cell from the column of its name.
 */
int query_print_rows(struct query *query, const char *sql, const struct scope *scope,
                     struct print_table *table);

/* Returns the value of a name in a scope, or NULL if the name is unknown or its value is NULL.
 * *known, unless `known` is NULL, is set to 1 if the name exists, else to 0. */
const char *scope_value(const struct scope *scope, const char *name, int *known);

/* Makes table `steps_of` (family, variant, prev, first) from `variants`, and view `ladder` over
 * `metrics`: each row with the columns of the best row of the rung before it as prev_<column> and
 * of the ladder's first rung as first_<column>, at the same size and block, and with the
 * variant's kind. behind_best_pct, if it is known, tells the best row where none is marked. */
int query_make_ladder(struct query *query);

/* Makes the table steps_of alone, from the table variants. */
int query_make_steps_of(struct query *query);

/* Makes the table sizes(family, size, bytes, operations, place) from the tables points and
 * families; place 1 is the primary size of a family. */
int query_make_sizes(struct query *query);

/* Makes the table library_ratios(point, library, ratio, low, high, floor_pct, evidence, direction,
 * words) from the tables metrics and variants: the speed of each point over that of the fastest
 * library. */
int query_make_library_ratios(struct query *query);

#endif

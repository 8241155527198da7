/*
 * Bounds what SQL may do, and how much work it may do. A struct query_guard owns nothing; it must
 * stay at its address while its database is open.
 *
 * A run's directory, the records, charts and templates may come from an untrusted source, and some
 * of their text runs as SQL: the claims of a run, the formulas of metrics/, the
 * statements of plots/ and reports/. Such SQL is called foreign. For all SQL, this program's own
 * included:
 *   - The database is in memory and no other can be attached. No extension is loaded; there are no
 *     virtual tables and no triggers. Only the functions listed in query/query_guard.c and those of
 *     query_add_function can be called; none can access files, processes, the time or randomness.
 *   - Ctrl-C ends it.
 * In addition, for foreign SQL:
 *   - It is one statement that only reads. An expression inside one of this program's statements is
 *     first tested alone, and cannot end the expression around it (query_guard_expression);
 *     query_compute bounds the statement's work.
 *   - Its work is bounded by a number of steps, which is proportional to the rows loaded and does
 *     not depend on the clock; the length of its values is bounded, too.
 * In addition, for an expression of a run:
 *   - It has no SELECT and calls only functions of arithmetic, so that its work is its length times
 *     the rows that it judges.
 * Values reach statements as parameters or through %Q; names in statements are bare identifiers
 * (query/query_load.c, catalog/records.c).
 */
#ifndef WHYFAST_QUERY_GUARD_H
#define WHYFAST_QUERY_GUARD_H

#include <sqlite3.h>

enum { MOST_FUNCTIONS = 48 };

struct query_guard {
    int writable;        /* set for this program's own statements only */
    int of_run;          /* set while an expression of a run is prepared (query_judge) */
    long long rows;      /* loaded so far */
    long long work_most; /* steps that a foreign statement may take; 0: in proportion to `rows` */
    long long *work;     /* steps left to the statement that runs; NULL if it is not foreign */
    int function_count;
    const char *function[MOST_FUNCTIONS]; /* names that query_add_function added */
};

/* Attaches the guard to the database. Returns an SQLite status. */
int query_guard_open(struct query_guard *guard, sqlite3 *database);

/* Returns FAIL_INPUT, with a message that begins with `origin`, unless the text is one expression:
 * its brackets match, and it has no comment and no ';'. */
int query_guard_expression(const char *origin, const char *expression);

/* Does the same for an expression of a run, which must not have a SELECT either. */
int query_guard_claim(const char *origin, const char *expression);

/* The steps of SQLite's virtual machine that a foreign statement may take. */
long long query_guard_work(const struct query_guard *guard);

/* Steps a statement. `work` is NULL, or for a foreign statement the work that it may still do, from
 * which its steps are subtracted. Returns an SQLite status. */
int query_guard_step(struct query_guard *guard, sqlite3_stmt *statement, long long *work);

/* Does what sqlite3_exec does, within the same bounds. */
int query_guard_run(struct query_guard *guard, sqlite3 *database, const char *sql);

/* Explains why SQLite gave up with this status: FAIL_INTERRUPTED after Ctrl-C; FAIL_INPUT, with a
 * message, if a bound ended the statement; 0, without a message, for any other reason. */
int query_guard_ended(const struct query_guard *guard, int status, const char *origin);

#endif

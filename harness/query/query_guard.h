/*
 * What SQL may do, and how much of it. The state is a struct query's; nothing is owned here.
 *
 * A run's directory, the records, charts and templates may be a stranger's, and some of their words
 * run as SQL: the claims and declarations of a run, the formulas and rules of metrics/, the
 * statements of plots/ and reports/. What is guaranteed of all SQL, this program's own included:
 *   - the database is in memory and no other is attached; no extension is loaded; there are no
 *     virtual tables and no triggers; only the functions of
 *     query/query_guard.c and those that query_add_function gave it can be called, none of which
 *       sees a
 *       file, a process, the time of day or chance
 *   - Ctrl-C ends it
 * Of text that is not this program's, beyond that:
 *   - it reads and does nothing else, it is one statement; an expression that has a place in a
 *     statement of this program is tried alone, does not reach beyond
 *     its place (query_guard_expression), and bounds that statement's work (query_compute)
 *   - its work is bounded by counted steps, which grow with the rows that were loaded and not with
 *     the clock; so are the length of its values and its memory
 * Of an expression out of a run, beyond that:
 *   - it has no SELECT and knows only the functions of arithmetic: its work is its length times the
 *     rows that it judges
 * Values from anywhere reach statements as parameters or through %Q; names in statements are bare
 * identifiers (query/query_load.c, catalog/records.c).
 */
#ifndef WHYFAST_QUERY_GUARD_H
#define WHYFAST_QUERY_GUARD_H

#include "query/query.h"

/* Puts the database under guard; an SQLite status. For query_open. */
int query_guard_open(struct query *query);

/* FAIL_INPUT, said with `place`, unless the text is one expression: brackets that match, no
 * comment, nothing that ends the statement around it. */
int query_guard_expression(const char *place, const char *expression);

/* The same for one that a run brings: no SELECT in it either. */
int query_guard_claim(const char *place, const char *expression);

/* The work that a statement of someone else's may still do, in steps of SQLite's machine, before
 * its first step. */
long long query_guard_work(const struct query *query);

/* One step of a statement of someone else's, which takes from *work; an SQLite status. */
int query_guard_step(struct query *query, sqlite3_stmt *statement, long long *work);

/* sqlite3_exec within the same bounds. */
int query_guard_run(struct query *query, const char *sql);

/* Why SQLite gave up with this status: FAIL_INTERRUPTED after Ctrl-C, FAIL_INPUT, said, where
 * the bounds ended it; 0 for any other reason, not said. */
int query_guard_ended(const struct query *query, int status, const char *place);

#endif

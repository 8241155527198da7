/*
 * Names the causes of the difference between two points. Nothing is owned; tables are in the
 * query's database.
 *
 * Two points have causes, which divide the difference of their times (explain/account.h). Each
 * point has levels, which are its ledger by cause (explain/levels.sql): they say where the time
 * goes, not how much of it a change saves.
 */
#ifndef WHYFAST_CAUSES_H
#define WHYFAST_CAUSES_H

#include "catalog/records.h"
#include "explain/sides.h"
#include "query/query.h"

/* Makes, unless the database has them, the tables area(area, place, title) and cause(cause, place,
 * title, area, means, witness, costs, counts) from the records, in order. Returns FAIL_INPUT, with
 * file and line, for a cause of an area that has no record. */
int causes_names(struct query *query, const struct records *records);

/* Makes `cause`, the levels in cycles per scheduler as ledger_cause(POINT_KEY, cause, issued,
 * cycles, half), and in time as `levels`, with the columns of run/tables.c. Needs the tables of
 * ledger_make, and metrics. Returns FAIL_INPUT, with file and line, for a term whose cause has no
 * record. */
int causes_levels(struct query *query, const struct records *records);

/* A line of `cause_lines` in words. */
#define CAUSE_LINE "path || ':' || line || coalesce(' (called at ' || called_from || ')', '')"

/* Makes the table `cause_lines`, with the columns of run/tables.c. Needs the tables of ledger_make,
 * and `sources`. */
int causes_lines(struct query *query);

/* Makes the table `causes` anew, empty. */
int causes_tables(struct query *query);

/* Adds the rows of a change to `causes`: the causes of its account by their records, with what they
 * saved after waits that took the place of each other are set off (saved_ns), before that
 * (gross_ns), and their place in the sentence, beyond ACCOUNT_NAMED for a count that only moved;
 * their witnesses, and a detail in words. `evidence` is that of steps.csv, and `key` has the cells
 * of the first columns by name. Adds nothing if one of the sides has no counters. Needs `cause`. */
int causes_insert(struct query *query, const struct records *records,
                  const struct account_side *before, const struct account_side *after,
                  const char *evidence, const struct scope *key);

/* Makes the table `causes` for all rows of the table `steps`. A step without counters
 * on one side has no rows in `causes`. Needs `sides`. */
int causes_make(struct query *query, const struct records *records);

/* Makes the table `said`, with the columns of run/tables.c, for all rows of the table `steps`: the
 * one place where a change and its causes are judged, named, ordered and put into words
 * (explain/said.sql). Needs `causes`, `cause`, metrics, variants and points. */
int causes_said(struct query *query);

#endif

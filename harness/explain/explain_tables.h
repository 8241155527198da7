/*
 * Makes the tables of explain_run, each in a module of its own (the ledger and the causes have
 * headers of their own). Nothing is owned. *_make makes a table in the query's database; *_write
 * adds a file to the group.
 */
#ifndef WHYFAST_EXPLAIN_TABLES_H
#define WHYFAST_EXPLAIN_TABLES_H

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "query/query.h"

/* The cells that name the point of a row, for CSV_TEXTS. */
#define POINT_KEYS(row)                                                                            \
    scope_value(row, "family", NULL), scope_value(row, "variant", NULL),                           \
        scope_value(row, "size", NULL), scope_value(row, "block", NULL),                           \
        scope_value(row, "sweep", NULL), scope_value(row, "device", NULL)

/* Judges every claim of a source at every size: confirmed or refuted; seen or not seen, if the
 * source limits it to some cases; undecided; or not measurable here. Lists the numbers that it
 * names. Adds verdicts.csv: for each claim a row per size at which it applies, or one row with the
 * reason why it cannot be judged. Needs the table claims and the view ladder. Returns FAIL_INPUT,
 * with file and claim, for an expression that SQLite refuses. */
int verdicts_write(struct query *query, const struct records *records, struct atomic_files *group);

/* Finds the metrics that moved in each step beyond their noise. Makes the table `moved`. Needs the
 * tables metrics, noise and families, and the view ladder. */
int moved_make(struct query *query, const struct records *records);

#endif

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

/* Finds the metrics that moved in each step beyond their noise, and the rules that apply. Makes the
 * table `findings`. Needs the tables metrics, noise, families and steps_of, and the view ladder.
 * Returns FAIL_INPUT, with file and line, for a rule whose expression SQLite refuses, or that names
 * an unknown or a later rule in `under`. */
int findings_make(struct query *query, const struct records *records);

/* Measures the effect of each factor of the variants that carry factors, by clean times. Adds
 * ablation.csv. Needs variants, points and metrics; loads the samples if a family has factors.
 *
 * The rows for each family with factors and each size, on a logarithmic scale and given as ratios
 * of times:
 *   main         the effect of a factor: time without it divided by time with it, as the geometric
 *                mean over all pairs of cells that differ only in it
 *   interaction  of two factors: the speed-up from one when the other is on, divided by that when
 *                the other is off; symmetric
 *   three_way    the largest interaction of three: an interaction of two when the third is on,
 *                divided by that when it is off
 *   shapley      the share of a factor in the speed-up from all off to all on (factorial_shapley),
 *                as a ratio, and its logarithm in per cent of the whole
 *   all          the whole: time with all off divided by time with all on
 * with 95 % bootstrap intervals (explain/ablation_effects.h). A row is unresolved if its interval
 * is not beyond the noise floor of the cells on one side of 1. A value that needs a missing cell is
 * absent, with the reason. */
int ablation_write(struct query *query, struct atomic_files *group);

#endif

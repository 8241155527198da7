/*
 * The numbers of points that accounts need (explain/account.h), as a table of the run. Nothing is
 * owned; the table is in the query's database.
 */
#ifndef WHYFAST_SIDES_H
#define WHYFAST_SIDES_H

#include "catalog/records.h"
#include "explain/account.h"
#include "query/query.h"

/* Makes the table `sides`, with the columns of run/tables.c: the facts of accounts and the
 * witnesses of causes. Loads the counters, launches and power of the run. Needs metrics and the
 * tables of ledger_make. Returns FAIL_INPUT, with file and line, for a witness that is no metric.
 */
int sides_make(struct query *query, const struct records *records);

/* Makes the table `wait_cause`: the names of waits, and the causes that name them if no count does.
 * sides_make calls it. */
int sides_name_waits(struct query *query);

/* The point whose keys are in the scope under the names family, variant, size, block, sweep,
 * device. */
#define CAUSES_POINT                                                                               \
    "family = :family AND variant = :variant AND size = :size AND block = CAST(:block AS "         \
    "INTEGER) AND sweep = CAST(:sweep AS INTEGER) AND device = CAST(:device AS INTEGER)"

/* Reads the numbers of CAUSES_POINT from `sides`; it may have none. */
int sides_read(struct query *query, const struct scope *point, struct account_side *side);

#endif

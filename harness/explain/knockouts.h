/*
 * Loads the knock-outs of a run: measured costs, in the place of those that the account computes.
 * Nothing is owned.
 */
#ifndef WHYFAST_EXPLAIN_KNOCKOUTS_H
#define WHYFAST_EXPLAIN_KNOCKOUTS_H

#include "query/query.h"

/* Makes the tables knockouts, as the run has it, and knockout_kinds (knockout, title, cause, note)
 * of catalog/knockout.h. */
int knockouts_load(struct query *query);

/* Makes the table measured, too (measured.sql). Needs metrics. */
int knockouts_measure(struct query *query);

#endif

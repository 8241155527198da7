/*
 * Loads the knock-outs of a run: the measured costs of kernels (measured.sql), which take the place
 * of those that an account infers.
 * Nothing is owned.
 */
#ifndef WHYFAST_EXPLAIN_KNOCKOUTS_H
#define WHYFAST_EXPLAIN_KNOCKOUTS_H

#include "query/query.h"

/* Makes the tables knockouts, as the run has it, and knockout_kinds (knockout, title, cause, note)
 * of catalog/knockout.h. */
int knockouts_load(struct query *query);

/* Makes the tables measured and unmeasured, too (measured.sql). Needs metrics and sides. */
int knockouts_measure(struct query *query);

/* Adds what was measured, and what that says of other sizes, to the table sides, for accounts
 * (costs_of_sides.sql). */
int knockouts_take(struct query *query);

#endif

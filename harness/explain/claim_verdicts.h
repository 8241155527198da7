/*
 * Verdicts: every claim of a source at every size, confirmed, refuted or not measurable, with the
 * numbers that it names. Nothing is owned.
 */
#ifndef WHYFAST_CLAIM_VERDICTS_H
#define WHYFAST_CLAIM_VERDICTS_H

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "query/query.h"

/* Adds verdicts.csv to the group: for each claim a row for each size at which it can be asked,
 * or one that says why there is none. Wants the table claims and the view ladder. FAIL_INPUT,
 * with file and claim, for an expression that SQLite refuses. */
int verdicts_write(struct query *query, const struct records *records, struct atomic_files *group);

#endif

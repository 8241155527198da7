/*
 * Judges every claim of a source at every size: confirmed, refuted or not measurable, with the
 * numbers that it names. Nothing is owned.
 */
#ifndef WHYFAST_CLAIM_VERDICTS_H
#define WHYFAST_CLAIM_VERDICTS_H

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "query/query.h"

/* Adds verdicts.csv to the group: for each claim a row per size at which it applies, or one row
 * with the reason why it cannot be judged. Needs the table claims and the view ladder. Returns
 * FAIL_INPUT, with file and claim, for an expression that SQLite refuses. */
int verdicts_write(struct query *query, const struct records *records, struct atomic_files *group);

#endif

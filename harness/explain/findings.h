/*
 * Finds the metrics that moved in each step beyond their noise, and the rules that apply. Nothing
 * is owned.
 */
#ifndef WHYFAST_FINDINGS_H
#define WHYFAST_FINDINGS_H

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "query/query.h"

/* Makes the table `findings`. Needs the tables metrics, noise, families and steps_of, and the view
 * ladder. Returns FAIL_INPUT, with file and line, for a rule whose expression SQLite refuses, or
 * that names an unknown or a later rule in `under`. */
int findings_make(struct query *query, const struct records *records);

#endif

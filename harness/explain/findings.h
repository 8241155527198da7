/*
 * Findings: what moved in each step beyond its noise, and which rules speak. Nothing is owned.
 */
#ifndef WHYFAST_FINDINGS_H
#define WHYFAST_FINDINGS_H

#include "base/atomic_file.h"
#include "catalog/records.h"
#include "query/query.h"

/* Adds findings.csv to the group. Wants the tables metrics, noise, families and steps_of, and
 * the view ladder. FAIL_INPUT, with file and line, for a rule whose expression SQLite refuses,
 * or which stands under none or under a later one. */
int findings_write(struct query *query, const struct records *records, struct atomic_files *group);

#endif

/*
 * Facts: what a run says of a point without any formula, in SQL over its tables. Nothing is owned;
 * the query's database is written to.
 */
#ifndef WHYFAST_POINT_FACTS_H
#define WHYFAST_POINT_FACTS_H

#include "catalog/records.h"
#include "query/query.h"

/* Every fact has its record, and every record of a fact its fact; else FAIL_INPUT, said. Warns
 * where no record is about the run's device. */
int point_facts_check(const struct records *records, const struct run *run);

/* Makes table m: a row per point that was measured right and per repeat of its counters, with
 * its facts, the numeric facts of the device and the fields of the device's record. Wants the
 * tables variants, points, launches, accesses, counters and evaluate's timing. */
int point_facts_make_points(struct query *query, const struct records *records);

#endif

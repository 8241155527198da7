/*
 * Makes the rows from which metrics are computed: for each point the facts that need no formula,
 * such as its clean times, its launch and the ceilings of the device. point_facts.sql reads them
 * from the tables of the run. Nothing is owned.
 */
#ifndef WHYFAST_POINT_FACTS_H
#define WHYFAST_POINT_FACTS_H

#include "catalog/records.h"
#include "query/query.h"

/* Makes the table m_facts: a row per point with status ok and per repeat of its counters, with its
 * facts, the numeric facts of the device and the fields of the device's record. Needs the tables
 * variants, points, launches, accesses, ceilings, power, kernels, lines, repeats
 * (evaluate/counter_rows.h) and timing (evaluate/clean_times.h). Returns FAIL_INPUT, with a
 * message, if a fact has no record or a record names no fact. Warns if no record describes the
 * run's device. */
int point_facts_make(struct query *query, const struct records *records);

#endif

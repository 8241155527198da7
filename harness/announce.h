/*
 * The results of a run as marks, for a profiler from outside that listens (annotate.h). Nothing is
 * owned.
 */
#ifndef WHYFAST_ANNOUNCE_H
#define WHYFAST_ANNOUNCE_H

#include "query.h"
#include "record.h"

/* One mark for every variant and size, in its best setting, from the metrics in table m
 * (evaluate.c). Does nothing where no tool listens. */
int announce_results(struct query *query, const struct records *records);

#endif

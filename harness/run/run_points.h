/*
 * Selects the verified points of a run. The caller frees the selection (selection_free).
 */
#ifndef WHYFAST_RUN_POINTS_H
#define WHYFAST_RUN_POINTS_H

#include "catalog/registry.h"
#include "run/run.h"

/* Reads points.csv. Returns FAIL_INPUT if it names a variant that this program lacks. */
int selection_of_run(struct selection *selection, const struct run *run);

#endif

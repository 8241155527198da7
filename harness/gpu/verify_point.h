/*
 * Runs a point and checks whether its result is right. Nothing is owned.
 */
#ifndef WHYFAST_VERIFY_POINT_H
#define WHYFAST_VERIFY_POINT_H

#include "gpu/workbench.h"
#include "run/run.h"

/* Runs the point once and compares. Returns FAIL_CHECK with the reason if the result is wrong or
 * a guard was overwritten; the workbench is repaired then. */
int verify_run(struct workbench *bench, const struct selected *selected, char reason[160]);

/* Poisons the output, then does verify_run. */
int verify_point(struct workbench *bench, const struct selected *selected, char reason[160]);

/* Adds to the run's fact wrong_results. */
int verify_count_wrong(struct run *run, int wrong);

#endif

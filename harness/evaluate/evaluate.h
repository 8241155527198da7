/*
 * Evaluates a run: computes metrics, noise, kernel_counters and impossible from its raw tables and
 * the records under metrics/. Needs no GPU. Nothing is owned.
 */
#ifndef WHYFAST_EVALUATE_H
#define WHYFAST_EVALUATE_H

#include "run/run.h"

int evaluate_run(struct run *run);

#endif

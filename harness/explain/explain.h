/*
 * Explains an evaluated run: computes steps, verdicts, moved metrics, the cycle ledger with its
 * causes and what is said of them, ablation and demands. Nothing is owned.
 */
#ifndef WHYFAST_EXPLAIN_H
#define WHYFAST_EXPLAIN_H

#include "run/run.h"

int explain_run(struct run *run);

#endif

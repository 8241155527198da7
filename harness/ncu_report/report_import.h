/*
 * Writes the kernels of reports of Nsight Compute as a run: the program is the family, each kernel
 * with its launch shape a variant, each launch a sample. Nothing is owned.
 *
 * Times are ncu's, of a replayed launch with the caches and the clock that ncu had set; the fact
 * `imported` says so, and every command prints it before its answer.
 */
#ifndef WHYFAST_REPORT_IMPORT_H
#define WHYFAST_REPORT_IMPORT_H

#include "run/run.h"

/* Writes the raw tables of a run that was begun. Returns FAIL_INPUT, with a message, for a damaged
 * report. */
int report_import(struct run *run, const char *const *path, int paths);

#endif

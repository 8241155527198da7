/*
 * Makes one run out of the raw tables of several runs of one device: the union of their rows by
 * key. Rows with the same key must have the same values, because nobody could say which of them to
 * believe. Nothing is owned.
 *
 * Numbers that runs give to sources, kernels and traces are made new, and times since the begin of
 * a run (run/run_stages.h) count from the begin of the earliest. Ceilings are measured anew by
 * every run: those of the earliest run are kept, and those of the others must be near to them.
 */
#ifndef WHYFAST_MERGE_ROWS_H
#define WHYFAST_MERGE_ROWS_H

#include "run/run.h"

/* By how much a ceiling may differ between runs of one device. */
enum { CEILINGS_AGREE_PCT = 5 };

/* Writes the raw tables of the runs into `directory`. Returns FAIL_INPUT for a damaged table or for
 * rows that contradict each other, with the places of both. */
int merge_rows(const struct run *const *run, int count, const char *directory);

/* Reads all rows of the raw tables of a run, to check them, and copies the files into `directory`.
 * The computed ones are left: all devices of a merged run are evaluated by one program. Returns
 * FAIL_INPUT for a damaged table. */
int merge_copy(const struct run *run, const char *directory);

#endif

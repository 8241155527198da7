/*
 * The runs that come with the program, under reports/recorded/ of its data directory. Nothing is
 * owned.
 */
#ifndef WHYFAST_RECORDED_RUNS_H
#define WHYFAST_RECORDED_RUNS_H

#include "base/text.h"
#include "run/run.h"

/* Path of the recorded run with the newest date, which the caller frees; NULL, said, when there
 * is none. */
char *recorded_newest(void);

/* Opens the run at `path`, or where that is NULL the newest recorded one. */
int recorded_or(struct run *run, const char *path);

/* Appends what a page says first of the run that it shows: its name, its device and its date,
 * and where it is a recorded one (`recorded`, or by its facts) that nothing was measured here. */
void recorded_describe(struct text *words, const struct run *run, int recorded);

#endif

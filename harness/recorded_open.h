/*
 * Opens the newest recorded run with all its tables, those that evaluate and explain compute
 * included. The caller closes the run and frees the path.
 */
#ifndef WHYFAST_RECORDED_OPEN_H
#define WHYFAST_RECORDED_OPEN_H

#include "run/run.h"

/* Sets *path to the newest recorded run, unpacked. FAIL_GPU, with a message, if there is none. */
int recorded_path(char **path);

/* Opens the run at `path`, or the newest recorded one if that is NULL. */
int recorded_open(struct run *run, const char *path);

#endif

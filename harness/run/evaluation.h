/*
 * Tells which build of the program evaluated a run. evaluation.csv, which is written together with
 * metrics.csv, has a checksum of what that build evaluates by: its sources that compute tables, and
 * the records under metrics/.
 */
#ifndef WHYFAST_EVALUATION_H
#define WHYFAST_EVALUATION_H

#include <stdint.h>

#include "run/run.h"

/* Adds the names and bytes of the files that match a pattern to a hash. */
uint64_t evaluation_hash_files(uint64_t hash, const char *directory, const char *pattern);

/* Returns the checksum of this build, which the caller frees, or NULL with a message. */
char *evaluation_build(void);

/* Returns NULL if this build evaluated the run in this directory; else what is said of the run, "is
 * not evaluated" or "was evaluated by another build of whyfast". */
const char *evaluation_lacks(const char *directory);

/* Warns if another build computed the tables of the run. */
void evaluation_warn(const struct run *run);

#endif

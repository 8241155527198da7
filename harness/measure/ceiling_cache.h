/*
 * Keeps the ceilings of a board in the user's cache (data_cache), so that they are measured once
 * for a board, its driver, its clocks and this build. Nothing is owned.
 */
#ifndef WHYFAST_CEILING_CACHE_H
#define WHYFAST_CEILING_CACHE_H

#include "measure/ceiling_launches.h"
#include "run/run.h"

struct kept_ceiling {
    struct ceiling_value value;
    char status[LONGEST_REASON]; /* "ok", or why there is no value */
};

/* Reads what was kept for the board that the run describes. Returns 1, or 0 if there is nothing, or
 * if it is older than a week, damaged, or of another board, driver, clock or build. */
int ceiling_cache_read(struct run *run, struct kept_ceiling kept[CEILING_COUNT]);

/* Keeps the ceilings. A cache that cannot be written is told as a detail. */
void ceiling_cache_write(const struct run *run, const struct kept_ceiling kept[CEILING_COUNT]);

#endif

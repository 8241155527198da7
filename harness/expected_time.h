/*
 * Estimates how long measuring and reporting a selection will take, for the first line of a run.
 * Nothing is owned.
 */
#ifndef WHYFAST_EXPECTED_TIME_H
#define WHYFAST_EXPECTED_TIME_H

#include "catalog/registry.h"
#include "collect/collect_counters.h"

/* Seconds on a GPU like an H200: each stage's time, as recorded there, is close to linear in the
 * points and in the useful bytes or operations of their problems. Right within about a third. */
double expected_seconds(const struct selection *selection, const struct collect_asked *asked,
                        int repeats);

/* "about 50 s" or "about 4 min". Returns `text`. */
const char *expected_text(double seconds, char text[32]);

#endif

/*
 * Times twins of a kernel beside the original. Nothing is owned.
 *
 * Method: original and twins take turns in rounds, each in a new random order. The cost is the
 * median of the differences of a round, with its interval. The unchanged copy is one of the twins:
 * its apparent saving is the resolution, and a smaller saving, or one whose interval includes none,
 * is no cost.
 */
#ifndef WHYFAST_TWIN_ROUNDS_H
#define WHYFAST_TWIN_ROUNDS_H

#include <stdint.h>

#include "catalog/knockout.h"

enum { LEAST_ROUNDS = 15, MOST_ROUNDS = 41, ORIGINAL = -1 };

/* The status of a knock-out that saves nothing for certain, and of one for which
 * the kernel has nothing to knock out; else it is "ok" or absent. */
#define TWIN_NO_COST "no cost"
#define TWIN_NONE "none"

struct twin_rounds {
    unsigned timed; /* the twins, as bits 1 << enum knockout; the unchanged copy is one of them */
    uint64_t seed;
    double most_seconds; /* of the rounds, unless there are too few */
    /* Times a twin, or ORIGINAL; a result other than 0 ends the rounds. */
    int (*take)(void *context, int twin, double *time_ns);
    void *context;
    int rounds;
    double noise_ns; /* the largest saving that the unchanged copy may have */
    double original[MOST_ROUNDS], saved[KNOCKOUTS][MOST_ROUNDS]; /* sorted at the end */
};

struct twin_figures {
    const char *status; /* "ok" or TWIN_NO_COST */
    int samples;
    double time_ns, saved_ns, low_ns, high_ns; /* of the original; by the twin, with its interval */
};

int twin_rounds_run(struct twin_rounds *rounds);
struct twin_figures twin_rounds_figures(const struct twin_rounds *rounds, int twin);

#endif

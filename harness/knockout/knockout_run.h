/*
 * Knocks out the costs of kernels: starts a process for each kernel that times its twins
 * (knockout/twin_times.h), and starts it again without a twin that ended it. Nothing is owned.
 */
#ifndef WHYFAST_KNOCKOUT_RUN_H
#define WHYFAST_KNOCKOUT_RUN_H

#include "catalog/registry.h"
#include "run/run.h"

struct knockout_options {
    const char *program;               /* this one */
    uint64_t seed;                     /* for the inputs */
    unsigned wanted;                   /* knock-outs, as bits 1 << enum knockout */
    const char *line;                  /* of the source (catalog/knockout.h); NULL: all */
    const struct selection *selection; /* only its variants; NULL: all but those of ablations */
    int quick; /* of each ladder the fastest rung, and the two sides of its two largest steps */
};

/* Knocks out the costs of the kernels that the run has counted, at the primary size, and writes the
 * table knockouts. */
int knockouts_run(struct run *run, const struct knockout_options *options);

#endif

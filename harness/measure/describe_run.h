/*
 * Opens the GPU and writes what the run is about: provenance into run.txt, and the tables families,
 * variants, claims and published. Nothing is owned.
 */
#ifndef WHYFAST_DESCRIBE_RUN_H
#define WHYFAST_DESCRIBE_RUN_H

#include "measure/measure_run.h"

int describe_run(struct run *run, const struct selection *selection,
                 const struct measure_options *options);

#endif

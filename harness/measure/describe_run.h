/*
 * Opens the GPU and writes provenance into run.txt, and the tables families, variants, claims and
 * published, which let every later stage do without the program that measured. Nothing is owned.
 */
#ifndef WHYFAST_DESCRIBE_RUN_H
#define WHYFAST_DESCRIBE_RUN_H

#include "measure/measure_run.h"

int describe_run(struct run *run, const struct selection *selection,
                 const struct measure_options *options);

#endif

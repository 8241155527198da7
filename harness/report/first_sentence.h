/*
 * Says after the timing, before any counter is collected, how much faster each ladder became.
 * Nothing is owned.
 */
#ifndef WHYFAST_FIRST_SENTENCE_H
#define WHYFAST_FIRST_SENTENCE_H

#include "run/run.h"

/* Prints one sentence for each family and size of the run as a note, marked provisional. The tables
 * variants and samples must be on the disk. */
int first_sentence(const struct run *run);

#endif

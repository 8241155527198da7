/*
 * Says how fast the ladders are as soon as they are timed, before their counters are collected.
 */
#ifndef WHYFAST_FIRST_SENTENCE_H
#define WHYFAST_FIRST_SENTENCE_H

#include "run/run.h"

/* Prints the speed-up of each ladder as soon as it was timed, before counters are collected: one
 * sentence for each family and size as a note, marked provisional. The tables variants and samples
 * must be on the disk. */
int first_sentence(const struct run *run);

#endif

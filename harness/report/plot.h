/*
 * Draws the pictures under plots/ from an explained run into its charts/. Nothing is owned.
 */
#ifndef WHYFAST_PLOT_H
#define WHYFAST_PLOT_H

#include "run/run.h"

int plot_run(struct run *run);

#endif

/*
 * The colours of rungs, those of the charts (plots/style.gp, which a test compares). Nothing is owned.
 */
#ifndef WHYFAST_PALETTE_H
#define WHYFAST_PALETTE_H

#include <stdint.h>

#include "variant.h"

/* 0xRRGGBB. A rung of a ladder by its number, from 1 on; 0 is a library, below that the CPU. */
uint32_t palette_colour(int rung);

/* That of the rung by which the variant is shown. */
uint32_t palette_variant(const struct variant *variant);

#endif

/*
 * The colours of rungs, those of the charts (plots/style.gp, which a test compares). Nothing is
 * owned.
 */
#ifndef WHYFAST_RUNG_COLOURS_H
#define WHYFAST_RUNG_COLOURS_H

#include <stdint.h>

#include "catalog/variant.h"

enum { PALETTE_LIBRARY = 0, PALETTE_CPU = -1 };

/* 0xRRGGBB. A rung of a ladder by its number, from 1 on, or one of these. */
uint32_t rung_colour_colour(int rung);

/* That of the rung by which the variant is shown. */
uint32_t rung_colour_variant(const struct variant *variant);

#endif

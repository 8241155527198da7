/*
 * Gives each rung the colour that it has in the charts (plots/style.gp, which a test compares).
 * Nothing is owned.
 */
#ifndef WHYFAST_RUNG_COLOURS_H
#define WHYFAST_RUNG_COLOURS_H

#include <stdint.h>

#include "catalog/variant.h"

enum { PALETTE_LIBRARY = 0, PALETTE_CPU = -1 };

/* Returns 0xRRGGBB for the number of a rung, from 1, or for one of these. */
uint32_t rung_colour_colour(int rung);

/* Returns the colour of a variant. */
uint32_t rung_colour_variant(const struct variant *variant);

#endif

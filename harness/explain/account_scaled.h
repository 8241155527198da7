/*
 * Keeps an account within what knock-outs say of the same kernels at another size. No global state;
 * nothing is owned.
 *
 * Knock-outs are measured at one size. At another one a cost has a least and a most
 * (lines/costs_of_sides.sql), and so has what the step saved of it. Loads and products have their
 * most as a bound, as at the size of the knock-outs. If an account gives barriers or bank conflicts
 * more or less than that, beyond its noise, they have the most or the least instead, which counts
 * as measured; an account that is within is left as it is.
 */
#ifndef WHYFAST_ACCOUNT_SCALED_H
#define WHYFAST_ACCOUNT_SCALED_H

#include "explain/account.h"

/* Adds to both sides the costs that an account of them must use, as if they were measured there. */
void account_scale(struct account_side *before, struct account_side *after);

/* Returns 1 if the measured cost of this name is one of those. */
int account_is_scaled(const struct account_side *side, const char *measured);

#endif

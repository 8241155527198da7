/*
 * Keeps an account within what knock-outs say of the same kernels at another size. No global state;
 * nothing is owned.
 * metrics/method.md has the rules, "Costs that are measured", and lines/costs_of_sides.sql the
 * least and the most of a cost.
 */
#ifndef WHYFAST_ACCOUNT_SCALED_H
#define WHYFAST_ACCOUNT_SCALED_H

#include "explain/account.h"

/* Adds to both sides the costs that an account of them must use, as if they were measured there. */
void account_scale(struct account_side *before, struct account_side *after);

/* Returns 1 if the measured cost of this name is one of those. */
int account_is_scaled(const struct account_side *side, const char *measured);

#endif

/*
 * Bounds the causes of an account by what units need alone. No global state; nothing is owned.
 * metrics/method.md has the rule, "What a unit needed".
 */
#ifndef WHYFAST_ACCOUNT_UNITS_H
#define WHYFAST_ACCOUNT_UNITS_H

#include "explain/account.h"

/* Gives the causes of each unit their least; changes left_ns alone. What knock-outs measured,
 * launches and the clock keep their time. */
void account_bound_units(struct account *account);

#endif

/*
 * Bounds the causes of an account by what units need alone. No global state; nothing is owned.
 *
 * The faster point takes at least as long as each of its units needs. If a unit needed more than
 * that time in the slower point, and needs less in the faster one, then the difference was saved by
 * its smaller demand, whatever else changed: with the old demand the faster point would take as
 * long as that. What the causes of the unit lack of this least belongs to them; it is taken from
 * the causes of other units, in proportion, as far as these have more than their own least.
 */
#ifndef WHYFAST_ACCOUNT_UNITS_H
#define WHYFAST_ACCOUNT_UNITS_H

#include "explain/account.h"

/* Gives the causes of each unit their least; changes left_ns alone. What knock-outs measured,
 * launches and the clock keep their time. */
void account_bound_units(struct account *account);

#endif

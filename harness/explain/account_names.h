/*
 * Names the terms of an account (explain/account.h) by the counts that moved with them.
 * metrics/method.md has the rules, "From the terms to the causes".
 */
#ifndef WHYFAST_ACCOUNT_NAMES_H
#define WHYFAST_ACCOUNT_NAMES_H

#include "explain/account_words.h"

/* Returns the word of what changed the rate of device memory at its limit, 0 if nothing that can do
 * so moved by a tenth with it: instructions, if they take a quarter of the issue slots; or bytes in
 * flight, if they moved further and threads load at least half of the bytes: those of a load, times
 * the loads of a wait, times the resident warps. Barriers can not: without them such kernels take
 * as long. A queue of loads that is full says nothing: as often, the rate is higher with it. */
uint64_t account_rate_word(const struct account *account);

/* Makes the causes of the terms; their left_ns is 0. */
void account_name_terms(struct account *account);

#endif

/*
 * Names the terms of an account (explain/account.h) by the counts that moved with them.
 *
 * A term is named by the first of its counts, from the most specific on, that is in use on one
 * side, moved by a tenth in the direction of the term, and moved at least half as much as the one
 * that moved most; else by the wait itself. Issue slots have no name where the data stage of L1 is
 * much busier.
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

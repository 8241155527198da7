/*
 * Takes from knock-outs what an account knows of its causes. No global state; nothing is owned.
 *
 * The costs of barriers or bank conflicts may have been measured on both sides
 * (lines/measured.sql). Then the difference of these costs is their part, their waits are left out,
 * and the rest of the time is divided without them. Costs overlap: if what barriers and conflicts
 * share moved by more than the noise, the cost of both at once is one part. Where nothing would be
 * left of the rest, the measured costs are not used.
 *
 * A copy from several cache lines writes them one by one, and asks for more sectors: without it all
 * of that is saved, and the wait for it. Where such copies moved, the cost of loads is the term,
 * and that of their conflicts is in it.
 *
 * Other costs only bound terms. Beside the limit of device memory, what is beyond goes to other
 * terms only as far as warps wait for them.
 */
#ifndef WHYFAST_ACCOUNT_MEASURED_H
#define WHYFAST_ACCOUNT_MEASURED_H

#include "explain/account.h"

/* Leaves out of both sides what was measured, with the waits for it. */
void account_take_measured(struct account *account);

/* Keeps the terms of loads and of the tensor cores within what their knock-outs allow. */
void account_bound(struct account *account);

#endif

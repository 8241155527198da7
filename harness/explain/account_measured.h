/*
 * Takes from knock-outs what an account knows of its causes. No global state; nothing is owned.
 * metrics/method.md has the rules, "Costs that are measured".
 */
#ifndef WHYFAST_ACCOUNT_MEASURED_H
#define WHYFAST_ACCOUNT_MEASURED_H

#include "explain/account.h"

/* Leaves out of both sides what was measured, with the waits for it. */
void account_take_measured(struct account *account);

/* Keeps causes within what knock-outs of one kernel or of both allow, those of sectors and of
 * wavefronts within what units need, and those of resident warps within other settings. */
void account_bound(struct account *account);

#endif

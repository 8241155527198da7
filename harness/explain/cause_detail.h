/*
 * Says of some causes in words what no number of theirs tells. No global state.
 */
#ifndef WHYFAST_CAUSE_DETAIL_H
#define WHYFAST_CAUSE_DETAIL_H

#include "explain/account.h"

/* Returns why the occupancy moved or a clock is lower, and how near device memory came to its peak.
 * The caller frees it; NULL for other causes, and if it is not known. */
char *cause_detail(const struct account *account, const char *cause);

#endif

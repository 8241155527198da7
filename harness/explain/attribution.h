/*
 * The account of a difference: what the change of time from one measured point to another is put
 * down to, as rows that sum to it. Nothing is owned.
 *
 * Each side comes as levels: cycles per scheduler by cause, from its ledger (explain/causes.h). In
 * cycles the change of a cause is its level before less its level after. Cycles become time at the
 * mean of the two clock periods, p = (1/f_before + 1/f_after) / 2, and what the clock itself
 * changed is a row of its own, (C_before + C_after) / 2 * (1/f_before - 1/f_after), so that all
 * rows sum to the measured change exactly:
 *   T_before - T_after = sum of (level_before - level_after) p + clock,   the residual of the
 *       ledgers being a level like the others.
 *
 * Resident warps are no level but a reason for one: waiting for S cycles with W warps resident
 * takes S W / W' with W' warps, when each waits as long as before. What the eligible waiting
 * (global memory, results and pipes) changed by, up to L(S_before, S_after) ln(W_after / W_before)
 * and only where that has the sign of the change, is put down to residency and taken from what
 * those causes saved, in proportion; their levels stay as they are. L is the logarithmic mean.
 * Source: B. W. Ang, The LMDI approach to decomposition analysis (Energy Policy 33, 2005).
 *
 * Intervals: those of the levels, as independent errors. The clock row has none: its median is
 * known only with the time.
 */
#ifndef WHYFAST_ATTRIBUTION_H
#define WHYFAST_ATTRIBUTION_H

enum { ACCOUNT_CAUSES = 32 };

/* One side. Causes are the same strings on both sides, compared as texts. */
struct attribution_side {
    double time_ns, ghz; /* clean time, SM clock in cycles per ns */
    double warps;        /* resident warps on average, in any unit; NAN where not known */
    int count;
    struct attribution_level {
        const char *cause;
        int waiting;   /* of a kind that more resident warps hide */
        double cycles; /* per scheduler */
        double half;   /* half of its 95 % interval; NAN where not known */
    } level[ACCOUNT_CAUSES];
};

struct account {
    int count;
    struct attribution_row {
        const char *cause;
        double before_ns,
            after_ns;    /* levels at the mean clock period; NAN for residency and the clock */
        double saved_ns; /* positive: the second is faster by that */
        double half_ns;  /* NAN where not known */
    } row[2 * ACCOUNT_CAUSES + 2];
};

/* Rows in the order of the levels before, then those that only come after, then residency and
 * the clock. Levels of one cause are added up. */
void attribution_make(struct account *account, const struct attribution_side *before,
                      const struct attribution_side *after);

/* What a row is worth: "resolved", "unresolved" where its interval spans 0, "no interval"; or
 * the evidence of the whole, where that is neither "faster" nor "slower": of a change that is
 * not there, nothing is a part. */
const char *attribution_status(const struct attribution_row *row, const char *evidence);

#endif

/*
 * Attributes the change of time from one measured point to another to causes: rows that sum to the
 * change. Nothing is owned.
 *
 * The input for each side is its levels: cycles per scheduler by cause, from its ledger
 * (explain/causes.h). In cycles the change of a cause is its level before minus its level after.
 * Cycles become time at the mean of the two clock periods, p = (1/f_before + 1/f_after) / 2, and
 * the change of the clock is a row of its own, (C_before + C_after) / 2 * (1/f_before - 1/f_after),
 * so that all rows sum to the measured change exactly: T_before - T_after = sum of (level_before -
 * level_after) p + clock, with the residual of the ledgers as a level like the others.
 *
 * Levels are averages over all schedulers, but the busiest SM decides the time. LEVEL_BUSY is spent
 * with a warp, LEVEL_IDLE without one while the busiest SM still has work. With B and I cycles of
 * them, the busiest SM spends r = (B + I) / B times the average. So a change of a busy level counts
 * with the mean of r before and after, and the level without warps (tail and imbalance) gets what
 * the change of r costs: B_before r_before - B_after r_after = (B_before - B_after) (r_before +
 * r_after) / 2 + (B_before + B_after) / 2 (r_before - r_after). Kernels that occupy as many SMs as
 * before have no change of imbalance, however long they take.
 *
 * The number of resident warps has no level of its own, but it changes other levels: S stalled
 * cycles with W resident warps become S W / W' cycles with W' warps, if each warp waits as long as
 * before. So a part of the change of the waiting that other warps can hide (global memory, results
 * and pipes) is attributed to residency: L(S_before, S_after) ln(W_after / W_before), but at most
 * the whole change, and only if it has the same sign. L is the logarithmic mean. The part is taken
 * from those causes in proportion; their levels are not changed. Source: B. W. Ang, The LMDI
 * approach to decomposition analysis (Energy Policy 33, 2005).
 *
 * Intervals combine those of the levels as independent errors. The clock row has none, because its
 * median is known only together with the time.
 */
#ifndef WHYFAST_ATTRIBUTION_H
#define WHYFAST_ATTRIBUTION_H

enum { ATTRIBUTION_CAUSES = 32 };

enum attribution_kind { LEVEL_OTHER, LEVEL_BUSY, LEVEL_IDLE };

/* Causes are compared as texts. */
struct attribution_side {
    double time_ns, ghz; /* clean time, SM clock in cycles per ns */
    double warps;        /* resident warps on average, in any unit; NAN if unknown */
    int count;
    struct attribution_level {
        const char *cause;
        int waiting;   /* 1 if more resident warps hide it */
        double cycles; /* per scheduler */
        double half;   /* half of its 95 % interval; NAN if unknown */
        enum attribution_kind kind;
    } level[ATTRIBUTION_CAUSES];
};

struct attribution {
    int count;
    struct attribution_row {
        const char *cause;
        double before_ns, after_ns; /* levels at the mean clock period, on the busiest SM; NAN for
                                       residency and the clock */
        double saved_ns;            /* positive: the second is faster by that */
        double half_ns;             /* NAN if unknown */
    } row[2 * ATTRIBUTION_CAUSES + 2];
};

/* Rows are in the order of the levels of `before`, then the causes that only `after` has, then
 * residency and the clock. Levels of one cause are added up. */
void attribution_make(struct attribution *attribution, const struct attribution_side *before,
                      const struct attribution_side *after);

/* Returns the status of a row: "resolved", "unresolved" if its interval includes 0, or "no
 * interval". If the evidence of the whole step is neither "faster" nor "slower", no row is
 * resolved, and the status is that evidence. */
const char *attribution_status(const struct attribution_row *row, const char *evidence);

#endif

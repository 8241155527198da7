/*
 * Explains the change of time between two points: for each cause, how much it would have changed
 * the time alone. Nothing is owned.
 *
 * Method. The model (explain/time_model.h) of both points is fitted to their times. Alone, a cause
 * saves T(before) - T(before with its features of after) if it changes first, and T(after with its
 * features of before) - T(after) if it changes last; the mean of both is its share, as with two
 * causes it is their Shapley value. A cycle that is hidden behind others changes no time, and saves
 * nothing. Causes within another one are its details: it changes with all of them at once, so that
 * effects that cancel inside of it do not appear.
 *
 * Changes that offset each other are taken out first: waits and warps that fall or rise together,
 * and the rate of device memory against uneven work.
 *
 *   interaction  the model's whole change, less the sum over the causes that are not within another
 *   residual     the measured change, less the model's
 *
 * If device memory is saturated on both sides, only bytes, their rate, uneven work, launches and
 * the clock can matter: the time is divided by these alone.
 */
#ifndef WHYFAST_COUNTERFACTUAL_H
#define WHYFAST_COUNTERFACTUAL_H

#include "catalog/records.h"
#include "explain/time_model.h"

enum { COUNTERFACTUAL_ROWS = 64 };

/* A cause with all its details. */
struct cause_group {
    const struct records *records;
    const char *cause;
    int is_detail; /* it has none, as it is one itself */
};

/* Returns 1 if `cause` is the cause of the struct cause_group `group` or one of its details. For
 * time_model_ns. */
int cause_group_has(void *group, const char *cause);

struct counterfactual {
    int count;
    struct counterfactual_row {
        const struct record *cause;
        const char *within; /* the cause that it is a detail of, or NULL */
        double saved_ns;    /* positive: the second is faster by that */
    } row[COUNTERFACTUAL_ROWS];
};

/* Rows are the causes of `records` in their order, as far as one of the points has a feature of
 * them; the last two are "interaction" and "residual". Both points must have features. */
void counterfactual_make(struct counterfactual *result, const struct records *records,
                         const struct time_point *before, const struct time_point *after);

#endif

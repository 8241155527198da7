/*
 * Reads the inputs of the prediction model (explain/predict_model.h) from a row of metrics: without
 * a prefix for the row's own rung, with "prev_" for the rung before. Nothing is owned. An absent
 * value or column is NAN.
 */
#ifndef WHYFAST_PREDICT_INPUTS_H
#define WHYFAST_PREDICT_INPUTS_H

#include "explain/predict_model.h"
#include "query/query.h"

enum { PREDICT_SUMMANDS = 3 };

/* A quantity that can be declared, and the metrics whose sum it is checked against, if any. */
struct predict_quantity {
    const char *name;
    const char *counter[PREDICT_SUMMANDS];
};

extern const struct predict_quantity predict_quantities[QUANTITY_COUNT];

double predict_number(const struct scope *row, const char *prefix, const char *name);

/* A quantity by its counters. */
double predict_counted(const struct scope *row, const char *prefix, enum quantity quantity);

struct predict_launch predict_read_launch(const struct scope *row, const char *prefix);
struct predict_measured predict_read_measured(const struct scope *row, const char *prefix);

/* Reads a measured rung: counts from its counters, or from `declared` (NULL: absent) if no counter
 * gives them. */
struct predict_rung predict_read_rung(const struct scope *row, const char *prefix,
                                      const struct predict_rung *declared);

#endif

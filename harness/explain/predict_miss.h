/*
 * Explains why a prediction misses, in words with numbers, from the terms of the model. The text is
 * the caller's.
 */
#ifndef WHYFAST_PREDICT_MISS_H
#define WHYFAST_PREDICT_MISS_H

#include "base/text.h"
#include "explain/predict_model.h"

/* Appends the two terms that are furthest off, the part that the model omits, the measured limiter,
 * and the counts that are off by more than 10 %. `taken` has the counts of the prediction,
 * `declared` the declared ones among them (others NAN); `rung` and `measured` were measured. */
void predict_explain_miss(struct text *why, const struct predict_result *predicted,
                          const struct predict_rung *taken, const double *declared,
                          const struct predict_rung *rung, const struct predict_measured *measured);

#endif

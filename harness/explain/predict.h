/*
 * Predicts for every step the time of the rung from the measured counters of the rung before and
 * the rung's declaration of its changes (variant.declares), next to the measured time; and compares
 * every declared count with the counter. The model is in explain/predict_model.h. Nothing is owned.
 *
 * A prediction uses the row of the rung before, the declaration, and those facts of the rung itself
 * that are known before it runs: its launch, its code and its address maps. Nothing else is read
 * before all predictions are made. The setting of the rung is its best one, known from its times.
 */
#ifndef WHYFAST_PREDICT_H
#define WHYFAST_PREDICT_H

#include "base/atomic_file.h"
#include "query/query.h"

/* Adds predictions.csv and declared.csv to the group. Needs the tables variants, metrics and steps,
 * and the ladder. Returns FAIL_INPUT, with the rung, for a declaration that is not valid. */
int predictions_write(struct query *query, struct atomic_files *group);

#endif

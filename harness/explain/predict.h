/*
 * The prediction ledger: for every step the time of the rung from the measured counters of the rung
 * before and from what the rung declares that it changes (variant.declares), next to what was
 * achieved; and every declared count next to the counter. The model is in explain/predict_model.h.
 *
 * A prediction is made of: the row of the rung before; the declaration; of the rung itself what is
 * known before it runs, its launch and what its code and its address maps tell. Nothing else is
 * read before all predictions are made. Which setting of the rung is looked at, its best one, is
 * known from its times. Nothing is owned.
 */
#ifndef WHYFAST_PREDICT_H
#define WHYFAST_PREDICT_H

#include "base/atomic_file.h"
#include "query/query.h"

/* Adds predictions.csv and declared.csv to the group. Needs the tables variants, metrics and
 * steps, and the ladder. FAIL_INPUT for a declaration that is none, with its rung. */
int make_predictions(struct query *query, struct atomic_files *group);

#endif

/*
 * Prints the causes of the difference between two variants (explain/explain_pair.h): a table for
 * people, CSV, JSON. Nothing is owned.
 */
#ifndef WHYFAST_EXPLAIN_PAIR_PRINT_H
#define WHYFAST_EXPLAIN_PAIR_PRINT_H

#include "explain/explain_pair.h"

/* `recorded`: the run is the recorded one; `all`: the smallest causes too, one by one. */
int explain_pair_print(struct explain_pair *pair, int recorded, int all);
int explain_pair_print_csv(struct explain_pair *pair);
int explain_pair_print_json(struct explain_pair *pair);

#endif

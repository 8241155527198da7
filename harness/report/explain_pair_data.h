/*
 * Fills the tables about the difference of two points, and writes them as JSON and CSV
 * (report/compare_print.h).
 */
#ifndef WHYFAST_EXPLAIN_PAIR_DATA_H
#define WHYFAST_EXPLAIN_PAIR_DATA_H

#include "explain/explain_pair.h"

/* Fills a table, which the caller frees, with what may be gained yet from the second point. */
int explain_pair_remains(struct explain_pair *pair, struct print_table *table, int on_screen);

/* Adds why no cost of a side was measured, though that was tried: to the experiments, or to words.
 */
int explain_pair_unmeasured(struct side *side, struct print_table *experiments, struct text *words);

#endif

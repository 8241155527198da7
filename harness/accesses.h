/*
 * The accesses to shared memory that a variant describes, and what follows from them: wavefronts, with conflicts and without. Nothing is owned.
 */
#ifndef WHYFAST_ACCESSES_H
#define WHYFAST_ACCESSES_H

#include "csv.h"
#include "variant.h"

/* Over all accesses of a launch: executions times wavefronts, by harness/banks.h. */
struct access_sums {
    double load_wavefronts, store_wavefronts;
    double load_ideal, store_ideal; /* without conflicts */
};

/* Sums of launch `index`; 0 when the variant does not describe its accesses, and then all are NAN. */
int accesses_sum(const struct variant *variant, const struct work *work, unsigned index, struct access_sums *sums);

/* Excess wavefronts of launch `index` by its closed form: from its accesses where it describes them, else from variant.excess_wavefronts; NAN
 * where it has neither. */
double accesses_excess(const struct variant *variant, const struct work *work, unsigned index);

/* Writes a row of accesses.csv for every access of every launch of the point; none where the variant does not describe them. */
void accesses_write(struct csv_writer *writer, const struct variant *variant, const struct work *work);

#endif

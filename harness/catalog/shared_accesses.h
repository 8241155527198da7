/*
 * Computes wavefronts, with and without conflicts, from the accesses to shared memory that a
 * variant describes. Nothing is owned.
 */
#ifndef WHYFAST_SHARED_ACCESSES_H
#define WHYFAST_SHARED_ACCESSES_H

#include "base/csv.h"
#include "catalog/variant.h"

/* Executions times wavefronts (catalog/bank_model.h), over all accesses of a launch. */
struct access_sums {
    double load_wavefronts, store_wavefronts;
    double load_ideal, store_ideal; /* without conflicts */
};

/* Sums over launch `index`. Returns 0, with all sums NAN, if the variant does not describe its
 * accesses. */
int shared_accesses_sum(const struct variant *variant, const struct work *work, unsigned index,
                        struct access_sums *sums);

/* Returns the excess wavefronts of launch `index` from its accesses, else from
 * variant.excess_wavefronts, or NAN if it has neither. */
double shared_accesses_excess(const struct variant *variant, const struct work *work,
                              unsigned index);

/* Returns "load" or "store". */
const char *access_kind_name(enum access_kind kind);

/* Parses the columns addresses, kind and width_bytes of accesses.csv; the access gets no name and 0
 * executions. Returns FAIL_INPUT, without a message, unless the kind is load or store, the width is
 * 4, 8 or 16, and there are 32 addresses separated by blanks, each "-" for an idle lane or a
 * multiple of the width. */
int shared_accesses_parse(const char *addresses, const char *kind, int width,
                          struct shared_access *access);

/* Writes a row of accesses.csv for every access of every launch of the point. */
void shared_accesses_write(struct csv_writer *writer, const struct variant *variant,
                           const struct work *work);

#endif

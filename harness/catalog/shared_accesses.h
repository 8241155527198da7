/*
 * The accesses to shared memory that a variant describes, and what follows from them: wavefronts,
 * with conflicts and without. Nothing is owned.
 */
#ifndef WHYFAST_SHARED_ACCESSES_H
#define WHYFAST_SHARED_ACCESSES_H

#include "base/csv.h"
#include "catalog/variant.h"

/* Over all accesses of a launch: executions times wavefronts, by harness/catalog/bank_model.h. */
struct access_sums {
    double load_wavefronts, store_wavefronts;
    double load_ideal, store_ideal; /* without conflicts */
};

/* Sums of launch `index`; 0 when the variant does not describe its accesses, and then all are NAN.
 */
int shared_accesses_sum(const struct variant *variant, const struct work *work, unsigned index,
                        struct access_sums *sums);

/* Excess wavefronts of launch `index` by its closed form: from its accesses where it describes
 * them, else from variant.excess_wavefronts; NAN where it has neither. */
double shared_accesses_excess(const struct variant *variant, const struct work *work,
                              unsigned index);

/* "load" or "store", as in accesses.csv. */
const char *access_kind_name(enum access_kind kind);

/* Reads an access back from the columns addresses, kind and width_bytes of accesses.csv; it has
 * no name and 0 executions, which the caller may fill in. FAIL_INPUT, of which nothing is said
 * because the caller knows where the text stands: a text that is NULL, another kind than load
 * and store, another width than 4, 8 and 16, or addresses that are not 32, each "-" for an idle
 * lane or a multiple of the width, a blank between two. */
int shared_accesses_parse(const char *addresses, const char *kind, int width,
                          struct shared_access *access);

/* Writes a row of accesses.csv for every access of every launch of the point; none where the
 * variant does not describe them. */
void shared_accesses_write(struct csv_writer *writer, const struct variant *variant,
                           const struct work *work);

#endif

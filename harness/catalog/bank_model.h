/*
 * Computes wavefronts, with and without conflicts, from the accesses to shared memory that a
 * variant describes: the bank conflicts of their address maps. Nothing is owned.
 *
 * The model holds for compute capability 5.0 and later. Shared memory has 32 banks; neighbouring
 * 4-byte words are in neighbouring banks, and a bank delivers one word per wavefront to all lanes
 * that read it (NVIDIA, CUDA C++ Programming Guide, Shared Memory of compute capability 5.x). A
 * warp is served as a whole if its lanes take 2 or 4 bytes each, by halves if they take 8, by
 * quarters if they take 16; conflicts occur within such a group. Two neighbouring groups of a load
 * (two halves, or two quarters of a half) are served together if every lane has the address of its
 * neighbour (lane i xor 1), or every lane that of lane i xor 2; an idle lane matches any (NVIDIA's
 * developer forum on 64-bit and 128-bit accesses). Stores are never served together. A matrix load
 * is served matrix by matrix: the eight lanes that name the rows of a matrix are a group. Tests on
 * a device compare the model with the counters, because none of this is promised for future
 * devices.
 */
#ifndef WHYFAST_BANK_MODEL_H
#define WHYFAST_BANK_MODEL_H

#include "base/csv.h"
#include "catalog/variant.h"

enum { BANKS_LANES = 32, BANKS_LANE_WORDS = 4 /* most words of a lane */ };

/* How one execution is served. A turn is a group of lanes, or a pair of groups that are served
 * together, with at least one active lane; turns follow one another in the order of the lanes. The
 * k-th different word that the lanes, in order, read from a bank arrives in the turn's k-th
 * wavefront.
 * The number of wavefronts follows from the model; their order is a convention of this module,
 * because the order of the hardware is unknown. */
struct bank_service {
    int wavefronts;
    int turns;             /* the wavefronts without conflicts */
    int turn[BANKS_LANES]; /* of the lane, from 0; -1: idle */
    /* Wavefront of each word of the lane, from 0; -1: no such word. */
    int wavefront[BANKS_LANES][BANKS_LANE_WORDS];
    /* Wavefronts of the same turn before that one; 0: no conflict delays it. */
    int delay[BANKS_LANES][BANKS_LANE_WORDS];
};

/* Serves one execution. The width is 2, 4, 8 or 16 bytes, that of a matrix load 16; addresses are
 * multiples of it, or LANE_IDLE. */
void bank_model_serve(const struct shared_access *access, struct bank_service *service);

/* Executions times wavefronts, over all accesses of a launch. */
struct access_sums {
    double load_wavefronts, store_wavefronts, matrix_wavefronts;
    double load_ideal, store_ideal, matrix_ideal; /* without conflicts */
};

/* Sums over launch `index`. Returns 0, with all sums NAN, if the variant does not describe its
 * accesses. */
int shared_accesses_sum(const struct variant *variant, const struct work *work, unsigned index,
                        struct access_sums *sums);

/* Returns the excess wavefronts of launch `index` from its accesses, else from
 * variant.excess_wavefronts, or NAN if it has neither. */
double shared_accesses_excess(const struct variant *variant, const struct work *work,
                              unsigned index);

/* Returns "load", "store" or "ldmatrix". */
const char *access_kind_name(enum access_kind kind);

/* Parses the columns addresses, kind and width_bytes of accesses.csv; the access gets no name and 0
 * executions. Returns FAIL_INPUT, without a message, unless the kind is a name of a kind, the width
 * is one that it can have, and there are 32 addresses separated by blanks, each "-" for an idle
 * lane or a multiple of the width. */
int shared_accesses_parse(const char *addresses, const char *kind, int width,
                          struct shared_access *access);

/* Writes a row of accesses.csv for every access of every launch of the point. */
void shared_accesses_write(struct csv_writer *writer, const struct variant *variant,
                           const struct work *work);

#endif

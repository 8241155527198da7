/*
 * Bank conflicts by an address map: the wavefronts that one warp instruction needs in shared
 * memory. Nothing is owned.
 *
 * The model is that of devices of compute capability 5.0 and later. Shared memory has 32 banks;
 * neighbouring 4-byte words lie in neighbouring banks, and a bank gives one word per wavefront, to
 * all lanes that ask for it (NVIDIA, CUDA C++ Programming Guide, Shared Memory of compute
 * capability 5.x, on which the later chapters build). A warp is served as a whole where its lanes
 * take 4 bytes each, by halves where they take 8, by quarters where they take 16: conflicts are
 * those within such a group. Two neighbouring groups of a load, the two halves or the two quarters
 * of a half, are served together where every lane has the address of the lane beside it (number i
 * xor 1) or every lane that of the lane two further (i xor 2); a lane that takes no part matches
 * any (NVIDIA's answers on 64-bit and 128-bit accesses in its developer forum). Stores are never
 * served together. None of this is promised for a device to come: tests on a device hold what
 * follows from it against the counters.
 */
#ifndef WHYFAST_BANK_MODEL_H
#define WHYFAST_BANK_MODEL_H

#include "catalog/variant.h"

enum { BANKS_LANES = 32, BANKS_LANE_WORDS = 4 /* most words that a lane takes */ };

/* How one execution is served. A turn is a group of lanes, or a pair of groups served together,
 * in which a lane takes part: turns come one after the other, in the order of the lanes, and
 * conflicts are those within a turn. Its wavefronts are numbered by their words: the k-th
 * different word that the lanes, in their order, ask of a bank comes in the turn's k-th
 * wavefront. How many there are follows from the model; which of them brings which of a bank's
 * words is a convention of this module, because the hardware keeps its order to itself. */
struct bank_service {
    int wavefronts;
    int turns;
    int turn[BANKS_LANES]; /* in which turn the lane is served, from 0 on; -1 for an idle lane */
    int wavefront[BANKS_LANES][BANKS_LANE_WORDS]; /* in which wavefront each word of the lane is
                                                     served, from 0 on; -1 where there is none */
    int delay[BANKS_LANES][BANKS_LANE_WORDS]; /* wavefronts of its turn before that one: 0 where no
                                                 conflict holds it back; -1 likewise */
};

/* The access has a width of 4, 8 or 16 bytes, and addresses >= 0 that are multiples of it, or
 * LANE_IDLE. */
void bank_model_serve(const struct shared_access *access, struct bank_service *service);

/* Wavefronts of one execution. */
int bank_model_wavefronts(const struct shared_access *access);

/* What they would be without conflicts: one for each turn. */
int bank_model_ideal(const struct shared_access *access);

#endif

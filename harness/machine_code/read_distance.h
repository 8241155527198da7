/*
 * Finds how far ahead the loops of a kernel read: how many arithmetic instructions are issued
 * between a read of shared memory (LDS, LDSM) and the first instruction that needs its result, or
 * between an asynchronous copy (LDGSTS) and the instruction that waits for its group
 * (DEPBAR.LE SB0). Nothing is owned.
 *
 * A distance is that of the shortest way through the loop, round its jump back if need be. A use
 * under a predicate is a use, because it waits whether or not it executes. A register that is
 * overwritten before it is used has none, unless a predicate guards the write. Jumps back to the
 * same place are of one loop. The loop is the one with the most arithmetic instructions among those
 * that also have such reads; what is in a loop of that kind inside of it does not count. So it is a
 * guess, from the code alone, at where the time is spent. A copy that an mbarrier announces has no
 * distance: the code does not tell which of its waits is for which copy.
 */
#ifndef WHYFAST_READ_DISTANCE_H
#define WHYFAST_READ_DISTANCE_H

#include "machine_code/kernel_listing.h"
#include "machine_code/sass_text.h"

/* Medians over the reads, or copies, of the loop that have a distance; NAN: there are none. */
struct read_distances {
    double read, copy;
    const char *status; /* "ok", or "absent: " and the reason why there is neither */
};

/* Fills *found for `count` instructions, by pc from 0 on without a gap; or for a listing, without
 * distances if the text of its code is unknown. Returns FAIL_OUTPUT if memory is short. */
int read_distances_find(struct read_distances *found, const struct sass *sass, int count);
int read_distances_of(struct read_distances *found, const struct listing *listing);

#endif

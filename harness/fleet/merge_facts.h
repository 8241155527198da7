/*
 * Decides what the facts of runs (run.txt) mean for merging them: which runs are of one device,
 * what a fact of several runs becomes, and which facts forbid to merge. Nothing is owned.
 */
#ifndef WHYFAST_MERGE_FACTS_H
#define WHYFAST_MERGE_FACTS_H

#include "run/run.h"

/* Returns 1 if both runs name the same device by its UUID. Without a UUID, or with one that is
 * withheld, no run is of the device of another. */
int merge_same_device(const struct run *a, const struct run *b);

/* Returns 1 unless the UUIDs, or without them the names of the devices, tell the runs apart. */
int merge_may_be_same_device(const struct run *a, const struct run *b);

/* Returns a hash of all facts but those that identify a machine, by which a copy of a run is
 * recognised, also one without serials. */
uint64_t merge_hash_facts(const struct run *run);

/* Runs of a fleet are of one program with the same inputs. Returns FAIL_INPUT, with the facts that
 * differ, if they are not. */
int merge_check_fleet(const struct run *first, const struct run *other);

/* Makes the facts of one run out of those of runs of one device, in the order of their dates.
 * Returns FAIL_INPUT if a fact that must be the same is not. The caller frees `facts`. */
int merge_facts(struct facts *facts, const struct run *const *run, int count);

/* Replaces the facts that identify a machine. */
int merge_withhold(struct facts *facts);

#endif

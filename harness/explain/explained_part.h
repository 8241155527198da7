/*
 * Evaluates and explains, in a temporary directory, the part of a run that a question needs. A
 * struct explained_part owns the directory and its run until explained_part_remove.
 */
#ifndef WHYFAST_EXPLAINED_PART_H
#define WHYFAST_EXPLAINED_PART_H

#include "run/run.h"

struct explained_part {
    char *directory; /* NULL: none */
    struct run run;  /* with the path of the run that it is a part of */
    int is_open;
};

/* Returns 1 if the run has the tables of evaluate and explain. */
int explained_part_is_whole(const struct run *run);

/* Copies the points of one family, or of all if `family` is NULL, and computes their tables. If
 * `size` is not NULL, takes only the points of this size and of the one at which the instructions
 * of the family were counted, which the ledger of any size needs. The results are those of the
 * whole run. Counters over time are left out. The caller removes it, also after a failure. */
int explained_part_make(struct explained_part *part, const struct run *from, const char *family,
                        const char *size);
void explained_part_remove(struct explained_part *part);

#endif

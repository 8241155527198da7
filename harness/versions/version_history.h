/*
 * Builds revisions of git between a good and a bad one, and reads the machine code of their
 * kernels. A struct version_history owns its strings and its code until version_history_free; the
 * caller removes its directory.
 *
 * There are two trees, in which the files of one revision after another are written. Each keeps
 * what was built there, so that make has little to do. A revision whose files are those of another
 * one is not built again.
 */
#ifndef WHYFAST_VERSION_HISTORY_H
#define WHYFAST_VERSION_HISTORY_H

#include "machine_code/program_code.h"

enum version_tree { TREE_BEFORE, TREE_AFTER, TREES };

struct version_revision {
    char *id, *files, *subject; /* short; what git calls its tree; the first line of its message */
    int is_known;
    char *failure;                   /* why there is nothing to compare, or NULL */
    const struct program_code *code; /* equal code has one address; NULL if there is none */
};

struct version_history {
    const char *directory, *build, *program; /* the caller's; program: a path in the folder */
    const regex_t *kernels;                  /* or NULL for all */
    struct version_revision *revision;       /* the good one first, the bad one last */
    int count;
    struct program_code **code;
    int codes;
    int placed[TREES]; /* the revision in each tree, or -1 */
    char *folder[TREES];
};

/* Reads the first parents from `bad` back to `good`. The history has its first four members.
 * Returns FAIL_USAGE for revisions that do not follow each other; version_history_free follows in
 * any case. */
int version_history_read(struct version_history *history, const char *good, const char *bad);
void version_history_free(struct version_history *history);

/* Builds a revision in a tree, unless its files are there. Returns FAIL_COMPARE, without a message,
 * if it cannot be built; its failure is set. */
int version_history_place(struct version_history *history, enum version_tree tree, int at);

/* Sets what is to be known of a revision. What it lacks is no failure. */
int version_history_know(struct version_history *history, int at);

int version_history_fail(struct version_history *history, int at, const char *reason);

#endif

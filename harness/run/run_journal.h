/*
 * The journal of a run that is being made, journal.txt beside its tables: which units of work are
 * finished, and what the tables and the facts were then. A unit is finished when its entry is on
 * the disk, down to the line 'end'; what comes after the last whole entry, there and in the tables,
 * is of work that was not finished. A struct journal owns its file and its texts until
 * journal_close.
 *
 *   same WHAT: VALUE      how the run was begun, which must be so when it is gone on with
 *   end
 *   done UNIT             or 'ready UNIT': finished, too, but of no worth by itself
 *     TABLE BYTES         the length of each table that there is
 *   = KEY: VALUE          each fact
 *   end
 */
#ifndef WHYFAST_RUN_JOURNAL_H
#define WHYFAST_RUN_JOURNAL_H

#include <stdio.h>

#include "base/text.h"
#include "run/tables.h"

#define JOURNAL_NAME "journal.txt"

struct journal {
    FILE *file; /* NULL: it was read only */
    char *path;
    struct text units; /* finished ones, one a line */
    struct text same;  /* "WHAT: VALUE", one a line */
    int unit_count;
    int done_count; /* those of worth */
    size_t whole;   /* length of the entries that were read */
};

/* What the last entry about a unit vouches for. */
struct journal_state {
    long long length[TABLE_RAW_COUNT]; /* of each table; -1: there was none */
    struct text facts;                 /* "KEY: VALUE", one a line; the caller frees */
};

/* Reads the journal in `directory`. FAIL_INPUT when it is damaged, or when there is none. */
int journal_read(struct journal *journal, const char *directory, struct journal_state *state);

/* Opens it for what comes, cutting off what is no whole entry; or makes it when it was not read
 * before. */
int journal_open(struct journal *journal, const char *directory);

/* Notes that the unit is finished; the tables and facts of `state` are on the disk already. When
 * this returns 0, so is the entry. */
int journal_finish(struct journal *journal, const char *unit, int ready,
                   const struct journal_state *state);

/* Notes `what` when it was not noted before; FAIL_USAGE, said, when it was with another value. */
int journal_same(struct journal *journal, const char *what, const char *value);

int journal_has(const struct journal *journal, const char *unit);

void journal_close(struct journal *journal);

#endif

/*
 * Keeps the journal of a run that is being made, journal.txt: the units of work that are finished,
 * and the lengths of the tables and the facts at that time. Rows behind those lengths belong to
 * unfinished work. The file is replaced as a whole when a unit is finished. A struct journal owns
 * its texts until journal_free.
 *
 *   same WHAT: VALUE      how the run was begun; must be the same when it is resumed
 *   done UNIT             or "ready UNIT" for a unit that is quick to repeat
 *     TABLE BYTES         the length of each table that exists
 *   facts
 *   KEY: VALUE            each fact
 */
#ifndef WHYFAST_RUN_JOURNAL_H
#define WHYFAST_RUN_JOURNAL_H

#include "base/text.h"
#include "run/run_facts.h"
#include "run/tables.h"

#define JOURNAL_FILE "journal.txt"

struct journal {
    struct text units; /* "done UNIT" or "ready UNIT", one a line */
    struct text same;  /* "same WHAT: VALUE", one a line */
    int unit_count;
    int done_count;                    /* without the ready ones */
    long long length[TABLE_RAW_COUNT]; /* bytes of each table; -1: it does not exist */
};

/* Makes an empty journal. */
void journal_init(struct journal *journal);

/* Reads the journal in `directory`, with the facts. Returns FAIL_INPUT if it is missing or damaged.
 */
int journal_read(struct journal *journal, struct facts *facts, const char *directory);

/* Writes the journal, with the facts. */
int journal_write(const struct journal *journal, const struct facts *facts, const char *directory);

/* Adds a finished unit. */
int journal_add(struct journal *journal, const char *unit, int ready);

int journal_has(const struct journal *journal, const char *unit);

/* Notes `what` unless it was noted before. Returns FAIL_USAGE, with a message that names the
 * directory, if it was noted with another value. */
int journal_same(struct journal *journal, const char *directory, const char *what,
                 const char *value);

void journal_free(struct journal *journal);

#endif

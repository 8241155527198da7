/*
 * Reads and writes run.txt, the facts of a run, one line "key: value" each. A struct facts owns its
 * strings until facts_free.
 *
 * Keeps the journal of a run that is being made, journal.txt: the units of work that are finished,
 * and the lengths of the tables and the facts at that time. Rows beyond those lengths belong to
 * unfinished work. The file is replaced as a whole when a unit is finished. A struct journal owns
 * its texts until journal_free.
 *
 *   same WHAT: VALUE      a condition of the run, which must be the same when it is resumed
 *   done UNIT             or "ready UNIT" for a unit that is quick to repeat
 *     TABLE BYTES         the length of each table that exists
 *   facts
 *   KEY: VALUE            each fact
 */
#ifndef WHYFAST_RUN_JOURNAL_H
#define WHYFAST_RUN_JOURNAL_H

#include "base/text.h"
#include "run/tables.h"

#define FACTS_FILE "run.txt"

/* The fact that a merged run has, the number of its devices (run/merged_run.h). */
#define MERGED_FACT "merged_devices"

/* The value of a fact that identifies a machine, if it was left out of a merged run. */
#define WITHHELD "withheld"

/* The directory of a merged run with a run for each device. */
#define MERGED_DEVICES "devices"

struct fact {
    char *key;
    char *value;
};

struct facts {
    int count;
    struct fact *fact;
};

/* Adds a fact or replaces its value, and takes ownership of `value`, which is NULL if memory is
 * short. Line feeds become spaces. */
int facts_set(struct facts *facts, const char *key, char *value);

const char *facts_find(const struct facts *facts, const char *key);

/* Reads `directory`/`name`. Returns FAIL_INPUT with file:line if it is damaged. */
int facts_read(struct facts *facts, const char *directory, const char *name);

void facts_append(const struct facts *facts, struct text *text);

int facts_write(const struct facts *facts, const char *directory, const char *name);

void facts_free(struct facts *facts);

#define JOURNAL_FILE "journal.txt"

struct journal {
    struct text lines; /* "done UNIT", "ready UNIT" or "same WHAT: VALUE" */
    int unit_count;
    int done_count;                    /* without the ready ones */
    long long length[TABLE_RAW_COUNT]; /* bytes of each table; -1: it does not exist */
};

void journal_init(struct journal *journal);

/* Reads the journal in `directory`, with the facts. Returns FAIL_INPUT if it is missing or damaged.
 */
int journal_read(struct journal *journal, struct facts *facts, const char *directory);

int journal_write(const struct journal *journal, const struct facts *facts, const char *directory);

int journal_add(struct journal *journal, const char *unit, int ready);

int journal_has(const struct journal *journal, const char *unit);

/* Records the condition `what` unless it is recorded already. Returns FAIL_USAGE, with a message
 * that names the directory, if it was recorded with another value. */
int journal_same(struct journal *journal, const char *directory, const char *what,
                 const char *value);

void journal_free(struct journal *journal);

#endif

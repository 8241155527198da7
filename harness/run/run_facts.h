/*
 * Reads and writes run.txt: the facts of a run, one line "key: value" each. A struct facts owns its
 * strings until facts_free.
 */
#ifndef WHYFAST_RUN_FACTS_H
#define WHYFAST_RUN_FACTS_H

#include "base/text.h"

#define FACTS_FILE "run.txt"

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

/* Returns the value of a fact, or NULL. */
const char *facts_find(const struct facts *facts, const char *key);

/* Reads run.txt in a directory. Returns FAIL_INPUT with file:line if it is damaged. */
int facts_read(struct facts *facts, const char *directory);

/* Parses lines, which it cuts apart; `path` and the number of the first line are for messages. */
int facts_parse(struct facts *facts, const char *path, int number, char *text);

/* Appends a line for each fact. */
void facts_append(const struct facts *facts, struct text *text);

/* Writes run.txt in a directory. */
int facts_write(const struct facts *facts, const char *directory);

void facts_free(struct facts *facts);

#endif

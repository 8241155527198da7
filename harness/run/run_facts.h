/*
 * run.txt: the facts of a run as text, a line "key: value" each. They are the struct run's
 * (run/run.h, which has the functions that set and ask them).
 */
#ifndef WHYFAST_RUN_FACTS_H
#define WHYFAST_RUN_FACTS_H

#include "base/text.h"
#include "run/run.h"

/* Reads the facts of run.txt in the run's directory. FAIL_INPUT with file:line where it is
 * damaged. */
int run_facts_read(struct run *run);

/* The same from lines; `path` and `number`, that of the first line, are for messages. The text
 * is cut into its lines. */
int run_facts_parse(struct run *run, const char *path, int number, char *text);

/* Appends a line for each. */
void run_facts_append(const struct run *run, struct text *text);

void run_facts_free(struct run *run);

#endif

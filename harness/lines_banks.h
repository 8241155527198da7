/*
 * The bank maps of a kernel's accesses to shared memory, as text. Nothing is owned.
 */
#ifndef WHYFAST_LINES_BANKS_H
#define WHYFAST_LINES_BANKS_H

#include <stdio.h>

#include "query.h"

/* Prints the map of every access that the kernel's variant describes (bank_map.h), with how much
 * each costs, the most costly first. Loads table accesses unless it is loaded; wants those of
 * lines_query.h. FAIL_INPUT where the variant describes none, or for a row that is malformed. */
int lines_print_banks(struct query *query, const char *kernel, FILE *file);

#endif

/*
 * The bank maps of a kernel's accesses to shared memory, as text. Nothing is owned.
 */
#ifndef WHYFAST_BANK_MAPS_H
#define WHYFAST_BANK_MAPS_H

#include <stdio.h>

#include "query/query.h"

/* Prints the map of every access that the kernel's variant describes (lines/bank_map_text.h),
 * with how much each costs, the most costly first. Loads table accesses unless it is loaded;
 * wants those of lines/lines_tables.h. FAIL_INPUT where the variant describes none, or for a row
 * that is malformed. */
int lines_print_banks(struct query *query, const char *kernel, FILE *file);

#endif

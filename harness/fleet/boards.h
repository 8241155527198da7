/*
 * Compares the boards of a merged run: bandwidth, arithmetic, clocks, power, temperature, noise and
 * self-test of each device, which devices differ from the others of their kind, and in what else
 * those differ. A struct boards owns its database until boards_close; the merged run is the
 * caller's.
 *
 * Devices are of one kind if their name, compute capability, number of SMs and memory are equal. A
 * device is an outlier if its value differs from the median of its kind by more than the least
 * difference of the quantity (fleet/boards.sql), if its interval excludes that median and, for four
 * devices or more, if it lies beyond 3.5 times the scaled median absolute deviation (B. Iglewicz
 * and D. Hoaglin, How to Detect and Handle Outliers (1993), section 3.3). Of two devices neither is
 * an outlier: they differ if their values do by the least difference and their intervals do not
 * overlap. The interval of a ceiling covers the scatter of its samples (measure/ceiling_values.c).
 */
#ifndef WHYFAST_BOARDS_H
#define WHYFAST_BOARDS_H

#include <stdio.h>

#include "base/print_table.h"
#include "query/query.h"
#include "run/merged_run.h"

struct boards {
    struct query query; /* its table boards has the columns of boards.csv (run/tables.c) */
    const struct merged_run *merged;
};

/* Reads the runs of all devices. Returns FAIL_INPUT if one is damaged. */
int boards_open(struct boards *boards, const struct merged_run *merged);
void boards_close(struct boards *boards);

/* Prints the table, then each outlier and each two that differ as a sentence. */
int boards_print(struct boards *boards, const struct terminal *screen, FILE *file);

/* Prints the rows of boards.csv, as CSV or as JSON; the latter has the sentences, too. */
int boards_print_data(struct boards *boards, enum print_form form, FILE *file);

/* Writes boards.csv and the page index.html into the merged run at `path`. */
int boards_write(const char *path);

#endif

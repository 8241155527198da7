/*
 * Chooses the part of a run that its pictures and its report show. A run with up to WHOLE_FAMILIES
 * families and WHOLE_PLACES problem sizes of all families is shown in full. For a larger run they
 * show the SHOWN_FAMILIES longest ladders, in the order of the report, each at the size of its
 * per-line data and at its largest sizes, SHOWN_PLACES sizes in total. If single instructions of
 * more than WHOLE_KERNELS kernels are known, those of one point per variant are shown. The rest is
 * in the tables of the run, and the report says so. A struct report_scope owns its set until
 * report_scope_free.
 */
#ifndef WHYFAST_REPORT_SCOPE_H
#define WHYFAST_REPORT_SCOPE_H

#include "base/csv.h"
#include "run/run.h"
#include "run/table_rows.h"

enum {
    WHOLE_FAMILIES = 16,
    WHOLE_PLACES = 48,
    WHOLE_KERNELS = 1000,
    SHOWN_FAMILIES = 6,
    SHOWN_PLACES = 12
};

struct report_scope_count {
    int all, shown;
};

struct report_scope {
    struct report_scope_count families, places, kernels;
    struct string_set hidden; /* "family", its name, ""; "place", family, size; "kernel" or "trace",
                                 its number, "" */
};

/* Chooses the part of the run to show. Needs metrics.csv. */
int report_scope_choose(struct report_scope *scope, const struct run *run);
void report_scope_free(struct report_scope *scope);

int report_scope_is_selection(const struct report_scope *scope);

/* A row_filter: returns 1 for a row of a table of the run that belongs to the shown part. */
int report_scope_keeps(void *scope, const struct table_rows *row);

#endif

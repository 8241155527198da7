/*
 * What of a run its pictures and its report show. A run of up to WHOLE_FAMILIES families and
 * WHOLE_PLACES problem sizes of them is shown whole. A larger one is one that nobody reads from end
 * to end, and each picture takes gnuplot a tenth of a second: of it they show the SHOWN_FAMILIES
 * longest ladders, in the order of the report, each at the size of its lines and at its largest
 * ones, SHOWN_PLACES in all; and where single instructions of more than WHOLE_KERNELS kernels are
 * known, those of one point for each variant. The rest is in the tables of the run, and the report
 * says so. A struct report_scope owns its sets until report_scope_free.
 */
#ifndef WHYFAST_REPORT_SCOPE_H
#define WHYFAST_REPORT_SCOPE_H

#include <stdint.h>

#include "base/string_set.h"
#include "run/run.h"
#include "run/table_rows.h"

enum {
    WHOLE_FAMILIES = 12,
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
    struct string_set hidden_families; /* family */
    struct string_set hidden_places;   /* family, size */
    int64_t kernel_count, trace_count;
    unsigned char *hidden_kernel, *hidden_trace; /* by number */
};

/* Chooses what is shown of the run. Wants metrics.csv. */
int report_scope_choose(struct report_scope *shown, const struct run *run);
void report_scope_free(struct report_scope *shown);

/* 1 unless everything is shown. */
int report_scope_is_selection(const struct report_scope *shown);

/* 1 for a row of a table of the run that is about what is shown; a row_filter. */
int report_scope_keeps(void *shown, const struct table_rows *row);

#endif

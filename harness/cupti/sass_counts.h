/*
 * Counts the instructions of one launch with CUPTI's SASS metrics, which patch the kernel's code so
 * that it counts. The metrics are the same on all chips whose code CUPTI can patch. A struct
 * sass_counts owns nothing.
 *
 * Found by experiment with CUPTI 13.0: a process can configure the metrics only once, and with lazy
 * patching only; a second attempt fails with "out of memory" after any kind of clean-up.
 */
#ifndef WHYFAST_SASS_COUNTS_H
#define WHYFAST_SASS_COUNTS_H

#include "cupti/functions.h"
#include "catalog/instruction_counts.h"

struct sass_counts {
    const struct cupti *cupti;
    CUcontext context;
    uint32_t device;
    uint64_t id[INSTRUCTION_COUNTS]; /* of the metrics */
};

/* Counts from now on. The profiler is initialised (cuptiProfilerInitialize). Returns 0, or FAIL_GPU
 * with the reason; sass_counts_end follows in the first case alone. */
int sass_counts_begin(struct sass_counts *counts, const struct cupti *cupti, CUcontext context,
                      uint32_t device, const char *chip, char reason[REASON_BYTES]);

/* Takes an instruction: its function (a kernel may call several), the bytes from the start of the
 * function, and its counts, NAN where one does not apply. Returns 0 to go on. */
typedef int sass_row_visitor(void *context, const char *function, unsigned pc,
                             const double count[INSTRUCTION_COUNTS]);

/* Visits the instructions by function and pc; the device is synchronised. Returns FAIL_GPU with the
 * reason if CUPTI has no counts, or what the visitor returned. */
int sass_counts_read(const struct sass_counts *counts, sass_row_visitor *visit, void *context,
                     char reason[REASON_BYTES]);
void sass_counts_end(struct sass_counts *counts);

#endif

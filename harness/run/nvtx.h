/*
 * What the program does, told to a profiler from outside (Nsight Systems, Nsight Compute, any tool
 * that listens to NVTX): ranges, marks and counters in the domain "whyfast". NVTX is one per
 * process, and so is what this module owns: the names that it has registered, until the process
 * ends. Of one thread.
 *
 *   range     message                   category         payload
 *   run       "whyfast measure"         run
 *   stage     "measure"                 run/measure
 *   size      "reduce 4194304"          reduce/measure   m n k
 *   variant   "reduce/03_sequential" reduce/measure m n k rung block sweep useful_bytes; of a
 *             sample: sample cold
 *   launch    "launch 0" reduce/measure launch; of a kernel of ours: grid_blocks block_threads
 *             dynamic_shared_bytes
 *
 * They nest in this order. A payload has the fields that are known: one that is not known is not in
 * its schema. n alone is a size of one dimension; m n k are those of a product. Variants and their
 * launches have the colour of their rung in the charts, all else is neutral.
 *
 * Without a tool every function here returns after one test.
 */
#ifndef WHYFAST_NVTX_H
#define WHYFAST_NVTX_H

#include <stddef.h>
#include <stdint.h>

#include "catalog/registry.h"

/* 1 when a tool listens: for what is worth computing only then. */
int nvtx_listening(void);

/* Each begins a range that nvtx_end ends, on every path. */
void nvtx_run(const char *command);

/* `name` is borrowed until the range ends. With a family, the stage's work for one problem size
 * of it. */
void nvtx_stage(const char *name, const struct family *family, const struct shape *shape);

/* `sample` from 0 on, or -1 for what is no sample (a verification, a warm-up, a pass of a
 * profiler); then `cold` does not count. */
void nvtx_variant(const struct selected *selected, int sample, int cold);

/* `launch` is NULL where its shape is not known: inside a library's call, or before there is a
 * device. */
void nvtx_launch(const struct variant *variant, unsigned index, const struct launch *launch);
void nvtx_end(void);

/* A point as marks about it show it, also of a recorded run whose variants this program does not
 * carry. */
struct annotated_point {
    const char *family, *variant;
    uint32_t colour; /* of its rung (catalog/rung_colours.h) */
    struct point point;
    double useful_bytes; /* NAN: not known */
};

struct annotated_point nvtx_point(const struct selected *selected);

/* What was found of a point; NAN for what is not known. */
struct annotated_result {
    double time_ns;
    double effective_gbs;
    double bank_conflicts;    /* shared_excess_wavefronts of metrics/ */
    double bank_conflicts_hw; /* shared_conflicts_hw: the hardware's own counter */
};

/* Marks: "result FAMILY/VARIANT" in the category of its family; "throttled FAMILY/VARIANT" for a
 * sample that is set aside; and what went wrong, as "WHAT FAMILY/VARIANT: REASON", without a
 * variant "WHAT: REASON". */
void nvtx_result(const struct annotated_point *point, const struct annotated_result *result);
void nvtx_throttled(const struct selected *selected, int sample, int cold, double time_ns,
                    double clock_mhz);
void nvtx_trouble(const char *what, const struct variant *variant, const char *reason);

/* The counters "sample time" in ns and "SM clock" in MHz, now; what is not finite is left out. */
void nvtx_sample(double time_ns, double clock_mhz);

/* Samples of the counter "FAMILY/TRACK" of the past: values over the time that ended at time_ns,
 * nanoseconds of the system's clock since 1970, ascending. 0, or FAIL_OUTPUT when memory is
 * short. */
int nvtx_counter_batch(const char *track, const char *unit, const char *family,
                       const uint64_t *time_ns, const double *value, size_t count);

#endif

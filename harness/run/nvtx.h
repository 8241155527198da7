/*
 * Sends ranges, marks and counters in the NVTX domain "whyfast" to a profiler: Nsight Systems,
 * Nsight Compute or any tool that listens to NVTX. Without a tool every function returns after one
 * test. The module owns the names that it has registered, until the process ends. Only one thread
 * may use it.
 *
 *   range     message                   category         payload
 *   run       "whyfast measure"         run
 *   stage     "measure"                 run/measure
 *   size      "reduce 4194304"          reduce/measure   m n k
 *   variant   "reduce/03_sequential"    reduce/measure   m n k rung block sweep useful_bytes;
 *                                                        for a sample also sample cold
 *   launch    "launch 0"                reduce/measure   launch; for a kernel of the project also
 *                                                        grid_blocks block_threads
 *                                                        dynamic_shared_bytes
 *
 * Ranges nest in this order. A payload has only the fields whose values are known: a size of one
 * dimension has n, that of a matrix product m n k. Variants and their launches have the colour of
 * their rung in the charts.
 */
#ifndef WHYFAST_NVTX_H
#define WHYFAST_NVTX_H

#include <stddef.h>
#include <stdint.h>

#include "catalog/registry.h"

int nvtx_listening(void);

/* The next four functions begin a range; nvtx_end must end it on every path. */
void nvtx_run(const char *command);

/* `name` is borrowed until the range ends. If a family is given, the range is the work of the stage
 * for one problem size of the family. */
void nvtx_stage(const char *name, const struct family *family, const struct shape *shape);

/* `sample` counts from 0; it is -1 for a verification, a warm-up or a pass of a profiler, and
 * `cold` is ignored then. */
void nvtx_variant(const struct selected *selected, int sample, int cold);

/* `launch` is NULL if its shape is unknown: inside a library's call, or without a device. */
void nvtx_launch(const struct variant *variant, unsigned index, const struct launch *launch);
void nvtx_end(void);

/* The point of a mark. It may come from a recorded run with variants that this program lacks. */
struct nvtx_point {
    const char *family, *variant;
    uint32_t colour; /* of its rung (catalog/registry.h) */
    struct point point;
    double useful_bytes; /* NAN: unknown */
};

struct nvtx_point nvtx_point(const struct selected *selected);

/* Results of a point; NAN if unknown. */
struct nvtx_result {
    double time_ns;
    double effective_gbs;
    double bank_conflicts;    /* shared_excess_wavefronts of metrics/ */
    double bank_conflicts_hw; /* shared_conflicts_hw: the hardware's own counter */
};

/* Send marks: "result FAMILY/VARIANT"; "throttled FAMILY/VARIANT" for a sample that is set aside;
 * and for a failure "WHAT FAMILY/VARIANT: REASON", or "WHAT: REASON" without a variant. */
void nvtx_result(const struct nvtx_point *point, const struct nvtx_result *result);
void nvtx_throttled(const struct selected *selected, int sample, int cold, double time_ns,
                    double clock_mhz);
void nvtx_trouble(const char *what, const struct variant *variant, const char *reason);

/* Sends the current values of the counters "sample time" in ns and "SM clock" in MHz; a value that
 * is not finite is left out. */
void nvtx_sample(double time_ns, double clock_mhz);

/* Sends past samples of the counter "FAMILY/TRACK". Each value belongs to the interval that ended
 * at time_ns, in ns of the system's clock since 1970; times ascend. Returns 0, or FAIL_OUTPUT if
 * memory is short. */
int nvtx_counter_batch(const char *track, const char *unit, const char *family,
                       const uint64_t *time_ns, const double *value, size_t count);

#endif

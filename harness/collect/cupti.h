/*
 * Loads CUPTI at run time as a struct of functions, so that the program also runs without it. For
 * cupti*.c only. The library stays loaded until the process ends, because unloading CUPTI 13.0
 * crashes at exit.
 */
#ifndef WHYFAST_CUPTI_H
#define WHYFAST_CUPTI_H

#include "collect/collector.h"
#include "cupti/counter_config.h"

/* Loads the library and its functions, without a GPU. Returns NULL with the reason on failure. */
struct cupti *cupti_load(char reason[REASON_BYTES]);

/* Takes CUPTI's single subscription of this process. If another tool has it, records that for
 * gpu/other_profilers.h. cuptiUnsubscribe releases it. */
CUptiResult cupti_subscribe(const struct cupti *cupti, CUpti_SubscriberHandle *subscriber);

/* ---- plans and values, which need no GPU ----------------------------------------------------- */

/* Returns 1 if the host object's chip knows the metric, rollup and submetric included, 0 if it does
 * not; negative, with the reason, if CUPTI fails. */
int cupti_metric_known(struct cupti *cupti, CUpti_Profiler_Host_Object *host, const char *metric,
                       char reason[REASON_BYTES]);

/* The metrics of a set that the chip knows. */
struct resolved {
    size_t count;
    const char **metric; /* names, which are the plans' */
    int *plan_of;        /* metric -> plan of the set */
};

/* Resolves each counter of the set to the first of its names that the chip knows, and adds these to
 * *resolved, whose arrays have room for all. Returns FAIL_GPU with set->reason on failure. */
int cupti_resolve(struct cupti *cupti, enum cupti_use use, struct counter_set *set,
                  struct resolved *resolved);

/* A range profiler, or a sampler over time: its set, configured, and the counter-data image that it
 * fills. */
struct profiler {
    struct cupti *cupti;
    struct counter_set *set;
    CUpti_Profiler_Host_Object *host;
    struct resolved resolved;
    uint8_t *config, *image;
    size_t config_size, image_size;
    double *row; /* a value for each metric */
    CUpti_RangeProfiler_Object *object;
    CUpti_PmSampling_Object *session;
    int has_interval; /* the session has one */
};

/* Resolves each counter of the set to the first of its names that the chip knows, and makes the
 * configuration. Returns FAIL_GPU with set->reason on failure. The caller calls profiler_close in
 * any case. */
int profiler_open(struct profiler *profiler, struct cupti *cupti, enum cupti_use use,
                  struct counter_set *set);
void profiler_close(struct profiler *profiler);

/* Replaces the image by an empty one. */
int profiler_make_image(struct profiler *profiler, size_t size);

/* Evaluates one range, or one sample, of the image: sets the values of the plans that the chip
 * knows. Returns 0, or FAIL_GPU with set->reason. */
int profiler_read(struct profiler *profiler, size_t range, double *value);

#endif

/*
 * Declares what the collectors of CUPTI's data share: sets of counters, batches of points, access
 * to CUPTI and its range profiler. A struct counter_set owns its plans and their resolved names.
 * CUPTI's headers are included in cupti*.c only.
 */
#ifndef WHYFAST_COLLECTOR_H
#define WHYFAST_COLLECTOR_H

#include "catalog/records.h"
#include "gpu/workbench.h"

/* Collectors by their names in the records of counter sets: the range profiler, probes
 * (collect/collect_lines.c) and the sampler of collect/collect_timeline.c. */
#define COLLECTOR_RANGE "range"
#define COLLECTOR_PROBE "probe"
#define COLLECTOR_SAMPLER "sampler"

enum { REASON_BYTES = 240 };

struct counter_plan {
    const struct record *counter;
    char *source; /* the name that this chip knows, or NULL */
};

/* All counters that the range profiler collects in a run, planned together, because CUPTI then
 * needs fewer passes; or the tracks of one set (collect/cupti_over_time.h), which must fit into one
 * pass. */
struct counter_set {
    const char *name;
    int count;
    struct counter_plan *plan;
    int passes;                /* how often a point is replayed for it */
    char reason[REASON_BYTES]; /* why the set cannot be collected here */
};

/* Adds the counters of the set that the records call `name`; record kind RECORD_COUNTER or
 * RECORD_TRACK. */
int counter_set_add(struct counter_set *set, const struct records *records, enum record_kind kind,
                    const char *name);
void counter_set_free(struct counter_set *set);

/* Points of one problem size that are collected together. */
struct batch {
    struct workbench *bench;
    const struct selected *const *point;
    int count;
    unsigned launches; /* of all points together */
};

/* A batch that has taken so long is not collected again: repeats are there for the noise of the
 * counters, and that of kernels which run for seconds is small. */
enum { MOST_BATCH_SECONDS = 20 };

/* Returns 1 if a batch is collected once more after it was collected `done` times in `seconds`;
 * `wanted` times were asked for. */
int collect_goes_on(int done, int wanted, double seconds);

/* Returns 1 if `name` is one of the comma-separated names; NULL names everything. */
int collect_listed(const char *list, const char *name);

/* ---- CUPTI ----------------------------------------------------------------------------------- */

struct cupti; /* CUPTI, loaded at run time; collect/cupti.h */

enum cupti_use {
    CUPTI_RANGES,       /* counters of whole launches: collect/cupti_ranges.c */
    CUPTI_INSTRUCTIONS, /* counts per instruction: collect/cupti_sass.c */
    CUPTI_SAMPLES,      /* samples of the program counter: collect/cupti_pc_sampling.c */
    CUPTI_OVER_TIME,    /* counters over time: collect/cupti_pm_sampling.c */
    CUPTI_ACTIVITIES    /* when each kernel ran: collect/cupti_activities.c */
};

/* Loads CUPTI and initialises it for this process. Returns NULL, with the reason, if that, or this
 * use of it, is not possible. */
struct cupti *cupti_open(enum cupti_use use, char reason[REASON_BYTES]);
void cupti_close(struct cupti *cupti);

/* The chip's name as CUPTI knows it ("GH100"), and the version of the CUPTI API. */
const char *cupti_chip(const struct cupti *cupti);
int cupti_version(const struct cupti *cupti);

/* Where CUPTI is, and which version it has. */
struct cupti_location {
    char path[256];         /* "" if the loader does not tell */
    int version, built_for; /* of the API: the library's, and that of the headers of this build */
    char missing[64];       /* a library that CUPTI needs and that cannot be loaded, or "" */
};

/* Needs no GPU. Returns FAIL_GPU with the reason if CUPTI cannot be loaded. */
int cupti_find(struct cupti_location *location, char reason[REASON_BYTES]);

/* Writes the uses that this device does not support, each with its reason, or "". */
void cupti_unsupported(struct cupti *cupti, char reason[REASON_BYTES]);

/* ---- the range profiler: hardware counters and instrumented counts --------------------------- */

struct profiler; /* of ranges, or over time (collect/cupti_over_time.h) */

/* Resolves the set's sources and prepares. Returns FAIL_GPU with set->reason if the counters are
 * unavailable here. */
int range_open(struct profiler **profiler, struct cupti *cupti, struct counter_set *set);
void range_close(struct profiler *profiler);

/* Puts one value per launch and counter into value[launch * set->count + counter], NAN where there
 * is none; the launches of the first point come first. Returns FAIL_GPU with set->reason if
 * counters are unavailable, FAIL_INTERRUPTED after Ctrl-C. */
int range_collect(struct profiler *profiler, const struct batch *batch, double *value);

/* Writes the counter-data image of the last batch. */
int range_keep(const struct profiler *profiler, const char *path);

/* Opens a session for one counter, has the hardware programmed for it and closes it: the only proof
 * that counters can be read and that no other program holds them. Returns 0 or a failure with the
 * reason. */
int counter_trial(struct cupti *cupti, char reason[REASON_BYTES]);

#endif

/*
 * The contract between collect/collect_counters.c and the collectors: a collector turns launches
 * into counter values. A struct counter_set owns its plans and their resolved names; a collector
 * owns its state between open and close. CUPTI's headers are included in collect_*.c only.
 */
#ifndef WHYFAST_COLLECTOR_H
#define WHYFAST_COLLECTOR_H

#include "catalog/records.h"
#include "catalog/registry.h"
#include "gpu/stream_gate.h"
#include "gpu/workbench.h"

enum { REASON_BYTES = 240 };

struct counter_plan {
    const struct record *counter;
    char *source; /* the name that this chip knows, or NULL */
};

/* All counters that one collector collects in a run, of whichever sets were asked for. They are
 * planned in one go: CUPTI then needs fewer passes than for the sets one by one. Or the tracks
 * of one set (collect/cupti_over_time.h), which must fit into one pass. */
struct counter_set {
    const char *name; /* the collector's; the set's */
    int count;
    struct counter_plan *plan;
    int passes;                /* how often a point is replayed for it */
    char reason[REASON_BYTES]; /* why the set cannot be collected here */
};

/* Points of one problem size that are collected together, and where their launches come from:
 * the workbench, and the gate for its flush. */
struct batch {
    struct workbench *bench;
    struct stream_gate *gate;
    const struct selected *const *point;
    int count;
    unsigned launches; /* of all points together */
};

/* A batch that has taken so long is not collected again: repeats are there for the noise of the
 * counters, and that of kernels which run for seconds is small. */
enum { MOST_BATCH_SECONDS = 20 };

/* Whether a batch is collected once more when it has been `done` times, which took `seconds`,
 * and `wanted` times were asked for. */
int collect_goes_on(int done, int wanted, double seconds);

/* The collectors that are no struct collector: probes, which collect/collect_lines.c starts, and
 * the sampler of collect/collect_timeline.c. */
#define COLLECTOR_PROBE "probe"
#define COLLECTOR_SAMPLER "sampler"

/* 1 when `name` is one of the comma-separated names; NULL names everything. */
int collect_listed(const char *list, const char *name);

struct cupti; /* CUPTI, loaded at run time; collect/cupti.h */

struct collector {
    const char *name;
    /* Resolves the set's sources and prepares. FAIL_GPU with set->reason when counters cannot be
     * had here; other failures as said. */
    int (*open)(void **state, struct cupti *cupti, struct counter_set *set);
    /* One value per launch and counter into value[launch * set->count + counter], NAN where
     * there is none; the launches of the first point come first. FAIL_GPU with set->reason when
     * counters cannot be had; FAIL_INTERRUPTED after Ctrl-C. */
    int (*collect)(void *state, const struct batch *batch, double *value);
    /* Writes what was last collected in raw form; NULL when the collector has no such form. */
    int (*keep)(void *state, const char *path);
    void (*close)(void *state);
};

extern const struct collector
    collector_range; /* CUPTI range profiler: hardware counters and instrumented counts */

enum cupti_use {
    CUPTI_RANGES,       /* counters of whole launches: collect/cupti_ranges.c */
    CUPTI_INSTRUCTIONS, /* counts per instruction: collect/cupti_sass.c */
    CUPTI_SAMPLES,      /* samples of the program counter: collect/cupti_pc_sampling.c */
    CUPTI_OVER_TIME,    /* counters over time: collect/cupti_pm_sampling.c */
    CUPTI_ACTIVITIES    /* when each kernel ran: collect/cupti_activities.c */
};

/* Loads CUPTI and initialises it for this process. NULL with the reason when that, or this use
 * of it, is not possible. */
struct cupti *cupti_open(enum cupti_use use, char reason[REASON_BYTES]);
void cupti_close(struct cupti *cupti);

/* The chip's name as CUPTI knows it ("GH100"). */
const char *cupti_chip(const struct cupti *cupti);

/* Version number of the CUPTI API, for provenance. */
int cupti_version(const struct cupti *cupti);

/* Decodes a raw counter-data image that collector_range kept, on a machine that needs no GPU:
 * evaluates `count` metrics by their CUPTI names for range `range`. FAIL_INPUT when the image is
 * none. That is all that is looked at: what follows its mark is decoded by CUPTI's host library,
 * which takes it on trust and can be crashed by it. So no command reads an image; it is for
 * those that one has kept oneself. */
int counter_image_evaluate(const char *path, const char *chip, size_t range, const char **metric,
                           size_t count, double *value);

/* Passes that a list of CUPTI metrics needs on a chip for this use, planned without a GPU;
 * FAIL_GPU when CUPTI is not there, FAIL_CHECK when a name is unknown to the chip. */
int counter_plan_passes(enum cupti_use use, const char *chip, const char **metric, size_t count,
                        int *passes);

/* Opens a session for one counter, has the hardware programmed for it, and closes it: the only
 * proof that counters are there to be read, and that no other program holds them. 0, or a
 * failure with the reason. */
int counter_trial(struct cupti *cupti, char reason[REASON_BYTES]);

/* 1 when the chip knows the metric. Needs no GPU. */
int counter_known(const char *chip, const char *metric);

#endif

/*
 * Declares types and functions that all collectors of CUPTI's data share: sets of counters, batches
 * of points, and access to CUPTI's profilers. A struct counter_set owns its plans and their
 * resolved names. CUPTI's headers are included in cupti*.c and in the room cupti/ only.
 */
#ifndef WHYFAST_COLLECTOR_H
#define WHYFAST_COLLECTOR_H

#include "base/message.h"
#include "catalog/records.h"
#include "machine_code/probe_results.h"
#include "gpu/workbench.h"

/* Collectors by their names in the records of counter sets: the range profiler, probes
 * (collect/collect_lines.c) and the sampler of collect/collect_timeline.c. */
#define COLLECTOR_RANGE "range"
#define COLLECTOR_PROBE "probe"
#define COLLECTOR_SAMPLER "sampler"
#define COLLECTOR_TWINS "twins"

struct counter_plan {
    const struct record *counter;
    char *source; /* the name that this chip knows, or NULL */
};

/* All counters that the range profiler collects in a run, planned together, because CUPTI then
 * needs fewer passes; or the tracks of one set, which must fit into one pass. */
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

/* Adds the counters of the range profiler's sets among the comma-separated names; NULL names all.
 */
int counter_set_add_ranges(struct counter_set *set, const struct records *records,
                           const char *names);

/* Points of one problem size that are collected together. */
struct batch {
    struct workbench *bench;
    const struct selected *const *point;
    int count;
    unsigned launches; /* of all points together */
};

/* Returns 1 if a batch that was collected `done` times in `seconds` is to be collected once more;
 * `wanted` is the number of requested repeats. They measure the noise of the counters, which is
 * small for kernels that run for seconds: after REPEATED_S there are no more. */
int collect_goes_on(int done, int wanted, double seconds);

/* Returns 1 if `name` is one of the comma-separated names; NULL names everything. */
int collect_listed(const char *list, const char *name);

/* ---- CUPTI ----------------------------------------------------------------------------------- */

struct cupti; /* CUPTI, loaded at run time (cupti/functions.h) */

enum cupti_use {
    CUPTI_RANGES,       /* counters of whole launches: collect/cupti_ranges.c */
    CUPTI_INSTRUCTIONS, /* counts per instruction: collect/cupti_sass.c */
    CUPTI_SAMPLES,      /* samples of the program counter: collect/cupti_pc_sampling.c */
    CUPTI_OVER_TIME,    /* counters over time: collect/cupti_pm_sampling.c */
    CUPTI_ACTIVITIES    /* when each kernel ran: collect/cupti_activities.c */
};

/* Loads CUPTI and initialises it for this process. Returns NULL, with the reason, if CUPTI or this
 * use of it is not available. */
struct cupti *cupti_open(enum cupti_use use, char reason[REASON_BYTES]);
void cupti_close(struct cupti *cupti);

/* The chip's name as CUPTI knows it ("GH100"), and the version of the CUPTI API. */
const char *cupti_chip(const struct cupti *cupti);
int cupti_version(const struct cupti *cupti);

/* Place and version of CUPTI. */
struct cupti_location {
    char path[256]; /* "" if unknown */
    int version,
        built_for;    /* versions of the API: the library's, and that of this build's headers */
    char missing[64]; /* a library that CUPTI needs and that cannot be loaded, or "" */
};

/* Needs no GPU. Returns FAIL_GPU with the reason if CUPTI cannot be loaded. */
int cupti_find(struct cupti_location *location, char reason[REASON_BYTES]);

/* Writes the uses that this device does not support, each with its reason, or "". */
void cupti_unsupported(struct cupti *cupti, char reason[REASON_BYTES]);

/* ---- the range profiler: hardware counters and instrumented counts --------------------------- */

struct profiler; /* of ranges, or over time (below) */

/* Resolves the set's sources and prepares. Returns FAIL_GPU with set->reason if the counters are
 * unavailable here. */
int range_open(struct profiler **profiler, struct cupti *cupti, struct counter_set *set);
void range_close(struct profiler *profiler);

/* Puts one value per launch and counter into value[launch * set->count + counter], NAN where there
 * is none; the launches of the first point come first. Returns FAIL_GPU with set->reason if
 * counters are unavailable, FAIL_INTERRUPTED after Ctrl-C. */
int range_collect(struct profiler *profiler, const struct batch *batch, double *value);

/* Opens a session for one counter, which programs the hardware, and closes it. Only such a trial
 * proves that counters can be read and that no other program uses them. Returns 0, or a failure
 * with the reason. */
int counter_trial(struct cupti *cupti, char reason[REASON_BYTES]);

/* ---- single instructions --------------------------------------------------------------------- */

/* Counts how often each instruction ran (CUPTI's SASS metrics, which patch the kernel's code), and
 * samples why warps waited at it (CUPTI's PC sampling). Structs own what they point to until they
 * are freed or closed.
 *
 * CUPTI 13.0 has peculiarities, found by experiment on an H200:
 *   - A process can configure the SASS metrics only once (cupti/sass_counts.h), and only the
 *     function that is launched first is counted; collect/probe.c is a process for one kernel.
 *   - With lazy loading, which is the default, no counts are returned for a kernel whose module has
 *     large variables (256 KiB) unless the kernel was loaded before the SASS metrics were enabled.
 *   - The sampler must exist before the kernels' modules are loaded, otherwise it attributes their
 *     samples to other programs.
 */

struct counted_pc {
    unsigned pc;                      /* bytes from the start of the kernel */
    double count[INSTRUCTION_COUNTS]; /* NAN: does not apply */
};

struct counted_kernel {
    char *symbol;
    int count;
    struct counted_pc *instruction; /* by pc */
};

/* Counts the instructions of the first kernel that `launch` queues. Works once per process. Returns
 * FAIL_GPU with the reason if CUPTI refuses. */
int instructions_count(struct cupti *cupti, int (*launch)(void *context), void *context,
                       struct counted_kernel *kernel, char reason[REASON_BYTES]);
void counted_kernel_free(struct counted_kernel *kernel);

struct pc_sampler;
struct pc_samples;

/* Opens the sampler. Returns FAIL_GPU with the reason if it is unavailable. */
int pc_sampler_open(struct pc_sampler **sampler, struct cupti *cupti, char reason[REASON_BYTES]);
void pc_sampler_close(struct pc_sampler *sampler);

/* Samples the SMs every 2^exponent cycles (5 to 31) from now on. Returns FAIL_GPU with the reason
 * on failure. */
int pc_sampler_period(struct pc_sampler *sampler, unsigned exponent, char reason[REASON_BYTES]);

/* Returns what was sampled (cupti/pc_samples.h). */
struct pc_samples *pc_sampler_samples(struct pc_sampler *sampler);

/* Samples the kernels that `launch` queues and adds these samples to the earlier ones. Returns
 * FAIL_GPU with the reason if CUPTI refuses. */
int pc_sampler_add(struct pc_sampler *sampler, int (*launch)(void *context), void *context,
                   char reason[REASON_BYTES]);

/* ---- over time ------------------------------------------------------------------------------- */

/* Records when each kernel ran (CUPTI's activity records), or samples hardware counters at fixed
 * intervals (PM sampling). Both use the clock of run/run_stages.h; on an H200 they agree within a
 * microsecond. While a recorder is open, the kernels contain CUPTI's own code.
 *
 * Found by experiment on an H200, with CUPTI 13.0:
 *   - Setting an interval takes 0.1 s and works once per session: a second setting succeeds and
 *     changes nothing. Starting and stopping take 2 ms.
 *   - The first sample after a start covers the time since the session began or since the last
 *     stop, so it is useless. The hardware can sample every 2 us and faster.
 *   - If the hardware's buffer overflows, all samples and the session are lost. It fills with time
 *     as well as with samples: 64 MB are too few for 2.3 s at one sample every 3 ms.
 *   - If the image into which samples are decoded is full, the other samples are lost silently.
 */

struct kernel_activity {
    char *symbol;
    uint64_t begin_ns, end_ns; /* of the system's clock */
    unsigned grid[3], block[3];
    unsigned registers, static_shared, dynamic_shared; /* per thread; bytes per block */
    unsigned stream;
    int repeat, launch; /* of the timeline that keeps it */
};

struct activities {
    int count;
    struct kernel_activity *kernel; /* sorted by begin_ns */
};

struct activity_recorder;

/* Records every kernel from now on; one recorder in a process at a time. Returns FAIL_GPU with the
 * reason on failure. */
int activity_recorder_open(struct activity_recorder **recorder, struct cupti *cupti,
                           char reason[REASON_BYTES]);
void activity_recorder_close(struct activity_recorder *recorder);

/* Returns the kernels that ran since the last call; they must have ended. The caller frees
 * *activities. Returns FAIL_GPU with the reason if some were lost; *activities has the others. */
int activity_recorder_take(struct activity_recorder *recorder, struct activities *activities,
                           char reason[REASON_BYTES]);
void activities_free(struct activities *activities);

/* Each sample is started by a timer, if the chip has one (not Turing and GA100), else by cycles of
 * its system clock, which varies. */
enum sampler_trigger { TRIGGER_BEST, TRIGGER_TIME, TRIGGER_CYCLES };

/* Resolves the tracks of the set, which must all fit into one pass. Returns FAIL_GPU with
 * set->reason if they are unavailable. */
int over_time_open(struct profiler **sampler, struct cupti *cupti, struct counter_set *set);
void over_time_close(struct profiler *sampler);

struct over_time_plan {
    uint64_t interval_ns;
    double duration_ns; /* upper bound of the time of the kernels between start and stop */
    enum sampler_trigger trigger; /* wanted */
    int sm_clock_khz;             /* converts the interval to cycles */
};

/* Opens a session; *got is its trigger. Call it again for another plan and after a failure. Returns
 * FAIL_GPU with set->reason on failure. */
int over_time_configure(struct profiler *sampler, const struct over_time_plan *plan,
                        enum sampler_trigger *got);

/* `value` has one value for each plan of the set, NAN if the chip has no such counter or CUPTI no
 * number. */
struct over_time_sample {
    uint64_t begin_ns, end_ns;
    double *value;
};

int over_time_start(struct profiler *sampler);

/* Stops. *samples has all samples except the first, in order of time; the caller frees them and
 * their values, also after a failure. Returns FAIL_GPU with set->reason if some were lost. */
int over_time_stop(struct profiler *sampler, struct over_time_sample **samples, int *count);

#endif

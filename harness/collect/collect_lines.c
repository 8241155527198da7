#include "collect/collect_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "collect/collect_counters.h"
#include "collect/kernel_points.h"
#include "collect/kernel_tables.h"
#include "gpu/other_profilers.h"
#include "run/run_stages.h"

enum { MOST_WORDS = 80, MOST_POINTS = 64, MOST_PROBES = 8 };

static const char unit[] = STAGE_LINES;

struct lines {
    struct run *run;
    const char *program;
    int demand;
    unsigned long long seed;
    const char *held; /* why CUPTI is out of reach for this process and for probes; NULL */
    struct kernel_points points;
    struct probe_results kernels;
};

/* ---- probes ---------------------------------------------------------------------------------- */

struct command {
    char *word[MOST_WORDS]; /* owned; NULL-terminated */
    int count, failed;
};

static void add_word(struct command *command, char *word)
{
    if (!word) command->failed = 1;
    if (word) command->word[command->count++] = word;
}

static void add_option(struct command *command, const char *name, const char *value)
{
    add_word(command, strdup(name));
    add_word(command, strdup(value));
}

/* Starts a probe for `count` points of one family and size. */
static int start_probe(const struct lines *lines, const char *what, char *const *const *key,
                       int count, const char *launch, struct process *child)
{
    struct command command = {0};
    add_word(&command, strdup(lines->program));
    add_option(&command, "probe", what);
    add_option(&command, "--size", key[0][2]);
    add_word(&command, strdup("--seed"));
    add_word(&command, text_new("%llu", lines->seed));
    if (strcmp(key[0][3], "0")) add_option(&command, "--block", key[0][3]);
    if (launch) add_option(&command, "--launch", launch);
    for (int i = 0; i < count; i++) {
        const int has_setting = strcmp(key[i][4], "0") != 0;
        add_word(&command, text_new("%s/%s%s%s", key[i][0], key[i][1], has_setting ? "@" : "",
                                    has_setting ? key[i][4] : ""));
    }
    const int result = command.failed ? error_memory() : process_start(child, command.word);
    for (int i = 0; i < command.count; i++) free(command.word[i]);
    return result;
}

/* Reports unavailable data: a failure if they were demanded, else a warning. */
static int miss(const struct lines *lines, const char *what, const char *reason)
{
    if (lines->demand) return error(FAIL_GPU, "%s: %s", what, reason);
    warning("%s: %s", what, reason);
    return 0;
}

/* Samples the points [first, end), which are of one family and size. */
static int sample(struct lines *lines, int first, int end)
{
    char *const *key[MOST_POINTS];
    struct process child;
    char path[48], reason[200], what[128];
    for (int i = first; i < end; i++) key[i - first] = lines->points.point[i].key;
    int result = start_probe(lines, "samples", key, end - first, NULL, &child);
    if (result) return result;
    process_wait(&child, 1);
    if (interrupted())
        result = FAIL_INTERRUPTED;
    else if (process_succeeded(&child))
        result = probe_results_add(&lines->kernels, process_output(&child, path));
    else {
        process_reason(&child, reason, sizeof reason);
        snprintf(what, sizeof what, "%s: nothing is known of its instructions", key[0][0]);
        result = miss(lines, what, reason);
    }
    process_free(&child);
    return result;
}

static int sample_all(struct lines *lines)
{
    int result = 0;
    if (lines->held) return 0;
    for (int first = 0, end; first < lines->points.count && !result; first = end) {
        end = kernel_points_group_end(&lines->points, first);
        if (end - first > MOST_POINTS) end = first + MOST_POINTS;
        progress_next(end - first, "sampled");
        detail("lines %s %s: %d variants", lines->points.point[first].key[0],
               lines->points.point[first].key[2], end - first);
        result = sample(lines, first, end);
    }
    return result;
}

static int start_counts(const struct lines *lines, const struct probe_result *kernel,
                        struct process *child)
{
    char *const *const key[] = {kernel->key};
    char launch[16];
    snprintf(launch, sizeof launch, "%u", kernel->launch);
    return start_probe(lines, "counts", key, 1, launch, child);
}

/* Takes the counts of a probe that has ended, or the reason why it has none. */
static int finish_counts(struct probe_result *kernel, const struct process *child)
{
    char path[48], reason[STATUS_BYTES - 16];
    if (process_succeeded(child)) return probe_result_counts(kernel, process_output(child, path));
    process_reason(child, reason, sizeof reason);
    snprintf(kernel->counts_status, sizeof kernel->counts_status, ABSENT "%s", reason);
    return 0;
}

/* Half of the cores: CUDA starts threads of its own, and every probe computes the inputs anew. */
static int probes_at_once(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 4 ? 1 : cores / 2 > MOST_PROBES ? MOST_PROBES : (int)(cores / 2);
}

/* Returns the next kernel to count from `at` on. CUPTI counts the first kernel of a library's call
 * only. */
static int next_kernel(struct probe_results *kernels, const char *todo, int at)
{
    for (; at < kernels->count; at++) {
        struct probe_result *kernel = &kernels->kernel[at];
        if (todo[at] && !kernel->in_call) break;
        if (todo[at])
            snprintf(kernel->counts_status, sizeof kernel->counts_status,
                     ABSENT "CUPTI counts the first kernel of a library's call only");
    }
    return at;
}

/* Counts all kernels whose `todo` is set, `most` at once. Clears it, except for probes that failed
 * while others ran beside them. */
static int count_kernels(struct lines *lines, char *todo, int most)
{
    struct probe_results *kernels = &lines->kernels;
    struct process child[MOST_PROBES];
    int of[MOST_PROBES], next = 0, running = 0, result = 0;
    memset(child, 0, sizeof child);
    for (;;) {
        for (int slot = 0; slot < most && !result && !interrupted(); slot++) {
            if (child[slot].pid) continue;
            next = next_kernel(kernels, todo, next);
            if (next == kernels->count) break;
            of[slot] = next++;
            result = start_counts(lines, &kernels->kernel[of[slot]], &child[slot]);
            running += !result;
        }
        const int slot = running ? process_wait(child, most) : -1;
        if (slot < 0) break;
        running--;
        progress_next(1, "instructions counted");
        if (!result && !interrupted())
            result = finish_counts(&kernels->kernel[of[slot]], &child[slot]);
        todo[of[slot]] = !process_succeeded(&child[slot]) && most > 1;
        process_free(&child[slot]);
    }
    return interrupted() ? FAIL_INTERRUPTED : result;
}

/* Probes that failed beside others, perhaps for want of memory, are tried again alone. */
static int count_all(struct lines *lines)
{
    char *todo = malloc((size_t)lines->kernels.count + 1);
    if (!todo) return error_memory();
    memset(todo, 1, (size_t)lines->kernels.count);
    int result = count_kernels(lines, todo, probes_at_once());
    if (!result) result = count_kernels(lines, todo, 1);
    free(todo);
    return result;
}

/* ---- tables and facts ------------------------------------------------------------------------ */

/* The file of the kernel's variant. */
static const char *file_of(const struct lines *lines, const struct probe_result *kernel)
{
    for (int i = 0; i < lines->points.count; i++) {
        const struct kernel_point *point = &lines->points.point[i];
        if (!strcmp(point->key[0], kernel->key[0]) && !strcmp(point->key[1], kernel->key[1]))
            return point->file;
    }
    return "";
}

/* Joins the results of the probes with the code. */
static int list_and_write(struct lines *lines)
{
    const int count = lines->kernels.count;
    const char *capability = run_fact(lines->run, "device_compute_capability");
    const int architecture = capability ? (int)(10 * strtod(capability, NULL) + 0.5) : 0;
    struct listing *listing = calloc((size_t)count + 1, sizeof *listing);
    struct listing_request *request = calloc((size_t)count + 1, sizeof *request);
    int result = listing && request ? 0 : error_memory();
    for (int i = 0; i < count && !result; i++)
        request[i] = (struct listing_request){file_of(lines, &lines->kernels.kernel[i]),
                                              lines->kernels.kernel[i].symbol};
    if (!result) result = listings_make(listing, request, count, architecture);
    if (!result) result = kernel_tables_write(lines->run, &lines->kernels, listing);
    for (int i = 0; i < count && listing; i++) listing_free(&listing[i]);
    free(listing);
    free(request);
    return result;
}

/* Reports in one line which kernels are not counted, or not sampled, with the first reason. *known
 * counts the others. The later kernels of a library's call cannot be counted and are not missed. */
static int judge(const struct lines *lines, int counts, int *known)
{
    const char *first = NULL;
    int missing = 0;
    char what[80];
    *known = 0;
    for (int i = 0; i < lines->kernels.count; i++) {
        const struct probe_result *kernel = &lines->kernels.kernel[i];
        const char *status = counts ? kernel->counts_status : kernel->samples_status;
        *known += !strcmp(status, "ok");
        if (!strcmp(status, "ok") || (counts && kernel->in_call > 0)) continue;
        missing++;
        if (!first) first = status + (strncmp(status, ABSENT, strlen(ABSENT)) ? 0 : strlen(ABSENT));
    }
    if (!missing) return 0;
    snprintf(what, sizeof what, "the instructions of %d kernel%s are not %s", missing,
             missing > 1 ? "s" : "", counts ? "counted" : "sampled");
    if (!*known) return miss(lines, what, first);
    warning("%s: %s", what, first);
    return 0;
}

static int write_fact(struct lines *lines, double seconds)
{
    static const char key[] = "counters_lines";
    const struct probe_results *kernels = &lines->kernels;
    int counted, sampled;
    if (lines->held && lines->demand) return error(FAIL_GPU, "instructions: %s", lines->held);
    if (lines->held) return run_fact_set(lines->run, key, ABSENT "%s", lines->held);
    int result = judge(lines, 1, &counted);
    if (!result) result = judge(lines, 0, &sampled);
    if (result) return result;
    if (counted || sampled)
        return run_fact_set(lines->run, key,
                            "instructions of %d kernels, %d counted, %d sampled, in %.0f s",
                            kernels->count, counted, sampled, seconds);
    return run_fact_set(lines->run, key, "%s",
                        kernels->count ? kernels->kernel[0].counts_status
                                       : ABSENT "no kernel could be probed");
}

int lines_run(struct run *run, uint64_t seed, int demand, const char *program)
{
    static const struct {
        const char *name;
        int (*run)(struct lines *lines);
    } parts[] = {{"samples", sample_all},
                 {"counts", count_all},
                 {"the code and the tables", list_and_write}};
    struct lines lines = {
        .run = run, .program = program, .demand = demand, .seed = seed, .held = counters_held()};
    const double start = seconds_now();
    double before = start;
    struct stage stage;
    if (run_unit_done(run, unit)) return 0;
    if (lines.held) other_profilers_explains(lines.held);
    int result = stage_begin(&stage, run, unit, NULL);
    if (!result) result = kernel_points_choose(&lines.points, run, ONE_SIZE);
    progress_begin(unit, "steps", 2 * lines.points.count);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !result; i++) {
        result = parts[i].run(&lines);
        detail("lines: %s took %.1f s", parts[i].name, seconds_now() - before);
        before = seconds_now();
    }
    if (!result) result = write_fact(&lines, seconds_now() - start);
    result = progress_end(stage_end(&stage, result));
    if (!result) result = run_unit_finish(run, unit);
    kernel_points_free(&lines.points);
    probe_results_free(&lines.kernels);
    return result;
}

/*
 * Samples single instructions at every size, and counts them at the primary size of each family.
 * A quick report leaves out ablation grids, whose kernels differ little from those of ladders.
 * Starts `program`, which is this one, as probes (collect/probe.c): one per family and size
 * samples, one per kernel counts. Joins both by pc with the listing of the code. Nothing is owned.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "machine_code/kernel_listing.h"
#include "machine_code/source_file.h"
#include "collect/collect_counters.h"
#include "collect/kernel_points.h"
#include "machine_code/probe_results.h"
#include "machine_code/probe_tables.h"
#include "driver/other_profilers.h"
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

int probe_start(const struct probe_request *request, const struct point_key *const *key, int count,
                struct process *child)
{
    char seed[24], launch[16];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)request->seed);
    snprintf(launch, sizeof launch, "%d", request->launch);
    const char *word[MOST_WORDS] = {request->program, "probe"};
    int words = 2, result = 0;
    for (const char *const *more = request->words; *more; more++) word[words++] = *more;
    word[words++] = "--size", word[words++] = key[0]->size;
    word[words++] = "--seed", word[words++] = seed;
    if (strcmp(key[0]->block, "0")) word[words++] = "--block", word[words++] = key[0]->block;
    if (request->launch >= 0) word[words++] = "--launch", word[words++] = launch;
    const int first = words;
    const struct own_family *own = registry_own(key[0]->family); /* the probe loads it, too */
    for (int i = 0; i < count && !result; i++) {
        const int has_setting = strcmp(key[i]->sweep, "0") != 0;
        word[words] =
            text_new("%s%s%s/%s%s%s", own ? own->copy : "", own ? "/kernels/" : "", key[i]->family,
                     key[i]->variant, has_setting ? "@" : "", has_setting ? key[i]->sweep : "");
        if (!word[words++]) result = error_memory();
    }
    if (!result) result = process_start(child, (char *const *)word, PROCESS_OF_OURS);
    while (words > first) free((char *)word[--words]);
    return result;
}

/* Reports unavailable data: a failure if they were demanded, else a warning. */
static int miss(const struct lines *lines, const char *what, const char *reason)
{
    if (lines->demand) return error(FAIL_GPU, "%s: %s", what, reason);
    warning("%s: %s", what, reason);
    return 0;
}

/* Returns the place of a kernel's point among `count` points. */
static int place_of(const struct probe_result *kernel, const struct point_key *const *key,
                    int count)
{
    int at = 0;
    while (at < count && !point_key_is(&kernel->key, (const char *const *)key[at]->column)) at++;
    return at;
}

/* Puts the kernels from `first` on into the order of their points. */
static void order_kernels(struct probe_results *kernels, int first,
                          const struct point_key *const *key, int count)
{
    for (int i = first; i < kernels->count; i++) {
        const struct probe_result kernel = kernels->kernel[i];
        const int place = place_of(&kernel, key, count);
        int at = i;
        for (; at > first && place_of(&kernels->kernel[at - 1], key, count) > place; at--)
            kernels->kernel[at] = kernels->kernel[at - 1];
        kernels->kernel[at] = kernel;
    }
}

/* Samples the points [first, end), which are of one family and size. */
static int sample(struct lines *lines, int first, int end)
{
    const struct point_key *key[MOST_POINTS];
    const int earlier = lines->kernels.count;
    struct process child;
    char path[PROCESS_PATH], reason[200], what[128];
    for (int i = first; i < end; i++) key[i - first] = &lines->points.point[i].key;
    const char *const words[] = {"samples", NULL};
    const struct probe_request request = {lines->program, words, lines->seed, -1};
    int result = probe_start(&request, key, end - first, &child);
    if (result) return result;
    process_wait(&child, 1);
    if (interrupted())
        result = FAIL_INTERRUPTED;
    else if (process_succeeded(&child))
        result = probe_results_add(&lines->kernels, process_path(child.output, path));
    else {
        process_reason(&child, reason, sizeof reason);
        snprintf(what, sizeof what, "%s: nothing is known of its instructions", key[0]->family);
        result = miss(lines, what, reason);
    }
    process_free(&child);
    order_kernels(&lines->kernels, earlier, key, end - first);
    return result;
}

static int is_primary(const struct lines *lines, const struct point_key *key)
{
    for (int i = 0; i < lines->points.count; i++) {
        const struct kernel_point *point = &lines->points.point[i];
        if (!strcmp(point->key.family, key->family) && !strcmp(point->key.size, key->size))
            return point->is_primary;
    }
    return 0;
}

/* Kernels are counted at the primary size alone. */
static void choose_counted(struct lines *lines)
{
    for (int i = 0; i < lines->kernels.count; i++) {
        struct probe_result *kernel = &lines->kernels.kernel[i];
        if (is_primary(lines, &kernel->key)) continue;
        kernel->to_count = 0;
        kernel->is_sampled_only = 1;
        snprintf(kernel->counts_status, sizeof kernel->counts_status,
                 ABSENT "instructions are counted at the primary size alone");
    }
}

static int sample_all(struct lines *lines)
{
    int result = 0;
    if (lines->held) return 0;
    for (int first = 0, end; first < lines->points.count && !result; first = end) {
        end = kernel_points_group_end(&lines->points, first);
        if (end - first > MOST_POINTS) end = first + MOST_POINTS;
        progress_next(end - first, "sampled");
        detail("lines %s %s: %d variants", lines->points.point[first].key.family,
               lines->points.point[first].key.size, end - first);
        result = sample(lines, first, end);
    }
    choose_counted(lines);
    return result;
}

static int start_counts(const struct lines *lines, const struct probe_result *kernel,
                        struct process *child)
{
    const struct point_key *const key = &kernel->key;
    const char *const words[] = {"counts", NULL};
    const struct probe_request request = {lines->program, words, lines->seed, (int)kernel->launch};
    return probe_start(&request, &key, 1, child);
}

/* Takes the counts of a probe that has ended, or the reason why it has none. */
static int finish_counts(struct probe_result *kernel, const struct process *child)
{
    char path[PROCESS_PATH], reason[STATUS_BYTES - 16];
    if (process_succeeded(child))
        return probe_result_counts(kernel, process_path(child->output, path));
    process_reason(child, reason, sizeof reason);
    snprintf(kernel->counts_status, sizeof kernel->counts_status, ABSENT "%s", reason);
    return 0;
}

/* Counts all kernels that are `to_count`, `most` at once. Clears it, except for probes that failed
 * while others ran beside them. */
static int count_kernels(struct lines *lines, int most)
{
    struct probe_result *kernel = lines->kernels.kernel,
                        *of[MOST_PROBES], *const end = kernel + lines->kernels.count;
    struct process child[MOST_PROBES];
    int running = 0, result = 0;
    memset(child, 0, sizeof child);
    for (;;) {
        for (int slot = 0; slot < most && !result && !interrupted(); slot++) {
            if (child[slot].pid) continue;
            while (kernel < end && !kernel->to_count) kernel++;
            if (kernel == end) break;
            of[slot] = kernel;
            result = start_counts(lines, kernel++, &child[slot]);
            running += !result;
        }
        const int slot = running ? process_wait(child, most) : -1;
        if (slot < 0) break;
        running--;
        progress_next(1, "instructions counted");
        if (!result && !interrupted()) result = finish_counts(of[slot], &child[slot]);
        of[slot]->to_count = !process_succeeded(&child[slot]) && most > 1;
        process_free(&child[slot]);
    }
    return interrupted() ? FAIL_INTERRUPTED : result;
}

/* By half of the cores: CUDA starts threads of its own, and every probe computes the inputs anew.
 * Probes that failed beside others, perhaps for want of memory, are tried again alone. */
static int count_all(struct lines *lines)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int result = count_kernels(lines, cores < 4                 ? 1
                                            : cores / 2 > MOST_PROBES ? MOST_PROBES
                                                                      : (int)(cores / 2));
    return result ? result : count_kernels(lines, 1);
}

/* ---- the code and facts ---------------------------------------------------------------------- */

static const char *file_of(const struct lines *lines, const struct probe_result *kernel)
{
    for (int i = 0; i < lines->points.count; i++) {
        const struct kernel_point *point = &lines->points.point[i];
        if (!strcmp(point->key.family, kernel->key.family) &&
            !strcmp(point->key.variant, kernel->key.variant))
            return point->file;
    }
    return "";
}

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
    if (!result) result = probe_tables_write(lines->run, &lines->kernels, listing, source_read, 0);
    for (int i = 0; i < count && listing; i++) listing_free(&listing[i]);
    free(listing);
    free(request);
    return result;
}

/* Reports in one line which kernels are not counted, or not sampled, with the first reason. *known
 * counts the others. The later kernels of a library's call cannot be counted and are not missed, as
 * kernels that are sampled alone. */
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
        if (!strcmp(status, "ok") || (counts && (kernel->in_call || kernel->is_sampled_only)))
            continue;
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
    const char *extent = run_fact(run, "extent");
    const int is_quick = extent && !strcmp(extent, "quick");
    const double start = seconds_now();
    double before = start;
    int counted = 0;
    struct stage stage;
    if (run_unit_done(run, unit)) return 0;
    if (lines.held) other_profilers_explains(lines.held);
    int result = stage_begin(&stage, run, unit, NULL);
    if (!result) result = kernel_points_choose(&lines.points, run, !is_quick);
    for (int i = 0; i < lines.points.count; i++) counted += lines.points.point[i].is_primary;
    progress_begin(unit, "steps", lines.points.count + counted);
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

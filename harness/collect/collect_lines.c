/*
 * Counts and samples single instructions. Starts `program`, which is this one, as probes
 * (collect/probe.c): one per family samples, one per kernel counts. Joins both by pc with the
 * listing of the code. Nothing is owned.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "code/kernel_listing.h"
#include "code/source_file.h"
#include "collect/collect_counters.h"
#include "collect/kernel_points.h"
#include "collect/probe_results.h"
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

/* Starts a probe for `count` points of one family and size. */
static int start_probe(const struct lines *lines, const char *what,
                       const struct point_key *const *key, int count, const char *launch,
                       struct process *child)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", lines->seed);
    const char *word[MOST_WORDS] = {lines->program, "probe",  what, "--size",
                                    key[0]->size,   "--seed", seed};
    int words = 7, result = 0;
    if (strcmp(key[0]->block, "0")) word[words++] = "--block", word[words++] = key[0]->block;
    if (launch) word[words++] = "--launch", word[words++] = launch;
    const int first = words;
    for (int i = 0; i < count && !result; i++) {
        const int has_setting = strcmp(key[i]->sweep, "0") != 0;
        word[words] = text_new("%s/%s%s%s", key[i]->family, key[i]->variant, has_setting ? "@" : "",
                               has_setting ? key[i]->sweep : "");
        if (!word[words++]) result = error_memory();
    }
    if (!result) result = process_start(child, (char *const *)word);
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

/* Samples the points [first, end), which are of one family and size. */
static int sample(struct lines *lines, int first, int end)
{
    const struct point_key *key[MOST_POINTS];
    struct process child;
    char path[48], reason[200], what[128];
    for (int i = first; i < end; i++) key[i - first] = &lines->points.point[i].key;
    int result = start_probe(lines, "samples", key, end - first, NULL, &child);
    if (result) return result;
    process_wait(&child, 1);
    if (interrupted())
        result = FAIL_INTERRUPTED;
    else if (process_succeeded(&child))
        result = probe_results_add(&lines->kernels, process_output(&child, path));
    else {
        process_reason(&child, reason, sizeof reason);
        snprintf(what, sizeof what, "%s: nothing is known of its instructions", key[0]->family);
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
        detail("lines %s %s: %d variants", lines->points.point[first].key.family,
               lines->points.point[first].key.size, end - first);
        result = sample(lines, first, end);
    }
    return result;
}

static int start_counts(const struct lines *lines, const struct probe_result *kernel,
                        struct process *child)
{
    const struct point_key *const key = &kernel->key;
    char launch[16];
    snprintf(launch, sizeof launch, "%u", kernel->launch);
    return start_probe(lines, "counts", &key, 1, launch, child);
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

/* Probes that failed beside others, perhaps for want of memory, are tried again alone. */
static int count_all(struct lines *lines)
{
    const int result = count_kernels(lines, probes_at_once());
    return result ? result : count_kernels(lines, 1);
}

/* ---- tables --------------------------------------------------------------------------------- */

struct writers {
    struct run *run;
    struct csv_writer *kernels, *lines;
    char **source; /* paths, by id */
    int source_count;
};

/* The id of a source file; negative, with a message, if memory is short. */
static int source_id(struct writers *writers, const char *path)
{
    for (int i = 0; i < writers->source_count; i++)
        if (!strcmp(writers->source[i], path)) return i;
    char **sources =
        realloc(writers->source, (size_t)(writers->source_count + 1) * sizeof *sources);
    if (!sources) return error_memory();
    writers->source = sources;
    sources[writers->source_count] = strdup(path);
    return sources[writers->source_count] ? writers->source_count++ : error_memory();
}

/* Writes the cells source, line and inlined_at: the innermost source line, and the lines from which
 * it was inlined, outwards. */
static int write_source_line(struct writers *writers, const struct listing_instruction *instruction)
{
    struct text chain = {0};
    int result = 0;
    if (!instruction || !instruction->location_count) {
        CSV_TEXTS(writers->lines, NULL, NULL, NULL);
        return 0;
    }
    for (int i = 0; i < instruction->location_count && !result; i++) {
        const int id = source_id(writers, instruction->location[i].file);
        const unsigned line = instruction->location[i].line;
        if (id < 0)
            result = id;
        else if (i > 0)
            text_format(&chain, "%s%d:%u", i > 1 ? " " : "", id, line);
        else
            CSV_INTEGERS(writers->lines, id, line);
    }
    if (!result && chain.failed) result = error_memory();
    csv_text(writers->lines, chain.data);
    text_free(&chain);
    return result;
}

static int write_instruction(struct writers *writers, const struct probe_result *kernel, int id,
                             unsigned pc, const struct listing_instruction *listed)
{
    static const struct line_instruction nothing;
    const unsigned index = pc / SASS_BYTES;
    const struct line_instruction *at =
        (int)index < kernel->count ? &kernel->instruction[index] : &nothing;
    const int counts = !strcmp(kernel->counts_status, "ok"),
              samples = !strcmp(kernel->samples_status, "ok");
    CSV_INTEGERS(writers->lines, id, pc);
    const int result = write_source_line(writers, listed);
    csv_text(writers->lines, listed ? listed->sass : NULL);
    for (int m = 0; m < INSTRUCTION_COUNTS; m++) {
        /* CUPTI has no record of an instruction that never ran. */
        const double never = m <= COUNT_THREADS_ON ? 0 : NAN;
        csv_number(writers->lines, !counts ? NAN : at->counted ? at->count[m] : never);
    }
    CSV_NUMBERS(writers->lines, samples ? at->samples : NAN, samples ? at->not_issued : NAN);
    csv_text(writers->lines, at->stalls.data);
    csv_end(writers->lines);
    return result;
}

/* Writes every instruction of the code; if that is not known, those with counts or samples. */
static int write_instructions(struct writers *writers, const struct probe_result *kernel, int id,
                              const struct listing *listing)
{
    int result = 0;
    for (int i = 0; i < listing->count && !result; i++)
        result = write_instruction(writers, kernel, id, listing->instruction[i].pc,
                                   &listing->instruction[i]);
    for (int at = 0; listing->count == 0 && at < kernel->count && !result; at++)
        if (kernel->instruction[at].counted || kernel->instruction[at].samples > 0)
            result = write_instruction(writers, kernel, id, (unsigned)at * SASS_BYTES, NULL);
    return result;
}

static void write_kernel(struct csv_writer *writer, const struct probe_result *kernel, int id,
                         const struct listing *listing)
{
    csv_integer(writer, id);
    point_key_write(writer, &kernel->key);
    csv_integer(writer, kernel->launch);
    CSV_TEXTS(writer, kernel->symbol, kernel->name, kernel->counts_status, kernel->samples_status);
    csv_numbers(writer, PROBE_TOTALS, kernel->total);
    CSV_TEXTS(writer, listing->lines_status, listing->sass_status);
    csv_end(writer);
}

static int write_sources(struct writers *writers)
{
    struct csv_writer *writer = run_writer(writers->run, TABLE_SOURCES),
                      *files = run_writer(writers->run, TABLE_SOURCE_FILES);
    if (!writer || !files) return FAIL_OUTPUT;
    char *root = data_directory();
    if (!root) return FAIL_INPUT;
    for (int i = 0; i < writers->source_count; i++) {
        char hash[17], status[SOURCE_STATUS];
        char *text = source_read(root, writers->source[i], hash, status);
        csv_integer(writer, i);
        CSV_TEXTS(writer, writers->source[i], text ? hash : NULL, status);
        csv_end(writer);
        if (text) {
            csv_integer(files, i);
            csv_text(files, text);
            csv_end(files);
        }
        free(text);
    }
    free(root);
    return 0;
}

static int write_tables(struct run *run, const struct probe_results *kernels,
                        const struct listing *listing)
{
    struct writers writers = {.run = run,
                              .kernels = run_writer(run, TABLE_KERNELS),
                              .lines = run_writer(run, TABLE_LINES)};
    int result = writers.kernels && writers.lines ? 0 : FAIL_OUTPUT;
    for (int id = 0; id < kernels->count && !result; id++) {
        write_kernel(writers.kernels, &kernels->kernel[id], id, &listing[id]);
        result = write_instructions(&writers, &kernels->kernel[id], id, &listing[id]);
    }
    if (!result) result = write_sources(&writers);
    for (int i = 0; i < writers.source_count; i++) free(writers.source[i]);
    free(writers.source);
    return result;
}

/* ---- the code and facts ---------------------------------------------------------------------- */

/* The file of the kernel's variant. */
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
    if (!result) result = write_tables(lines->run, &lines->kernels, listing);
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
        if (!strcmp(status, "ok") || (counts && kernel->in_call)) continue;
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
    if (!result) result = kernel_points_choose(&lines.points, run, 0);
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

/*
 * lines: what single instructions did, in one phase of its own after everything was timed. For
 * every family at one size, a probe samples what warps wait for in each variant's best setting, and
 * one probe per kernel counts at its instructions (collect/probe.h); both are joined by pc with the
 * listing of the code.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data_directory.h"
#include "base/message.h"
#include "base/progress.h"
#include "base/process.h"
#include "base/text.h"
#include "code/kernel_listing.h"
#include "code/source_file.h"
#include "collect/collect_counters.h"
#include "collect/collect_lines.h"
#include "collect/kernel_points.h"
#include "collect/probe_results.h"
#include "gpu/other_profilers.h"
#include "run/run_stages.h"

enum { MOST_ARGUMENTS = 80, MOST_PROBES = 8 };

static const char unit[] = STAGE_LINES;

struct lines {
    struct run *run;
    const char *program;
    int demand;
    char seed[24];
    const char
        *held; /* why nothing can be asked in this process and in those that it starts; NULL */
    struct kernel_points points;
    struct probe_results kernels;
    char **source; /* paths, by id */
    int source_count;
};

/* ---- probes ---------------------------------------------------------------------------------- */

/* "family/variant", and "@setting" behind it where there is one, for the five keys of a point;
 * NULL when memory is short, said. The caller frees. */
static char *pattern_of(char *const key[5])
{
    const int has_setting = strcmp(key[4], "0") != 0;
    char *pattern =
        text_new("%s/%s%s%s", key[0], key[1], has_setting ? "@" : "", has_setting ? key[4] : "");
    if (!pattern) error_memory();
    return pattern;
}

/* "probe samples family/variant@setting ... --size S": the words are the arguments'. */
static int start_samples(struct lines *lines, int first, int end, struct process *child)
{
    const struct kernel_point *points = lines->points.point;
    char *words[MOST_ARGUMENTS] = {NULL}, *pattern[MOST_ARGUMENTS] = {NULL};
    const char *const opening[] = {lines->program,       "probe",  "samples",  "--size",
                                   points[first].key[2], "--seed", lines->seed};
    int count = 0, result = 0;
    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++)
        words[count++] = (char *)(uintptr_t)opening[i];
    if (strcmp(points[first].key[3], "0")) {
        words[count++] = (char *)(uintptr_t) "--block";
        words[count++] = points[first].key[3];
    }
    for (int i = first; i < end && !result; i++) {
        pattern[i - first] = pattern_of(points[i].key);
        if (!pattern[i - first]) result = FAIL_OUTPUT;
        words[count++] = pattern[i - first];
    }
    if (!result) result = process_start(child, words);
    for (int i = 0; i < end - first; i++) free(pattern[i]);
    return result;
}

/* What cannot be had is a failure where it was demanded. */
static int miss(const struct lines *lines, const char *what, const char *reason)
{
    if (lines->demand) return error(FAIL_GPU, "%s: %s", what, reason);
    warning("%s: %s", what, reason);
    return 0;
}

/* Samples of the points [first, end), which are of one family and size. */
static int sample(struct lines *lines, int first, int end)
{
    struct process child;
    char path[48], reason[200], what[128];
    int result = start_samples(lines, first, end, &child);
    if (result) return result;
    process_wait(&child, 1);
    if (interrupted())
        result = FAIL_INTERRUPTED;
    else if (process_succeeded(&child))
        result = probe_results_add(&lines->kernels, process_output(&child, path));
    else {
        process_reason(&child, reason, sizeof reason);
        snprintf(what, sizeof what, "%s: nothing is known of its instructions",
                 lines->points.point[first].key[0]);
        result = miss(lines, what, reason);
    }
    process_free(&child);
    return result;
}

static int start_counts(struct lines *lines, const struct probe_result *kernel,
                        struct process *child)
{
    char launch[16], *pattern = pattern_of(kernel->key);
    if (!pattern) return FAIL_OUTPUT;
    snprintf(launch, sizeof launch, "%u", kernel->launch);
    const char *words[16] = {lines->program, "probe",  "counts",    pattern,    "--size",
                             kernel->key[2], "--seed", lines->seed, "--launch", launch};
    if (strcmp(kernel->key[3], "0")) {
        words[10] = "--block";
        words[11] = kernel->key[3];
    }
    const int result = process_start(child, (char *const *)(uintptr_t)words);
    free(pattern);
    return result;
}

/* A probe has ended: its counts, or why there are none. */
static int finish_counts(struct probe_result *kernel, const struct process *child)
{
    char path[48], reason[STATUS_BYTES - 16];
    if (process_succeeded(child)) return probe_result_counts(kernel, process_output(child, path));
    process_reason(child, reason, sizeof reason);
    snprintf(kernel->counts_status, sizeof kernel->counts_status, "absent: %s", reason);
    return 0;
}

/* Half of the cores: CUDA starts threads of its own, and the inputs are made anew in every probe.
 */
static int probes_at_once(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 4 ? 1 : cores / 2 > MOST_PROBES ? MOST_PROBES : (int)(cores / 2);
}

/* Of the kernels inside a library's call CUPTI counts the first. */
static int can_be_counted(struct probe_result *kernel)
{
    if (kernel->in_call == 0) return 1;
    snprintf(kernel->counts_status, sizeof kernel->counts_status,
             "absent: CUPTI counts the first kernel of a library's call only");
    return 0;
}

/* Counts for all kernels whose `todo` is set, `most` at once. Clears it, but for probes that
 * failed while others ran beside them. */
static int count_kernels(struct lines *lines, char *todo, int most)
{
    struct process child[MOST_PROBES];
    int of[MOST_PROBES], alone[MOST_PROBES], next = 0, running = 0, result = 0;
    memset(child, 0, sizeof child);
    for (;;) {
        for (int slot = 0; slot < most && !result && !interrupted(); slot++) {
            if (child[slot].pid) continue;
            while (next < lines->kernels.count &&
                   (!todo[next] || !can_be_counted(&lines->kernels.kernel[next])))
                next++;
            if (next == lines->kernels.count) break;
            of[slot] = next++;
            result = start_counts(lines, &lines->kernels.kernel[of[slot]], &child[slot]);
            running += !result;
            alone[slot] = most == 1;
        }
        const int slot = running ? process_wait(child, most) : -1;
        if (slot < 0) break;
        running--;
        progress_next(1, "instructions counted");
        if (!result && !interrupted())
            result = finish_counts(&lines->kernels.kernel[of[slot]], &child[slot]);
        todo[of[slot]] = !process_succeeded(&child[slot]) && !alone[slot];
        process_free(&child[slot]);
    }
    return interrupted() ? FAIL_INTERRUPTED : result;
}

/* What failed beside others, for want of memory perhaps, is tried again by itself. */
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

/* ---- writing --------------------------------------------------------------------------------- */

/* The id of a source file; negative when memory is short, said. */
static int source_id(struct lines *lines, const char *path)
{
    for (int i = 0; i < lines->source_count; i++)
        if (!strcmp(lines->source[i], path)) return i;
    char **sources = realloc(lines->source, (size_t)(lines->source_count + 1) * sizeof *sources);
    if (!sources) return error_memory();
    lines->source = sources;
    sources[lines->source_count] = strdup(path);
    return sources[lines->source_count] ? lines->source_count++ : error_memory();
}

/* The cells source, line, inlined_at: the innermost location, then the calls outward. */
static int write_locations(struct lines *lines, struct csv_writer *writer,
                           const struct listing_instruction *instruction)
{
    struct text chain = {0};
    int result = 0;
    for (int i = 0; i < 2 && (!instruction || !instruction->location_count); i++)
        csv_text(writer, NULL);
    for (int i = 0; instruction && i < instruction->location_count && !result; i++) {
        const struct source_location *location = &instruction->location[i];
        const int id = source_id(lines, location->file);
        if (id < 0)
            result = id;
        else if (i > 0)
            text_format(&chain, "%s%d:%u", i > 1 ? " " : "", id, location->line);
        else {
            csv_integer(writer, id);
            csv_integer(writer, location->line);
        }
    }
    if (!result && chain.failed) result = error_memory();
    csv_text(writer, chain.data);
    text_free(&chain);
    return result;
}

static int write_instruction(struct lines *lines, struct csv_writer *writer,
                             const struct probe_result *kernel, int id, unsigned pc,
                             const struct listing_instruction *listed)
{
    static const struct line_instruction nothing;
    const struct line_instruction *at =
        (int)(pc / SASS_BYTES) < kernel->count ? &kernel->instruction[pc / SASS_BYTES] : &nothing;
    const int counts = !strcmp(kernel->counts_status, "ok"),
              samples = !strcmp(kernel->samples_status, "ok");
    csv_integer(writer, id);
    csv_integer(writer, pc);
    const int result = write_locations(lines, writer, listed);
    csv_text(writer, listed ? listed->sass : NULL);
    for (int m = 0; m < INSTRUCTION_COUNTS; m++) {
        const int always =
            m <= COUNT_THREADS_ON; /* CUPTI has no record of an instruction that never ran */
        csv_number(writer, !counts ? NAN : at->counted ? at->count[m] : always ? 0 : NAN);
    }
    csv_number(writer, samples ? at->samples : NAN);
    csv_number(writer, samples ? at->not_issued : NAN);
    csv_text(writer, at->stalls.data);
    csv_end(writer);
    return result;
}

/* Every instruction of the code, or where that is not known those of which something else is. */
static int write_instructions(struct lines *lines, struct csv_writer *writer,
                              const struct probe_result *kernel, int id,
                              const struct listing *listing)
{
    int result = 0;
    for (int i = 0; i < listing->count && !result; i++)
        result = write_instruction(lines, writer, kernel, id, listing->instruction[i].pc,
                                   &listing->instruction[i]);
    for (int at = 0; listing->count == 0 && at < kernel->count && !result; at++)
        if (kernel->instruction[at].counted || kernel->instruction[at].samples > 0)
            result = write_instruction(lines, writer, kernel, id, (unsigned)at * SASS_BYTES, NULL);
    return result;
}

static void write_kernel(struct csv_writer *writer, const struct probe_result *kernel, int id,
                         const struct listing *listing)
{
    csv_integer(writer, id);
    for (int i = 0; i < 5; i++) csv_text(writer, kernel->key[i]);
    csv_integer(writer, kernel->launch);
    csv_text(writer, kernel->symbol);
    csv_text(writer, kernel->name);
    csv_text(writer, kernel->counts_status);
    csv_text(writer, kernel->samples_status);
    csv_number(writer, kernel->launches);
    csv_number(writer, kernel->period);
    csv_number(writer, kernel->total);
    csv_number(writer, kernel->dropped);
    csv_number(writer, kernel->elsewhere);
    csv_text(writer, listing->lines_status);
    csv_text(writer, listing->sass_status);
    csv_end(writer);
}

static int write_sources(struct lines *lines)
{
    struct csv_writer *writer = run_writer(lines->run, TABLE_SOURCES),
                      *files = run_writer(lines->run, TABLE_SOURCE_FILES);
    if (!writer || !files) return FAIL_OUTPUT;
    char *root = data_directory();
    for (int i = 0; i < lines->source_count && root; i++) {
        char hash[17], status[SOURCE_STATUS];
        char *text = source_read(root, lines->source[i], hash, status);
        csv_integer(writer, i);
        csv_text(writer, lines->source[i]);
        csv_text(writer, text ? hash : NULL);
        csv_text(writer, status);
        csv_end(writer);
        if (text) {
            csv_integer(files, i);
            csv_text(files, text);
            csv_end(files);
        }
        free(text);
    }
    const int result = root ? 0 : FAIL_INPUT;
    free(root);
    return result;
}

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

static int write_tables(struct lines *lines, const struct listing *listing)
{
    struct csv_writer *kernels = run_writer(lines->run, TABLE_KERNELS),
                      *rows = run_writer(lines->run, TABLE_LINES);
    int result = kernels && rows ? 0 : FAIL_OUTPUT;
    for (int id = 0; id < lines->kernels.count && !result; id++) {
        write_kernel(kernels, &lines->kernels.kernel[id], id, &listing[id]);
        result = write_instructions(lines, rows, &lines->kernels.kernel[id], id, &listing[id]);
    }
    return result ? result : write_sources(lines);
}

/* Joins what was found with the code, and writes it down. */
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
    if (!result) result = write_tables(lines, listing);
    for (int i = 0; i < count && listing; i++) listing_free(&listing[i]);
    free(listing);
    free(request);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int sample_all(struct lines *lines)
{
    int result = 0;
    if (lines->held) return 0;
    for (int first = 0, end; first < lines->points.count && !result; first = end) {
        end = kernel_points_group_end(&lines->points, first);
        if (end - first > MOST_ARGUMENTS - 16) end = first + MOST_ARGUMENTS - 16;
        progress_next(end - first, "sampled");
        detail("lines %s %s: %d variants", lines->points.point[first].key[0],
             lines->points.point[first].key[2], end - first);
        result = sample(lines, first, end);
    }
    return result;
}

/* Of the kernels of which something could be known: why one is not, without "absent: "; NULL
 * when it is. */
static const char *why_not(const struct probe_result *kernel, const char *status)
{
    static const char absent[] = "absent: ";
    if (!strcmp(status, "ok") || (status == kernel->counts_status && kernel->in_call > 0))
        return NULL;
    return strncmp(status, absent, strlen(absent)) ? status : status + strlen(absent);
}

/* Says what is missing of them in one line, with the first reason. */
static int judge(const struct lines *lines, int counts)
{
    const char *first = NULL;
    int missing = 0, known = 0;
    char what[80];
    for (int i = 0; i < lines->kernels.count; i++) {
        const struct probe_result *kernel = &lines->kernels.kernel[i];
        const char *status = counts ? kernel->counts_status : kernel->samples_status,
                   *why = why_not(kernel, status);
        known += !strcmp(status, "ok");
        missing += why != NULL;
        if (!first) first = why;
    }
    snprintf(what, sizeof what, "the instructions of %d kernel%s are not %s", missing,
             missing > 1 ? "s" : "", counts ? "counted" : "sampled");
    if (missing && !known) return miss(lines, what, first);
    if (missing) warning("%s: %s", what, first);
    return 0;
}

static int write_fact(struct lines *lines, double seconds)
{
    int counted = 0, sampled = 0;
    const struct probe_results *kernels = &lines->kernels;
    if (lines->held && lines->demand) return error(FAIL_GPU, "instructions: %s", lines->held);
    if (lines->held) return run_fact_set(lines->run, "counters_lines", "absent: %s", lines->held);
    int result = judge(lines, 1);
    if (!result) result = judge(lines, 0);
    if (result) return result;
    for (int i = 0; i < kernels->count; i++) {
        counted += !strcmp(kernels->kernel[i].counts_status, "ok");
        sampled += !strcmp(kernels->kernel[i].samples_status, "ok");
    }
    if (counted == 0 && sampled == 0)
        return run_fact_set(lines->run, "counters_lines", "%s",
                            kernels->count ? kernels->kernel[0].counts_status
                                           : "absent: no kernel could be probed");
    return run_fact_set(lines->run, "counters_lines",
                        "instructions of %d kernels, %d counted, %d sampled, in %.0f s",
                        kernels->count, counted, sampled, seconds);
}

static void free_lines(struct lines *lines)
{
    kernel_points_free(&lines->points);
    probe_results_free(&lines->kernels);
    for (int i = 0; i < lines->source_count; i++) free(lines->source[i]);
    free(lines->source);
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
        .run = run, .program = program, .demand = demand, .held = counters_held()};
    const double start = seconds_now();
    struct stage stage;
    if (run_unit_done(run, unit)) return 0;
    snprintf(lines.seed, sizeof lines.seed, "%llu", (unsigned long long)seed);
    double before = start;
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
    free_lines(&lines);
    return result;
}

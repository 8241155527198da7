#include "fleet/measure_devices.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "evaluate/evaluate.h"
#include "explain/compare_runs.h"
#include "fleet/cpu_shares.h"
#include "fleet/merge_runs.h"
#include "run/run.h"

/* Two runs of one device may differ by this without any disturbance, because it warms up. */
static const double DRIFT_PCT = 0.5;
static const char trial_file[] = "trial.txt", no_trial[] = "no: one after the other: ";

/* The devices to measure, and the places of their runs. */
struct parts {
    const struct measure_devices_options *options;
    const struct device_choice *choice;
    char program[PROCESS_SELF]; /* the path of this program */
    int self;                   /* its descriptor */
    char *directory;            /* of the runs of the devices */
    cpu_set_t *share, all;      /* processors of each device, and those of this process */
    int is_pinned;
    struct process *process;
    char **argument; /* of a process, up to NULL */
};

static struct path part_path(const struct parts *parts, const char *kind, int device)
{
    char name[32];
    snprintf(name, sizeof name, "%s%d", kind, device);
    return path_in(parts->directory, name);
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Whether an interrupted run has finished something. */
static int can_resume(const char *path)
{
    char *part = text_new("%s.part/%s", path, JOURNAL_FILE),
         *text = part ? text_read_file(part, NULL) : NULL;
    const int result = text && (!strncmp(text, "done ", 5) || !strncmp(text, "ready ", 6) ||
                                strstr(text, "\ndone ") || strstr(text, "\nready "));
    free(text);
    free(part);
    return result;
}

/* Options come before the words, which may end the options. */
static int start(struct parts *parts, int device, const char *const *words, int count,
                 const char *output)
{
    static char option[] = "--device", to[] = "--output", resume[] = "--resume";
    char **argument = parts->argument, *copy = output ? strdup(output) : NULL;
    int at = 0;
    if (output && !copy) return error_memory();
    argument[at++] = parts->program;
    argument[at++] = (char *)(uintptr_t)words[0];
    argument[at++] = option;
    argument[at++] = parts->choice->visible[device];
    if (output) argument[at++] = to;
    if (output) argument[at++] = copy;
    if (output && can_resume(output)) argument[at++] = resume;
    for (int i = 1; i < count; i++) argument[at++] = (char *)(uintptr_t)words[i];
    argument[at] = NULL;
    if (parts->is_pinned) sched_setaffinity(0, sizeof parts->share[device], &parts->share[device]);
    const int result = process_start(&parts->process[device], argument);
    if (parts->is_pinned) sched_setaffinity(0, sizeof parts->all, &parts->all);
    free(copy);
    return result;
}

/* Tells what a process said that failed. A wrong result was said by its run. */
static int judge(const struct parts *parts, int device)
{
    const struct process *process = &parts->process[device];
    char reason[300];
    if (process_succeeded(process)) return 0;
    const int status = WIFEXITED(process->status) ? WEXITSTATUS(process->status) : 0;
    process_reason(process, reason, sizeof reason);
    if (interrupted()) return FAIL_INTERRUPTED;
    if (status == -FAIL_CHECK) {
        warning("device %s: %s", parts->choice->visible[device], reason);
        return FAIL_CHECK;
    }
    return error(status > 0 && status <= -FAIL_OUTPUT ? (enum failure) - status : FAIL_GPU,
                 "device %s: %s", parts->choice->visible[device], reason);
}

/* The failure that matters more. */
static int worse(int a, int b)
{
    if (a == FAIL_INTERRUPTED || b == FAIL_INTERRUPTED) return FAIL_INTERRUPTED;
    return !a || (a == FAIL_CHECK && b) ? b : a;
}

/* Waits for all processes that run. */
static int finish(struct parts *parts)
{
    int result = 0, ended;
    while ((ended = process_wait(parts->process, parts->choice->count)) >= 0) {
        result = worse(result, judge(parts, ended));
        process_free(&parts->process[ended]);
        progress_next(1, NULL);
    }
    return result;
}

/* Makes the run `kind` of each device that has none yet. */
static int measure_all(struct parts *parts, const char *kind, const char *const *words, int count,
                       int together)
{
    int result = 0;
    for (int i = 0; i < parts->choice->count; i++) {
        const struct path path = part_path(parts, kind, i);
        if (interrupted()) return worse(result, FAIL_INTERRUPTED);
        if (!file_exists(path.at)) result = worse(result, start(parts, i, words, count, path.at));
        if (!together) result = worse(result, finish(parts));
    }
    return worse(result, finish(parts));
}

/* ---- the trial ------------------------------------------------------------------------------- */

static int evaluate_quietly(struct run *run)
{
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    const int result = evaluate_run(run);
    message_level_set(level);
    return result;
}

/* What a trial finds out of all devices: what differs beyond the noise, or nothing; and a line for
 * each device with the times of its variants together, in units of those alone. */
struct trial {
    struct text disturbed, ratios;
    int compared;
};

static int append(struct text *words, struct run_comparison *comparison, const char *sql)
{
    char *told = NULL;
    const int result = query_text(&comparison->query, NULL, sql, NULL, &told);
    if (told) text_append(words, told);
    free(told);
    return result;
}

/* Compares the times of a device. A rung that is faster together is not disturbed: boards at their
 * power limit drift by a few per cent from run to run. */
static int compare(struct run *alone, struct run *together, struct trial *trial)
{
    static const char differs[] =
        "SELECT family || '/' || variant || printf(' took %.3f times the time of measuring alone', "
        "ratio) FROM compared WHERE verdict IN ('slower', 'failed now') ORDER BY ratio DESC LIMIT "
        "1";
    static const char ratios[] =
        "SELECT group_concat(family || '/' || variant || printf(' %.4f (%.4f to %.4f)', ratio, "
        "ratio_low, ratio_high), ', ') FROM (SELECT * FROM compared WHERE ratio_low IS NOT NULL "
        "ORDER BY family, variant)";
    struct run_comparison comparison;
    int result = evaluate_quietly(alone);
    if (!result) result = evaluate_quietly(together);
    if (!result)
        result = compare_open(&comparison, alone, together,
                              &(struct compare_options){.threshold_pct = DRIFT_PCT});
    if (result) return result;
    for (int i = COMPARE_SLOWER; i <= COMPARE_NO_EVIDENCE; i++)
        trial->compared += comparison.count[i];
    result = append(&trial->disturbed, &comparison, differs);
    if (!result) result = append(&trial->ratios, &comparison, ratios);
    compare_close(&comparison);
    return result;
}

static int compare_device(struct parts *parts, int device, const char *kind, struct trial *trial)
{
    struct run alone, together;
    int result = run_open(&alone, part_path(parts, kind, device).at);
    if (result) return result;
    result = run_open(&together, part_path(parts, "together-", device).at);
    if (!result) {
        result = compare(&alone, &together, trial);
        run_close(&together);
    }
    run_close(&alone);
    return result;
}

static void clear(struct text *text)
{
    text_free(text);
    *text = (struct text){0};
}

/* A device that seems to be disturbed is measured alone again: it is disturbed if it was faster
 * alone both before and after. */
static int judge_device(struct parts *parts, int device, struct trial *trial)
{
    const struct measure_devices_options *options = parts->options;
    text_append(&trial->ratios, "\n");
    int result = compare_device(parts, device, "alone-", trial);
    if (result || !trial->disturbed.length) return result;
    const struct path again = part_path(parts, "again-", device);
    result = start(parts, device, options->trial, options->trial_count, again.at);
    if (!result) result = finish(parts);
    if (result && result != FAIL_CHECK) return result;
    clear(&trial->disturbed);
    text_append(&trial->ratios, "; alone again: ");
    return compare_device(parts, device, "again-", trial);
}

/* Writes into `verdict` whether the devices can be measured at once, and why; then a line for each
 * device. */
static int judge_trial(struct parts *parts, struct text *verdict)
{
    struct trial trial = {.compared = 0};
    const int count = parts->choice->count;
    int result = 0;
    for (int i = 0; i < count && !result && !trial.disturbed.length; i++)
        result = judge_device(parts, i, &trial);
    if (trial.disturbed.length)
        text_format(verdict, "%s%s with %d devices at once", no_trial, trial.disturbed.data, count);
    else if (!trial.compared)
        text_format(verdict, "%sno point of the trial could be compared", no_trial);
    else
        text_format(verdict, "yes: %d devices at once, none of them slower than alone", count);
    text_append(verdict, text_string(&trial.ratios));
    text_free_piece(&trial.disturbed, verdict);
    text_free_piece(&trial.ratios, verdict);
    return result;
}

static int run_trial(struct parts *parts, struct text *verdict)
{
    const struct measure_devices_options *options = parts->options;
    progress_begin("trial", "runs", 2 * parts->choice->count);
    int result = measure_all(parts, "alone-", options->trial, options->trial_count, 0);
    if (!result || result == FAIL_CHECK)
        result = measure_all(parts, "together-", options->trial, options->trial_count, 1);
    if (!result || result == FAIL_CHECK) result = judge_trial(parts, verdict);
    result = progress_end(result);
    for (int i = 0; i < parts->choice->count; i++) {
        directory_remove(part_path(parts, "alone-", i).at);
        directory_remove(part_path(parts, "again-", i).at);
        directory_remove(part_path(parts, "together-", i).at);
    }
    return result;
}

/* Takes the verdict of an earlier start, or makes one and keeps it. */
static int decide(struct parts *parts, struct text *verdict)
{
    char *earlier = text_read_file(path_in(parts->directory, trial_file).at, NULL);
    int result = 0;
    if (earlier)
        text_append(verdict, earlier);
    else if (!parts->is_pinned)
        text_format(verdict, "%sthe host has fewer processors than devices", no_trial);
    else if (!parts->options->trial_count)
        text_format(verdict, "%sthere is no trial for these kernels", no_trial);
    else
        result = run_trial(parts, verdict);
    free(earlier);
    if (!result && verdict->failed) result = error_memory();
    const char *words = text_string(verdict);
    if (!result) note("measured together: %.*s", (int)strcspn(words, "\n"), words);
    return result ? result : atomic_file_write(parts->directory, trial_file, verdict);
}

/* ---- the runs -------------------------------------------------------------------------------- */

/* Line `number` of a text, or NULL if it is empty or missing. The caller frees it. */
static char *line_of(const char *text, int number)
{
    for (; number && text; number--) {
        text = strchr(text, '\n');
        if (text) text++;
    }
    const size_t length = text ? strcspn(text, "\n") : 0;
    return length ? strndup(text, length) : NULL;
}

/* Adds to the run of a device how it was measured. */
static int add_facts(const struct parts *parts, int device, const char *verdict)
{
    char *ratios = line_of(verdict, device + 1);
    struct facts facts = {0, NULL};
    char cpus[300];
    const struct path path = part_path(parts, "", device);
    int result = facts_read(&facts, path.at, FACTS_FILE);
    if (!result) result = facts_set(&facts, "measured_together", line_of(verdict, 0));
    if (!result && ratios) result = facts_set(&facts, "trial_ratios", strdup(ratios));
    if (!result && parts->is_pinned)
        result = facts_set(&facts, "host_cpus",
                           strdup(cpu_shares_text(&parts->share[device], cpus, (int)sizeof cpus)));
    if (!result) result = facts_write(&facts, path.at, FACTS_FILE);
    facts_free(&facts);
    free(ratios);
    return result;
}

static int merge(const struct parts *parts, const char *verdict)
{
    const size_t count = (size_t)parts->choice->count;
    char **path = calloc(count, sizeof *path);
    int result = path ? 0 : error_memory();
    for (size_t i = 0; i < count && !result; i++) {
        path[i] = strdup(part_path(parts, "", (int)i).at);
        result = path[i] ? add_facts(parts, (int)i, verdict) : error_memory();
    }
    if (!result)
        result = merge_runs(&(struct merge_options){.path = (const char *const *)path,
                                                    .count = (int)count,
                                                    .output = parts->options->output});
    for (size_t i = 0; path && i < count; i++) free(path[i]);
    free(path);
    return result;
}

static int measure_parts(struct parts *parts)
{
    const struct measure_devices_options *options = parts->options;
    struct text verdict = {0};
    int result = decide(parts, &verdict), wrong = 0;
    if (!result) {
        const int together = !strncmp(text_string(&verdict), "yes", 3);
        progress_begin("measuring", "devices", parts->choice->count);
        result = measure_all(parts, "", options->words, options->count, together);
        wrong = result == FAIL_CHECK;
        result = progress_end(wrong ? 0 : result);
    }
    if (!result) result = merge(parts, text_string(&verdict));
    text_free(&verdict);
    if (!result)
        result = directory_remove(parts->directory);
    else if (result == FAIL_INTERRUPTED)
        error(result, "interrupted; finished work is in %s; continue with --resume",
              parts->directory);
    else
        note("finished work is in %s; continue with --resume, or merge its runs with 'whyfast "
             "merge'",
             parts->directory);
    return result ? result : wrong ? FAIL_CHECK : 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void parts_free(struct parts *parts)
{
    for (int i = 0; parts->process && i < parts->choice->count; i++)
        process_free(&parts->process[i]);
    free(parts->process);
    free(parts->argument);
    free(parts->share);
    free(parts->directory);
    if (parts->self >= 0) close(parts->self);
}

static int parts_make(struct parts *parts, const struct measure_devices_options *options)
{
    const size_t count = (size_t)options->choice->count,
                 words = (size_t)(options->count + options->trial_count) + 8;
    *parts = (struct parts){.options = options,
                            .choice = options->choice,
                            .share = calloc(count, sizeof *parts->share),
                            .process = calloc(count, sizeof *parts->process),
                            .argument = calloc(words, sizeof *parts->argument)};
    parts->self = process_self(parts->program);
    if (parts->self < 0) return FAIL_OUTPUT;
    if (options->output) parts->directory = text_new("%s.parts", options->output);
    if (!parts->share || !parts->process || !parts->argument ||
        (options->output && !parts->directory))
        return error_memory();
    if (!sched_getaffinity(0, sizeof parts->all, &parts->all))
        parts->is_pinned = cpu_shares_make(parts->share, options->choice);
    return 0;
}

static int check_output(const struct parts *parts)
{
    const struct measure_devices_options *options = parts->options;
    const int there = file_exists(parts->directory);
    if (file_exists(options->output))
        return error(FAIL_OUTPUT, "%s: exists; name a new directory with -o", options->output);
    if (there && !options->resume)
        return error(FAIL_OUTPUT,
                     "%s: contains interrupted runs; continue them with --resume, or remove it to "
                     "start again",
                     parts->directory);
    if (!there && options->resume)
        return error(FAIL_INPUT, "%s: does not exist: there are no interrupted runs to resume",
                     parts->directory);
    return directory_make(parts->directory);
}

int measure_devices(const struct measure_devices_options *options)
{
    struct parts parts;
    int result = parts_make(&parts, options);
    if (!result) result = check_output(&parts);
    if (!result) result = measure_parts(&parts);
    parts_free(&parts);
    return result;
}

/* ---- in turn --------------------------------------------------------------------------------- */

/* Copies what a process printed. */
static int copy_output(const struct process *process)
{
    char path[48], piece[1 << 12];
    FILE *file = fopen(process_output(process, path), "rb");
    size_t got;
    if (!file) return error(FAIL_OUTPUT, "cannot read what a process printed: %s", strerror(errno));
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) fwrite(piece, 1, got, stdout);
    fclose(file);
    return fflush(stdout) ? error(FAIL_OUTPUT, "cannot write to stdout") : 0;
}

static int measure_one(struct parts *parts, int device)
{
    struct process *process = &parts->process[device];
    note("device %s", parts->choice->visible[device]);
    int result = start(parts, device, parts->options->words, parts->options->count, NULL);
    if (result) return result;
    process_wait(process, 1);
    result = copy_output(process);
    result = worse(result, judge(parts, device));
    process_free(process);
    return result;
}

int measure_devices_in_turn(const struct measure_devices_options *options)
{
    struct parts parts;
    int failed = 0, result = parts_make(&parts, options);
    parts.is_pinned = 0;
    for (int i = 0; !result && i < options->choice->count && !interrupted(); i++)
        failed = worse(failed, measure_one(&parts, i));
    parts_free(&parts);
    return result ? result : interrupted() ? FAIL_INTERRUPTED : failed;
}

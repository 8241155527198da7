/*
 * Runs the commands that measure the kernels of the registry: their options, stages and ends.
 */
#include "gpu_command/gpu_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "command_line/two_programs.h"
#include "driver/device_choice.h"
#include "gpu/device_identity.h"
#include "gpu_command/dry_run.h"
#include "measure/first_sentence.h"
#include "measure/measure_run.h"
#include "user_kernels/own_family.h"
#include "run/recorded_runs.h"
#include "run/run_publish.h"
#include "selftest_kernels/selftest_measure.h"
#include "version.h"

enum { DEFAULT_SAMPLES = 100 };

/* Defaults of a quick report, and of all other runs. */
enum { QUICK_SECONDS = 2, QUICK_REPEATS = 2, DEFAULT_SECONDS = 16, DEFAULT_REPEATS = 3 };

/* ---- the device ------------------------------------------------------------------------------ */

int use_named(const char *word)
{
    const int result = device_choice_use(word);
    return result || gpu_present()
               ? result
               : error(FAIL_GPU, "CUDA cannot use the device %s", getenv("CUDA_VISIBLE_DEVICES"));
}

int use_device(const struct arguments *arguments)
{
    if (arguments->device_count > 1)
        return error(FAIL_USAGE,
                     "--device: expected one device, found %d; measure one after the other and "
                     "join the runs by 'whyfast merge'",
                     arguments->device_count);
    return arguments->device_count ? use_named(arguments->device[0]) : 0;
}

/* ---- options to stages ----------------------------------------------------------------------- */

uint64_t measuring_seed(const struct arguments *arguments)
{
    enum { DEFAULT_SEED = 20 };
    return arguments->seed >= 0 ? (uint64_t)arguments->seed : DEFAULT_SEED;
}

static struct measure_options measure_options(const struct arguments *arguments)
{
    return (struct measure_options){
        .seed = measuring_seed(arguments),
        .most_samples = arguments->samples ? (int)arguments->samples : DEFAULT_SAMPLES,
        .most_seconds = arguments->seconds > 0 ? arguments->seconds
                        : arguments->quick     ? QUICK_SECONDS
                                               : DEFAULT_SECONDS,
    };
}

struct collect_options collect_options(const struct arguments *arguments)
{
    return (struct collect_options){
        .sets = arguments->sets,
        .repeats = arguments->repeats ? (int)arguments->repeats
                   : arguments->quick ? QUICK_REPEATS
                                      : DEFAULT_REPEATS,
        .demand = arguments->demand,
    };
}

int measuring_select(struct selection *selection, const struct arguments *arguments)
{
    const struct selection_options options = {
        .patterns = arguments->positional,
        .pattern_count = arguments->positional_count,
        .sizes = arguments->size,
        .size_count = arguments->size_count,
        .primary = arguments->quick,
        .block = (int)arguments->block,
        .sweep = (int)arguments->sweep,
    };
    return selection_make(selection, &options);
}

static int measuring_check(const struct arguments *arguments)
{
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    struct selection selection;
    const int result = measuring_select(&selection, arguments);
    message_level_set(level);
    if (!result) selection_free(&selection);
    return result;
}

static int nothing_selected(void)
{
    return error(FAIL_USAGE, "nothing is selected: this build has no variants");
}

/* Returns the request as one line: a run can only be resumed by the same words. */
static char *selection_words(const struct arguments *arguments)
{
    struct text words = {0};
    text_append(&words, arguments->quick ? "quick; patterns" : "patterns");
    for (int i = 0; i < arguments->positional_count; i++)
        text_format(&words, " %s", arguments->positional[i]);
    text_append(&words, "; sizes");
    for (int i = 0; i < arguments->size_count; i++) text_format(&words, " %s", arguments->size[i]);
    text_format(&words, "; seed %ld; samples %ld; seconds %g; repeats %ld", arguments->seed,
                arguments->samples, arguments->seconds, arguments->repeats);
    text_format(&words, "; block %ld; sweep %ld; counters %s", arguments->block, arguments->sweep,
                arguments->no_counters ? "none"
                : arguments->sets      ? arguments->sets
                                       : "all");
    return text_taken(&words);
}

int same_making(struct run *run)
{
    char *device = device_identity();
    int result = device ? run_same(run, "program of revision", WHYFAST_REVISION) : FAIL_GPU;
    if (!result) result = run_same(run, "GPU", device);
    free(device);
    return result;
}

/* A run that is resumed must have the same sources of families outside of the tree. */
static int remember_folders(struct run *run)
{
    char *folders = own_provenance();
    int result = folders ? 0 : error_memory();
    if (!result && *folders) result = run_same(run, "families of", folders);
    if (!result && *folders) result = run_fact_set(run, "own_families", "%s", folders);
    free(folders);
    return result;
}

static int remember_selection(struct run *run, const struct arguments *arguments)
{
    char *words = selection_words(arguments);
    if (!words) return error_memory();
    int result = run_same(run, "selection", words);
    if (!result) result = same_making(run);
    if (!result && !run_fact(run, "selection")) { /* a run that is resumed has them */
        result = run_fact_set(run, "command_line", "%s", text_string(&arguments->words));
        if (!result) result = run_fact_set(run, "selection", "%s", words);
    }
    free(words);
    return result ? result : remember_folders(run);
}

int run_lines(struct run *run, uint64_t seed, int demand)
{
    char path[PROCESS_PATH];
    const int program = process_self(path);
    if (program < 0) return FAIL_OUTPUT;
    const int result = lines_run(run, seed, demand, path);
    close(program);
    return result;
}

/* The stages that the command line asks for: a quick report has no timeline, and few knock-outs,
 * unless its sets are named. */
static int stages_asked(const struct arguments *arguments, int counters,
                        struct collect_asked *asked)
{
    *asked = (struct collect_asked){0};
    const int result = counters ? collect_asked(arguments->sets, asked) : 0;
    asked->few_knockouts = arguments->quick && !arguments->sets;
    if (asked->few_knockouts) asked->timeline = 0;
    return result;
}

static int count_groups(const struct selection *selection)
{
    int groups = 0;
    for (int at = 0; at < selection->count; groups++) at = selection_group_end(selection, at);
    return groups;
}

static void announce(const struct arguments *arguments, const struct selection *selection,
                     const struct collect_asked *asked)
{
    char expected[32];
    const double seconds = expected_seconds(selection, asked, collect_options(arguments).repeats);
    const int points = selection->count, groups = count_groups(selection);
    note("%smeasuring %d point%s of %d problem size%s%s: %s%s",
         arguments->quick ? "quick report: " : "", points, points == 1 ? "" : "s", groups,
         groups == 1 ? "" : "s", asked->counters ? ", with counters" : "",
         expected_text(seconds, expected),
         arguments->quick ? " (--full: all sizes and rungs, and the timeline)" : "");
}

/* A device that was chosen is one of several, of which the host is of interest. */
static int tell_host(struct run *run)
{
    char name[256];
    if (gethostname(name, sizeof name)) return run_fact_set(run, "host", ABSENT "it has no name");
    name[sizeof name - 1] = 0;
    return run_fact_set(run, "host", "%s", name);
}

static int measuring_do(struct run *run, const struct arguments *arguments, int counters)
{
    const struct measure_options measure = measure_options(arguments);
    const struct collect_options collect = collect_options(arguments);
    struct collect_asked asked = {0};
    struct selection selection;
    int result = measuring_select(&selection, arguments);
    if (result) return result;
    result = stages_asked(arguments, counters, &asked);
    if (!result && selection.count == 0) result = nothing_selected();
    const int knocks_out = asked.knockouts && !asked.counters; /* and wants nothing else */
    if (!result) announce(arguments, &selection, &asked);
    if (!result) result = remember_selection(run, arguments);
    const char *extent = arguments->quick && !knocks_out ? "quick" : "full";
    if (!result) result = run_fact_set(run, "extent", "%s", extent);
    if (!result && arguments->device_count) result = tell_host(run);
    if (!result) result = describe_run(run, &selection, &measure);
    if (!result) result = measure_run(run, &selection, &measure);
    if (!result && counters) result = first_sentence(run);
    if (!result && !knocks_out) result = ceilings_run(run, &measure);
    if (!result && asked.counters) result = collect_run(run, &selection, measure.seed, &collect);
    if (!result && !asked.counters) result = run_fact_set(run, "counters", "absent: not asked for");
    if (!result && !run_writer(run, TABLE_COUNTERS)) result = FAIL_OUTPUT;
    if (!result && asked.lines) result = run_lines(run, measure.seed, collect.demand);
    if (!result && asked.timeline) result = timeline_run(run, measure.seed, &collect);
    if (!result && asked.knockouts)
        result = knockouts_stage(run, arguments, knocks_out ? &selection : NULL, measure.seed);
    selection_free(&selection);
    return result;
}

int begin_run(struct run *run, const struct arguments *arguments)
{
    char *name = arguments->output ? strdup(arguments->output) : run_default_name();
    if (!name) return arguments->output ? error_memory() : FAIL_GPU;
    const int result = run_begin(run, name, arguments->resume);
    free(name);
    return result;
}

static int measuring_begin(struct run *run, const struct arguments *arguments)
{
    int result = measuring_check(arguments);
    if (result) return result;
    if (!gpu_present())
        return error(FAIL_GPU, "no GPU here to measure; 'whyfast report' replays a recorded run");
    return begin_run(run, arguments);
}

int announce_path(const char *path)
{
    const char *number = getenv(ANNOUNCE_VARIABLE);
    FILE *file = number ? fdopen((int)strtol(number, NULL, 10), "w") : stdout;
    if (!file) return error(FAIL_OUTPUT, "cannot tell the path %s: %s", path, strerror(errno));
    fprintf(file, "%s\n", path);
    return number && fclose(file) ? error(FAIL_OUTPUT, "cannot tell the path %s", path) : 0;
}

int measuring_finish(struct run *run, int result, int is_complete)
{
    if (!result) result = is_complete ? run_commit(run) : run_unit_finish(run, "raw");
    if (!result) result = announce_path(run->path);
    result = result ? run_leave(run, result) : run_checked(run, result);
    run_close(run);
    return result;
}

static int measuring_plan(const struct arguments *arguments, int counters)
{
    const struct collect_options collect = collect_options(arguments);
    struct collect_asked asked = {0};
    struct selection selection;
    int result = measuring_select(&selection, arguments);
    if (result) return result;
    if (selection.count == 0) result = nothing_selected();
    if (!result) result = stages_asked(arguments, counters, &asked);
    if (!result) result = dry_run_measure(&selection, &asked, collect.repeats, arguments->csv);
    selection_free(&selection);
    return result;
}

int measuring_run(const struct arguments *arguments)
{
    struct run run;
    int result = use_device(arguments);
    if (!result) result = measuring_begin(&run, arguments);
    if (result) return result;
    result = measuring_do(&run, arguments, arguments->sets != NULL);
    return measuring_finish(&run, result, 1);
}

int measure_command(const struct arguments *arguments)
{
    return arguments->dry_run ? measuring_plan(arguments, 0) : measuring_run(arguments);
}

int launch_command(const struct arguments *arguments)
{
    const struct launch_options launch = {measure_options(arguments).seed,
                                          arguments->samples ? (int)arguments->samples : 1};
    struct selection selection;
    int result = measuring_select(&selection, arguments);
    if (result) return result;
    if (arguments->dry_run && selection.count == 0) {
        result = nothing_selected();
    } else if (arguments->dry_run) {
        result = dry_run_launch(&selection);
    } else {
        result = use_device(arguments);
        if (!result) result = launch_run(&selection, &launch);
    }
    selection_free(&selection);
    return result;
}

/* Several values make sense for samples only, a launch for counts only. */
int probe_command(const struct arguments *arguments)
{
    const char *what = arguments->positional_count ? arguments->positional[0] : "";
    struct arguments patterns = *arguments;
    struct selection selection;
    memmove(patterns.positional, patterns.positional + 1,
            (OPERAND_COUNT - 1) * sizeof *patterns.positional);
    patterns.positional_count--;
    if (!*what)
        return error(FAIL_USAGE, "probe: expected 'counts', 'samples' or 'twins', found nothing");
    if (strcmp(what, "counts") && strcmp(what, "samples") && strcmp(what, "twins"))
        return error(FAIL_USAGE, "probe: expected 'counts', 'samples' or 'twins', found '%s'",
                     what);
    int result = measuring_select(&selection, &patterns);
    if (result) return result;
    if (!strcmp(what, "twins"))
        result = probe_twins(&selection, arguments);
    else if (!strcmp(what, "counts"))
        result = probe_counts(&selection, measure_options(arguments).seed,
                              arguments->launch < 0 ? 0 : (unsigned)arguments->launch);
    else if (arguments->launch >= 0)
        result = error(FAIL_USAGE, "probe samples takes no --launch: it samples them all");
    else
        result = probe_samples(&selection, measure_options(arguments).seed);
    selection_free(&selection);
    return result;
}

/* ---- report ---------------------------------------------------------------------------------- */

/* Without a GPU only a recorded run could be shown, which is not always what was asked for. */
static int cannot_measure(const struct arguments *arguments)
{
    const char *operand = arguments->positional_count ? arguments->positional[0] : NULL;
    if (arguments->demand) return error(FAIL_GPU, "no GPU here, but --demand-counters was given");
    if (!operand && !arguments_measure(arguments)) return STATUS_NO_GPU;
    return error(FAIL_GPU,
                 "no GPU here to measure%s%s%s; 'whyfast report' alone shows a recorded run",
                 operand ? " " : "", operand ? operand : "",
                 operand && registry_own(operand) ? ", which was compiled" : "");
}

int report_command(const struct arguments *arguments)
{
    struct run run;
    int result = measuring_check(arguments); /* reports a typo, GPU or not */
    if (result) return result;
    if (arguments->dry_run) return measuring_plan(arguments, !arguments->no_counters);
    result = use_device(arguments);
    if (result) return result;
    if (!gpu_present()) return cannot_measure(arguments);
    result = measuring_begin(&run, arguments);
    if (result) return result;
    result = measuring_do(&run, arguments, !arguments->no_counters);
    return measuring_finish(&run, result, arguments->raw);
}

/* ---- selftest -------------------------------------------------------------------------------- */

int selftest_command(const struct arguments *arguments)
{
    const struct selftest_options options = {
        .patterns = arguments->positional,
        .pattern_count = arguments->positional_count,
        .seed = arguments->seed,
        .repeats = (int)arguments->repeats,
        .command_line = text_string(&arguments->words),
    };
    struct selection selection;
    struct run run;
    int result = selftest_select(&selection, &options);
    if (!result) result = use_device(arguments);
    if (!result && !gpu_present()) result = error(FAIL_GPU, "no GPU here to test");
    if (!result && !arguments->output)
        result = error(FAIL_USAGE, "selftest: expected -o and a directory");
    if (!result) result = run_begin(&run, arguments->output, 0);
    if (!result) {
        result = selftest_measure(&run, &selection, &options);
        if (!result) result = run_commit(&run);
        if (!result) result = announce_path(run.path);
        if (result) run_abandon(&run);
        run_close(&run);
    }
    selection_free(&selection);
    return result;
}

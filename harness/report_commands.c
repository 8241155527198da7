#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/terminal.h"
#include "check/selftest.h"
#include "dry_run.h"
#include "explain/compare_runs.h"
#include "fleet/boards.h"
#include "fleet/merge_runs.h"
#include "own/own_family.h"
#include "query/variant_names.h"
#include "report/compare_print.h"
#include "report/conflicts_print.h"
#include "report/single_file.h"
#include "report/timeline.h"
#include "run/merged_run.h"
#include "run/recorded_runs.h"
#include "run/run_publish.h"
#include "run/run_stages.h"

/* ---- the recorded run -------------------------------------------------------------------------
 */

/* Runs a stage without its warnings: the recorded run was looked at when it was recorded. */
static int quietly(int (*stage)(struct run *run), struct run *run)
{
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    const int result = stage(run);
    message_level_set(level);
    return result;
}

static int derive(struct run *run)
{
    progress_begin("evaluating", "stages", 2);
    progress_next(1, "evaluate");
    int result = quietly(evaluate_run, run);
    progress_next(1, "explain");
    if (!result) result = quietly(explain_run, run);
    return progress_end(result);
}

/* Sets *path to a recorded run, unpacked and evaluated, which the caller frees; that of a device if
 * one is named. Adds the other recorded runs to `others`, unless it is NULL. */
static int recorded_path(char **path, const char *device, struct text *others)
{
    char *found = recorded_find(device);
    *path = NULL;
    const int result = found ? recorded_copy(found, derive, path) : device ? FAIL_USAGE : FAIL_GPU;
    if (found && others) recorded_append_others(others, found);
    free(found);
    return result;
}

int recorded_open(struct run *run, const char *path)
{
    if (path) return run_open(run, path);
    char *recorded;
    int result = recorded_path(&recorded, NULL, NULL);
    if (!result) result = run_open(run, recorded);
    free(recorded);
    return result;
}

/* ---- report --------------------------------------------------------------------------------- */

static int analyse(struct run *run, int single_file)
{
    progress_begin("analysis", "stages", 3);
    progress_next(1, STAGE_EVALUATE);
    int result = unless_interrupted(evaluate_run(run));
    progress_next(1, STAGE_EXPLAIN);
    if (!result) result = unless_interrupted(explain_run(run));
    progress_next(1, STAGE_REPORT);
    const int draws = !result && gnuplot_available();
    if (!result && !draws) warning("gnuplot is not on the PATH: the report has no charts");
    if (!result) result = unless_interrupted(report_run(run, draws ? plot_run : NULL));
    if (!result && single_file) result = single_file_write(run);
    return progress_end(result);
}

static int is_same(const char *path, const char *other)
{
    struct stat status, of_other;
    return stat(path, &status) == 0 && stat(other, &of_other) == 0 &&
           status.st_dev == of_other.st_dev && status.st_ino == of_other.st_ino;
}

/* `others` are the names of the other recorded runs; NULL: the run is not a recorded one. */
static int replay(const struct arguments *arguments, const char *path, const struct text *others)
{
    const int recorded = others != NULL;
    struct run from, run;
    int result = run_open(&from, path);
    if (result) return result;
    if (arguments->dry_run) {
        dry_run_header();
        result = dry_run_analysis();
        run_close(&from);
        return result;
    }
    const char *name = strrchr(from.path, '/') ? strrchr(from.path, '/') + 1 : from.path;
    if (recorded) {
        const char *device = run_fact(&from, "device_name"), *date = run_fact(&from, "date");
        struct text words = {0};
        text_format(
            &words,
            "Replaying the recorded run %s (%s, %s): nothing was measured on this machine.\n", name,
            device ? device : "unknown device", date ? date : "unknown day");
        if (others->length)
            text_format(&words, "There are others: %s; --replay --device NAME chooses one.\n",
                        text_string(others));
        text_write_visible(stdout, text_string(&words));
        text_free(&words);
        fflush(stdout);
    }
    const char *output = arguments->output || !recorded ? arguments->output : "whyfast-report";
    if (recorded && is_same(output, path))
        result =
            error(FAIL_OUTPUT, "%s: is the recorded run itself; name another directory", output);
    else
        result = begin_result(&run, output, &from, 0);
    if (!result) {
        result = run_copy_raw(&run, &from, 0);
        if (!result && recorded) result = run_fact_set(&run, "replay_of", "%s", name);
        if (!result) result = analyse(&run, arguments->single_file);
        if (!result) result = run_commit(&run);
        if (!result)
            printf("%s/%s\n", run.path, arguments->single_file ? SINGLE_FILE : "index.html");
        if (result) run_abandon(&run); /* a replay cannot be resumed */
        if (result == FAIL_INTERRUPTED) error(FAIL_INTERRUPTED, "interrupted; nothing was written");
        result = measuring_result(&run, result);
        run_close(&run);
    }
    run_close(&from);
    return result;
}

static int replay_device(void *context, const char *device)
{
    note("reporting %s", device);
    return replay(context, device, NULL);
}

/* Reports all devices of a merged run in their places, or of a copy of it at --output. */
static int report_merged(const struct arguments *arguments, const char *path)
{
    struct arguments of_device = *arguments;
    const int copies = arguments->output && !arguments->dry_run && strcmp(arguments->output, path);
    const struct merge_options copy = {.path = &path, .count = 1, .output = arguments->output};
    int result = copies ? merge_runs(&copy) : 0;
    if (copies) path = arguments->output;
    of_device.output = NULL;
    if (!result) result = fleet_each(path, replay_device, &of_device);
    if (arguments->dry_run || (result && result != FAIL_CHECK)) return result;
    const int written = boards_write(path);
    if (!written) printf("%s/index.html\n", path);
    return written ? written : result;
}

/* Returns 1 if the command line has options about measuring. */
static int measures(const struct arguments *arguments)
{
    return arguments->size_count || arguments->block || arguments->sweep || arguments->seed >= 0 ||
           arguments->samples || arguments->repeats || arguments->seconds > 0 || arguments->sets ||
           arguments->keep_image || arguments->demand || arguments->no_counters ||
           arguments->resume || arguments->full || arguments->raw;
}

/* Returns FAIL_USAGE for a run with patterns, FAIL_INPUT for a single word that is a path, and for
 * one that is nearly that of a run. */
static int check_not_patterns(const char *word, int count)
{
    int result = 0;
    if (count > 1 && !registry_own(word) && file_exists(path_in(word, FACTS_FILE).at))
        return error(FAIL_USAGE, "%s is a run, which is reported as a whole: expected one operand",
                     word);
    if (count > 1) return 0;
    char *nearest = registry_matches(word) ? NULL : run_nearest(word);
    if (strchr("/.", *word) || (nearest && strchr(word, '/')))
        result = error(FAIL_INPUT, "%s: no such run%s%s%s", word, nearest ? "; did you mean '" : "",
                       nearest ? nearest : "", nearest ? "'?" : "");
    free(nearest);
    return result;
}

/* Without a GPU only a recorded run could be shown, which is not what was asked for. */
static int cannot_measure(const struct arguments *arguments)
{
    const char *operand = arguments->positional_count ? arguments->positional[0] : NULL;
    return error(FAIL_GPU,
                 "no GPU here to measure%s%s%s; 'whyfast report' alone shows a recorded run",
                 operand ? " " : "", operand ? operand : "",
                 operand && registry_own(operand) ? ", which was compiled" : "");
}

int report_command(const struct arguments *arguments)
{
    struct run run;
    if (arguments->positional_count == 1 && !registry_own(arguments->positional[0]) &&
        access(arguments->positional[0], F_OK) == 0) {
        if (measures(arguments) || arguments->device_count || arguments->replay)
            return error(FAIL_USAGE,
                         "%s is a run: --replay and options about measuring do not apply",
                         arguments->positional[0]);
        if (merged_run_is_at(arguments->positional[0]))
            return report_merged(arguments, arguments->positional[0]);
        const int result = replay(arguments, arguments->positional[0], NULL);
        return result && result != FAIL_CHECK ? result : fleet_renew_page(arguments, result);
    }
    if (arguments->positional_count) {
        const int refused =
            check_not_patterns(arguments->positional[0], arguments->positional_count);
        if (refused) return refused;
    }
    const int asks = arguments->positional_count || measures(arguments);
    int result = measuring_check(arguments); /* reports a typo, GPU or not */
    if (result) return result;
    if (arguments->replay && asks)
        return error(FAIL_USAGE, "--replay shows a recorded run in full: patterns, folders and "
                                 "options about measuring do not apply");
    if (arguments->dry_run && !arguments->replay) {
        result = measuring_plan(arguments, !arguments->no_counters);
        return result ? result : dry_run_analysis();
    }
    const char *device = arguments->replay ? arguments->device[0] : NULL;
    if (device && (arguments->device_count > 1 || !device[strspn(device, "0123456789")]))
        return error(FAIL_USAGE, "--replay shows one recorded run: --device takes a part of the "
                                 "name of one device, such as h200");
    if (!arguments->replay) result = fleet_use_device(arguments);
    if (result) return result;
    if (!gpu_present() || arguments->replay) {
        if (arguments->demand)
            return error(FAIL_GPU, "no GPU here, but --demand-counters was given");
        if (asks) return cannot_measure(arguments);
        struct text others = {0};
        char *recorded;
        result = recorded_path(&recorded, device, &others);
        if (!result) result = replay(arguments, recorded, &others);
        text_free(&others);
        free(recorded);
        return result;
    }
    result = measuring_begin(&run, arguments);
    if (result) return result;
    result = measuring_do(&run, arguments, !arguments->no_counters);
    if (!result) result = run_unit_finish(&run, "raw");
    if (arguments->raw) return measuring_finish(&run, result, "");
    if (!result) result = analyse(&run, arguments->single_file);
    return measuring_finish(&run, result, arguments->single_file ? "/" SINGLE_FILE : "/index.html");
}

/* ---- compare --------------------------------------------------------------------------------- */

static int print_comparison(struct run_comparison *comparison, const struct arguments *arguments)
{
    const struct terminal screen = terminal_of_stdout();
    const enum print_form form = arguments_form(arguments);
    if (form == PRINT_SCREEN) return compare_print(comparison, &screen, arguments->verbose, stdout);
    struct text summary = {0};
    const int result = compare_print_data(comparison, form, stdout);
    compare_append_summary(&summary, comparison);
    if (!result) note("%s", text_string(&summary));
    text_free(&summary);
    return result;
}

int compare_command(const struct arguments *arguments)
{
    if (arguments->positional_count < 2)
        return error(FAIL_USAGE, "compare: expected the directories of two runs, or two devices of "
                                 "a merged run, as in --device 0,1");
    const char *const *word = arguments->positional;
    if (!variant_names_is_run(word[0]) && !file_exists(word[0]) && !file_exists(word[1]))
        return error(FAIL_INPUT,
                     "there are no runs '%s' and '%s' to compare; two variants are compared by "
                     "'whyfast explain %s %s'",
                     word[0], word[1], word[0], word[1]);
    const struct compare_options options = {
        .patterns = arguments->positional + 2,
        .pattern_count = arguments->positional_count - 2,
        .sizes = arguments->size,
        .size_count = arguments->size_count,
        .threshold_pct = arguments->threshold,
        .all_settings = arguments->all_settings,
    };
    struct run_comparison comparison;
    struct run before, after;
    int result = run_open(&before, arguments->positional[0]);
    if (result) return result;
    result = run_open(&after, arguments->positional[1]);
    if (!result) {
        result = compare_open(&comparison, &before, &after, &options);
        if (!result) {
            compare_warn(&before, &after);
            result = print_comparison(&comparison, arguments);
            if (!result && (fflush(stdout) || ferror(stdout)))
                result = error(FAIL_OUTPUT, "cannot write to stdout");
            if (!result) result = compare_check(&comparison);
            compare_close(&comparison);
        }
        run_close(&after);
    }
    run_close(&before);
    return result;
}

/* ---- timeline -------------------------------------------------------------------------------- */

static int write_timeline(const char *path, const struct run *run,
                          const struct timeline_options *options)
{
    if (!path || !strcmp(path, "-")) return timeline_print(run, options, stdout);
    struct atomic_file output;
    int result = run_publish_check_file(path);
    if (!result) result = atomic_file_open(&output, path);
    return result ? result : atomic_file_end(&output, timeline_print(run, options, output.file));
}

int timeline_command(const struct arguments *arguments)
{
    const int first = arguments->positional_count && variant_names_is_run(arguments->positional[0]);
    const struct timeline_options options = {
        .patterns = arguments->positional + first,
        .pattern_count = arguments->positional_count - first,
        .first_may_be_run = !first,
        .sizes = arguments->size,
        .size_count = arguments->size_count,
    };
    struct run run;
    if (!arguments->output && isatty(STDOUT_FILENO))
        return error(FAIL_USAGE, "timeline: a trace is of no use on a terminal; name its file, as "
                                 "in 'whyfast timeline -o trace.json'");
    int result = recorded_open(&run, first ? arguments->positional[0] : NULL);
    if (result) return result;
    struct text words = {0};
    recorded_describe(&words, &run, 1);
    if (!first) note("%s", text_string(&words));
    text_free(&words);
    result = write_timeline(arguments->output, &run, &options);
    run_close(&run);
    return result;
}

/* ---- conflicts ------------------------------------------------------------------------------- */

int conflicts_command(const struct arguments *arguments)
{
    const int first = arguments->positional_count && variant_names_is_run(arguments->positional[0]);
    const struct conflicts_options options = {
        .patterns = arguments->positional + first,
        .pattern_count = arguments->positional_count - first,
        .first_may_be_run = !first,
        .sizes = arguments->size,
        .size_count = arguments->size_count,
        .recorded = !first,
        .all = arguments->verbose,
        .form = arguments_form(arguments),
    };
    const struct terminal screen = terminal_of_stdout();
    struct run run;
    int result = recorded_open(&run, first ? arguments->positional[0] : NULL);
    if (result) return result;
    result = conflicts_print(&run, &options, &screen, stdout);
    run_close(&run);
    return result;
}

/* ---- selftest -------------------------------------------------------------------------------- */

int selftest_command(const struct arguments *arguments)
{
    const int is_run =
        arguments->positional_count == 1 && access(arguments->positional[0], F_OK) == 0;
    const struct selftest_options options = {
        .patterns = arguments->positional,
        .pattern_count = arguments->positional_count,
        .seed = arguments->seed,
        .repeats = (int)arguments->repeats,
        .command_line = text_string(&arguments->words),
        .form = arguments_form(arguments),
        .output = arguments->output,
        .again = is_run ? arguments->positional[0] : NULL,
    };
    if (is_run && (arguments->seed >= 0 || arguments->repeats || arguments->device_count))
        return error(FAIL_USAGE, "%s is a run: options about measuring do not apply",
                     options.again);
    const int result = is_run ? 0 : fleet_use_device(arguments);
    if (result) return result;
    if (!is_run && !gpu_present()) return error(FAIL_GPU, "no GPU here to test");
    return selftest_run(&options);
}

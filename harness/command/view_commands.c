/*
 * Runs the commands that show a run and change nothing: lines, conflicts, compare, timeline.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "catalog/registry.h"
#include "base/terminal.h"
#include "command/command.h"
#include "explain/compare_runs.h"
#include "explain/explain_pair.h"
#include "lines/lines_view.h"
#include "query/variant_names.h"
#include "report/compare_junit.h"
#include "report/compare_print.h"
#include "report/conflicts_print.h"
#include "report/timeline.h"
#include "run/evaluation.h"
#include "run/recorded_runs.h"
#include "run/run_publish.h"

/* ---- lines ----------------------------------------------------------------------------------- */

/* Names the kernels of a run, of which the command lacks one or has too many. */
static int say_kernels(const char *path)
{
    static const char sql[] =
        "SELECT printf('lines: expected one or two variants of %s: %s%s', :run, "
        "group_concat(name, ', ') FILTER (WHERE nth <= 8), iif(count(*) > 8, ', ...', '')) FROM "
        "(SELECT family || '/' || variant AS name, row_number() OVER (ORDER BY family, rung) AS "
        "nth FROM variants WHERE kind = 'kernel')";
    struct run run;
    struct query query;
    char *words = NULL;
    int result = recorded_open(&run, path);
    if (result) return result;
    const struct scope scope = SCOPE_OF(STRINGS("run"), STRINGS(recorded_title(&run)));
    result = query_open(&query, &run);
    if (!result) result = query_load(&query, TABLE_VARIANTS);
    if (!result) result = query_text(&query, NULL, sql, &scope, &words);
    if (!result) result = words ? error(FAIL_USAGE, "%s", words) : error_memory();
    free(words);
    query_close(&query);
    run_close(&run);
    return result;
}

int lines_command(const struct arguments *arguments)
{
    struct run run;
    const int count = arguments->positional_count,
              first = count == 3 || (count && variant_names_is_run(arguments->positional[0])),
              variants = count - first;
    if (first && !variants) return say_kernels(arguments->positional[0]);
    if (variants < 1 || variants > 2)
        return error(
            FAIL_USAGE,
            "lines: expected one or two variants, optionally after the directory of a run");
    if (variant_names_check_runs("lines", arguments->positional, first)) return FAIL_USAGE;
    if (arguments->size_count > 1) return error(FAIL_USAGE, "lines: expected one size");
    if (arguments->banks &&
        (arguments->sass || arguments->all || arguments->sort || arguments->metric_count))
        return error(FAIL_USAGE, "lines: --banks shows no lines, to which --sass, --all, --sort "
                                 "and --metric apply");
    const struct lines_options options = {
        .variants = arguments->positional + first,
        .variant_count = variants,
        .choice = {arguments->size_count ? arguments->size[0] : NULL, arguments->block,
                   arguments->sweep, arguments->launch},
        .metrics = arguments->metric,
        .metric_count = arguments->metric_count,
        .sort = arguments->sort,
        .sass = arguments->sass,
        .csv = arguments->csv,
        .json = arguments->json,
        .banks = arguments->banks,
        .hot_only = !arguments->all,
        .recorded = !first,
        .verdict = explain_pair_sentence,
    };
    const struct terminal screen = terminal_of_stdout();
    int result = recorded_open(&run, first ? arguments->positional[0] : NULL);
    if (!result) {
        evaluation_warn(&run);
        result = lines_view_print(&run, &options, &screen, stdout);
        run_close(&run);
    }
    return result;
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
    if (!variant_names_is_run(word[0]) && !file_exists(word[0]) && !file_exists(word[1]) &&
        (registry_knows(word[0]) || registry_knows(word[1])))
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
        .gates = arguments->gates,
    };
    struct run_comparison comparison;
    struct run before, after;
    int result = recorded_open_two(&before, &after, arguments);
    if (result) return result;
    result = compare_open(&comparison, &before, &after, &options);
    if (!result) {
        result = compare_warn(&comparison);
        if (!result) result = print_comparison(&comparison, arguments);
        if (!result && arguments->junit)
            result = compare_junit_write(&comparison, arguments->junit);
        if (!result) result = stdout_end();
        if (!result) result = compare_check(&comparison);
        compare_close(&comparison);
    }
    run_close(&after);
    run_close(&before);
    return result;
}

/* ---- timeline -------------------------------------------------------------------------------- */

/* Refuses to write over a file that holds something else than an earlier trace. */
static int check_earlier(const char *path)
{
    size_t length;
    char *text = text_read_file(path, &length);
    const int is_foreign = text && length && !strstr(text, "\n],\n\"otherData\":");
    free(text);
    const int result = run_publish_check_file(path);
    if (result || !is_foreign) return result;
    return error(
        FAIL_OUTPUT,
        "%s: is no timeline of whyfast, so it is left unchanged; name another file with -o", path);
}

static int write_timeline(const char *path, const struct run *run,
                          const struct timeline_options *options)
{
    if (!path || !strcmp(path, "-")) return timeline_print(run, options, stdout);
    struct atomic_file output;
    int result = check_earlier(path);
    if (!result) result = atomic_file_open(&output, path);
    if (!result) result = atomic_file_end(&output, timeline_print(run, options, output.file));
    if (!result) note("%s: open it at ui.perfetto.dev or in chrome://tracing", path);
    return result;
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
    evaluation_warn(&run);
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

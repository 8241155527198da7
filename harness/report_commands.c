#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/terminal.h"
#include "check/selftest.h"
#include "explain/compare_runs.h"
#include "explain/explain_pair.h"
#include "query/variant_names.h"
#include "report/compare_print.h"
#include "report/conflicts_print.h"
#include "report/timeline.h"
#include "run/recorded_runs.h"

/* ---- the recorded run -------------------------------------------------------------------------
 */

/* The recorded run was looked at when it was recorded: nobody needs its warnings again. */
static int derive(struct run *run)
{
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    int result = evaluate_run(run);
    if (!result) result = explain_run(run);
    message_level_set(level);
    return result;
}

int recorded_path(char **path)
{
    char *newest = recorded_newest();
    *path = NULL;
    const int result = newest ? recorded_copy(newest, derive, path) : FAIL_GPU;
    free(newest);
    return result;
}

int recorded_open(struct run *run, const char *path)
{
    if (path) return run_open(run, path);
    char *recorded;
    int result = recorded_path(&recorded);
    if (!result) result = run_open(run, recorded);
    free(recorded);
    return result;
}

/* ---- compare --------------------------------------------------------------------------------- */

static int print_comparison(struct run_comparison *comparison, const struct arguments *arguments)
{
    const struct terminal screen = terminal_of_stdout();
    if (!arguments->csv && !arguments->json)
        return compare_print(comparison, &screen, arguments->verbose, stdout);
    struct text summary = {0};
    const int result = arguments->csv ? compare_print_csv(comparison, stdout)
                                      : compare_print_json(comparison, stdout);
    compare_append_summary(&summary, comparison);
    if (!result) note("%s", text_string(&summary));
    text_free(&summary);
    return result;
}

int compare_command(const struct arguments *arguments)
{
    if (arguments->positional_count < 2)
        return error(FAIL_USAGE, "compare: expected the directories of two runs");
    if (arguments->csv && arguments->json)
        return error(FAIL_USAGE, "compare: --csv or --json, not both");
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

/* ---- explain A B ----------------------------------------------------------------------------- */

/* How many of the first operands are runs: two variants leave the rest to them. */
static int leading_runs(const struct arguments *arguments)
{
    enum { MOST = 2 };
    const int count = arguments->positional_count;
    int runs = count > 4 ? MOST : count > 2 ? count - 2 : 0;
    while (runs < MOST && runs < count && variant_names_is_run(arguments->positional[runs])) runs++;
    return runs;
}

/* Without a run among the arguments, the first is a recorded one. */
static int print_pair(const struct run *first, const struct run *second, const char *before,
                      const char *after, const struct arguments *arguments)
{
    const int recorded = leading_runs(arguments) == 0;
    struct explain_pair pair;
    int result = explain_pair_open(&pair, first, second, before, after,
                                   arguments->size_count ? arguments->size[0] : NULL);
    if (!result && arguments->json)
        result = explain_pair_print_json(&pair);
    else if (!result && arguments->csv)
        result = explain_pair_print_csv(&pair);
    else if (!result)
        result = explain_pair_print(&pair, recorded, arguments->verbose);
    explain_pair_close(&pair);
    return result;
}

int explain_pair_command(const struct arguments *arguments)
{
    const int runs = leading_runs(arguments), words = arguments->positional_count - runs;
    const char *const *word = arguments->positional + runs;
    if (arguments->size_count > 1) return error(FAIL_USAGE, "explain: expected one size");
    if (arguments->csv && arguments->json)
        return error(FAIL_USAGE, "explain: --csv or --json, not both");
    if (runs == 2 ? words < 1 || words > 2 : words != 2)
        return error(FAIL_USAGE, "explain: expected a run; or two variants, optionally after a "
                                 "run; or two runs and one or two variants");
    struct run first, second;
    int result = recorded_open(&first, runs ? arguments->positional[0] : NULL);
    if (result) return result;
    if (runs < 2) {
        result = print_pair(&first, &first, word[0], word[1], arguments);
    } else {
        result = run_open(&second, arguments->positional[1]);
        if (!result) {
            result = print_pair(&first, &second, word[0], word[words - 1], arguments);
            run_close(&second);
        }
    }
    run_close(&first);
    return result;
}

/* ---- timeline -------------------------------------------------------------------------------- */

static int write_timeline(const char *path, const struct run *run,
                          const struct timeline_options *options)
{
    if (!path || !strcmp(path, "-")) return timeline_print(run, options, stdout);
    struct atomic_file output;
    const int result = atomic_file_open(&output, path);
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
        .csv = arguments->csv,
        .json = arguments->json,
    };
    const struct terminal screen = terminal_of_stdout();
    struct run run;
    if (arguments->csv && arguments->json)
        return error(FAIL_USAGE, "conflicts: --csv or --json, not both");
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
        .csv = arguments->csv,
        .output = arguments->output,
        .again = is_run ? arguments->positional[0] : NULL,
    };
    if (is_run && (arguments->seed >= 0 || arguments->repeats))
        return error(FAIL_USAGE, "%s is a run: options about measuring do not apply",
                     options.again);
    if (!is_run && !gpu_present()) return error(FAIL_GPU, "no GPU here to test");
    return selftest_run(&options);
}

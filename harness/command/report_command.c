#include "command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "base/terminal.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "command/gpu_program.h"
#include "command_line/folder_operands.h"
#include "command_line/two_programs.h"
#include "evaluate/evaluate.h"
#include "explain/explain.h"
#include "fleet/boards.h"
#include "fleet/merge_runs.h"
#include "report/report.h"
#include "report/single_file.h"
#include "run/merged_run.h"
#include "run/recorded_runs.h"
#include "run/run_stages.h"

/* ---- report --------------------------------------------------------------------------------- */

static int analyse(struct run *run, int is_explained, int single_file)
{
    progress_begin("analysis", "stages", is_explained ? 1 : 3);
    int result = is_explained ? 0 : explain_run(run, 0);
    progress_next(1, STAGE_REPORT);
    const int draws = !result && gnuplot_available();
    if (!result && !draws) warning("gnuplot is not on the PATH: the report has no charts");
    if (!result) result = unless_interrupted(report_run(run, draws ? plot_run : NULL));
    if (!result && single_file) result = single_file_write(run);
    return progress_end(result);
}

static int plan_stage(const char *name, int csv)
{
    struct stage stage;
    if (csv) printf("%s,,,,,,,,,\n", name);
    return stage_end(&stage, stage_begin(&stage, NULL, name, NULL));
}

/* Prints for --dry-run the stages from raw tables to the report. */
static int plan_analysis(int csv)
{
    int result = plan_stage(STAGE_EVALUATE, csv);
    if (!result) result = plan_stage(STAGE_EXPLAIN, csv);
    if (!result && gnuplot_available()) result = plan_stage(STAGE_PLOT, csv);
    if (!result) result = plan_stage(STAGE_REPORT, csv);
    return result;
}

static int is_same(const char *path, const char *other)
{
    struct stat status, of_other;
    return stat(path, &status) == 0 && stat(other, &of_other) == 0 &&
           status.st_dev == of_other.st_dev && status.st_ino == of_other.st_ino;
}

static void print_page(const struct run *run, const struct arguments *arguments)
{
    const char *page = arguments->single_file ? SINGLE_FILE : "index.html";
    const char *program = program_name(), *path = run->path;
    const struct path typed = shell_word(path);
    printf("%s/%s\n", path, page);
    fflush(stdout);
    if (getenv("SSH_CONNECTION") && arguments->single_file)
        note("this host is remote: copy %s/%s to look at it", path, page);
    else if (getenv("SSH_CONNECTION"))
        note("this host is remote: copy %s to look at it (--single-file makes one file), or type "
             "'python3 -m http.server -d %s' here and forward its port 8000 by 'ssh -L'",
             path, typed.at);
    note("try next: %s explain %s    (%s)", program, typed.at,
         run_fact(run, "program_starts") || run_fact(run, "imported")
             ? "its kernels, and how to explain two of them"
             : "every step and its main causes");
    note("try next: %s conflicts %s  (the kernels that bank conflicts cost most)", program,
         typed.at);
}

/* `others` are the names of the other recorded runs; NULL: the run is not a recorded one. */
static int replay(const struct arguments *arguments, const char *path, const struct text *others)
{
    const int recorded = others != NULL;
    struct run from, run;
    int result = run_open(&from, path);
    if (result) return result;
    if (arguments->dry_run) {
        if (arguments->csv)
            puts("stage," POINT_KEY_CSV ",launches,series,repeats");
        else
            printf("%s would be reported again; nothing would be measured.\n", from.path);
        run_close(&from);
        return plan_analysis(arguments->csv);
    }
    const char *name = text_base_name(from.path);
    if (recorded) {
        const char *device = run_fact(&from, "device_name"), *date = run_fact(&from, "date");
        struct text words = {0};
        terminal_line(
            &words, "Replaying the recorded run %s (%s, %s): nothing was measured on this machine.",
            name, device ? device : "unknown device", date ? date : "unknown day");
        if (others->length)
            terminal_line(&words, "There are others: %s; --replay --device NAME chooses one.",
                          text_string(others));
        page_print(stdout, &words, 0);
        fflush(stdout);
    }
    const char *output = arguments->output || !recorded ? arguments->output : "whyfast-report";
    if (recorded && is_same(output, path))
        result =
            error(FAIL_OUTPUT, "%s: is the recorded run itself; name another directory", output);
    else
        result = run_begin_result(&run, output, &from, 0);
    if (!result) {
        const int is_explained = recorded && recorded_is_derived(path);
        result = run_copy_raw(&run, &from, 0);
        if (!result && is_explained) result = run_copy_computed(&run, &from);
        if (!result && recorded) result = run_fact_set(&run, "replay_of", "%s", name);
        if (!result) result = analyse(&run, is_explained, arguments->single_file);
        if (!result) result = run_commit(&run);
        if (!result) print_page(&run, arguments);
        if (result) run_abandon(&run); /* a replay cannot be resumed */
        if (result == FAIL_INTERRUPTED) error(FAIL_INTERRUPTED, "interrupted; nothing was written");
        result = run_checked(&run, result);
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
    if (!result) result = merged_each(path, replay_device, &of_device);
    if (arguments->dry_run || (result && result != FAIL_CHECK)) return result;
    const int written = boards_write(path);
    if (!written) printf("%s/index.html\n", path);
    return written ? written : result;
}

static int report_run_at(const struct arguments *arguments, const char *path)
{
    const struct text no_others = {0};
    if (arguments_measure(arguments) || arguments->device_count || arguments->replay)
        return error(FAIL_USAGE, "%s is a run: --replay and options about measuring do not apply",
                     path);
    if (merged_run_is_at(path)) return report_merged(arguments, path);
    const int result = replay(arguments, path, recorded_is(path) ? &no_others : NULL);
    return result && result != FAIL_CHECK ? result : merged_renew_page(arguments, result);
}

static int report_recorded(const struct arguments *arguments)
{
    const char *device = arguments->device[0];
    struct text others = {0};
    char *recorded;
    if (device && (arguments->device_count > 1 || !device[strspn(device, "0123456789")]))
        return error(FAIL_USAGE, "--replay shows one recorded run: --device takes a part of the "
                                 "name of one device, such as h200");
    int result = recorded_path(&recorded, device, &others);
    if (!result) result = replay(arguments, recorded, &others);
    text_free(&others);
    free(recorded);
    /* A wrong result of a recorded run is on its pages; it is none of this command. */
    return result == FAIL_CHECK ? 0 : result;
}

/* Continues the run that whyfast-gpu has left in <path>.part; it ended with `status`. */
static int report_measured(const struct arguments *arguments, const char *path, int status)
{
    struct run run;
    if (!path) return arguments->dry_run && !status ? plan_analysis(arguments->csv) : status;
    if (arguments->raw) {
        printf("%s\n", path);
        return status;
    }
    int result = run_begin(&run, path, 1);
    if (result) return result;
    result = analyse(&run, 0, arguments->single_file);
    if (!result) result = run_commit(&run);
    if (!result) print_page(&run, arguments);
    result = result ? run_leave(&run, result) : run_checked(&run, result);
    run_close(&run);
    return result;
}

/* Returns FAIL_USAGE for a run with patterns, and FAIL_INPUT for a single word that is nearly the
 * path of a run. */
static int check_not_run(const char *word, int count)
{
    if (!word || folder_operands_made(word)) return 0;
    if (count > 1)
        return run_is_at(word)
                   ? error(FAIL_USAGE,
                           "%s is a run, which is reported as a whole: expected one operand", word)
                   : 0;
    char *nearest =
        strchr(word, '/') && !registry_knows(word) ? file_nearest(word, FACTS_FILE) : NULL;
    const int result =
        nearest ? error(FAIL_INPUT, "%s: no such run; did you mean '%s'?", word, nearest) : 0;
    free(nearest);
    return result;
}

int report_command(const struct arguments *arguments)
{
    if (arguments->csv && !arguments->dry_run)
        return error(FAIL_USAGE,
                     "report: --csv is for --dry-run; the tables of a run are CSV files");
    const char *operand = arguments->positional[0];
    if (arguments->positional_count == 1 && !folder_operands_made(operand) &&
        access(operand, F_OK) == 0)
        return report_run_at(arguments, operand);
    const int refused = check_not_run(operand, arguments->positional_count);
    if (refused) return refused;
    if (arguments->replay && (arguments->positional_count || arguments_measure(arguments)))
        return error(FAIL_USAGE, "--replay shows a recorded run in full: patterns, folders and "
                                 "options about measuring do not apply");
    const int asks = arguments->positional_count || arguments_measure(arguments) ||
                     arguments->device_count || arguments->dry_run;
    if (arguments->replay || (!asks && !gpu_program_is_there())) return report_recorded(arguments);
    char *path;
    const int status = gpu_program_run(arguments->command_line, &path);
    const int result = status == STATUS_NO_GPU ? report_recorded(arguments)
                                               : report_measured(arguments, path, status);
    free(path);
    return result;
}

/* ---- open ----------------------------------------------------------------------------------- */

/* Returns 1 if the program showed the page. Without a display it would wait or print to nobody. */
static int is_shown(const char *page)
{
    char *program =
        getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") ? process_find("xdg-open") : NULL;
    char *const words[] = {program, (char *)page, NULL};
    struct process child = {0};
    if (!program) return 0;
    const int is_started = !process_start(&child, words, PROCESS_OF_OURS);
    if (is_started) process_wait(&child, 1);
    const int succeeded = is_started && process_succeeded(&child);
    process_free(&child);
    free(program);
    return succeeded;
}

int open_command(const struct arguments *arguments)
{
    const char *directory =
        arguments->positional_count ? arguments->positional[0] : "whyfast-report";
    if (arguments->positional_count > 1)
        return error(FAIL_USAGE, "open: expected the directory of a report");
    struct path page = path_in(directory, "index.html");
    if (!file_exists(page.at)) page = path_in(directory, SINGLE_FILE);
    if (!file_exists(page.at) && !arguments->positional_count)
        page = path_in("build/report", "index.html"); /* of make report */
    if (!file_exists(page.at))
        return error(FAIL_INPUT,
                     "%s: holds no report; 'whyfast report' writes one, and prints "
                     "where",
                     directory);
    if (is_shown(page.at)) return 0;
    puts(page.at);
    if (!arguments->quiet) note("no browser can be started here: open the page by its path");
    return 0;
}

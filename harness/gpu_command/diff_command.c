/*
 * Runs two versions of a program or of its kernels in turn, and writes one run about both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "gpu/device_identity.h"
#include "gpu_command/gpu_command.h"
#include "versions/version_outputs.h"
#include "watched_program/program_run.h"

/* The work of one command. */
struct diff {
    const struct arguments *arguments;
    struct version_options options;
    struct version version[2];
    struct version_script script;
    char *directory;   /* of the programs and their outputs; removed at the end */
    struct text wrong; /* in what the results differ */
    int compared;      /* results */
};

static int read_options(struct diff *diff)
{
    const struct arguments *arguments = diff->arguments;
    const char *command = arguments->command_line[0];
    const int count = arguments->positional_count;
    if (count < 1 || count > 2)
        return error(FAIL_USAGE,
                     "%s: expected two versions, as in 'old.cu new.cu', or a revision, as in "
                     "'HEAD -- ./bench'",
                     command);
    if (arguments->size_count > 1) return error(FAIL_USAGE, "%s: expected one size", command);
    diff->options = (struct version_options){
        .operand = {arguments->positional[0], count > 1 ? arguments->positional[1] : NULL},
        .program = arguments->program,
        .build = arguments->build};
    return version_calls_read(&diff->options.calls, arguments->call,
                              arguments->size_count ? arguments->size[0] : NULL);
}

/* Makes both programs and starts each once, which shows whether they work. */
static int prepare(struct diff *diff)
{
    diff->directory = temporary_directory();
    if (!diff->directory) return FAIL_OUTPUT;
    int result = versions_build(diff->version, &diff->options, diff->directory);
    if (result) return result;
    char *const *words = diff->options.program;
    if (words && diff->version[0].takes_program) words++;
    return version_script_write(&diff->script, diff->version, words, diff->directory);
}

/* A row for each call of a kernel, or one for a program. */
static int print_plan(const struct diff *diff)
{
    static const struct print_column columns[] = {
        {.name = "version"}, {.name = "label"}, {.name = "call"}};
    struct print_table table = {.name = "calls", PRINT_COLUMNS_OF(columns)};
    for (int i = 0; i < 2; i++) {
        const struct version *version = &diff->version[i];
        const char *line = version->writes_outputs ? text_string(&version->shown) : "main()";
        for (size_t length; *line; line += length + (line[length] == '\n')) {
            char call[4096];
            length = strcspn(line, "\n");
            snprintf(call, sizeof call, "%.*s", (int)length, line);
            print_table_text(&table, version_sides[i]);
            print_table_text(&table, version->label);
            print_table_text(&table, call);
        }
    }
    const int result = print_table_print(
        &table, diff->arguments->json ? PRINT_AS_JSON : PRINT_AS_CSV, "diff.plan/1", stdout);
    print_table_free(&table);
    return result;
}

/* The facts by which the other program knows the versions, and whether B is right. */
static int write_facts(struct run *run, struct diff *diff)
{
    int result = run_fact_set(run, "program", "%s and %s in turn", diff->version[0].label,
                              diff->version[1].label);
    if (!result) result = run_fact_set(run, "diff_before", "%s", diff->version[0].label);
    if (!result) result = run_fact_set(run, "diff_after", "%s", diff->version[1].label);
    for (int i = 0; i < 2 && !result; i++)
        if (diff->version[i].kernel)
            result = run_fact_set(run, i ? "diff_kernel_after" : "diff_kernel_before", "%s",
                                  diff->version[i].kernel);
    if (result) return result;
    if (diff->arguments->no_compare)
        return run_fact_set(run, "diff_results", ABSENT "not compared (--no-compare)");
    return run_fact_set(run, "diff_results", "%s%s",
                        diff->wrong.length ? "differ: "
                        : diff->compared   ? "equal"
                                           : ABSENT "nothing was written that can be compared",
                        text_string(&diff->wrong));
}

static int compare(struct diff *diff)
{
    if (diff->arguments->no_compare) return 0;
    return version_outputs_compare(&diff->script, diff->version, &diff->wrong, &diff->compared);
}

static int measure(struct diff *diff)
{
    const struct arguments *arguments = diff->arguments;
    const struct version *version = diff->version;
    const int keeps_all = version[0].writes_outputs || version[0].kernel || version[1].kernel;
    const char *kernels = arguments->kernel ? arguments->kernel : keeps_all ? "." : NULL;
    const struct program_options options = {.words = diff->script.word,
                                            .label = "the two versions",
                                            .keeps_no_output = 1,
                                            .filter = {.kernel = kernels, .process = -1, .each = 1},
                                            .no_counters = arguments->no_counters,
                                            .knockout = arguments->knockout,
                                            .are_versions = 1,
                                            .named = {version[0].kernel, version[1].kernel}};
    struct run run;
    int status;
    int result = begin_run(&run, arguments);
    if (result) return result;
    result = program_run(&run, &options, &status);
    directory_remove(path_in(run.directory, "output").at); /* it is compared already */
    if (!result && !version[0].writes_outputs) result = compare(diff);
    if (!result) result = write_facts(&run, diff);
    return end_run_of_program(&run, result);
}

int diff_command(const struct arguments *arguments)
{
    struct diff diff = {.arguments = arguments};
    const struct program_filter filter = {.kernel = arguments->kernel, .process = -1};
    int result = program_filter_check(&filter);
    if (!result) result = check_knockout(arguments);
    if (!result) result = read_options(&diff);
    if (!result) result = versions_check(&diff.options);
    if (!result && !arguments->dry_run) {
        result = use_device(arguments);
        if (!result && !gpu_present())
            result = error(FAIL_GPU, "no GPU here to run two versions on; --dry-run builds them");
    }
    if (!result) result = prepare(&diff);
    if (!result && arguments->dry_run) result = print_plan(&diff);
    if (!result && !arguments->dry_run) {
        result = version_outputs_start(&diff.script, diff.version);
        /* Arrays are compared, and removed, before they are written to the disk. */
        if (!result && diff.version[0].writes_outputs) result = compare(&diff);
        if (!result) result = measure(&diff);
    }
    if (diff.directory) directory_remove(diff.directory);
    free(diff.directory);
    text_free(&diff.wrong);
    version_calls_free(&diff.options.calls);
    for (int i = 0; i < 2; i++) version_free(&diff.version[i]);
    return result;
}

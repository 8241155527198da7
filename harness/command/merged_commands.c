/*
 * Runs the commands about merged runs, and those that change the run of a device in one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "command/command.h"
#include "command/gpu_program.h"
#include "fleet/boards.h"
#include "fleet/merge_runs.h"
#include "run/merged_run.h"

int merge_command(const struct arguments *arguments)
{
    const struct merge_options options = {.path = arguments->positional,
                                          .count = arguments->positional_count,
                                          .output = arguments->output,
                                          .no_serials = arguments->no_serials};
    if (!options.count) return error(FAIL_USAGE, "merge: expected the directories of runs");
    if (!options.output) return error(FAIL_USAGE, "merge: expected -o and a new directory");
    int result = merge_runs(&options);
    if (!result) result = boards_write(options.output);
    if (!result) printf("%s\n", options.output);
    return result;
}

int boards_command(const struct arguments *arguments)
{
    const struct terminal screen = terminal_of_stdout();
    struct merged_run merged;
    struct boards boards;
    if (arguments->positional_count != 1)
        return error(FAIL_USAGE, "boards: expected the directory of a merged run");
    int result = merged_run_open(&merged, arguments->positional[0]);
    if (result) return result;
    result = boards_open(&boards, &merged);
    if (!result) {
        const enum print_form form = arguments_form(arguments);
        result = form == PRINT_SCREEN ? boards_print(&boards, &screen, stdout)
                                      : boards_print_data(&boards, form, stdout);
        boards_close(&boards);
    }
    merged_run_close(&merged);
    return result;
}

int merged_each(const char *path, int (*work)(void *context, const char *device), void *context)
{
    struct merged_run merged;
    int result = merged_run_open(&merged, path), failed = 0;
    if (result) return result;
    for (int i = 0; i < merged.count && !result; i++) {
        result = unless_interrupted(work(context, merged_run_device(&merged, i).at));
        if (result != FAIL_CHECK) continue;
        failed = 1; /* the other devices are of interest all the same */
        result = 0;
    }
    merged_run_close(&merged);
    return result ? result : failed ? FAIL_CHECK : 0;
}

int merged_renew_page(const struct arguments *arguments, int result)
{
    if (!arguments->chosen_count || arguments->output || arguments->dry_run) return result;
    const char *device = arguments->chosen[0], *end = strrchr(device, '/');
    const int length = (int)(end - device) - (int)sizeof MERGED_DEVICES;
    char *path = text_new("%.*s", length, device);
    const int written = path ? boards_write(path) : error_memory();
    free(path);
    return written ? written : result;
}

/* whyfast-gpu collects; the run may be that of a device of a merged run. */
int collect_command(const struct arguments *arguments)
{
    const int status = gpu_program_run(arguments->command_line, NULL);
    return status && status != -FAIL_CHECK ? status : merged_renew_page(arguments, status);
}

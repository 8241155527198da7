/*
 * Runs `run`: whyfast-gpu starts the user's program and measures a run; then this completes the run
 * and prints its kernels. The only command whose exit status is that of another program.
 */
#include <stdlib.h>

#include "command/command.h"
#include "command/gpu_program.h"
#include "explain/explain.h"
#include "report/program_print.h"

static int analyse(const char *path, const struct arguments *arguments)
{
    const enum print_form form = arguments_form(arguments);
    struct run run;
    int result = run_begin(&run, path, 1);
    if (result) return result;
    result = explain_run(&run, 0);
    if (!result) result = run_commit(&run);
    if (!result) result = program_print(&run, form);
    if (!result && arguments->knockout && form == PRINT_SCREEN)
        result = knockouts_print(&run, PRINT_SCREEN, stderr);
    if (result) run_abandon(&run);
    run_close(&run);
    return result;
}

int run_command(const struct arguments *arguments)
{
    char *path;
    int status = gpu_program_run(arguments->command_line, &path);
    const int result = path ? analyse(path, arguments) : 0;
    free(path);
    return result && !status ? result : status;
}

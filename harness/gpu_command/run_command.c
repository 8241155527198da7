/*
 * Runs a program of the user, and writes a run about its kernels.
 */
#include <stdlib.h>

#include "base/message.h"
#include "gpu/device_identity.h"
#include "gpu_command/gpu_command.h"
#include "watched_program/program_names.h"
#include "watched_program/program_run.h"
#include "watched_program/program_starts.h"

static struct program_options program_options(const struct arguments *arguments)
{
    return (struct program_options){
        .words = arguments->program,
        .filter = {arguments->kernel, arguments->range, arguments->process, arguments->skip,
                   arguments->count, arguments->by},
        .once = arguments->once,
        .no_counters = arguments->no_counters,
        .no_arguments = arguments->no_arguments,
        .replay_launches = arguments->replay_launches,
        .budget = arguments->budget,
        .knockout = arguments->knockout,
        .bytes = arguments->bytes,
        .bytes_count = arguments->bytes_count,
    };
}

int end_run_of_program(struct run *run, int result)
{
    if (!result) result = run_unit_finish(run, "raw");
    if (!result) result = announce_path(run->path);
    if (result) run_abandon(run);
    run_close(run);
    return result == FAIL_INTERRUPTED ? error(result, "interrupted; nothing was kept") : result;
}

int check_knockout(const struct arguments *arguments)
{
    if (!arguments->knockout || (!arguments->once && !arguments->no_counters)) return 0;
    return error(FAIL_USAGE, "%s: --knockout needs the counts of instructions, which %s leaves out",
                 arguments->command_line[0], arguments->once ? "--once" : "--no-counters");
}

int run_command(const struct arguments *arguments)
{
    const struct program_options options = program_options(arguments);
    struct run run;
    int status;
    if (!options.words || !options.words[0])
        return error(FAIL_USAGE,
                     "run: expected a program, as in 'whyfast run -- ./program ARGUMENT'");
    char *path;
    if (check_knockout(arguments) || program_filter_check(&options.filter)) return FAIL_USAGE;
    for (int i = 0; i < options.bytes_count; i++)
        if (program_bytes_check(options.bytes[i])) return FAIL_USAGE;
    status = program_find(options.words[0], &path);
    free(path);
    if (status) return status;
    const int refused = use_device(arguments);
    if (refused) return refused;
    if (!gpu_present())
        return error(
            FAIL_GPU,
            "no GPU here to run %s on; run it where there is one, and explain its run here",
            options.words[0]);
    int result = begin_run(&run, arguments);
    if (result) return result;
    result = end_run_of_program(&run, program_run(&run, &options, &status));
    return result && (status <= 0 || result == FAIL_INTERRUPTED) ? result : status;
}

/*
 * Runs `knockout`, and the stage of the knock-outs of a run.
 */
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "catalog/knockout.h"
#include "catalog/registry.h"
#include "gpu_command/gpu_command.h"
#include "knockout/knockout_run.h"
#include "knockout/twin_times.h"

/* Returns the knock-outs that --cause names, or all of them, as bits 1 << enum knockout; 0, with a
 * message, for one that is none. The unchanged copy is always one. */
static unsigned wanted_of(const struct arguments *arguments)
{
    unsigned wanted = arguments->cause_count ? 1u << KNOCKOUT_NOTHING : (1u << KNOCKOUTS) - 1;
    for (int i = 0; i < arguments->cause_count; i++) {
        const int found = knockout_find(arguments->cause[i]);
        if (found < 0) return knockout_unknown(arguments->cause[i]), 0;
        wanted |= 1u << found;
    }
    return wanted;
}

/* A quick report leaves these out: the kinds of conflicts, from loads to copies, and the halves. */
enum {
    DETAILS = ((2 << KNOCKOUT_COPY_CONFLICTS) - (1 << KNOCKOUT_LOAD_CONFLICTS)) |
              1 << KNOCKOUT_HALF_FP32 | 1 << KNOCKOUT_HALF_TENSOR
};

int knockouts_stage(struct run *run, const struct arguments *arguments,
                    const struct selection *selection, uint64_t seed)
{
    char path[PROCESS_PATH];
    const unsigned details = arguments->quick && !arguments->sets ? DETAILS : 0;
    const struct knockout_options options = {.program = path,
                                             .seed = seed,
                                             .wanted = wanted_of(arguments) & ~details,
                                             .line = arguments->line,
                                             .selection = selection,
                                             .quick = details != 0};
    if (!options.wanted) return FAIL_USAGE;
    const int program = process_self(path);
    if (program < 0) return FAIL_OUTPUT;
    const int result = knockouts_run(run, &options);
    close(program);
    return result;
}

int probe_twins(const struct selection *selection, const struct arguments *arguments)
{
    const struct twin_options options = {
        .seed = measuring_seed(arguments),
        .launch = arguments->launch < 0 ? 0 : (unsigned)arguments->launch,
        .counts = arguments->from,
        .wanted = wanted_of(arguments),
        .line = arguments->line};
    if (!options.wanted) return FAIL_USAGE;
    if (!options.counts) return error(FAIL_USAGE, "probe twins: expected --from and the counts");
    return twin_times(selection, &options);
}

/* Behind the run the command line may name variants. */
static int add_to_run(const struct arguments *arguments)
{
    struct arguments patterns = *arguments;
    struct selection selection;
    if (patterns.positional_count == 1) return collecting_run(arguments, NULL);
    memmove(patterns.positional, patterns.positional + 1,
            (OPERAND_COUNT - 1) * sizeof *patterns.positional);
    patterns.positional_count--;
    patterns.quick = 1;
    int result = measuring_select(&selection, &patterns);
    if (result) return result;
    result = collecting_run(arguments, &selection);
    selection_free(&selection);
    return result;
}

int knockout_command(const struct arguments *arguments)
{
    const char *first = arguments->positional_count ? arguments->positional[0] : NULL;
    struct arguments changed = *arguments;
    if (!first) return error(FAIL_USAGE, "knockout: expected a run or variants");
    if (!wanted_of(arguments)) return FAIL_USAGE;
    if (changed.line && !knockout_line(changed.line))
        return error(FAIL_USAGE, "--line: expected N or FILE:N, found '%s'", changed.line);
    changed.quick = !arguments->size_count; /* the primary size */
    const int is_run = !registry_own(first) && run_is_at(first);
    changed.sets = is_run ? "knockouts" : "lines,knockouts";
    return is_run ? add_to_run(&changed) : measuring_run(&changed);
}

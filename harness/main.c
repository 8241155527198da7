/*
 * whyfast: finds the command, runs it, turns its failure into an exit code. The only file that
 * exits; the commands are in commands.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/registry.h"
#include "commands.h"
#include "own/own_family.h"
#include "program/program_starts.h"
#include "run/nvtx.h"

static int find_and_run(int count, char **words)
{
    static char help[] = "help", version[] = "version";
    struct arguments arguments;
    if (count < 2) {
        help_start(stderr);
        return FAIL_USAGE;
    }
    if (!strcmp(words[1], "--help") || !strcmp(words[1], "-h")) words[1] = help;
    if (!strcmp(words[1], "--version")) words[1] = version;
    const struct command *command = command_find(words[1]);
    if (!command) return command_unknown(words[1]);
    int result = arguments_parse(&arguments, command, count - 2, words + 2);
    if (!result) {
        message_level_set(arguments.quiet     ? MESSAGE_QUIET
                          : arguments.verbose ? MESSAGE_VERBOSE
                                              : MESSAGE_NORMAL);
        interrupt_watch();
        if (!arguments.help)
            result = own_operands(arguments.positional, arguments.positional_count, command->name);
        if (!result && !arguments.help && strcmp(command->name, help) &&
            strcmp(command->name, version))
            result = contract_check(all_families(), all_variants());
        if (!result && !arguments.help) result = fleet_choose(&arguments, command);
        nvtx_run(command->name);
        if (arguments.help)
            help_command(stdout, command);
        else if (!result)
            result = command->run(&arguments);
        nvtx_end();
    }
    arguments_free(&arguments);
    if (result < 0 && result != FAIL_INTERRUPTED && command->run == run_command)
        return STATUS_FAILED; /* lower statuses are the program's own */
    return result;
}

int main(int count, char **words)
{
    int result = find_and_run(count, words);
    if ((fflush(stdout) || ferror(stdout)) && !result)
        result = error(FAIL_OUTPUT, "cannot write to stdout");
    if (result == FAIL_INTERRUPTED) exit(130);
    exit(result > 0 ? result : -result); /* above 0: the status of a program that was run */
}

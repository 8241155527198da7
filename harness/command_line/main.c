#include "command_line/main.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii_output.h"
#include "base/atomic_file.h"
#include "base/message.h"
#include "base/terminal.h"
#include "command_line/arguments.h"

/* Puts streams in ASCII in the places of stderr and, for what people read, of stdout. */
static void choose_encoding(const struct arguments *arguments, const struct command *command)
{
    if (!ascii_is_wanted()) return;
    if (!arguments)
        stderr = ascii_stream(stderr, STDERR_FILENO);
    else if (arguments->help || !strcmp(command->name, "report") ||
             (command_takes(command, "csv") && !arguments->csv && !arguments->json))
        stdout = ascii_stream(stdout, STDOUT_FILENO);
}

static int find_and_run(int count, char **words, command_runner *run)
{
    static char help[] = "help", version[] = "version";
    struct arguments arguments;
    choose_encoding(NULL, NULL);
    program_name_set(*words);
    if (count < 2) {
        help_start(stderr);
        return FAIL_USAGE;
    }
    if (!strcmp(words[1], "--help") || !strcmp(words[1], "-h")) words[1] = help;
    if (!strcmp(words[1], "--version") || !strcmp(words[1], "-V")) words[1] = version;
    const struct command *command = command_find(words[1]);
    if (!command) return command_unknown(words[1]);
    int result = arguments_parse(&arguments, command, count - 2, words + 2);
    if (!result) {
        message_level_set(arguments.quiet     ? MESSAGE_QUIET
                          : arguments.verbose ? MESSAGE_VERBOSE
                                              : MESSAGE_NORMAL);
        choose_encoding(&arguments, command);
        interrupt_watch();
        if (arguments.help)
            help_command(stdout, command);
        else
            result = run(&arguments, command);
    }
    arguments_free(&arguments);
    if (result < 0 && result != FAIL_INTERRUPTED && !strcmp(command->name, "run"))
        return STATUS_FAILED; /* lower statuses are those of the program that it has run */
    return result;
}

int command_line_main(int count, char **words, command_runner *run)
{
    int result = find_and_run(count, words, run);
    if (!result) result = stdout_end();
    if (result == FAIL_INTERRUPTED) return 130;
    return result > 0 ? result : -result; /* above 0: the status of another program */
}

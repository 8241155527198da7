/*
 * Runs `selftest`: whyfast-gpu measures a run, then this judges it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "command/command.h"
#include "command/gpu_program.h"
#include "selftest/selftest.h"

int selftest_command(const struct arguments *arguments)
{
    const char *operand = arguments->positional[0];
    const int is_run = arguments->positional_count == 1 && access(operand, F_OK) == 0;
    struct judging_options options = {
        .form = arguments_form(arguments),
        .is_measured = !is_run,
        .is_whole = !arguments->positional_count,
    };
    if (is_run && (arguments->seed >= 0 || arguments->repeats || arguments->device_count))
        return error(FAIL_USAGE, "%s is a run: options about measuring do not apply", operand);
    char *place = temporary_directory(), *measured = NULL;
    if (!place) return FAIL_OUTPUT;
    int result = is_run ? selftest_copy(operand, arguments->output ? arguments->output : place)
                        : gpu_program_run_into(place, arguments->command_line, &measured);
    if (is_run && !result) measured = strdup(arguments->output ? arguments->output : place);
    if (measured) result = selftest_conclude(measured, &options);
    free(measured);
    directory_remove(place);
    free(place);
    return result;
}

/*
 * whyfast-gpu: runs the commands that use the GPU or its compiler. whyfast starts it with the words
 * of the command line.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/registry.h"
#include "command_line/folder_operands.h"
#include "command_line/list.h"
#include "command_line/main.h"
#include "command_line/merged_operands.h"
#include "command_line/two_programs.h"
#include "gpu_command/doctor_cuda.h"
#include "gpu_command/gpu_command.h"
#include "user_kernels/own_family.h"
#include "run/nvtx.h"

static int new_command(const struct arguments *arguments)
{
    if (arguments->positional_count != 1)
        return error(FAIL_USAGE, "new: expected one folder, named as the family");
    return own_new(arguments->positional[0], arguments->from);
}

static int doctor_command(const struct arguments *arguments)
{
    return doctor_run(arguments->output ? arguments->output : ".", arguments_form(arguments),
                      &doctor_cuda);
}

static const struct {
    const char *name;
    int compiles; /* the folders among its operands */
    int (*run)(const struct arguments *arguments);
} functions[] = {
    {"bisect", 0, bisect_command},     {"collect", 1, collect_command},
    {"diff", 0, diff_command},         {"doctor", 0, doctor_command},
    {"knockout", 1, knockout_command}, {"launch", 1, launch_command},
    {"list", 1, list_command},         {"measure", 1, measure_command},
    {"new", 0, new_command},           {"probe", 1, probe_command},
    {"report", 1, report_command},     {"run", 0, run_command},
    {"selftest", 0, selftest_command}, {"verify", 0, diff_command},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* A program that this one starts must not keep the pipe open. */
static void keep_announcement_private(void)
{
    const char *number = getenv(ANNOUNCE_VARIABLE);
    if (number) fcntl((int)strtol(number, NULL, 10), F_SETFD, FD_CLOEXEC);
}

static int run(struct arguments *arguments, const struct command *command)
{
    size_t at = 0;
    while (at < FUNCTIONS && strcmp(functions[at].name, command->name)) at++;
    if (at == FUNCTIONS)
        return error(FAIL_USAGE, "%s is a command of whyfast, not of %s", command->name,
                     GPU_PROGRAM);
    keep_announcement_private();
    int result = functions[at].run == diff_command || functions[at].run == new_command
                     ? 0 /* their folders are no families */
                     : folder_operands(arguments->positional, arguments->positional_count,
                                       command->name, functions[at].compiles ? own_add : NULL);
    if (!result) result = contract_check(all_families(), all_variants());
    if (!result) result = merged_operands(arguments, command);
    nvtx_run(command->name);
    if (!result) result = functions[at].run(arguments);
    nvtx_end();
    return result;
}

int main(int count, char **words)
{
    exit(command_line_main(count, words, run));
}

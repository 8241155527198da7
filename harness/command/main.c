/*
 * whyfast: runs the command of the command line, or lets whyfast-gpu run it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/registry.h"
#include "command/command.h"
#include "command/gpu_program.h"
#include "command/skill.md.h"
#include "command_line/folder_operands.h"
#include "command_line/main.h"
#include "command_line/merged_operands.h"
#include "doctor/doctor.h"
#include "ncu_report/report_file.h"
#include "run/nvtx.h"
#include "version.h"

static int doctor_command(const struct arguments *arguments)
{
    for (int i = 0; i < arguments->positional_count; i++)
        if (!report_file_is_named(arguments->positional[i]))
            return error(FAIL_USAGE,
                         "doctor takes no operand but reports of Nsight Compute (.ncu-rep); found "
                         "'%s'",
                         arguments->positional[i]);
    if (arguments->positional_count)
        return doctor_reports(arguments->positional, arguments->positional_count,
                              arguments_form(arguments));
    return doctor_run(arguments->output ? arguments->output : ".", arguments_form(arguments), NULL);
}

static int help(const struct arguments *arguments)
{
    if (arguments->positional_count > !(arguments->man || arguments->completion))
        return error(FAIL_USAGE, "help: expected one command or --man");
    if (arguments->completion) return completion_print(arguments->completion, stdout);
    if (arguments->man) {
        help_man(stdout);
        return 0;
    }
    if (arguments->positional_count == 0) {
        help_overview(stdout);
        return 0;
    }
    const struct command *command = command_meant(arguments->positional[0]);
    if (!command) return command_unknown(arguments->positional[0]);
    help_command(stdout, command);
    return 0;
}

static int version(const struct arguments *arguments)
{
    (void)arguments;
    printf("whyfast %s (%s), CUDA %s\n", WHYFAST_VERSION, WHYFAST_REVISION,
           *WHYFAST_CUDA_VERSION ? WHYFAST_CUDA_VERSION : "absent: analysis only");
    return 0;
}

static int skill(const struct arguments *arguments)
{
    (void)arguments;
    fputs(skill_text, stdout);
    return 0;
}

/* Which program runs a command: this one, the other one, or the other one if it is there. */
enum runner { THIS_PROGRAM, GPU_PROGRAM_ALONE, GPU_PROGRAM_IF_THERE };

static const struct {
    const char *name;
    enum runner runner;
    int (*run)(const struct arguments *arguments);
} functions[] = {
    {"bisect", GPU_PROGRAM_ALONE, NULL},
    {"boards", THIS_PROGRAM, boards_command},
    {"collect", THIS_PROGRAM, collect_command},
    {"compare", THIS_PROGRAM, compare_command},
    {"conflicts", THIS_PROGRAM, conflicts_command},
    {"diff", THIS_PROGRAM, diff_command},
    {"doctor", GPU_PROGRAM_IF_THERE, doctor_command},
    {"evaluate", THIS_PROGRAM, evaluate_command},
    {"explain", THIS_PROGRAM, explain_command},
    {"help", THIS_PROGRAM, help},
    {"import", THIS_PROGRAM, import_command},
    {"knockout", THIS_PROGRAM, knockout_command},
    {"launch", GPU_PROGRAM_ALONE, NULL},
    {"lines", THIS_PROGRAM, lines_command},
    {"list", GPU_PROGRAM_IF_THERE, list_recorded},
    {"mcp", THIS_PROGRAM, mcp_command},
    {"measure", GPU_PROGRAM_ALONE, NULL},
    {"merge", THIS_PROGRAM, merge_command},
    {"new", GPU_PROGRAM_ALONE, NULL},
    {"open", THIS_PROGRAM, open_command},
    {"plot", THIS_PROGRAM, plot_command},
    {"probe", GPU_PROGRAM_ALONE, NULL},
    {"report", THIS_PROGRAM, report_command},
    {"run", THIS_PROGRAM, run_command},
    {"sections", THIS_PROGRAM, sections_command},
    {"selftest", THIS_PROGRAM, selftest_command},
    {"skill", THIS_PROGRAM, skill},
    {"timeline", THIS_PROGRAM, timeline_command},
    {"verify", THIS_PROGRAM, verify_command},
    {"version", THIS_PROGRAM, version},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static int run(struct arguments *arguments, const struct command *command)
{
    size_t at = 0;
    while (at < FUNCTIONS && strcmp(functions[at].name, command->name)) at++;
    if (at == FUNCTIONS)
        return error(FAIL_USAGE, "%s has no function in command/main.c", command->name);
    const int is_about_reports =
        functions[at].run == doctor_command && arguments->positional_count > 0;
    if (functions[at].runner == GPU_PROGRAM_ALONE ||
        (functions[at].runner == GPU_PROGRAM_IF_THERE && gpu_program_is_there() &&
         !is_about_reports))
        return gpu_program_become(arguments->command_line);
    int result = functions[at].run == diff_command || functions[at].run == verify_command
                     ? 0 /* their folders are no families */
                     : folder_operands(arguments->positional, arguments->positional_count,
                                       command->name, NULL);
    if (!result && functions[at].run != help && functions[at].run != version)
        result = contract_check(all_families(), all_variants());
    if (!result) result = imported_operands(arguments, command);
    if (!result) result = recorded_operands(arguments, command);
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

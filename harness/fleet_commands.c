/*
 * Runs the commands about several devices, and finds the devices of merged runs that the command
 * line names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "commands.h"
#include "fleet/boards.h"
#include "fleet/merge_runs.h"
#include "gpu/device_choice.h"
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
        result = arguments->csv ? boards_print_csv(&boards, stdout)
                                : boards_print(&boards, &screen, stdout);
        boards_close(&boards);
    }
    merged_run_close(&merged);
    return result;
}

/* ---- devices of merged runs ------------------------------------------------------------------ */

int fleet_each(const char *path, int (*work)(void *context, const char *device), void *context)
{
    struct merged_run merged;
    int result = merged_run_open(&merged, path), failed = 0;
    if (result) return result;
    for (int i = 0; i < merged.count && !result; i++) {
        char *device = merged_run_device(&merged, i);
        result = device ? unless_interrupted(work(context, device)) : FAIL_OUTPUT;
        free(device);
        if (result != FAIL_CHECK) continue;
        failed = 1; /* the other devices are of interest all the same */
        result = 0;
    }
    merged_run_close(&merged);
    return result ? result : failed ? FAIL_CHECK : 0;
}

/* Commands that take a merged run as a whole. */
static int takes_merged(const struct command *command)
{
    return command->run == merge_command || command->run == boards_command ||
           !strcmp(command->name, "report") || !strcmp(command->name, "evaluate");
}

/* Commands for which --device is one of this machine. */
static int measures(const struct command *command)
{
    return command_takes(command, "seed") || command_takes(command, "sets") ||
           command->run == run_command;
}

/* The operands as they are replaced. */
struct choice {
    struct arguments *arguments;
    const struct command *command;
    const char *operand[OPERAND_COUNT];
    int count, merged;
};

static int add_operand(struct choice *choice, const char *operand)
{
    if (choice->count == OPERAND_COUNT)
        return error(FAIL_USAGE, "more than %d operands", OPERAND_COUNT);
    choice->operand[choice->count++] = operand;
    return 0;
}

static int add_device(struct choice *choice, const struct merged_run *merged, int device)
{
    struct arguments *arguments = choice->arguments;
    char **paths =
        array_with_room(arguments->chosen, (size_t)arguments->chosen_count, sizeof *paths);
    if (!paths) return error_memory();
    arguments->chosen = paths;
    char *path = merged_run_device(merged, device);
    if (!path) return FAIL_OUTPUT;
    paths[arguments->chosen_count++] = path;
    return add_operand(choice, path);
}

static int say_devices(const struct merged_run *merged)
{
    struct text devices = {0};
    merged_run_append_devices(&devices, merged);
    const int result = error(FAIL_USAGE, "%s: is a merged run; choose a device with --device: %s",
                             merged->run.path, text_string(&devices));
    text_free(&devices);
    return result;
}

/* Without a choice the only device is taken, and compare takes the only two. */
static int choose(struct choice *choice, const char *operand)
{
    const struct arguments *arguments = choice->arguments;
    const int all =
        arguments->positional_count == 1 && !strcmp(choice->command->name, "compare") ? 2 : 1;
    struct merged_run merged;
    int result = merged_run_open(&merged, operand);
    if (result) return result;
    choice->merged = 1;
    if (!arguments->device_count && takes_merged(choice->command))
        result = add_operand(choice, operand);
    else if (!arguments->device_count && merged.count > all)
        result = say_devices(&merged);
    for (int i = 0;
         i < merged.count && !arguments->device_count && !result && !takes_merged(choice->command);
         i++)
        result = add_device(choice, &merged, i);
    for (int i = 0; i < arguments->device_count && !result; i++) {
        const int device = merged_run_find(&merged, arguments->device[i]);
        result = device < 0 ? device : add_device(choice, &merged, device);
    }
    merged_run_close(&merged);
    return result;
}

int fleet_choose(struct arguments *arguments, const struct command *command)
{
    int result = 0;
    if (!strstr(command->operands, "RUN")) return 0;
    struct choice *choice = calloc(1, sizeof *choice);
    if (!choice) return error_memory();
    choice->arguments = arguments;
    choice->command = command;
    for (int i = 0; i < arguments->positional_count && !result; i++)
        result = merged_run_is_at(arguments->positional[i])
                     ? choose(choice, arguments->positional[i])
                     : add_operand(choice, arguments->positional[i]);
    if (!result && choice->merged) {
        memcpy(arguments->positional, choice->operand, sizeof choice->operand);
        arguments->positional_count = choice->count;
        arguments->device_count = 0;
    }
    if (!result && arguments->device_count && !measures(command))
        result = error(FAIL_USAGE, "--device: chooses a device of a merged run, and none is named");
    free(choice);
    return result;
}

/* ---- devices of this machine ----------------------------------------------------------------- */

int fleet_use_device(const struct arguments *arguments)
{
    struct device_choice choice;
    if (!arguments->device_count) return 0;
    int result = device_choice_make(&choice, arguments->device, arguments->device_count);
    if (result) return result;
    if (choice.count > 1)
        result = error(FAIL_USAGE, "--device: expected one device, found %d", choice.count);
    if (!result) result = device_choice_use(&choice, 0);
    if (!result && !gpu_present())
        result = error(FAIL_GPU, "CUDA cannot use the device %s", choice.visible[0]);
    device_choice_free(&choice);
    return result;
}

#include "command_line/merged_operands.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/registry.h"
#include "query/variant_names.h"
#include "run/merged_run.h"

/* Commands that take a merged run as a whole. */
static int takes_merged(const struct command *command)
{
    return !strcmp(command->name, "merge") || !strcmp(command->name, "boards") ||
           !strcmp(command->name, "report") || !strcmp(command->name, "evaluate");
}

/* Commands for which --device is one of this machine. */
static int measures(const struct command *command)
{
    return command_takes(command, "seed") || command_takes(command, "sets") ||
           command_takes(command, "build") || !strcmp(command->name, "run");
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

static int compares(const struct command *command)
{
    return !strcmp(command->name, "compare") || !strcmp(command->name, "verify");
}

static int most_devices(const struct command *command)
{
    return compares(command) || !strcmp(command->name, "explain") ? 2 : 1;
}

static int add_device(struct choice *choice, const struct merged_run *merged, int device)
{
    struct arguments *arguments = choice->arguments;
    const int most = most_devices(choice->command);
    if (arguments->chosen_count == most)
        return error(FAIL_USAGE, "%s takes %s of merged runs; --device chooses more",
                     choice->command->name, most == 1 ? "one device" : "two devices");
    if (!ARRAY_GROWS(arguments->chosen, arguments->chosen_count)) return error_memory();
    char *path = strdup(merged_run_device(merged, device).at);
    if (!path) return error_memory();
    arguments->chosen[arguments->chosen_count++] = path;
    return add_operand(choice, path);
}

static int say_devices(const struct merged_run *merged, int count)
{
    struct text devices = {0};
    merged_run_append_devices(&devices, merged);
    const int result =
        error(FAIL_USAGE, "%s: is a merged run; choose %s: %s", merged->run.path,
              count == 2 ? "two devices, as in --device 0,1" : "a device with --device",
              text_string(&devices));
    text_free(&devices);
    return result;
}

/* Without a choice the only device is taken, and compare or verify takes the only two. */
static int choose(struct choice *choice, const char *operand)
{
    const struct arguments *arguments = choice->arguments;
    const int second_is_run =
        arguments->positional_count > 1 && variant_names_is_run(arguments->positional[1]);
    const int all = !second_is_run && compares(choice->command) ? 2 : 1;
    struct merged_run merged;
    int result = merged_run_open(&merged, operand);
    if (result) return result;
    choice->merged = 1;
    if (!arguments->device_count && takes_merged(choice->command))
        result = add_operand(choice, operand);
    else if (arguments->device_count ? arguments->device_count < all : merged.count > all)
        result = say_devices(&merged, all);
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

int merged_operands(struct arguments *arguments, const struct command *command)
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
    const char *first = arguments->positional[0];
    if (!result && arguments->device_count && !measures(command))
        result = first && !variant_names_is_run(first) && !registry_knows(first)
                     ? error(FAIL_USAGE, "there is no run '%s'", first)
                     : error(FAIL_USAGE,
                             "--device: chooses a device of a merged run, and none is named");
    free(choice);
    return result;
}

#include "command_line/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/message.h"
#include "base/text.h"

const struct command *command_find(const char *name)
{
    for (const struct command *command = commands; command->name; command++)
        if (!strcmp(command->name, name)) return command;
    return NULL;
}

const struct command *command_meant(const char *word)
{
    const struct command *found = command_find(word);
    int count = found != NULL;
    for (const struct command *command = commands; command->name && !count; command++)
        if (*word && !strncasecmp(command->name, word, strlen(word))) {
            if (found) return NULL;
            found = command;
        }
    return found;
}

int command_unknown(const char *word)
{
    const char *names[32];
    size_t count = 0;
    for (const struct command *command = commands; command->name && count < 32; command++)
        names[count++] = command->name;
    const struct command *meant = command_meant(word);
    const char *nearest = meant ? meant->name : text_nearest(word, names, count);
    if (strchr(word, '/'))
        return error(FAIL_USAGE, "there is no command '%s'; did you mean 'whyfast explain %s'?",
                     word, word);
    if (nearest)
        return error(FAIL_USAGE, "there is no command '%s'; did you mean '%s'?", word, nearest);
    return error(FAIL_USAGE, "there is no command '%s'; 'whyfast help' names them all", word);
}

static const struct option *find_option(const char *word, size_t length, char letter)
{
    for (int i = 0; i < option_count; i++) {
        if (letter && command_options[i].letter == letter) return &command_options[i];
        if (!letter && strlen(command_options[i].name) == length &&
            !strncmp(command_options[i].name, word, length))
            return &command_options[i];
    }
    return NULL;
}

/* The option is one of other commands alone. */
static int foreign_option(const struct command *command, const struct option *option)
{
    struct text owners = {0};
    for (const struct command *other = commands; other->name; other++)
        if (command_takes(other, option->name))
            text_format(&owners, "%s%s", owners.length ? ", " : "", other->name);
    const int result = error(
        FAIL_USAGE, "%s has no option '--%s', which is for %s; 'whyfast help %s' names its options",
        command->name, option->name, text_string(&owners), command->name);
    text_free(&owners);
    return result;
}

static int unknown_option(const struct command *command, const char *word)
{
    const char *names[MOST_OPTIONS];
    size_t count = 0;
    for (int i = 0; i < option_count; i++)
        if (option_is_taken(command, &command_options[i])) names[count++] = command_options[i].name;
    const char *bare = word + strspn(word, "-");
    const struct option *foreign = find_option(bare, strlen(bare), 0);
    if (foreign) return foreign_option(command, foreign);
    const char *nearest = text_nearest(bare, names, count);
    if (nearest)
        return error(FAIL_USAGE, "%s has no option '%s'; did you mean '--%s'?", command->name, word,
                     nearest);
    return error(FAIL_USAGE, "%s has no option '%s'; 'whyfast help %s' names them", command->name,
                 word, command->name);
}

static int store_list(struct arguments *arguments, const struct option *option, char *value)
{
    const char **list = (const char **)((char *)arguments + option->member);
    int *count = (int *)((char *)arguments + option->count_member);
    for (char *end; value; value = end) {
        if (*count == LIST_COUNT)
            return error(FAIL_USAGE, "--%s: more than %d values", option->name, LIST_COUNT);
        list[(*count)++] = value;
        end = strchr(value, ',');
        if (end) *end++ = 0;
        if (!*value) return error(FAIL_USAGE, "--%s: a value is empty", option->name);
    }
    return 0;
}

static int store(struct arguments *arguments, const struct option *option, char *value)
{
    void *member = (char *)arguments + option->member;
    char *end = NULL;
    errno = 0;
    if (option->kind == VALUE_FLAG) {
        *(int *)member = 1;
    } else if (option->kind == VALUE_WHOLE) {
        const long number = *(long *)member = strtol(value, &end, 10);
        if (!isdigit((unsigned char)*value) || *end || errno || number < option->least ||
            number > option->most)
            return error(FAIL_USAGE, "--%s: expected a whole number from %ld to %ld, found '%s'",
                         option->name, option->least, option->most, value);
    } else if (option->kind == VALUE_SECONDS || option->kind == VALUE_PERCENT) {
        const int seconds = option->kind == VALUE_SECONDS;
        const double number = *(double *)member = strtod(value, &end);
        if (end == value || *end || !isfinite(number) || !(seconds ? number > 0 : number >= 0))
            return error(FAIL_USAGE, "--%s: expected a number of %s, found '%s'", option->name,
                         seconds ? "seconds" : "per cent", value);
    } else if (!*value) {
        return error(FAIL_USAGE, "--%s: expected %s, found nothing", option->name,
                     option->argument);
    } else if (option->kind == VALUE_LIST) {
        return store_list(arguments, option, value);
    } else {
        *(const char **)member = value;
    }
    return 0;
}

static void keep_words(struct arguments *arguments, char **words, int count)
{
    for (int i = 0; i < count; i++) text_format(&arguments->words, " %s", words[i]);
}

/* Parses one option; *used is the number of its words. */
static int parse_option(struct arguments *arguments, const struct command *command, char **words,
                        int count, int *used)
{
    char *word = words[0];
    const int is_long = word[1] == '-';
    char *value = is_long ? strchr(word, '=') : word[2] ? word + 2 : NULL;
    const size_t length = is_long ? (value ? (size_t)(value - word) : strlen(word)) - 2 : 0;
    const struct option *option = find_option(word + 2, length, is_long ? 0 : word[1]);
    if (!option || !option_is_taken(command, option)) return unknown_option(command, word);
    if (value && !option->argument) return error(FAIL_USAGE, "--%s takes no value", option->name);
    if (option->argument && !value && (count < 2 || !strcmp(words[1], "--")))
        return error(FAIL_USAGE, "--%s: expected %s after it", option->name, option->argument);
    *used = option->argument && !value ? 2 : 1;
    /* Neither the place of the output nor which of several devices is measured changes the run, so
     * they are not kept. */
    if (strcmp(option->name, "output") && strcmp(option->name, "device"))
        keep_words(arguments, words, *used);
    return store(arguments, option, *used == 2 ? words[1] : value && is_long ? value + 1 : value);
}

static void free_words(char **words)
{
    for (int i = 0; words && words[i]; i++) free(words[i]);
    free(words);
}

/* Returns 1 if a word begins those of a program; that of `run` needs no "--". */
static int begins_program(const struct command *command, const char *word)
{
    const char *mark = strstr(command->operands, "-- ");
    return mark && (!strcmp(word, "--") || (mark == command->operands && *word != '-'));
}

/* Copies the words before lists are split in them. Returns NULL if memory is short. */
static char **copy_words(const struct command *command, int count, char **words)
{
    char **copy = calloc((size_t)count + 2, sizeof *copy);
    int failed = !copy || !(copy[0] = strdup(command->name));
    for (int i = 0; i < count && !failed; i++) failed = !(copy[i + 1] = strdup(words[i]));
    if (failed) free_words(copy);
    return failed ? NULL : copy;
}

int arguments_parse(struct arguments *arguments, const struct command *command, int count,
                    char **words)
{
    int only_operands = 0;
    memset(arguments, 0, sizeof *arguments);
    arguments->seed = -1; /* 0 is a seed */
    arguments->launch = -1;
    arguments->process = -1;
    arguments->command_line = copy_words(command, count, words);
    if (!arguments->command_line) return error_memory();
    text_append(&arguments->words, command->name);
    for (int i = 0, used = 1; i < count; i += used) {
        used = 1;
        if (begins_program(command, words[i])) {
            arguments->program = words + i + !strcmp(words[i], "--");
            break;
        }
        if (only_operands || words[i][0] != '-' || !words[i][1] || !strcmp(words[i], "--"))
            keep_words(arguments, words + i, 1);
        if (!only_operands && !strcmp(words[i], "--")) {
            only_operands = 1;
        } else if (!only_operands && words[i][0] == '-' && words[i][1]) {
            const int result = parse_option(arguments, command, words + i, count - i, &used);
            if (result) return result;
        } else if (arguments->positional_count == OPERAND_COUNT) {
            return error(FAIL_USAGE, "more than %d operands", OPERAND_COUNT);
        } else if (!words[i][0]) {
            return error(FAIL_USAGE, "%s: an operand is empty", command->name);
        } else {
            arguments->positional[arguments->positional_count++] = words[i];
        }
    }
    if (arguments->words.failed) return error_memory();
    arguments->quick = command_takes(command, "full") && !arguments->full;
    if (arguments->positional_count > 0 && !*command->operands)
        return error(FAIL_USAGE, "%s takes no operand; found '%s'", command->name,
                     arguments->positional[0]);
    return arguments->csv && arguments->json
               ? error(FAIL_USAGE, "%s: --csv or --json, not both", command->name)
               : 0;
}

int arguments_measure(const struct arguments *arguments)
{
    return arguments->size_count || arguments->block || arguments->sweep || arguments->seed >= 0 ||
           arguments->samples || arguments->repeats || arguments->seconds > 0 || arguments->sets ||
           arguments->demand || arguments->no_counters || arguments->resume || arguments->full ||
           arguments->raw;
}

enum print_form arguments_form(const struct arguments *arguments)
{
    return arguments->csv ? PRINT_AS_CSV : arguments->json ? PRINT_AS_JSON : PRINT_SCREEN;
}

void arguments_free(struct arguments *arguments)
{
    for (int i = 0; i < arguments->chosen_count; i++) free(arguments->chosen[i]);
    free(arguments->chosen);
    free_words(arguments->command_line);
    text_free(&arguments->words);
}

#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/message.h"
#include "base/text.h"
#include "version.h"

enum value_kind { VALUE_FLAG, VALUE_TEXT, VALUE_WHOLE, VALUE_SECONDS, VALUE_PERCENT, VALUE_LIST };

#define AT(member) offsetof(struct arguments, member)

/* To add an option, add a row here, a member in struct arguments, and its name in the rows of the
 * commands that take it. */
static const struct option {
    const char *name;
    char letter;
    const char *argument; /* NULL for a flag */
    const char *help;
    enum value_kind kind;
    size_t member;
    size_t count_member; /* of a list */
    int common;          /* every command takes it */
    long least, most;    /* of a whole number */
} options[] = {
    {"help", 'h', NULL, "describe the command and exit", VALUE_FLAG, AT(help), 0, 1, 0, 0},
    {"quiet", 'q', NULL, "print errors only", VALUE_FLAG, AT(quiet), 0, 1, 0, 0},
    {"verbose", 'v', NULL, "print more", VALUE_FLAG, AT(verbose), 0, 1, 0, 0},
    {"output", 'o', "PATH",
     "path of the result; an earlier result there is replaced once the new one is complete. "
     "timeline: the file of the trace, or '-' for stdout, the default unless that is a terminal; "
     "doctor: the directory whose free space is checked; all others: the directory of the run. "
     "Defaults: the run named, <device>-<date> for a new run, whyfast-report for a replay",
     VALUE_TEXT, AT(output), 0, 0, 0, 0},
    {"size", 's', "SIZE",
     "problem size, e.g. 2^22, 1000, 512x2^10x64 or 4096^3; for a matrix product 4096 means "
     "4096x4096x4096; separate several by commas, or repeat --size",
     VALUE_LIST, AT(size), AT(size_count), 0, 0, 0},
    {"block", 'b', "N", "threads per block, one of the family's choices", VALUE_WHOLE, AT(block), 0,
     0, 1, 1024},
    {"sweep", 0, "N", "only this setting of a swept variant", VALUE_WHOLE, AT(sweep), 0, 0, 1,
     1000000000},
    {"seed", 0, "N", "seed of the inputs and of the order of the samples", VALUE_WHOLE, AT(seed), 0,
     0, 0, 1000000000000},
    {"samples", 0, "N",
     "largest number of samples of a series; launch: launches of each point (default 1)",
     VALUE_WHOLE, AT(samples), 0, 0, 1, 65535},
    {"seconds", 0, "S",
     "seconds of timing for one problem size, shared equally by its series; each series takes at "
     "least six samples",
     VALUE_SECONDS, AT(seconds), 0, 0, 0, 0},
    {"sets", 0, "LIST", "counter sets to collect, separated by commas", VALUE_TEXT, AT(sets), 0, 0,
     0, 0},
    {"launch", 0, "N", "number of the launch, for a point with several, from 0 (the default)",
     VALUE_WHOLE, AT(launch), 0, 0, 0, 1000000},
    {"repeats", 0, "N",
     "how often each counter is collected, to measure its noise; less often for points that take "
     "over 20 s",
     VALUE_WHOLE, AT(repeats), 0, 0, 1, 1000},
    {"demand-counters", 0, NULL,
     "fail (exit 3) if counters are unavailable, instead of continuing without", VALUE_FLAG,
     AT(demand), 0, 0, 0, 0},
    {"no-counters", 0, NULL, "measure times only", VALUE_FLAG, AT(no_counters), 0, 0, 0, 0},
    {"keep-image", 0, "FILE", "keep the raw CUPTI counter-data image of the first batch",
     VALUE_TEXT, AT(keep_image), 0, 0, 0, 0},
    {"resume", 0, NULL, "continue an interrupted run", VALUE_FLAG, AT(resume), 0, 0, 0, 0},
    {"replay", 0, NULL, "replay the newest recorded run even on a machine with a GPU", VALUE_FLAG,
     AT(replay), 0, 0, 0, 0},
    {"full", 0, NULL,
     "measure every size, the rungs beside the ladders and the block sizes of published times, "
     "repeat the counters three times and record the timeline; the default is a quick report: "
     "every ladder at its primary size",
     VALUE_FLAG, AT(full), 0, 0, 0, 0},
    {"single-file", 0, NULL, "also write the pages into one file for mailing, report.html",
     VALUE_FLAG, AT(single_file), 0, 0, 0, 0},
    {"dry-run", 0, NULL, "print what would be done, as CSV, and do nothing; needs no GPU",
     VALUE_FLAG, AT(dry_run), 0, 0, 0, 0},
    {"metric", 'm', "NAME",
     "show this metric (evaluate: as CSV, lines: as a column); separate several by commas, or "
     "repeat --metric",
     VALUE_LIST, AT(metric), AT(metric_count), 0, 0, 0},
    {"csv", 0, NULL, "print CSV instead of a table", VALUE_FLAG, AT(csv), 0, 0, 0, 0},
    {"json", 0, NULL, "print JSON instead of a table", VALUE_FLAG, AT(json), 0, 0, 0, 0},
    {"threshold", 0, "PCT",
     "tolerate points that are slower by less than PCT per cent; the noise floor applies anyway",
     VALUE_PERCENT, AT(threshold), 0, 0, 0, 0},
    {"all-settings", 0, NULL,
     "compare every setting of a swept variant with itself, instead of the best with the best",
     VALUE_FLAG, AT(all_settings), 0, 0, 0, 0},
    {"all", 0, NULL, "show all lines, not only the hot ones", VALUE_FLAG, AT(all), 0, 0, 0, 0},
    {"sort", 0, "NAME",
     "sort the lines by this metric, largest first, instead of by their order in the source",
     VALUE_TEXT, AT(sort), 0, 0, 0, 0},
    {"banks", 0, NULL,
     "instead of the source, show which banks of shared memory each lane accesses, for every "
     "access that the variant describes",
     VALUE_FLAG, AT(banks), 0, 0, 0, 0},
    {"sass", 0, NULL, "show the machine instructions below each line", VALUE_FLAG, AT(sass), 0, 0,
     0, 0},
    {"from", 0, "FILE", "a CUDA file with kernels", VALUE_TEXT, AT(from), 0, 0, 0, 0},
    {"man", 0, NULL, "print the manual page", VALUE_FLAG, AT(man), 0, 0, 0, 0},
};

enum { OPTION_COUNT = sizeof options / sizeof *options };

static int has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *p = list; *p; p += strspn(p, " ")) {
        const size_t part = strcspn(p, " ");
        if (part == length && !strncmp(p, word, length)) return 1;
        p += part;
    }
    return 0;
}

static int takes(const struct command *command, const struct option *option)
{
    return option->common || has_word(command->options, option->name);
}

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

static int unknown_option(const struct command *command, const char *word)
{
    const char *names[OPTION_COUNT];
    size_t count = 0;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (takes(command, &options[i])) names[count++] = options[i].name;
    const char *nearest = text_nearest(word + strspn(word, "-"), names, count);
    if (nearest)
        return error(FAIL_USAGE, "%s has no option '%s'; did you mean '--%s'?", command->name, word,
                     nearest);
    return error(FAIL_USAGE, "%s has no option '%s'; 'whyfast help %s' names them", command->name,
                 word, command->name);
}

/* Splits the word at its commas. */
static int store_list(struct arguments *arguments, const struct option *option, char *value)
{
    const char **list = (const char **)((char *)arguments + option->member);
    int *count = (int *)((char *)arguments + option->count_member);
    while (*value) {
        if (*count == LIST_COUNT)
            return error(FAIL_USAGE, "--%s: more than %d values", option->name, LIST_COUNT);
        char *end = value + strcspn(value, ",");
        list[(*count)++] = value;
        value = end + (*end == ',');
        *end = 0;
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
        if (end == value || *end ||
            (seconds ? errno || !(number > 0) : !isfinite(number) || number < 0))
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

static const struct option *find_option(const char *word, size_t length, char letter)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (letter && options[i].letter == letter) return &options[i];
        if (!letter && strlen(options[i].name) == length && !strncmp(options[i].name, word, length))
            return &options[i];
    }
    return NULL;
}

/* Remembers words of the command line. */
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
    if (!option || !takes(command, option)) return unknown_option(command, word);
    if (value && !option->argument) return error(FAIL_USAGE, "--%s takes no value", option->name);
    if (option->argument && !value && count < 2)
        return error(FAIL_USAGE, "--%s: expected %s after it", option->name, option->argument);
    *used = option->argument && !value ? 2 : 1;
    /* The place of the output does not change the run, so it is not kept. */
    if (option->member != AT(output)) keep_words(arguments, words, *used);
    return store(arguments, option, *used == 2 ? words[1] : value && is_long ? value + 1 : value);
}

int arguments_parse(struct arguments *arguments, const struct command *command, int count,
                    char **words)
{
    int only_operands = 0;
    memset(arguments, 0, sizeof *arguments);
    arguments->seed = -1; /* 0 is a seed */
    arguments->launch = -1;
    text_append(&arguments->words, command->name);
    for (int i = 0, used = 1; i < count; i += used) {
        used = 1;
        if (only_operands || words[i][0] != '-' || !words[i][1] || !strcmp(words[i], "--"))
            keep_words(arguments, words + i, 1);
        if (!only_operands && !strcmp(words[i], "--")) {
            only_operands = 1;
        } else if (!only_operands && words[i][0] == '-' && words[i][1]) {
            const int result = parse_option(arguments, command, words + i, count - i, &used);
            if (result) return result;
        } else if (arguments->positional_count == LIST_COUNT) {
            return error(FAIL_USAGE, "more than %d operands", LIST_COUNT);
        } else if (!words[i][0]) {
            return error(FAIL_USAGE, "%s: an operand is empty", command->name);
        } else {
            arguments->positional[arguments->positional_count++] = words[i];
        }
    }
    if (arguments->words.failed) return error_memory();
    arguments->quick = has_word(command->options, "full") && !arguments->full;
    if (arguments->positional_count > 0 && !*command->operands)
        return error(FAIL_USAGE, "%s takes no operand; found '%s'", command->name,
                     arguments->positional[0]);
    return 0;
}

void arguments_free(struct arguments *arguments)
{
    text_free(&arguments->words);
}

/* ---- help ------------------------------------------------------------------------------------ */

static const char *const exit_codes[] = {
    "0  success",
    "1  a variant gave a wrong result, or a check failed",
    "2  the command line is wrong",
    "3  no GPU, or demanded counters were refused",
    "4  an input file is damaged or missing",
    "5  an output could not be written",
    "130  interrupted; finished work is kept, --resume continues it",
};

static const struct {
    const char *name, *text;
} environment[] = {
    {"WHYFAST_DATA", "the directory that holds metrics/, plots/, reports/ and kernels/"},
    {"CUDA_VISIBLE_DEVICES", "the first GPU in this list is measured"},
    {"XDG_STATE_HOME", "the directory below which whyfast/ keeps the result of the last self-test; "
                       "the default is ~/.local/state"},
    {"COLUMNS", "the width of the output; the default is the width of the terminal, or 100"},
    {"NO_COLOR", "if set, the output has no colours"},
};

static const char about[] =
    "whyfast runs every step of the classic CUDA optimisation ladders, times each without a "
    "profiler, collects its counters with CUPTI, and explains why each step is faster, with a "
    "verdict on every claim of the textbooks.";

/* Prints text wrapped to `width` columns, each line after `indent` spaces. */
static void wrap(FILE *file, const char *text, int indent, int width)
{
    int column = 0;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > 0 && indent + column + 1 + length > width) {
            fputc('\n', file);
            column = 0;
        }
        if (length > 0) {
            fprintf(file, "%*s%.*s", column ? 1 : indent, "", length, text);
            column += length + (column > 0);
        }
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

static void print_option(FILE *file, const struct option *option)
{
    char left[64];
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", option->letter ? '-' : ' ',
             option->letter ? option->letter : ' ', option->letter ? ", " : "  ", option->name,
             option->argument ? " " : "", option->argument ? option->argument : "");
    fprintf(file, "  %s\n", left);
    wrap(file, option->help, 8, 80);
}

void help_start(FILE *file)
{
    fputs("usage: whyfast COMMAND [OPTION...] [OPERAND...]\n\n"
          "whyfast explains why one CUDA kernel is faster than another. Start with:\n\n"
          "  whyfast report             measure this GPU, or replay a recorded run\n"
          "  whyfast explain gemm/11    why is this step faster than the one before?\n"
          "  whyfast lines gemm/8       where are the bank conflicts, line by line?\n\n"
          "'whyfast help' lists all commands.\n",
          file);
}

void help_overview(FILE *file)
{
    fputs("usage: whyfast COMMAND [OPTION...] [OPERAND...]\n\n", file);
    wrap(file, about, 0, 80);
    fputs("\ncommands:\n", file);
    for (const struct command *command = commands; command->name; command++)
        fprintf(file, "  %-9s  %s\n", command->name, command->summary);
    fputs("\n'whyfast help COMMAND' describes a command. Results go to stdout, messages to\n"
          "stderr.\n\nexit codes:\n",
          file);
    for (size_t i = 0; i < sizeof exit_codes / sizeof *exit_codes; i++)
        fprintf(file, "  %s\n", exit_codes[i]);
}

void help_command(FILE *file, const struct command *command)
{
    fprintf(file, "usage: whyfast %s [OPTION...]%s%s\n\n", command->name,
            *command->operands ? " " : "", command->operands);
    wrap(file, command->description, 0, 80);
    fputs("\noptions:\n", file);
    for (int common = 0; common < 2; common++)
        for (int i = 0; i < OPTION_COUNT; i++)
            if (options[i].common == common && takes(command, &options[i]))
                print_option(file, &options[i]);
}

/* roff: a line must not begin with a dot or a quote, and hyphens and backslashes are escaped. */
static void man_text(FILE *file, const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", file);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", file);
        else if (*text == '-')
            fputs("\\-", file);
        else
            fputc(*text, file);
    }
    fputc('\n', file);
}

void help_man(FILE *file)
{
    fprintf(file,
            ".TH WHYFAST 1 \"\" \"whyfast %s\" \"User Commands\"\n.SH NAME\nwhyfast \\- why each "
            "step of a CUDA optimisation ladder is faster\n.SH SYNOPSIS\n",
            WHYFAST_VERSION);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, ".B whyfast %s\n", command->name);
        man_text(file, "[OPTION...]");
        if (*command->operands) man_text(file, command->operands);
        if (command[1].name) fputs(".br\n", file);
    }
    fputs(".SH DESCRIPTION\n", file);
    man_text(file, about);
    fputs(".SH COMMANDS\n", file);
    for (const struct command *command = commands; command->name; command++) {
        fprintf(file, ".TP\n.B %s\n", command->name);
        man_text(file, command->description);
    }
    fputs(".SH OPTIONS\n", file);
    for (int i = 0; i < OPTION_COUNT; i++) {
        fprintf(file, ".TP\n");
        if (options[i].letter)
            fprintf(file, ".BR \\-%c \", \" \\-\\-%s", options[i].letter, options[i].name);
        else
            fprintf(file, ".BR \\-\\-%s", options[i].name);
        fprintf(file, " \" %s\"\n", options[i].argument ? options[i].argument : "");
        man_text(file, options[i].help);
    }
    fputs(".SH \"EXIT STATUS\"\n", file);
    for (size_t i = 0; i < sizeof exit_codes / sizeof *exit_codes; i++) {
        const char *gap = strstr(exit_codes[i], "  ");
        fprintf(file, ".TP\n.B %.*s\n", (int)(gap - exit_codes[i]), exit_codes[i]);
        man_text(file, gap + 2);
    }
    fputs(".SH ENVIRONMENT\n", file);
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++) {
        fprintf(file, ".TP\n.B %s\n", environment[i].name);
        man_text(file, environment[i].text);
    }
    fputs(".SH FILES\nA run is a directory: run.txt (provenance), one CSV file per table, charts/, "
          "and the pages of the report: index.html, report.md and others.\n",
          file);
}

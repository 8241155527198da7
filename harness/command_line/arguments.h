/*
 * Parses the command line (arguments.c) and prints the help (help.c). Commands and options are in
 * one table each, from which parsing, --help and the man page follow. A struct arguments borrows
 * its strings from argv, whose lists are split in place, and owns its words and the paths that were
 * chosen until arguments_free.
 */
#ifndef WHYFAST_ARGUMENTS_H
#define WHYFAST_ARGUMENTS_H

#include <stddef.h>
#include <stdio.h>

#include "base/print_table.h"
#include "base/text.h"

/* Enough values to name every variant, and enough operands for the runs of a large cluster. */
enum { LIST_COUNT = 128, OPERAND_COUNT = 4096 };

struct arguments {
    const char *positional[OPERAND_COUNT];
    int positional_count;
    const char *size[LIST_COUNT];
    int size_count;
    const char *metric[LIST_COUNT];
    int metric_count;
    const char *device[LIST_COUNT];
    int device_count;
    int quick; /* the command takes --full and was called without it */
    long block, sweep, seed, samples, repeats, launch;
    double seconds, threshold, budget;
    long skip, count, process;
    const char *line;
    const char *cause[LIST_COUNT];
    int cause_count;
    const char *bytes[LIST_COUNT];
    int bytes_count;
    const char *call, *build; /* of 'diff', as the next one */
    const char *good, *bad;   /* of 'bisect' */
    const char *junit;
    int no_compare;
    const char *kernel, *range, *by;
    char **program; /* words of the command line, up to NULL: a program to run */
    const char *output, *sets, *sort, *from, *completion;
    int raw, resume, replay, demand, full, no_counters, man, help, quiet, verbose, csv, json, sass,
        banks, all, all_settings, dry_run, single_file, once, knockout, no_arguments,
        replay_launches, no_serials, gates;
    char **chosen; /* paths of devices of merged runs, to which operands point */
    int chosen_count;
    struct text words;   /* the command line without the program and --output, for provenance */
    char **command_line; /* all words from the name of the command on, up to NULL */
};

struct command {
    const char *name;
    const char *operands;    /* as in the synopsis; "-- PROGRAM": the first one begins the words of
                                a program, which may begin with '-'; "[-- ...]": they follow "--"
                                alone */
    const char *summary;     /* one line */
    const char *description; /* for its --help and the man page */
    const char *options;     /* names of its own options, separated by spaces */
};

/* The table of commands is in commands.c; the last row has no name. */
extern const struct command commands[];

const struct command *command_find(const char *name);

/* Finds a command by its name or the beginning of its name, if only one command begins so. */
const struct command *command_meant(const char *word);

/* Returns FAIL_USAGE, with a message that names the nearest command. */
int command_unknown(const char *word);

/* Parses the words after the command. Returns 0, or FAIL_USAGE with a message, which names the
 * nearest option for a typo. */
int arguments_parse(struct arguments *arguments, const struct command *command, int count,
                    char **words);
void arguments_free(struct arguments *arguments);

/* Returns 1 if the command line has options about measuring. */
int arguments_measure(const struct arguments *arguments);

/* How the results are wanted: for the screen, or by --csv or --json. */
enum print_form arguments_form(const struct arguments *arguments);

/* ---- options (the table is in help.c) -------------------------------------------------------- */

enum value_kind { VALUE_FLAG, VALUE_WORD, VALUE_WHOLE, VALUE_SECONDS, VALUE_PERCENT, VALUE_LIST };

struct option {
    const char *name;
    char letter;
    const char *argument; /* NULL for a flag */
    const char *help;
    enum value_kind kind;
    size_t member;
    size_t count_member; /* of a list */
    int common;          /* every command takes it */
    long least, most;    /* of a whole number */
};

enum { MOST_OPTIONS = 64 };
extern const struct option command_options[];
extern const int option_count;

/* Returns 1 if the command has an option of this name of its own. */
int command_takes(const struct command *command, const char *option);

/* Returns 1 if the command takes the option, its own or a common one. */
int option_is_taken(const struct command *command, const struct option *option);

/* Appends the clauses of an option's help that are about this command: all that name no command,
 * those that name it, and 'others: ' behind clauses that do not. */
void option_append_help(struct text *text, const char *help, const char *command);

/* Prints what completes command lines in a shell: "bash", "zsh" or "fish" (completion.c). */
int completion_print(const char *shell, FILE *file);

/* ---- help.c ---------------------------------------------------------------------------------- */

void help_start(FILE *file); /* a few commands to start with */
void help_overview(FILE *file);
void help_command(FILE *file, const struct command *command);
void help_man(FILE *file);

#endif

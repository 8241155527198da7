#include "command_line/arguments.h"

#include <string.h>

#include "base/terminal.h"
#include "catalog/registry.h"
#include "catalog/thresholds.h"
#include "version.h"

#define AT(member) offsetof(struct arguments, member)

/* To add an option, add a row here, a member in struct arguments, and its name in the rows of the
 * commands that take it. Clauses of the help that begin with names of commands are about these. */
const struct option command_options[] = {
    {"help", 'h', NULL, "describe the command and exit", VALUE_FLAG, AT(help), 0, 1, 0, 0},
    {"quiet", 'q', NULL, "print errors only", VALUE_FLAG, AT(quiet), 0, 1, 0, 0},
    {"verbose", 'v', NULL, "print more", VALUE_FLAG, AT(verbose), 0, 1, 0, 0},
    {"output", 'o', "PATH",
     "timeline: the file of the trace, or '-' for stdout, the default unless that is a terminal; "
     "bisect: the directory of the run of the last comparison, which is removed otherwise; doctor: "
     "the directory whose free space is checked; merge: a directory that does not exist; import: "
     "the directory of the run, which must be named; sections: the directory of the file "
     "Whyfast.section (default: stdout); "
     "others: the directory of the run, where an earlier one is replaced once the new one is "
     "complete (default: the run named, or <device>-<date> for a new one); report: of a replay "
     "whyfast-report",
     VALUE_WORD, AT(output), 0, 0, 0, 0},
    {"size", 's', "SIZE",
     "problem size, e.g. 2^22, 1000, 512x2^10x64 or 4096^3; for a matrix product 4096 means "
     "4096x4096x4096; diff, verify: of versions one number, n of the calls; explain, lines: only "
     "one; others: separate several by commas, or repeat --size; knockout, launch, measure, "
     "probe, report: a range of doubled numbers can stand for a dimension: "
     "2^6..2^13x2^6..2^13x2048",
     VALUE_LIST, AT(size), AT(size_count), 0, 0, 0},
    {"block", 'b', "N", "threads per block, one of the family's choices", VALUE_WHOLE, AT(block), 0,
     0, 1, MOST_BLOCK_THREADS},
    {"sweep", 0, "N", "only this setting of a swept variant", VALUE_WHOLE, AT(sweep), 0, 0, 1,
     1000000000},
    {"seed", 0, "N", "seed of the inputs and of the order of the samples", VALUE_WHOLE, AT(seed), 0,
     0, 0, 1000000000000},
    {"samples", 0, "N",
     "launch: launches of each point (default 1); others: largest number of samples of a series",
     VALUE_WHOLE, AT(samples), 0, 0, 1, 65535},
    {"seconds", 0, "S",
     "seconds of timing for one problem size, shared equally by its series; each series takes at "
     "least six samples",
     VALUE_SECONDS, AT(seconds), 0, 0, 0, 0},
    {"sets", 0, "LIST", "counter sets to collect, separated by commas", VALUE_WORD, AT(sets), 0, 0,
     0, 0},
    {"launch", 0, "N", "number of the launch, for a point with several, from 0 (the default)",
     VALUE_WHOLE, AT(launch), 0, 0, 0, 1000000},
    {"cause", 0, "NAME",
     "knockout, probe: only these, separated by commas: barriers, conflicts, load_conflicts, "
     "store_conflicts, matrix_conflicts, atomic_conflicts, copy_conflicts, "
     "barriers_conflicts, global_loads, global_stores, atomics, local_memory, constant_reads, "
     "doubles, half_fp32, half_tensor, "
     "register_banks, all",
     VALUE_LIST, AT(cause), AT(cause_count), 0, 0, 0},
    {"line", 0, "[FILE:]N",
     "knockout, probe: only instructions of this line of the source, of any file or of one whose "
     "path ends with FILE",
     VALUE_WORD, AT(line), 0, 0, 0, 0},
    {"repeats", 0, "N",
     "how often each counter is collected, to measure its noise; once for counts by "
     "instrumentation, and less often for points that take over " REPEATED_TEXT " s",
     VALUE_WHOLE, AT(repeats), 0, 0, 1, 1000},
    {"demand-counters", 0, NULL,
     "fail (exit 3) if counters are unavailable, instead of continuing without", VALUE_FLAG,
     AT(demand), 0, 0, 0, 0},
    {"no-counters", 0, NULL, "measure times only", VALUE_FLAG, AT(no_counters), 0, 0, 0, 0},
    {"kernel", 0, "REGEX",
     "bisect, diff, run, verify: only kernels whose name, mangled, in full or as printed, matches "
     "this extended regular expression",
     VALUE_WORD, AT(kernel), 0, 0, 0, 0},
    {"range", 0, "REGEX",
     "run: only launches in an NVTX range that matches; nested ranges are joined by '/', and "
     "digits are replaced by '#'",
     VALUE_WORD, AT(range), 0, 0, 0, 0},
    {"by", 0, "WHAT",
     "run: tell launches apart by their NVTX 'range', as --range does, or their 'operator', the "
     "innermost range up to a comma, with torch.autograd.profiler.emit_nvtx",
     VALUE_WORD, AT(by), 0, 0, 0, 0},
    {"skip", 0, "N", "run: skip the first N launches of each kernel", VALUE_WHOLE, AT(skip), 0, 0,
     0, 1000000000},
    {"count", 0, "N", "run: take at most N launches of each kernel", VALUE_WHOLE, AT(count), 0, 0,
     1, 1000000000},
    {"process", 0, "N", "run: only process N of those that use CUDA, from 0 on", VALUE_WHOLE,
     AT(process), 0, 0, 0, 1000000},
    {"bytes", 0, "KERNEL=NUMBER",
     "run: the useful bytes of a launch of KERNEL, a name or a pattern, such as sum=4*2^20; "
     "separate several by commas, or repeat --bytes",
     VALUE_LIST, AT(bytes), AT(bytes_count), 0, 0, 0},
    {"knockout", 0, NULL,
     "diff, run, verify: start the program, or each version, again, measure how much time each "
     "cost of its kernels takes, then kill it: files that it had begun to write stay incomplete "
     "(see 'knockout')",
     VALUE_FLAG, AT(knockout), 0, 0, 0, 0},
    {"once", 0, NULL, "run: start the program only once, for times and stall samples", VALUE_FLAG,
     AT(once), 0, 0, 0, 0},
    {"budget", 0, "S",
     "run: make the best of S seconds for all starts of the program but those of --knockout; what "
     "there was no time for is absent, with that reason",
     VALUE_SECONDS, AT(budget), 0, 0, 0, 0},
    {"replay-launches", 0, NULL,
     "run: profile a kernel of few launches in two starts, in the second by replaying its launch",
     VALUE_FLAG, AT(replay_launches), 0, 0, 0, 0},
    {"no-arguments", 0, NULL, "run: do not record the program's command line", VALUE_FLAG,
     AT(no_arguments), 0, 0, 0, 0},
    {"raw", 0, NULL,
     "measure only; 'whyfast report RUN' evaluates, explains and reports the run later, on any "
     "machine",
     VALUE_FLAG, AT(raw), 0, 0, 0, 0},
    {"resume", 0, NULL, "continue an interrupted run", VALUE_FLAG, AT(resume), 0, 0, 0, 0},
    {"replay", 0, NULL,
     "replay a recorded run even on a machine with a GPU: the newest full one, or the newest of a "
     "device (--device, a part of its name)",
     VALUE_FLAG, AT(replay), 0, 0, 0, 0},
    {"full", 0, NULL,
     "measure every size, the rungs beside the ladders and the block sizes of published times, "
     "repeat the counters three times and record the timeline; the default is a quick report: "
     "every ladder at its primary size",
     VALUE_FLAG, AT(full), 0, 0, 0, 0},
    {"single-file", 0, NULL, "also write the pages into one file for mailing, report.html",
     VALUE_FLAG, AT(single_file), 0, 0, 0, 0},
    {"dry-run", 0, NULL,
     "print what would be done, and do nothing; needs no GPU; bisect, diff, launch, measure, "
     "verify: whyfast-gpu is needed nevertheless; measure, report: --csv lists the points",
     VALUE_FLAG, AT(dry_run), 0, 0, 0, 0},
    {"device", 'd', "LIST",
     "bisect, collect, diff, knockout, launch, measure, report, run, selftest, verify: a device "
     "of this machine, counted in CUDA_VISIBLE_DEVICES or as nvidia-smi lists devices and MIG "
     "slices, or of a merged run; others: a device of a merged run; by its number, label, UUID or "
     "the beginning of its UUID, several separated by commas",
     VALUE_LIST, AT(device), AT(device_count), 0, 0, 0},
    {"no-serials", 0, NULL, "leave out what identifies a machine: UUIDs and names of hosts",
     VALUE_FLAG, AT(no_serials), 0, 0, 0, 0},
    {"metric", 'm', "NAME",
     "evaluate: print this metric as CSV; lines: show this metric as a column; separate several by "
     "commas, or repeat --metric",
     VALUE_LIST, AT(metric), AT(metric_count), 0, 0, 0},
    {"csv", 0, NULL,
     "measure, report: print the plan of --dry-run as CSV; others: print CSV instead of a table",
     VALUE_FLAG, AT(csv), 0, 0, 0, 0},
    {"json", 0, NULL, "print JSON instead of a table", VALUE_FLAG, AT(json), 0, 0, 0, 0},
    {"threshold", 0, "PCT",
     "tolerate points that are slower by less than PCT per cent; the noise floor applies anyway",
     VALUE_PERCENT, AT(threshold), 0, 0, 0, 0},
    {"all-settings", 0, NULL,
     "compare every setting of a swept variant with itself, instead of the best with the best",
     VALUE_FLAG, AT(all_settings), 0, 0, 0, 0},
    {"gates", 0, NULL,
     "take machine code that has not changed for as fast, whatever its time, and of machine code "
     "that has, tell which counts changed: instructions, wavefronts, sectors",
     VALUE_FLAG, AT(gates), 0, 0, 0, 0},
    {"junit", 0, "FILE", "also write the points as test cases in the XML of JUnit", VALUE_WORD,
     AT(junit), 0, 0, 0, 0},
    {"all", 0, NULL, "show all lines, not only the hot ones", VALUE_FLAG, AT(all), 0, 0, 0, 0},
    {"sort", 0, "NAME",
     "sort the lines by this metric, largest first, instead of by their order in the source",
     VALUE_WORD, AT(sort), 0, 0, 0, 0},
    {"banks", 0, NULL,
     "instead of the source, show which banks of shared memory each lane accesses, for every "
     "access that the variant describes",
     VALUE_FLAG, AT(banks), 0, 0, 0, 0},
    {"sass", 0, NULL, "show the machine instructions below each line", VALUE_FLAG, AT(sass), 0, 0,
     0, 0},
    {"from", 0, "FILE", "new: a CUDA file with kernels; probe: the output of 'probe counts'",
     VALUE_WORD, AT(from), 0, 0, 0, 0},
    {"build", 0, "COMMAND", "the command that builds each version, in its folder", VALUE_WORD,
     AT(build), 0, 0, 0, 0},
    {"good", 0, "REVISION", "a revision of git in which the kernels are fast", VALUE_WORD, AT(good),
     0, 0, 0, 0},
    {"bad", 0, "REVISION", "a later one in which they are slower", VALUE_WORD, AT(bad), 0, 0, 0, 0},
    {"call", 0, "CALL",
     "how a kernel of a file without main() is called: KERNEL<<<GRID, BLOCK>>>(ARGUMENT, ...), "
     "where array(N) is memory of N elements and n the size; without KERNEL all of them; separate "
     "several by ';'",
     VALUE_WORD, AT(call), 0, 0, 0, 0},
    {"no-compare", 0, NULL, "do not compare the results of the two versions", VALUE_FLAG,
     AT(no_compare), 0, 0, 0, 0},
    {"man", 0, NULL, "print the manual page", VALUE_FLAG, AT(man), 0, 0, 0, 0},
    {"completion", 0, "SHELL", "print what completes command lines in bash, zsh or fish",
     VALUE_WORD, AT(completion), 0, 0, 0, 0},
};

const int option_count = sizeof command_options / sizeof *command_options;

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

int command_takes(const struct command *command, const char *option)
{
    return has_word(command->options, option);
}

int option_is_taken(const struct command *command, const struct option *option)
{
    return option->common || command_takes(command, option->name);
}

/* ---- help ------------------------------------------------------------------------------------ */

static const char *const exit_codes[] = {
    "0  success",
    "1  a result is wrong or a check failed; bisect, compare, diff, verify: slower",
    "2  the command line is wrong",
    "3  no GPU, or demanded counters were refused",
    "4  an input file is damaged or missing",
    "5  an output could not be written",
    "6  verify: there is no evidence of a change",
    "7  bisect, compare, diff, verify: the runs or versions cannot be compared",
    "125  run: whyfast failed; other statuses are those of the program that was run",
    "126  run: the program cannot be executed, or no library can be loaded into it",
    "127  run: the program was not found",
    "130  interrupted; a message names finished work that was kept, for --resume",
};

static const struct {
    const char *name, *text;
} environment[] = {
    {"WHYFAST_DATA", "the directory that holds metrics/, plots/, reports/ and kernels/"},
    {"CUDA_VISIBLE_DEVICES",
     "the first GPU in this list is measured, unless --device names another one"},
    {"XDG_CACHE_HOME",
     "the directory below which whyfast/ keeps unpacked runs and compiled families "
     "of your own; the default is ~/.cache"},
    {"XDG_STATE_HOME", "the directory below which whyfast/ keeps the result of the last self-test; "
                       "the default is ~/.local/state"},
    {"COLUMNS", "the width of tables and text on stdout, but not of help, --csv and --json; the "
                "default is the width of the terminal, or 100"},
    {"LC_ALL, LC_CTYPE, LANG",
     "if the first of these that is set names another encoding than UTF-8, tables and text are "
     "ASCII; --csv and --json stay UTF-8"},
    {"WHYFAST_ASCII", "1: they are ASCII, 0: they are UTF-8, whatever the locale is"},
    {"NO_COLOR", "if set, the output has no colours"},
    {"SSH_CONNECTION", "if set, 'report' says how to look at its page on another host"},
};

static const char about[] =
    "whyfast explains why one CUDA kernel is faster than another: it measures both, reads their "
    "hardware counters through CUPTI, and says how much time each cause saves. It does so for the "
    "kernels of any program, and for the classic optimisation ladders.";

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

/* Returns the length of the "COMMAND, COMMAND: " that a clause begins with, else 0; *is_named is 1
 * if the command is one of them. */
static size_t named_length(const char *clause, const char *command, int *is_named)
{
    const char *at = clause;
    *is_named = 0;
    for (;;) {
        char word[16];
        const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!command_find(word) && strcmp(word, "others") != 0) return 0;
        *is_named |= !strcmp(word, command);
        at += length + 2;
        if (!strncmp(at - 2, ": ", 2)) return (size_t)(at - clause);
        if (strncmp(at - 2, ", ", 2) != 0) return 0;
    }
}

void option_append_help(struct text *text, const char *help, const char *command)
{
    int was_named = 0, is_named;
    for (const char *end; help; help = end ? end + 2 : NULL) {
        end = strstr(help, "; ");
        const size_t names = named_length(help, command, &is_named);
        const int is_rest = !strncmp(help, "others: ", 8);
        if (!names || is_named || (is_rest && !was_named))
            text_format(text, "%s%.*s", text->length ? "; " : "",
                        (int)((end ? (size_t)(end - help) : strlen(help)) - names), help + names);
        was_named = names && !is_rest && (was_named || is_named);
    }
}

static void print_option(FILE *file, const struct option *option, const char *command)
{
    struct text help = {0};
    char left[64];
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", option->letter ? '-' : ' ',
             option->letter ? option->letter : ' ', option->letter ? ", " : "  ", option->name,
             option->argument ? " " : "", option->argument ? option->argument : "");
    option_append_help(&help, option->help, command);
    const int is_short = strlen(left) < 20 && help.length <= 58;
    fprintf(file, is_short ? "  %-18s  " : "  %s\n", left);
    wrap(file, text_string(&help), is_short ? 0 : 8, 80);
    text_free(&help);
}

void help_start(FILE *file)
{
    const char *name = program_name();
    fprintf(file,
            "usage: whyfast COMMAND [OPTION...] [OPERAND...]\n\n"
            "whyfast explains why one CUDA kernel is faster than another. Start with:\n\n"
            "  %s report             measure this GPU or replay a run, and name its page\n"
            "  %s explain gemm/06    why is this step faster than the one before?\n"
            "  %s lines gemm/8       where are the bank conflicts, line by line?\n\n"
            "'%s help' lists all commands.\n",
            name, name, name, name);
}

void help_overview(FILE *file)
{
    fputs("usage: whyfast COMMAND [OPTION...] [OPERAND...]\n\n", file);
    wrap(file, about, 0, 80);
    fputs("\ncommands:\n", file);
    for (const struct command *command = commands; command->name; command++)
        fprintf(file, "  %-9s  %s\n", command->name, command->summary);
    fputs("\n'whyfast help COMMAND' describes a command. RUN is the directory of a run,\n"
          "or the name of a recorded one ('doctor' lists them). Results go to stdout,\n"
          "messages to stderr.\n\nexit codes:\n",
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
        for (int i = 0; i < option_count; i++)
            if (command_options[i].common == common &&
                option_is_taken(command, &command_options[i]))
                print_option(file, &command_options[i], command->name);
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
            ".TH WHYFAST 1 \"\" \"whyfast %s\" \"User Commands\"\n.SH NAME\nwhyfast \\- why one "
            "CUDA kernel is faster than another\n.SH SYNOPSIS\n",
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
    for (int i = 0; i < option_count; i++) {
        fprintf(file, ".TP\n");
        if (command_options[i].letter)
            fprintf(file, ".BR \\-%c \", \" \\-\\-%s", command_options[i].letter,
                    command_options[i].name);
        else
            fprintf(file, ".BR \\-\\-%s", command_options[i].name);
        fprintf(file, " \" %s\"\n", command_options[i].argument ? command_options[i].argument : "");
        man_text(file, command_options[i].help);
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
          "and the pages of the report: index.html, report.md and others.\n.PP\n"
          "whyfast-gpu, beside whyfast or in ../lib/whyfast, is the program that whyfast starts to "
          "measure. It alone needs CUDA.\n",
          file);
}

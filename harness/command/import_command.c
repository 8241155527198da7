/*
 * Runs `import` and `sections`, and makes runs of the reports of Nsight Compute that stand where a
 * run may.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "catalog/records.h"
#include "command/command.h"
#include "explain/explain.h"
#include "ncu_report/report_file.h"
#include "ncu_report/report_import.h"
#include "report/program_print.h"

#define METRIC_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:"

/* Makes an evaluated run of reports. */
static int import(struct run *run, const char *output, const char *const *path, int paths)
{
    int result = run_begin(run, output, 0);
    if (result) return result;
    result = unless_interrupted(report_import(run, path, paths));
    if (!result) result = explain_run(run, 1);
    if (!result) result = run_commit(run);
    if (result) run_abandon(run);
    return result;
}

/* Says before any answer what the times of the run are. */
static void say(const struct run *run)
{
    const char *imported = run_fact(run, "imported");
    if (imported) note("%s", imported);
}

int import_command(const struct arguments *arguments)
{
    struct run run = {0};
    const int count = arguments->positional_count;
    if (!count) return error(FAIL_USAGE, "import: expected reports of Nsight Compute");
    if (!arguments->output) return error(FAIL_USAGE, "import: -o names the run to be written");
    int result = import(&run, arguments->output, arguments->positional, count);
    if (!result) say(&run);
    if (!result) result = program_print(&run, arguments_form(arguments));
    run_close(&run);
    return result;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Appends each name of a metric in formulas once, without what a launch has anyway. */
static void append_metrics(struct text *text, const char *formulas)
{
    while (*formulas) {
        const size_t length = strspn(formulas, METRIC_LETTERS);
        char *line = text_new("    Name: \"%.*s\"\n", (int)length, formulas);
        const int is_collected = length && line && *formulas > '9' &&
                                 strncmp(formulas, "device__", 8) &&
                                 strncmp(formulas, "launch__", 8) && formulas[length] != '[';
        if (is_collected && !strstr(text_string(text), line))
            text_format(text, "  Metrics {\n%s  }\n", line);
        free(line);
        formulas += length ? length : 1;
    }
}

int sections_command(const struct arguments *arguments)
{
    static const char name[] = "Whyfast.section";
    struct records records;
    struct text text = {0};
    int result = records_read_own(&records);
    text_append(&text, "Identifier: \"Whyfast\"\nDisplayName: \"whyfast\"\n"
                       "Description: \"Every metric that whyfast explain reads.\"\nOrder: 900\n"
                       "Metrics {\n");
    for (int i = 0; i < records.count && !result; i++)
        if (records.record[i].kind == RECORD_COUNTER)
            append_metrics(&text, record_field(&records.record[i], "from"));
    text_append(&text, "}\n");
    if (!result && arguments->output) result = directory_make(arguments->output);
    if (!result && arguments->output) result = atomic_file_write(arguments->output, name, &text);
    if (!result && !arguments->output) fputs(text_string(&text), stdout);
    records_free(&records);
    text_free(&text);
    return result;
}

/* ---- operands -------------------------------------------------------------------------------- */

enum { MOST_IMPORTED = 16 };
static char *imported[MOST_IMPORTED]; /* directories that end with the program */
static int imported_count;

static void remove_imported(void)
{
    while (imported_count) {
        directory_remove(imported[--imported_count]);
        free(imported[imported_count]);
    }
}

/* Puts a run of the report in the place of an operand. */
static int replace(struct arguments *arguments, int operand)
{
    struct run run = {0};
    if (imported_count == MOST_IMPORTED)
        return error(FAIL_USAGE, "more than %d reports; 'whyfast import' makes runs of them",
                     MOST_IMPORTED);
    if (!imported_count) atexit(remove_imported);
    char *directory = temporary_directory();
    if (!directory) return FAIL_OUTPUT;
    imported[imported_count++] = directory;
    const char *word = arguments->positional[operand], *slash = strrchr(word, '/');
    char *path =
        text_new("%s/%s", directory, slash ? slash + 1 : word); /* messages have its name */
    if (!path) return error_memory();
    const int result = import(&run, path, &word, 1);
    if (!result) say(&run);
    run_close(&run);
    arguments->positional[operand] = path; /* stays until the program ends */
    return result;
}

int imported_operands(struct arguments *arguments, const struct command *command)
{
    static const char *const changes[] = {"collect", "evaluate", "knockout", "merge", "plot"};
    int result = 0;
    if (!strstr(command->operands, "RUN")) return 0;
    for (int i = 0; i < arguments->positional_count && !result; i++) {
        const char *word = arguments->positional[i];
        if (!report_file_is_named(word)) continue;
        for (size_t k = 0; k < sizeof changes / sizeof *changes && !result; k++)
            if (!strcmp(command->name, changes[k]))
                result =
                    error(FAIL_USAGE, "%s: %s needs a run; 'whyfast import %s -o RUN' makes one",
                          word, command->name, word);
        if (!result) result = replace(arguments, i);
    }
    return result;
}

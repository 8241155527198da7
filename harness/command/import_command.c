/*
 * Runs `import` and `sections`, and makes runs of the reports of Nsight Compute that stand where a
 * run may.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "catalog/point_key.h"
#include "catalog/records.h"
#include "command/command.h"
#include "explain/explain.h"
#include "ncu_report/report_file.h"
#include "ncu_report/report_import.h"
#include "query/query.h"
#include "report/program_print.h"

#define METRIC_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:"

enum { MOST_IMPORTED = 16 };
static char *imported[MOST_IMPORTED]; /* directories that end with the program */
static int imported_count;

/* Appends the titles of causes whose witness has no value in the run, unless that is a wait, which
 * stall samples show, too. The first cause of a witness is called what it counts. */
static int append_unseen(struct text *text, struct query *query, const struct records *records,
                         int *count)
{
    struct text seen = {0};
    int result = query_load(query, TABLE_METRICS);
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *cause = &records->record[i];
        const char *witness = cause->kind == RECORD_CAUSE ? record_field(cause, "witness") : NULL;
        if (!witness || text_matches("*wait_cycles", witness) || text_matches("stall_*", witness) ||
            !query_has_column(query, "metrics", witness))
            continue;
        char *sql = text_new("SELECT 1 FROM metrics WHERE %s IS NOT NULL LIMIT 1", witness),
             *word = text_new("\n%s\n", witness), *any = NULL;
        result = sql && word ? query_text(query, NULL, sql, NULL, &any) : error_memory();
        if (!result && !any && !strstr(text_string(&seen), word)) {
            text_format(text, "%s%s", text->length ? ", " : "", record_field(cause, "title"));
            text_append(&seen, word);
            ++*count;
        }
        free(any);
        free(word);
        free(sql);
    }
    text_free_piece(&seen, text);
    return result;
}

/* Records which counts the run lacks, and how many. */
static int find_unseen(struct run *run)
{
    struct query query;
    struct records records;
    struct text text = {0};
    int count = 0, result = records_read_own(&records);
    if (!result) {
        result = query_open(&query, run);
        if (!result) result = append_unseen(&text, &query, &records, &count);
        query_close(&query);
    }
    if (!result && text.failed) result = error_memory();
    if (!result && count)
        result = run_fact_set(run, "imported_unseen", "%d: %s", count, text_string(&text));
    records_free(&records);
    text_free(&text);
    return result;
}

static int import(struct run *run, const char *output, const char *const *path, int paths)
{
    int result = run_begin(run, output, 0);
    if (result) return result;
    result = unless_interrupted(report_import(run, path, paths));
    if (!result && imported_count) result = run_fact_set(run, "report_path", "%s", path[0]);
    if (!result) result = explain_run(run, 1);
    if (!result) result = find_unseen(run);
    if (!result) result = run_commit(run);
    if (result) run_abandon(run);
    return result;
}

/* The notice about imported runs, which is printed once, before any answer. */
static struct {
    int is_assumed, lacking;
    struct text details;
} notice;

static void take_notice(const struct run *run)
{
    const char *words = run_fact(run, "imported"), *unseen = run_fact(run, "imported_unseen");
    const int lacking = unseen ? (int)strtol(unseen, NULL, 10) : 0;
    if (strstr(words, REPLAYED_PCT " %")) notice.is_assumed = 1;
    if (lacking > notice.lacking) notice.lacking = lacking;
    text_format(&notice.details, "%s%s", notice.details.length ? "\n" : "", words);
    if (unseen) text_format(&notice.details, "; it has no counts of %s", strchr(unseen, ' ') + 1);
}

static void say_notice(void)
{
    char *rest = NULL;
    note("times are Nsight Compute's, of replayed launches%s (-v: details)",
         notice.is_assumed ? ", taken as known within " REPLAYED_PCT " %" : "");
    if (notice.lacking)
        note("causes of %d absent counts are found by waits or not at all ('whyfast sections' adds "
             "them)",
             notice.lacking);
    for (char *line = strtok_r(notice.details.data, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        detail("%s", line);
    text_free(&notice.details);
}

int import_command(const struct arguments *arguments)
{
    struct run run = {0};
    const int count = arguments->positional_count;
    if (!count) return error(FAIL_USAGE, "import: expected reports of Nsight Compute");
    if (!arguments->output) return error(FAIL_USAGE, "import: -o names the run to be written");
    int result = import(&run, arguments->output, arguments->positional, count);
    if (!result) take_notice(&run);
    if (!result) say_notice();
    if (!result) result = program_print(&run, arguments_form(arguments));
    run_close(&run);
    return result;
}

/* ---- sections -------------------------------------------------------------------------------- */

static void append_metrics(struct text *text, const char *formulas)
{
    while (*formulas) {
        const size_t length = strspn(formulas, METRIC_LETTERS);
        char *line = text_new("    Name: \"%.*s\"\n", (int)length, formulas);
        const int is_name = length && line && !strchr("0123456789", *formulas);
        if (is_name && !strstr(text_string(text), line))
            text_format(text, "  Metrics {\n%s  }\n", line);
        free(line);
        formulas += length;
        if (*formulas == '[') formulas += strcspn(formulas, "]"); /* an instance */
        formulas += *formulas != 0;
    }
}

/* Counters are collected by their own names; what only a report has, by those of its record. */
static void append_record(struct text *text, const struct record *record)
{
    const char *into = record->kind == RECORD_IMPORT ? record_field(record, "into") : "";
    if (record->kind == RECORD_COUNTER ||
        (*into && strncmp(into, "counters.", 9) && strncmp(into, "run.", 4)))
        append_metrics(text, record_field(record, "from"));
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
    for (int i = 0; i < records.count && !result; i++) append_record(&text, &records.record[i]);
    text_append(&text, "}\n");
    if (!result && arguments->output) result = directory_make(arguments->output);
    if (!result && arguments->output) result = atomic_file_write(arguments->output, name, &text);
    if (!result && arguments->output)
        note("wrote %s/%s; collect it with: ncu --section-folder %s --section Whyfast",
             arguments->output, name, arguments->output);
    if (!result && !arguments->output) fputs(text_string(&text), stdout);
    records_free(&records);
    text_free(&text);
    return result;
}

/* ---- operands -------------------------------------------------------------------------------- */

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
    const char *word = arguments->positional[operand];
    char *path = text_new("%s/%s", directory, text_base_name(word)); /* messages have its name */
    if (!path) return error_memory();
    const int result = import(&run, path, &word, 1);
    if (!result) take_notice(&run);
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
        if (!strcmp(command->name, "boards"))
            return error(FAIL_INPUT, "%s: is no merged run; 'whyfast merge' makes one", word);
        for (size_t k = 0; k < sizeof changes / sizeof *changes && !result; k++)
            if (!strcmp(command->name, changes[k]))
                result =
                    error(FAIL_USAGE, "%s: %s needs a run; 'whyfast import %s -o RUN' makes one",
                          word, command->name, shell_word(word).at);
        if (!result && !arguments->output && !strcmp(command->name, "report"))
            result = error(FAIL_USAGE, "%s: -o names the directory of the report on it", word);
        if (!result) result = replace(arguments, i);
    }
    if (!result && imported_count) say_notice();
    return result;
}

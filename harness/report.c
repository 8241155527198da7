/*
 * report: fills reports/template.html and reports/template.md from the run's tables. The templates hold every word; this file knows none of it.
 *
 *   {{name}}                       a column of the rows around it, or a fact of run.txt, escaped for the kind of file; nothing when absent
 *   {{each SELECT ...}} ... {{end}}   once for each row; :name in the statement is a column of the rows around it
 *   {{none}}                       inside each: what follows it stands there when there is no row
 *   {{picture}}                    the picture called by the column `chart` of the row around it, with `title` as its words
 *
 * Whatever words a run has, in the report they are words: a value cannot begin a tag, end an attribute or be a link (write_html, write_markdown), a picture is
 * one that this program drew, as an image, in which no script runs, and anchors are made of plain names alone (query_load.c).
 *
 * Tables: all of the run but samples, counters and trace_samples; those of lines_query.h, its views kernel_sums, line_sums and instructions as tables kernel_rows,
 * line_rows and instruction_rows; glossary(kind, name, title, unit, formula, better, means) from the records under metrics/; and
 * facts(key, value), which is run.txt as it is written, an absent fact with its reason (in table run it is NULL). Of a large run the tables hold a selection
 * (shown.h), of which the table selection says how much it is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beside.h"
#include "lines_query.h"
#include "message.h"
#include "output_group.h"
#include "pipeline.h"
#include "query.h"
#include "record.h"
#include "shown.h"
#include "stages.h"
#include "text.h"

struct report {
    struct query *query;        /* one for both reports: the guard of its database knows it by its address */
    const char *template_path;
    const char *text;           /* the template */
    FILE *file;
    int html;
};

struct block {
    struct report *report;
    const char *body;
    const char *body_end;
    int rows;
};

/* ---- writing ------------------------------------------------------------------------------------------------------------------------------ */

/* What a page cannot hold, and what a terminal that shows the Markdown would take as an order. */
static void write_character(FILE *file, const char *character)
{
    const int control = ((unsigned char)*character < ' ' && !strchr("\t\n\r", *character)) || *character == 0x7F;
    if (control) fputs("\xEF\xBF\xBD", file);
    else fputc(*character, file);
}

static void write_html(FILE *file, const char *value)
{
    for (; *value; value++) {
        switch (*value) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        case '\'': fputs("&#39;", file); break;
        case '{': fputs("&#123;", file); break; /* so that no line of source looks like a placeholder that was left */
        case '}': fputs("&#125;", file); break;
        default: write_character(file, value);
        }
    }
}

/* A cell must not end its row, a line its paragraph; a tag must stay text, and so must a link, which needs "](", "][" or "]:". */
static void write_markdown(FILE *file, const char *value)
{
    for (; *value; value++) {
        if (*value == '|') fputs("\\|", file);
        else if (*value == '<') fputs("&lt;", file);
        else if (*value == ']' && value[1] && strchr("([:", value[1])) fputs("\\]", file);
        else if (*value == '\n' || *value == '\r') fputc(' ', file);
        else write_character(file, value);
    }
}

/* Between backticks nothing but a backtick is anything else than itself, and in a cell the bar. */
static void write_code(FILE *file, const char *value)
{
    for (; *value; value++) {
        if (*value == '|') fputs("\\|", file);
        else if (*value == '`') fputc('\'', file);
        else if (*value == '\n' || *value == '\r') fputc(' ', file);
        else write_character(file, value);
    }
}

static void write_value(struct report *report, const char *value, int in_code)
{
    if (!value) return;
    if (report->html) write_html(report->file, value);
    else if (in_code) write_code(report->file, value);
    else write_markdown(report->file, value);
}

static void write_base64(FILE *file, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned long group =
            (unsigned long)bytes[i] << 16 | (unsigned long)(left > 1 ? bytes[i + 1] : 0) << 8 | (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[group >> 18 & 63], file);
        fputc(digits[group >> 12 & 63], file);
        fputc(left > 1 ? digits[group >> 6 & 63] : '=', file);
        fputc(left > 2 ? digits[group & 63] : '=', file);
    }
}

/* As a data: image, a picture can neither run a script nor clash with the names inside another. */
static int write_picture(struct report *report, const struct scope *scope)
{
    const char *chart = scope_value(scope, "chart", NULL), *title = scope_value(scope, "title", NULL);
    if (!chart || !*chart || chart[strspn(chart, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")])
        return error(FAIL_INPUT, "%s/charts.csv: '%s' is no name of a chart", report->query->run->path, chart ? chart : "");
    if (!report->html) {
        fputs("![", report->file);
        write_value(report, title, 0);
        fprintf(report->file, "](charts/%s.svg)", chart);
        return 0;
    }
    size_t length;
    char *path = text_new("%s/charts/%s.svg", report->query->run->directory, chart);
    char *svg = path ? text_read_file(path, &length) : NULL;
    const int result = svg ? 0 : error(FAIL_INPUT, "%s: cannot read: %s", path ? path : chart, strerror(errno));
    if (svg) {
        fputs("<img alt=\"", report->file);
        write_value(report, title, 0);
        fputs("\" src=\"data:image/svg+xml;base64,", report->file);
        write_base64(report->file, (const unsigned char *)svg, length);
        fputs("\">", report->file);
    }
    free(svg);
    free(path);
    return result;
}

/* ---- the template ------------------------------------------------------------------------------------------------------------------------- */

static int line_of(const struct report *report, const char *at)
{
    int line = 1;
    for (const char *p = report->text; p < at; p++) line += *p == '\n';
    return line;
}

static int is_tag(const char *tag, size_t length, const char *word)
{
    return length >= strlen(word) && !strncmp(tag, word, strlen(word)) && (length == strlen(word) || tag[strlen(word)] == ' ');
}

/* Next "{{...}}" in [p, end): its text and length; NULL when there is none. */
static const char *next_tag(const char *p, const char *end, size_t *length)
{
    const char *open = memmem(p, (size_t)(end - p), "{{", 2);
    const char *close = open ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
    if (!close) return NULL;
    *length = (size_t)(close - open) - 2;
    return open + 2;
}

/* Finds the {{end}} of a block that begins at p, and its {{none}} if it has one at its own level. */
static int find_end(const struct report *report, const char *p, const char *end, const char **none, const char **block_end)
{
    int depth = 0;
    size_t length;
    const char *start = p;
    *none = NULL;
    for (const char *tag; (tag = next_tag(p, end, &length)); p = tag + length + 2) {
        if (is_tag(tag, length, "each")) depth++;
        if (is_tag(tag, length, "none") && depth == 0) *none = tag - 2;
        if (is_tag(tag, length, "end") && depth-- == 0) {
            *block_end = tag - 2;
            return 0;
        }
    }
    return error(FAIL_INPUT, "%s:%d: 'each' without its 'end'", report->template_path, line_of(report, start));
}

static int fill(struct report *report, const char *p, const char *end, const struct scope *scope);

static int fill_row(void *context, const struct scope *row)
{
    struct block *block = context;
    block->rows++;
    return fill(block->report, block->body, block->body_end, row);
}

/* A block: {{each SQL}} stands before `body`. *after is what follows its {{end}}. */
static int fill_each(struct report *report, const char *sql_start, size_t sql_length, const char *body, const char *end,
                     const struct scope *scope, const char **after)
{
    const char *none, *block_end = end;
    int result = find_end(report, body, end, &none, &block_end);
    if (result) return result;
    struct block block = {report, body, none ? none : block_end, 0};
    char *sql = text_new("%.*s", (int)sql_length, sql_start);
    char *place = text_new("%s:%d", report->template_path, line_of(report, sql_start));
    result = sql && place ? query_each(report->query, place, sql, scope, fill_row, &block) : error_memory();
    if (!result && block.rows == 0 && none) result = fill(report, none + strlen("{{none}}"), block_end, scope);
    free(sql);
    free(place);
    *after = block_end + strlen("{{end}}");
    return result;
}

static int fill_value(struct report *report, const char *tag, size_t length, const struct scope *scope)
{
    char name[64];
    int known = 0;
    snprintf(name, sizeof name, "%.*s", (int)length, tag);
    const char *value = scope_value(scope, name, &known);
    if (!known) return error(FAIL_INPUT, "%s:%d: nothing around it is called '%s'", report->template_path, line_of(report, tag), name);
    write_value(report, value, tag - report->text > 2 && tag[-3] == '`'); /* what stands before {{ */
    return 0;
}

static int fill(struct report *report, const char *p, const char *end, const struct scope *scope)
{
    int result = 0;
    size_t length;
    for (const char *tag; !result && (tag = next_tag(p, end, &length));) {
        fwrite(p, 1, (size_t)(tag - 2 - p), report->file);
        p = tag + length + 2;
        if (is_tag(tag, length, "each")) result = fill_each(report, tag + 5, length > 5 ? length - 5 : 0, p, end, scope, &p);
        else if (is_tag(tag, length, "picture")) result = write_picture(report, scope);
        else if (is_tag(tag, length, "end") || is_tag(tag, length, "none"))
            result = error(FAIL_INPUT, "%s:%d: '%.*s' without 'each'", report->template_path, line_of(report, tag), (int)length, tag);
        else result = fill_value(report, tag, length, scope);
    }
    if (!result) fwrite(p, 1, (size_t)(end - p), report->file);
    return result;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------------------------- */

static int load_glossary(struct query *query, const struct records *records)
{
    int result = query_write(query, "CREATE TABLE glossary(kind, name, title, unit, formula, better, means)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_METRIC && record->kind != RECORD_FACT && record->kind != RECORD_COUNTER && record->kind != RECORD_CAUSE && record->kind != RECORD_TERM &&
            record->kind != RECORD_TRACK && record->kind != RECORD_CHECK)
            continue;
        const char *from = record_field(record, "from"), *holds = record_field(record, "holds"), *because = record_field(record, "because");
        result = query_write(query, "INSERT INTO glossary VALUES(%Q, %Q, %Q, %Q, coalesce(%Q || coalesce('; least ' || %Q, '') || coalesce('; most ' || %Q, ''), %Q || ', where value is ' || %Q, %Q, %Q), %Q, %Q)",
                             record_kind_name(record->kind), record->name, record_field(record, "title"), record_field(record, "unit"),
                             record_field(record, "formula"), record_field(record, "least"), record_field(record, "most"), record_field(record, "shows"), from, from, holds, record_field(record, "better"), holds ? because : record_field(record, "means"));
    }
    return result;
}

static int load_facts(struct query *query, const struct run *run)
{
    int result = query_write(query, "CREATE TABLE facts(key, value)");
    for (int i = 0; i < run->fact_count && !result; i++)
        result = query_write(query, "INSERT INTO facts VALUES(%Q, %Q)", run->facts[i].key, run->facts[i].value);
    return result;
}

/* The views about lines, which the templates ask line by line, are made once: kernel_rows, line_rows, instruction_rows. */
static int load_lines(struct query *query)
{
    const int result = lines_load(query);
    return result ? result
                  : query_write(query, "CREATE TABLE kernel_rows AS SELECT * FROM kernel_sums; CREATE TABLE line_rows AS SELECT * FROM line_sums;"
                                       "CREATE TABLE instruction_rows AS SELECT * FROM instructions;"
                                       "CREATE INDEX line_rows_key ON line_rows(kernel, source, line);"
                                       "CREATE INDEX instruction_rows_key ON instruction_rows(kernel, source, line)");
}

/* Counts of instructions that cannot be are found in all kernels here, by explain only in those that have a ledger. */
static int count_impossible(struct query *query, struct run *run)
{
    char *kernels = NULL;
    const int result = query_text(query, NULL, "SELECT count(DISTINCT kernel) FROM impossible_lines", NULL, &kernels);
    if (!result && !run->impossible) run->impossible = (int)strtol(kernels, NULL, 10);
    free(kernels);
    return result;
}

/* The table selection(families, all_families, places, all_places, kernels, all_kernels): its one row says how much is shown of a run that is not shown whole. */
static int load_selection(struct query *query, const struct shown *shown)
{
    const int result = query_write(query, "CREATE TABLE selection(families, all_families, places, all_places, kernels, all_kernels)");
    if (result || !shown_is_selection(shown)) return result;
    return query_write(query, "INSERT INTO selection VALUES(%d, %d, %d, %d, %d, %d)", shown->families.shown, shown->families.all, shown->places.shown,
                       shown->places.all, shown->kernels.shown, shown->kernels.all);
}

static int load_tables(struct query *query, const struct run *run, struct shown *shown)
{
    int result = shown_choose(shown, run);
    if (!result) result = load_selection(query, shown);
    if (!result && shown_is_selection(shown)) {
        query->keeps = shown_keeps;
        query->keeps_context = shown;
    }
    for (enum table_id id = 0; id < TABLE_COUNT && !result; id++) {
        if (id == TABLE_SAMPLES || id == TABLE_COUNTERS || id == TABLE_TRACE_SAMPLES || id == TABLE_CHARTS) continue;
        result = query_load(query, id);
    }
    if (!result) result = query_write(query, "CREATE INDEX findings_key ON findings(family, variant, kind)");
    if (!result) result = load_lines(query);
    if (result) return result;
    char *charts = run_file(run, "charts.csv");
    if (!charts) result = error_memory();
    else if (access(charts, F_OK) == 0) result = query_load(query, TABLE_CHARTS);
    else result = query_write(query, "CREATE TABLE charts(chart, script, family, size, title, caption)");
    free(charts);
    return result;
}

static int write_one(struct report *report, const char *directory, const struct scope *facts)
{
    char *path = text_new("%s/reports/template.%s", directory, report->html ? "html" : "md");
    char *text = path ? text_read_file(path, NULL) : NULL;
    int result = text ? 0 : path ? error(FAIL_INPUT, "%s: cannot read: %s", path, strerror(errno)) : error_memory();
    if (!result) {
        report->template_path = path;
        report->text = text;
        result = fill(report, text, text + strlen(text), facts);
    }
    free(text);
    free(path);
    return result;
}

/* The facts as the outermost scope: a fact that is absent reads as its reason. */
static int fill_facts(struct scope *facts, const struct run *run)
{
    const char **name = calloc((size_t)run->fact_count + 1, sizeof *name), **value = calloc((size_t)run->fact_count + 1, sizeof *value);
    facts->name = name;
    facts->value = value;
    if (!name || !value) return error_memory();
    for (int i = 0; i < run->fact_count; i++) {
        name[i] = run->facts[i].key;
        value[i] = run->facts[i].value;
    }
    name[run->fact_count] = "replayed_from";
    value[run->fact_count] = run_fact(run, "replay_of");
    facts->count = run->fact_count + 1;
    return 0;
}

struct writing {
    struct report html, markdown;
    const char *directory;       /* of the templates */
    const struct scope *facts;
    struct output_group group;   /* both appear together */
};

static int write_page(void *context, int *found)
{
    struct writing *writing = context;
    (void)found;
    const int result = write_one(&writing->markdown, writing->directory, writing->facts);
    return result ? result : output_group_flush(&writing->group);
}

/* One beside the other. */
static int write_both(const struct report *report, const char *directory, const struct scope *facts)
{
    const struct run *run = report->query->run;
    struct writing writing = {.html = *report, .markdown = *report, .directory = directory, .facts = facts};
    struct beside beside;
    int found = 0;
    writing.html.html = 1;
    int result = output_group_begin(&writing.group, run->directory, "report.html", &writing.html.file);
    if (!result) result = output_group_begin(&writing.group, run->directory, "report.md", &writing.markdown.file);
    if (!result) {
        beside_begin(&beside, write_page, &writing, run->locked ? run->lock : -1);
        result = beside_end(&beside, write_one(&writing.html, directory, facts), &found);
    }
    return output_group_end(&writing.group, result);
}

static int write_reports(struct run *run)
{
    struct query query;
    struct report report = {.query = &query};
    struct records records;
    struct shown shown = {.trace_count = 0};
    struct scope facts = {0};
    char *directory = data_directory();
    int result = directory ? records_read(&records, directory) : FAIL_INPUT;
    if (!result) {
        result = query_open(&query, run);
        if (!result) {
            result = load_tables(&query, run, &shown);
            if (!result) result = count_impossible(&query, run);
            if (!result) result = load_glossary(&query, &records);
            if (!result) result = load_facts(&query, run);
            if (!result) result = fill_facts(&facts, run);
            if (!result) result = write_both(&report, directory, &facts);
            query_close(&query);
            shown_free(&shown);
        }
        records_free(&records);
    }
    free((void *)(uintptr_t)facts.name);
    free((void *)(uintptr_t)facts.value);
    free(directory);
    return result;
}

int report_run(struct run *run)
{
    return stage_work(STAGE_REPORT, write_reports, run);
}

/*
 * report: fills the templates in reports/pages/ (report/template.h) from the run's tables and
 * copies the style sheet and the script beside them.
 *
 * The templates may read all tables of the run except samples, counters and trace_samples; those of
 * lines/lines_tables.h, with its views kernel_sums, line_sums and instructions as tables
 * kernel_rows, line_rows and instruction_rows; glossary(kind, name, title, unit, formula, better,
 * means) from the records under metrics/; and facts(key, value), which is run.txt as it is written,
 * an absent fact with its reason (in table run it is NULL). Of a large run the tables hold a
 * selection (report/report_scope.h); the table selection gives its extent.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/records.h"
#include "lines/lines_tables.h"
#include "query/query.h"
#include "query/published_here.sql.h"
#include "report/coverage.sql.h"
#include "report/first_sentence.sql.h"
#include "report/report.h"
#include "report/report_scope.h"
#include "report/template.h"
#include "run/run_stages.h"

enum { MOST_TEMPLATES = 64 };

/* ---- tables ---------------------------------------------------------------------------------- */

/* A record in the glossary has a formula, the counter or fact that it is read from with its bounds,
 * what a track shows, or the condition of a check. */
static int load_glossary(struct query *query, const struct records *records)
{
    static const char sql[] =
        "INSERT INTO glossary VALUES(%Q, %Q, %Q, %Q, coalesce(%Q || coalesce('; least ' || %Q, '') "
        "|| coalesce('; most ' || %Q, ''), %Q || ', where value is ' || %Q, %Q, %Q), %Q, %Q)";
    static const enum record_kind kinds[] = {RECORD_METRIC, RECORD_FACT, RECORD_COUNTER,
                                             RECORD_CAUSE,  RECORD_TERM, RECORD_TRACK,
                                             RECORD_CHECK};
    int result = query_write(
        query, "CREATE TABLE glossary(kind, name, title, unit, formula, better, means)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *from = record_field(record, "from"), *holds = record_field(record, "holds");
        size_t kind = 0;
        while (kind < sizeof kinds / sizeof *kinds && kinds[kind] != record->kind) kind++;
        if (kind == sizeof kinds / sizeof *kinds) continue;
        result = query_write(query, sql, record_kind_name(record->kind), record->name,
                             record_field(record, "title"), record_field(record, "unit"),
                             record_field(record, "formula"), record_field(record, "least"),
                             record_field(record, "most"), record_field(record, "shows"), from,
                             from, holds, record_field(record, "better"),
                             record_field(record, holds ? "because" : "means"));
    }
    return result;
}

static int load_facts(struct query *query, const struct run *run)
{
    int result = query_write(query, "CREATE TABLE facts(key, value)");
    for (int i = 0; i < run->facts.count && !result; i++)
        result = query_write(query, "INSERT INTO facts VALUES(%Q, %Q)", run->facts.fact[i].key,
                             run->facts.fact[i].value);
    return result;
}

/* The templates read the views about lines row by row: they are stored as tables once. */
static int load_lines(struct query *query)
{
    static const char sql[] =
        "CREATE TABLE kernel_rows AS SELECT * FROM kernel_sums;"
        "CREATE TABLE line_rows AS SELECT * FROM line_sums;"
        "CREATE TABLE instruction_rows AS SELECT * FROM instructions;"
        "CREATE INDEX line_rows_key ON line_rows(kernel, source, line);"
        "CREATE INDEX instruction_rows_key ON instruction_rows(kernel, source, line)";
    const int result = lines_tables_load(query, NULL);
    return result ? result : query_write(query, "%s", sql);
}

/* Impossible counts of instructions are searched in all kernels here, by explain only in those that
 * have a ledger. */
static int count_impossible(struct query *query, struct run *run)
{
    char *kernels = NULL;
    const int result = query_text(
        query, NULL, "SELECT count(DISTINCT kernel) FROM impossible_lines", NULL, &kernels);
    if (!result && !run->impossible) run->impossible = (int)strtol(kernels, NULL, 10);
    free(kernels);
    return result;
}

/* The one row of this table gives the extent of a selection. */
static int load_selection(struct query *query, const struct report_scope *scope)
{
    const int result = query_write(
        query,
        "CREATE TABLE selection(families, all_families, places, all_places, kernels, all_kernels)");
    if (result || !report_scope_is_selection(scope)) return result;
    return query_write(query, "INSERT INTO selection VALUES(%d, %d, %d, %d, %d, %d)",
                       scope->families.shown, scope->families.all, scope->places.shown,
                       scope->places.all, scope->kernels.shown, scope->kernels.all);
}

/* The items of the sources, with the figures that they ask for. */
static int load_items(struct query *query, const struct records *records)
{
    int result = query_write(query, "CREATE TABLE items(source, place, says, shown, figure)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *figure = record_field(record, "figure");
        char *text = NULL, origin[300];
        if (record->kind != RECORD_ITEM) continue;
        snprintf(origin, sizeof origin, "%s:%d", record->file, record_line(record, "figure"));
        if (figure) result = query_text(query, origin, figure, NULL, &text);
        if (!result)
            result = query_write(query, "INSERT INTO items VALUES(%Q, %Q, %Q, %Q, %Q)",
                                 record_field(record, "source"), record_field(record, "place"),
                                 record_field(record, "says"), record_field(record, "shown"),
                                 figure && !text ? "absent: not measured in this run" : text);
        free(text);
    }
    if (!result) result = query_write(query, "%s", published_here_sql);
    return result ? result : query_write(query, "%s", coverage_sql);
}

static int load_tables(struct query *query, const struct run *run, const struct records *records,
                       struct report_scope *scope)
{
    int result = report_scope_choose(scope, run);
    if (!result) result = load_selection(query, scope);
    if (!result && report_scope_is_selection(scope)) {
        query->keeps = report_scope_keeps;
        query->keeps_context = scope;
    }
    for (enum table_id id = 0; id < TABLE_COUNT && !result; id++) {
        if (id == TABLE_SAMPLES || id == TABLE_COUNTERS || id == TABLE_TRACE_SAMPLES ||
            id == TABLE_CHARTS)
            continue;
        result = query_load(query, id);
    }
    if (!result)
        result = query_write(query, "CREATE INDEX findings_key ON findings(family, variant, kind);"
                                    "CREATE INDEX details_key ON details(family, variant, size)");
    if (!result) result = load_lines(query);
    if (!result) result = load_glossary(query, records);
    if (!result) result = load_items(query, records);
    return result ? result : load_facts(query, run);
}

static int load_charts(struct query *query, const struct run *run)
{
    char *charts = run_file(run, "charts.csv");
    if (!charts) return error_memory();
    const int result =
        access(charts, F_OK) == 0
            ? query_load(query, TABLE_CHARTS)
            : query_write(query,
                          "CREATE TABLE charts(chart, script, family, size, title, caption)");
    free(charts);
    return result;
}

/* Makes the outermost scope of the templates: run.txt, an absent fact as its reason. */
static int fill_facts(struct scope *facts, const struct run *run)
{
    const char **name = calloc((size_t)run->facts.count + 1, sizeof *name),
               **value = calloc((size_t)run->facts.count + 1, sizeof *value);
    facts->name = name;
    facts->value = value;
    if (!name || !value) return error_memory();
    for (int i = 0; i < run->facts.count; i++) {
        name[i] = run->facts.fact[i].key;
        value[i] = run->facts.fact[i].value;
    }
    name[run->facts.count] = "replayed_from";
    value[run->facts.count] = run_fact(run, "replay_of");
    facts->count = run->facts.count + 1;
    return 0;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Templates and the pages made of them. */
struct pages {
    struct query *query;
    const struct scope *facts;
    struct atomic_files *group; /* the pages appear together */
    struct string_list {
        char *name[MOST_TEMPLATES];
        int count;
    } templates;
};

static int open_page(void *context, const char *name, FILE **file)
{
    const struct pages *pages = context;
    return atomic_files_begin(pages->group, pages->query->run->directory, name, file);
}

static int write_page(struct pages *pages, const char *directory, const char *name)
{
    char *path = text_new("%s/reports/pages/%s", directory, name);
    char *text = path ? text_read_file(path, NULL) : NULL;
    struct template template = {
        .query = pages->query, .path = path, .text = text, .open = open_page, .context = pages};
    int result = !path   ? error_memory()
                 : !text ? error(FAIL_INPUT, "%s: cannot read: %s", path, strerror(errno))
                         : 0;
    if (!result && template_is_filled(path, text)) {
        result = template_fill(&template, pages->facts);
    } else if (!result) {
        FILE *file;
        result = open_page(pages, name, &file);
        if (!result) fputs(text, file);
    }
    free(text);
    free(path);
    return result;
}

/* Editors leave hidden files and copies that end in '~'. */
static int add_template(void *context, const char *name)
{
    struct pages *pages = context;
    if (name[0] == '.' || name[strlen(name) - 1] == '~') return 0;
    if (pages->templates.count == MOST_TEMPLATES)
        return error(FAIL_INPUT, "reports/pages: more than %d files", MOST_TEMPLATES);
    char *copy = strdup(name);
    if (!copy) return error_memory();
    pages->templates.name[pages->templates.count++] = copy;
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Fills or copies every file of reports/pages/. */
static int write_all(struct pages *pages, const char *directory)
{
    char *path = text_new("%s/reports/pages", directory);
    struct string_list *templates = &pages->templates;
    int result = !path               ? error_memory()
                 : file_exists(path) ? directory_visit(path, add_template, pages)
                                     : error(FAIL_INPUT, "%s: no templates there", path);
    qsort(templates->name, (size_t)templates->count, sizeof *templates->name, compare_names);
    for (int i = 0; i < templates->count && !result; i++)
        result = write_page(pages, directory, templates->name[i]);
    for (int i = 0; i < templates->count; i++) free(templates->name[i]);
    free(path);
    return result;
}

static int write_pages(struct run *run, struct query *query, const char *directory,
                       const struct records *records)
{
    struct atomic_files group = {.count = 0};
    struct report_scope scope = {.families = {0, 0}};
    struct scope facts = {0};
    struct pages pages = {.query = query, .facts = &facts, .group = &group};
    int result = load_tables(query, run, records, &scope);
    if (!result) result = load_charts(query, run);
    if (!result) result = count_impossible(query, run);
    if (!result) result = fill_facts(&facts, run);
    if (!result) result = write_all(&pages, directory);
    free((void *)(uintptr_t)facts.name);
    free((void *)(uintptr_t)facts.value);
    report_scope_free(&scope);
    return atomic_files_end(&group, result);
}

static int make_pages(struct run *run)
{
    struct query query;
    struct records records;
    char *directory = data_directory();
    int result = directory ? records_read(&records, directory) : FAIL_INPUT;
    if (!result) {
        result = query_open(&query, run);
        if (!result) {
            result = write_pages(run, &query, directory, &records);
            query_close(&query);
        }
        records_free(&records);
    }
    free(directory);
    return result;
}

int report_run(struct run *run, int (*draw_pictures)(struct run *run))
{
    const int result = draw_pictures ? draw_pictures(run) : 0;
    if (result || interrupted()) return result ? result : FAIL_INTERRUPTED;
    return stage_work(STAGE_REPORT, make_pages, run);
}

/* ---- the first sentence ---------------------------------------------------------------------- */

static int say(void *context, const struct scope *row)
{
    (void)context;
    note("%s", row->value[0]);
    return 0;
}

int first_sentence(const struct run *run)
{
    struct query query;
    int result = query_open(&query, run);
    if (result) return result;
    result = query_load(&query, TABLE_VARIANTS);
    if (!result) result = query_load(&query, TABLE_SAMPLES);
    if (!result) result = query_each(&query, NULL, first_sentence_sql, NULL, say, NULL);
    query_close(&query);
    return result;
}

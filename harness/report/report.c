/*
 * report: fills reports/template.html and reports/template.md (report/template.h) from the run's
 * tables.
 *
 * Tables: all of the run but samples, counters and trace_samples; those of lines/lines_tables.h,
 * its views kernel_sums, line_sums and instructions as tables kernel_rows, line_rows and
 * instruction_rows; glossary(kind, name, title, unit, formula, better, means) from the records
 * under metrics/; and facts(key, value), which is run.txt as it is written, an absent fact with its
 * reason (in table run it is NULL). Of a large run the tables hold a selection
 * (report/report_scope.h), of which the table selection says how much it is.
 *
 * Pictures are drawn while the tables are loaded, in two processes: of those tables only the list
 * of the pictures is theirs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/data_directory.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/records.h"
#include "lines/lines_tables.h"
#include "query/query.h"
#include "report/report.h"
#include "report/report_scope.h"
#include "report/template.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

/* ---- tables ---------------------------------------------------------------------------------- */

static int load_glossary(struct query *query, const struct records *records)
{
    int result = query_write(
        query, "CREATE TABLE glossary(kind, name, title, unit, formula, better, means)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_METRIC && record->kind != RECORD_FACT &&
            record->kind != RECORD_COUNTER && record->kind != RECORD_CAUSE &&
            record->kind != RECORD_TERM && record->kind != RECORD_TRACK &&
            record->kind != RECORD_CHECK)
            continue;
        const char *from = record_field(record, "from"), *holds = record_field(record, "holds"),
                   *because = record_field(record, "because");
        result = query_write(query,
                             "INSERT INTO glossary VALUES(%Q, %Q, %Q, %Q, coalesce(%Q || "
                             "coalesce('; least ' || %Q, '') || coalesce('; most ' || %Q, ''), %Q "
                             "|| ', where value is ' || %Q, %Q, %Q), %Q, %Q)",
                             record_kind_name(record->kind), record->name,
                             record_field(record, "title"), record_field(record, "unit"),
                             record_field(record, "formula"), record_field(record, "least"),
                             record_field(record, "most"), record_field(record, "shows"), from,
                             from, holds, record_field(record, "better"),
                             holds ? because : record_field(record, "means"));
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

/* The views about lines, which the templates ask line by line, are made once: kernel_rows,
 * line_rows, instruction_rows. */
static int load_lines(struct query *query)
{
    const int result = lines_tables_load(query, NULL);
    return result
               ? result
               : query_write(
                     query,
                     "CREATE TABLE kernel_rows AS SELECT * FROM kernel_sums; CREATE TABLE "
                     "line_rows AS SELECT * FROM line_sums;"
                     "CREATE TABLE instruction_rows AS SELECT * FROM instructions;"
                     "CREATE INDEX line_rows_key ON line_rows(kernel, source, line);"
                     "CREATE INDEX instruction_rows_key ON instruction_rows(kernel, source, line)");
}

/* Counts of instructions that cannot be are found in all kernels here, by explain only in those
 * that have a ledger. */
static int count_impossible(struct query *query, const struct run *run, int *found)
{
    char *kernels = NULL;
    const int result = query_text(
        query, NULL, "SELECT count(DISTINCT kernel) FROM impossible_lines", NULL, &kernels);
    if (!result && !run->impossible) *found = (int)strtol(kernels, NULL, 10);
    free(kernels);
    return result;
}

/* The table selection(families, all_families, places, all_places, kernels, all_kernels): its one
 * row says how much is shown of a run that is not shown whole. */
static int load_selection(struct query *query, const struct report_scope *shown)
{
    const int result = query_write(
        query,
        "CREATE TABLE selection(families, all_families, places, all_places, kernels, all_kernels)");
    if (result || !report_scope_is_selection(shown)) return result;
    return query_write(query, "INSERT INTO selection VALUES(%d, %d, %d, %d, %d, %d)",
                       shown->families.shown, shown->families.all, shown->places.shown,
                       shown->places.all, shown->kernels.shown, shown->kernels.all);
}

static int load_tables(struct query *query, const struct run *run, const struct records *records,
                       struct report_scope *shown)
{
    int result = report_scope_choose(shown, run);
    if (!result) result = load_selection(query, shown);
    if (!result && report_scope_is_selection(shown)) {
        query->keeps = report_scope_keeps;
        query->keeps_context = shown;
    }
    for (enum table_id id = 0; id < TABLE_COUNT && !result; id++) {
        if (id == TABLE_SAMPLES || id == TABLE_COUNTERS || id == TABLE_TRACE_SAMPLES ||
            id == TABLE_CHARTS)
            continue;
        result = query_load(query, id);
    }
    if (!result)
        result = query_write(query, "CREATE INDEX findings_key ON findings(family, variant, kind)");
    if (!result) result = load_lines(query);
    if (!result) result = load_glossary(query, records);
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

/* ---- pages ----------------------------------------------------------------------------------- */

static int write_one(struct template *page, const char *directory, const struct scope *facts)
{
    char *path = text_new("%s/reports/template.%s", directory, page->html ? "html" : "md");
    char *text = path ? text_read_file(path, NULL) : NULL;
    int result = text   ? 0
                 : path ? error(FAIL_INPUT, "%s: cannot read: %s", path, strerror(errno))
                        : error_memory();
    if (!result) {
        page->path = path;
        page->text = text;
        result = template_fill(page, facts);
    }
    free(text);
    free(path);
    return result;
}

/* The facts as the outermost scope: a fact that is absent reads as its reason. */
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

static int write_page(struct query *query, struct atomic_files *group, int html,
                      const char *directory, const struct scope *facts)
{
    struct template page = {.query = query, .html = html};
    const int result = atomic_files_begin(group, query->run->directory,
                                          html ? "report.html" : "report.md", &page.file);
    return result ? result : write_one(&page, directory, facts);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int fill_pages(struct query *query, const struct run *run, const char *directory,
                      const struct records *records, int *found)
{
    struct atomic_files group = {.count = 0}; /* both pages appear together */
    struct report_scope shown = {.trace_count = 0};
    struct scope facts = {0};
    int result = load_tables(query, run, records, &shown);
    if (!result) result = count_impossible(query, run, found);
    if (!result) result = fill_facts(&facts, run);
    if (!result) result = load_charts(query, run);
    if (!result) result = write_page(query, &group, 1, directory, &facts);
    if (!result) result = write_page(query, &group, 0, directory, &facts);
    result = atomic_files_end(&group, result);
    free((void *)(uintptr_t)facts.name);
    free((void *)(uintptr_t)facts.value);
    report_scope_free(&shown);
    return result;
}

static int make_pages(struct run *run)
{
    struct query query;
    struct records records;
    char *directory = data_directory();
    int found = 0, result = directory ? records_read(&records, directory) : FAIL_INPUT;
    if (!result) {
        result = query_open(&query, run);
        if (!result) {
            result = fill_pages(&query, run, directory, &records, &found);
            query_close(&query);
        }
        records_free(&records);
    }
    free(directory);
    run->impossible += found;
    return result;
}

int report_run(struct run *run, int (*draw_pictures)(struct run *run))
{
    int result = draw_pictures ? draw_pictures(run) : 0;
    if (!result && interrupted()) result = FAIL_INTERRUPTED;
    return result ? result : stage_work(STAGE_REPORT, make_pages, run);
}

/*
 * report: fills the templates in reports/pages/ (report/template.h) from the tables of
 * report/page_tables.h and copies the style sheet and the script beside them.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "catalog/records.h"
#include "query/query.h"
#include "report/page_tables.h"
#include "report/report.h"
#include "report/template.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

enum { MOST_TEMPLATES = 64 };

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

/* Fills or copies a file of a folder. */
static int write_page(struct pages *pages, const char *folder, const char *name)
{
    char *path = text_new("%s/%s", folder, name);
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

/* Skips parts of pages, and hidden files and copies that editors leave. */
static int add_template(void *context, const char *name)
{
    struct pages *pages = context;
    if (name[0] == '.' || name[strlen(name) - 1] == '~' || template_is_part(name)) return 0;
    if (pages->templates.count == MOST_TEMPLATES)
        return error(FAIL_INPUT, "%s: one of more than %d templates", name, MOST_TEMPLATES);
    char *copy = strdup(name);
    if (!copy) return error_memory();
    pages->templates.name[pages->templates.count++] = copy;
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Fills or copies every file of a folder. */
static int write_folder(struct pages *pages, const char *folder)
{
    struct string_list *templates = &pages->templates;
    int result = file_exists(folder) ? directory_visit(folder, add_template, pages)
                                     : error(FAIL_INPUT, "%s: no templates there", folder);
    qsort(templates->name, (size_t)templates->count, sizeof *templates->name, compare_names);
    for (int i = 0; i < templates->count && !result; i++)
        result = write_page(pages, folder, templates->name[i]);
    for (int i = 0; i < templates->count; i++) free(templates->name[i]);
    templates->count = 0;
    return result;
}

static int fill(struct query *query, const char *directory, const char *folder,
                const char *style_sheet)
{
    struct atomic_files group = {.count = 0};
    struct scope facts = {0};
    struct pages pages = {.query = query, .facts = &facts, .group = &group};
    int result = fill_facts(&facts, query->run);
    if (!result) result = write_folder(&pages, path_in(directory, folder).at);
    if (!result && style_sheet)
        result = write_page(&pages, path_in(directory, "reports/pages").at, style_sheet);
    free((void *)(uintptr_t)facts.name);
    free((void *)(uintptr_t)facts.value);
    return atomic_files_end(&group, result);
}

int report_fill(struct query *query, const char *folder)
{
    char *directory = data_directory();
    const int result = directory ? fill(query, directory, folder, "whyfast.css") : FAIL_INPUT;
    free(directory);
    return result;
}

/* The pictures that are drawn while the tables of the pages are made. */
struct drawing {
    struct run *run;
    int (*draw)(struct run *run);
    struct process process;
};

static int draw(void *context)
{
    const struct drawing *drawing = context;
    const int result = drawing->draw(drawing->run);
    return result == FAIL_CHECK ? 0 : result;
}

static int make_pages(struct drawing *drawing)
{
    struct query query;
    struct records records;
    char *directory = data_directory();
    int result = directory ? records_read(&records, directory) : FAIL_INPUT;
    if (!result) {
        result = query_open(&query, drawing->run);
        if (!result) {
            result = page_tables_load(&query, drawing->run, &records);
            if (!result) result = process_join(&drawing->process);
            if (!result) result = query_load_some(&query, TABLE_CHARTS, NULL, NULL);
            if (!result) result = fill(&query, directory, "reports/pages", NULL);
            query_close(&query);
        }
        records_free(&records);
    }
    free(directory);
    return result;
}

int report_run(struct run *run, int (*draw_pictures)(struct run *run))
{
    struct drawing drawing = {.run = run, .draw = draw_pictures};
    struct stage stage;
    int result = !draw_pictures     ? 0
                 : nvtx_listening() ? draw(&drawing) /* NVTX hears of this process only */
                                    : process_fork(&drawing.process, draw, &drawing);
    if (result) return result;
    result = stage_begin(&stage, NULL, STAGE_REPORT, NULL);
    if (!result) result = make_pages(&drawing);
    process_join(&drawing.process); /* after a failure */
    return stage_end(&stage, result);
}

/*
 * plot: draws one picture per gnuplot script and row of its `each` (report/chart_script.h).
 *
 * Scripts may read the tables that draw() loads, those of report/chart_tables.sql and
 * map_tables.sql, `cause` with the names and areas of causes (metrics/causes.metric), and `track`
 * and `shown` with the counters over time (query/track_values.h).
 *
 * Several gnuplots draw at once, started without a shell, from copies of the scripts that stay
 * beside the pictures: a run can be drawn again by plot.gp wherever it is copied to. Of a large run
 * a selection is drawn (report/report_scope.h). Whatever text the run holds, gnuplot executes only
 * the commands of the scripts: values reach it as strings in single quotes, in which it expands
 * nothing (write_string), and as cells of data files whose names this program makes (append_safe);
 * the scripts evaluate no such string and interpret no markup in it (noenhanced).
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/records.h"
#include "explain/causes.h"
#include "explain/resources.sql.h"
#include "query/query.h"
#include "query/track_values.h"
#include "query/variant_names.h"
#include "report/chart_script.h"
#include "report/chart_svg.h"
#include "report/chart_tables.sql.h"
#include "report/map_tables.sql.h"
#include "report/report.h"
#include "report/report_scope.h"
#include "run/run_stages.h"

/* Each gnuplot draws its share of the pictures: two for each core, because shares differ. */
enum { MOST_PARTS = 8 };

static const char *const part_names[MOST_PARTS] = {"part0.gp", "part1.gp", "part2.gp", "part3.gp",
                                                   "part4.gp", "part5.gp", "part6.gp", "part7.gp"};

struct drawing {
    struct query query;
    struct report_scope scope;
    const struct chart_script *script;
    const char *data;       /* the data directory, which holds plots/ */
    char *charts;           /* the directory that they are drawn in: the run's charts.part/ */
    struct csv_writer list; /* charts.csv */
    FILE *driver;           /* the gnuplot script that draws everything */
    FILE *part[MOST_PARTS]; /* the same in parts, which are removed afterwards */
    int parts;
    int terminals;            /* SVG alone for a selection, else SVG and PNG */
    const char *const *sizes; /* that the user named */
    int size_count;           /* 0: each family's primary size */
    struct text drawn;        /* of each chart: its name, title and caption, each with a NUL */
    int count;
};

/* ---- words ----------------------------------------------------------------------------------- */

/* A gnuplot string: single quotes, doubled inside; nothing is expanded in them. Line feeds would
 * end the command. */
static void write_string(FILE *file, const char *text)
{
    fputc('\'', file);
    for (; text && *text; text++) {
        if (*text == '\'') fputc('\'', file);
        fputc((unsigned char)*text < ' ' || *text == 0x7F ? ' ' : *text, file);
    }
    fputc('\'', file);
}

/* Replaces :name in the words by values of the scope. */
static void fill_words(struct text *out, const char *words, const struct scope *scope)
{
    while (*words) {
        const size_t plain = strcspn(words, ":");
        text_append_bytes(out, words, plain);
        words += plain;
        if (!*words) break;
        char name[64];
        const size_t length = strspn(words + 1, "abcdefghijklmnopqrstuvwxyz_0123456789");
        int known = 0;
        snprintf(name, sizeof name, "%.*s", (int)length, words + 1);
        const char *value = scope_value(scope, name, &known);
        if (known)
            text_append(out, value ? value : "");
        else
            text_append_bytes(out, words, length + 1);
        words += length + 1;
    }
}

/* Appends a part of a file name: at most 64 letters, digits, '_' and '-', so that a run from
 * elsewhere cannot name a path. */
static void append_safe(struct text *out, const char *part)
{
    enum { MOST = 64 };
    for (int i = 0; part && *part && i < MOST; i++, part++) {
        const int safe = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
                                *part) != NULL;
        text_append_bytes(out, safe ? part : "-", 1);
    }
}

/* ---- one picture ----------------------------------------------------------------------------- */

/* The report shows SVG; of a selection, no PNG is drawn. */
static const char *const terminals[][2] = {{"svg", "svg"}, {"png", "png"}};
enum { SVG, PNG, TERMINALS };

static void write_commands(const struct drawing *drawing, FILE *driver, int terminal,
                           const char *chart, const char *title, const struct scope *row)
{
    fputs("reset session\n", driver);
    for (int i = 0; i < row->count; i++) {
        fprintf(driver, "%s = ", row->name[i]);
        write_string(driver, row->value[i]);
        fputc('\n', driver);
    }
    fputs("title = ", driver);
    write_string(driver, title);
    fprintf(driver, "\nterminal = '%s'\ndata = '%s.csv'\noutput = '%s.%s'\n",
            terminals[terminal][1], chart, chart, terminals[terminal][0]);
    fprintf(driver, "style = 'style.gp'\nload style\nload '%s.gp'", drawing->script->name);
    fputs("\nunset output\n", driver);
}

static void write_picture(const struct drawing *drawing, const char *chart, const char *title,
                          const struct scope *row)
{
    for (int terminal = 0; terminal < TERMINALS; terminal++)
        write_commands(drawing, drawing->driver, terminal, chart, title, row);
    for (int terminal = 0; terminal < drawing->terminals; terminal++)
        write_commands(drawing, drawing->part[drawing->count % drawing->parts], terminal, chart,
                       title, row);
}

/* "script-family-size-part" */
static void append_chart(struct text *chart, const char *script, const struct scope *row)
{
    static const char *const parts[] = {"family", "size", "part"};
    append_safe(chart, script);
    for (int i = 0; i < 3; i++) {
        const char *part = scope_value(row, parts[i], NULL);
        if (part) text_append(chart, "-");
        append_safe(chart, part);
    }
}

static int is_drawn(const struct text *drawn, const char *chart)
{
    const char *word = text_string(drawn), *end = word + drawn->length;
    while (word < end && strcmp(word, chart)) word += strlen(word) + 1;
    return word < end;
}

static int write_data(struct drawing *drawing, const char *chart, const struct scope *row)
{
    const struct chart_script *script = drawing->script;
    char *place = text_new("%s:%d", script->path, script->line[KEY_DATA]);
    char *file = text_new("%s.csv", chart);
    struct atomic_file output;
    int result = place && file ? atomic_file_begin(&output, drawing->charts, file) : error_memory();
    if (!result)
        result = atomic_file_end(&output, query_csv(&drawing->query, place,
                                                    text_string(&script->value[KEY_DATA]), row,
                                                    output.file));
    free(place);
    free(file);
    return result;
}

static int draw_one(void *context, const struct scope *row)
{
    struct drawing *drawing = context;
    const struct chart_script *script = drawing->script;
    struct text chart = {0}, title = {0}, caption = {0};
    append_chart(&chart, script->name, row);
    if (is_drawn(&drawing->drawn, text_string(&chart))) text_format(&chart, "-%d", drawing->count);
    fill_words(&title, text_string(&script->value[KEY_TITLE]), row);
    fill_words(&caption, text_string(&script->value[KEY_CAPTION]), row);
    int result = chart.failed || title.failed || caption.failed ? error_memory() : 0;
    if (!result) result = write_data(drawing, text_string(&chart), row);
    text_append_bytes(&drawing->drawn, text_string(&chart), chart.length + 1);
    text_append_bytes(&drawing->drawn, text_string(&title), title.length + 1);
    text_append_bytes(&drawing->drawn, text_string(&caption), caption.length + 1);
    if (!result && drawing->drawn.failed) result = error_memory();
    if (!result) {
        drawing->count++;
        write_picture(drawing, text_string(&chart), text_string(&title), row);
        CSV_TEXTS(&drawing->list, text_string(&chart), script->name,
                  scope_value(row, "family", NULL), scope_value(row, "size", NULL),
                  text_string(&title), text_string(&caption));
        csv_end(&drawing->list);
    }
    text_free(&chart);
    text_free(&title);
    text_free(&caption);
    return result;
}

static int draw_script(struct drawing *drawing, const char *file)
{
    struct chart_script script;
    int result = chart_script_read(&script, drawing->data, file);
    if (!result) {
        char *place = text_new("%s:%d", script.path, script.line[KEY_EACH]);
        drawing->script = &script;
        result = file_copy(script.path, drawing->charts, file);
        if (!result && !place) result = error_memory();
        if (!result)
            result = query_each(&drawing->query, place, text_string(&script.value[KEY_EACH]), NULL,
                                draw_one, drawing);
        free(place);
    }
    chart_script_free(&script);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int is_script(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 3 && !strcmp(entry->d_name + length - 3, ".gp") &&
           strcmp(entry->d_name, "style.gp");
}

static int draw_scripts(struct drawing *drawing)
{
    struct dirent **names = NULL;
    char *plots = text_new("%s/plots", drawing->data);
    const int count = plots ? scandir(plots, &names, is_script, alphasort) : -1;
    int result = count < 0 ? error(FAIL_INPUT, "%s: cannot read: %s", plots ? plots : "plots",
                                   strerror(errno))
                           : 0;
    char *style = result ? NULL : text_new("%s/style.gp", plots);
    if (!result) result = style ? file_copy(style, drawing->charts, "style.gp") : error_memory();
    free(style);
    for (int i = 0; i < count; i++) {
        if (!result) result = draw_script(drawing, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    free(plots);
    return result;
}

/* gnuplot may leave a picture incomplete without a message, for instance on a full disk. */
static int check_picture(const struct drawing *drawing, int terminal, const char *chart,
                         const char *title, const char *caption)
{
    char *file = text_new("%s.%s", chart, terminals[terminal][0]);
    char *path = file ? text_new("%s/%s", drawing->charts, file) : NULL;
    char *text = path ? text_read_file(path, NULL) : NULL;
    const int whole = text && *text && (terminal == PNG || strstr(text, "</svg>"));
    int result =
        whole ? 0
              : error(FAIL_OUTPUT, "%s: gnuplot did not finish drawing it", path ? path : chart);
    if (!result && terminal == SVG)
        result = chart_svg_finish(drawing->charts, file, text, title, caption);
    free(text);
    free(path);
    free(file);
    return result;
}

static int check_pictures(const struct drawing *drawing)
{
    const char *chart = text_string(&drawing->drawn);
    int result = 0;
    for (int i = 0; i < drawing->count && !result; i++) {
        const char *title = chart + strlen(chart) + 1, *caption = title + strlen(title) + 1;
        for (int terminal = 0; terminal < drawing->terminals && !result; terminal++)
            result = check_picture(drawing, terminal, chart, title, caption);
        chart = caption + strlen(caption) + 1;
    }
    return result;
}

/* gnuplot reads CSV without quotes within quotes and without line feeds in a cell: both are
 * replaced. */
static int flatten_column(struct query *query, const char *table, const char *column)
{
    return query_write(query,
                       "UPDATE %s SET %s = replace(replace(replace(%s, '\"', '\xE2\x80\x9D'), "
                       "char(10), ' '), char(13), ' ')",
                       table, column, column);
}

static int flatten(struct query *query, const struct table *table)
{
    int result = 0;
    for (const struct column *column = table->columns; column->name && !result; column++)
        if (column->kind != COLUMN_NUMBER && column->kind < COLUMN_COUNT)
            result = flatten_column(query, table->name, column->name);
    return result;
}

/* Makes the tables of report/chart_tables.sql. */
static int load_charts(struct drawing *drawing)
{
    struct query *query = &drawing->query;
    int result = query_make_sizes(query);
    if (!result) result = query_write(query, "CREATE TABLE wanted_sizes(size TEXT)");
    for (int i = 0; i < drawing->size_count && !result; i++) {
        const char *size = drawing->sizes[i];
        int found = 0;
        result = variant_names_want_size(query, "SELECT size FROM points", size, &found);
        if (!result && !found) result = error(FAIL_USAGE, "--size: the run has no size %s", size);
    }
    if (!result) result = query_write(query, "%s %s", chart_tables_sql, resources_sql);
    return result ? result : query_write(query, "%s", map_tables_sql);
}

/* Makes the tables `cause` (explain/causes.h), `track` and `shown` (query/track_values.h). */
static int load_records(struct drawing *drawing)
{
    struct records records;
    int result = records_read(&records, drawing->data);
    if (result) return result;
    result = causes_names(&drawing->query, &records);
    if (!result) result = flatten_column(&drawing->query, "cause", "title");
    if (!result) result = query_load(&drawing->query, TABLE_TRACE_SAMPLES);
    if (!result) result = track_values_make(&drawing->query, &records);
    if (!result) result = track_values_add_dram(&drawing->query);
    if (!result) result = flatten_column(&drawing->query, "track", "title");
    if (!result) result = load_charts(drawing);
    records_free(&records);
    return result;
}

static int draw(struct drawing *drawing, FILE *list, struct atomic_file *driver)
{
    static const enum table_id needed[] = {
        TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS,    TABLE_LAUNCHES,        TABLE_ACCESSES,
        TABLE_METRICS,  TABLE_STEPS,    TABLE_PUBLISHED, TABLE_PUBLISHED_STEPS, TABLE_ABLATION,
        TABLE_LEVELS,   TABLE_SAID,     TABLE_CONFLICTS, TABLE_TRACES,          TABLE_SHAPE_MAP};
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++) {
        result = query_load(&drawing->query, needed[i]);
        if (!result) result = flatten(&drawing->query, &tables[needed[i]]);
    }
    if (!result) result = load_records(drawing);
    drawing->list.file = list;
    drawing->driver = driver->file;
    table_header(&drawing->list, TABLE_CHARTS);
    fputs("# Made by whyfast: draws every chart of this run. Start it in this directory.\n",
          drawing->driver);
    return result ? result : draw_scripts(drawing);
}

/* Writes the scripts: the whole one, which stays beside the pictures, and its parts. */
static int write_scripts(struct drawing *drawing, FILE *list)
{
    struct atomic_files group = {.count = 0};
    struct atomic_file driver;
    int result = atomic_file_begin(&driver, drawing->charts, "plot.gp");
    if (result) return result;
    for (int i = 0; i < drawing->parts && !result; i++)
        result = atomic_files_begin(&group, drawing->charts, part_names[i], &drawing->part[i]);
    if (!result) result = draw(drawing, list, &driver);
    result = atomic_files_end(&group, result);
    return atomic_file_end(&driver, result);
}

/* Every gnuplot takes its share of the charts. */
static int run_gnuplots(const struct drawing *drawing)
{
    int result = gnuplot_run(drawing->charts, part_names, drawing->parts, "plot.gp");
    for (int i = 0; i < drawing->parts; i++) {
        char *path = text_new("%s/%s", drawing->charts, part_names[i]);
        if (!path && !result)
            result = error_memory();
        else if (path && unlink(path) && !result)
            result = error(FAIL_OUTPUT, "%s: cannot be removed: %s", path, strerror(errno));
        free(path);
    }
    return result;
}

static int draw_all(struct drawing *drawing, FILE *list)
{
    int result = directory_remove(drawing->charts);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    drawing->parts = cores < 1 ? 1 : 2 * cores > MOST_PARTS ? MOST_PARTS : 2 * (int)cores;
    drawing->terminals = report_scope_is_selection(&drawing->scope) ? PNG : TERMINALS;
    if (!result) result = directory_make(drawing->charts);
    if (!result) result = write_scripts(drawing, list);
    if (!result) result = run_gnuplots(drawing);
    return result ? result : check_pictures(drawing);
}

/* The new pictures and their list replace the old ones once they are complete. */
static int replace_charts(struct drawing *drawing, const char *directory)
{
    struct atomic_file list;
    char *charts = text_new("%s/charts", directory);
    int result = charts ? atomic_file_begin(&list, directory, "charts.csv") : error_memory();
    if (!result) {
        result = draw_all(drawing, list.file);
        if (!result) result = directory_sync(drawing->charts);
        if (!result) result = directory_remove(charts);
        if (!result && rename(drawing->charts, charts))
            result = error(FAIL_OUTPUT, "%s: cannot replace: %s", charts, strerror(errno));
        if (result) directory_remove(drawing->charts);
        result = atomic_file_end(&list, result);
    }
    free(charts);
    return result;
}

static int draw_pictures(struct run *run, const char *const *sizes, int size_count)
{
    char *directory = data_directory(), *charts = run_file(run, "charts.part");
    struct drawing drawing = {
        .charts = charts, .data = directory, .sizes = sizes, .size_count = size_count};
    int result = directory && drawing.charts ? query_open(&drawing.query, run) : FAIL_INPUT;
    if (!result) {
        result = report_scope_choose(&drawing.scope, run);
        if (!result && report_scope_is_selection(&drawing.scope)) {
            drawing.query.keeps = report_scope_keeps;
            drawing.query.keeps_context = &drawing.scope;
        }
        if (!result) result = replace_charts(&drawing, run->directory);
        report_scope_free(&drawing.scope);
        query_close(&drawing.query);
    }
    text_free(&drawing.drawn);
    free(drawing.charts);
    free(directory);
    return result;
}

int plot_sizes(struct run *run, const char *const *sizes, int size_count)
{
    struct stage stage;
    int result = stage_begin(&stage, NULL, STAGE_PLOT, NULL);
    if (!result) result = draw_pictures(run, sizes, size_count);
    return stage_end(&stage, result);
}

int plot_run(struct run *run)
{
    return plot_sizes(run, NULL, 0);
}

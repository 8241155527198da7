/*
 * plot: one gnuplot script, one picture. Scripts are as report/chart_script.h has them.
 *
 * The tables are those that draw() names, `cause`: what the causes of the account are called, and
 * their areas (metrics/causes.metric), and `track` and `shown`: what the counters over time are
 * called and what is drawn of each sample (query/track_values.h).
 *
 * Everything is drawn by gnuplot, several at once and started without a shell, from copies of the
 * scripts that stay beside the pictures: a run can be drawn again wherever it is taken, by plot.gp.
 * Of a large run a selection is drawn (report/report_scope.h). Whatever words the run has, gnuplot
 * is told no command but those of the scripts: values reach it as strings in single quotes, in
 * which it expands nothing (write_string), and as cells of data files with names of this program's
 * making (append_safe); the scripts evaluate no such string and mark no words up (noenhanced).
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/data_directory.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/records.h"
#include "explain/causes.h"
#include "query/query.h"
#include "query/track_values.h"
#include "report/chart_script.h"
#include "report/gnuplot.h"
#include "report/plot.h"
#include "report/report_scope.h"
#include "run/run_stages.h"

enum { MOST_PARTS = 5, SELECTION_PARTS = 2 };

static const char *const part_names[MOST_PARTS] = {"part0.gp", "part1.gp", "part2.gp", "part3.gp",
                                                   "part4.gp"};

struct drawing {
    struct query query;
    struct report_scope shown;
    const struct chart_script *script;
    const char *data;       /* the data directory, which holds plots/ */
    char *charts;           /* where they are drawn: the run's charts.part/ */
    struct csv_writer list; /* charts.csv */
    FILE *driver;           /* the gnuplot script that draws everything */
    FILE *part[MOST_PARTS]; /* the same in as many parts as gnuplot is started at once; these do not
                               stay */
    int svg_parts, parts;   /* the first of them draw the SVGs */
    char **drawn;           /* names of the charts */
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

/* Words with :name replaced by values of the scope. */
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

/* A part of a file name: letters, digits, '_' and '-' alone, and no more than a few of them, so
 * that a run from elsewhere cannot name a path. */
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

/* Every picture is drawn twice: as SVG, which the report shows, and as PNG, which takes ten
 * times as long; of a selection (report/report_scope.h) as SVG alone. */
static const char *const terminals[][2] = {{"svg", "svg"}, {"png", "pngcairo"}};
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

/* What gnuplot writes as SVG hangs on the picture before: as many draw them as on any other
 * machine, each in their order. The others share the PNGs. */
static void write_picture(const struct drawing *drawing, const char *chart, const char *title,
                          const struct scope *row)
{
    const int svg = drawing->svg_parts, png = drawing->parts - svg;
    for (int terminal = 0; terminal < TERMINALS; terminal++)
        write_commands(drawing, drawing->driver, terminal, chart, title, row);
    write_commands(drawing, drawing->part[drawing->count % svg], SVG, chart, title, row);
    if (png > 0)
        write_commands(drawing, drawing->part[svg + drawing->count % png], PNG, chart, title, row);
}

static int remember(struct drawing *drawing, const char *chart)
{
    char **drawn = realloc(drawing->drawn, (size_t)(drawing->count + 1) * sizeof *drawn);
    if (!drawn) return error_memory();
    drawing->drawn = drawn;
    drawn[drawing->count] = strdup(chart);
    return drawn[drawing->count++] ? 0 : error_memory();
}

static int draw_one(void *context, const struct scope *row)
{
    struct drawing *drawing = context;
    const struct chart_script *script = drawing->script;
    struct text chart = {0}, title = {0}, caption = {0}, place = {0}, file = {0};
    const char *family = scope_value(row, "family", NULL), *size = scope_value(row, "size", NULL),
               *part = scope_value(row, "part", NULL);
    append_safe(&chart, script->name);
    if (family) text_append(&chart, "-");
    append_safe(&chart, family);
    if (size) text_append(&chart, "-");
    append_safe(&chart, size);
    if (part) text_append(&chart, "-");
    append_safe(&chart, part);
    fill_words(&title, text_string(&script->value[KEY_TITLE]), row);
    fill_words(&caption, text_string(&script->value[KEY_CAPTION]), row);
    text_format(&place, "%s:%d", script->path, script->line[KEY_DATA]);
    text_format(&file, "%s.csv", text_string(&chart));
    int result = chart.failed || title.failed || caption.failed || place.failed || file.failed
                     ? error_memory()
                     : 0;
    struct atomic_file output;
    if (!result) result = atomic_file_begin(&output, drawing->charts, text_string(&file));
    if (!result)
        result = atomic_file_end(&output, query_csv(&drawing->query, text_string(&place),
                                                    text_string(&script->value[KEY_DATA]), row,
                                                    output.file));
    if (!result) result = remember(drawing, text_string(&chart));
    if (!result) {
        write_picture(drawing, text_string(&chart), text_string(&title), row);
        csv_text(&drawing->list, text_string(&chart));
        csv_text(&drawing->list, script->name);
        csv_text(&drawing->list, family);
        csv_text(&drawing->list, size);
        csv_text(&drawing->list, text_string(&title));
        csv_text(&drawing->list, text_string(&caption));
        csv_end(&drawing->list);
    }
    text_free(&chart);
    text_free(&title);
    text_free(&caption);
    text_free(&place);
    text_free(&file);
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

/* The terminal may have left a picture out without a word, for instance on a full disk. */
static int check_picture(const struct drawing *drawing, const char *chart)
{
    for (int i = 0; i < (drawing->parts > drawing->svg_parts ? TERMINALS : PNG); i++) {
        char *path = text_new("%s/%s.%s", drawing->charts, chart, terminals[i][0]);
        char *text = path ? text_read_file(path, NULL) : NULL;
        const int whole = text && *text && (i == PNG || strstr(text, "</svg>"));
        const int result =
            whole ? 0
                  : error(FAIL_OUTPUT, "%s: gnuplot did not draw it whole", path ? path : chart);
        free(text);
        free(path);
        if (result) return result;
    }
    return 0;
}

/* gnuplot reads CSV, but no quotes within quotes and no line feeds in a cell: words that have
 * them lose them here. */
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
        if (column->kind != COLUMN_NUMBER && column->kind != COLUMN_COUNT)
            result = flatten_column(query, table->name, column->name);
    return result;
}

/* What records say: the tables `cause` (explain/causes.h), `track` and `shown`
 * (query/track_values.h). */
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
    records_free(&records);
    return result;
}

static int draw(struct drawing *drawing, FILE *list, struct atomic_file *driver)
{
    static const enum table_id needed[] = {
        TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS,    TABLE_LAUNCHES,        TABLE_ACCESSES,
        TABLE_METRICS,  TABLE_STEPS,    TABLE_PUBLISHED, TABLE_PUBLISHED_STEPS, TABLE_ABLATION,
        TABLE_LEVELS,   TABLE_CAUSES,   TABLE_HEADLINES, TABLE_TRACES,          TABLE_PHASES};
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++) {
        result = query_load(&drawing->query, needed[i]);
        if (!result) result = flatten(&drawing->query, &tables[needed[i]]);
    }
    if (!result) result = load_records(drawing);
    drawing->list.file = list;
    drawing->driver = driver->file;
    for (const struct column *column = tables[TABLE_CHARTS].columns; column->name; column++)
        csv_text(&drawing->list, column->name);
    csv_end(&drawing->list);
    fputs("# Made by whyfast: draws every chart of this run, as SVG and as PNG. Start it in this "
          "directory.\n",
          drawing->driver);
    return result ? result : draw_scripts(drawing);
}

/* Writes the scripts: all in one, which stays beside the pictures, and in parts. */
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
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int result = directory_remove(drawing->charts);
    drawing->svg_parts = report_scope_is_selection(&drawing->shown) ? SELECTION_PARTS : 1;
    drawing->parts = drawing->svg_parts + (report_scope_is_selection(&drawing->shown) ? 0
                                           : cores < 1                                ? 1
                                           : cores >= MOST_PARTS ? MOST_PARTS - 1
                                                                 : (int)cores);
    if (!result) result = directory_make(drawing->charts);
    if (!result) result = write_scripts(drawing, list);
    if (!result) result = run_gnuplots(drawing);
    for (int i = 0; i < drawing->count && !result; i++)
        result = check_picture(drawing, drawing->drawn[i]);
    return result;
}

/* The new pictures replace the old ones once they are complete, and then their list. */
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

static int draw_pictures(struct run *run)
{
    struct drawing drawing = {.charts = run_file(run, "charts.part")};
    char *directory = data_directory();
    drawing.data = directory;
    int result = directory && drawing.charts ? query_open(&drawing.query, run) : FAIL_INPUT;
    if (!result) {
        result = report_scope_choose(&drawing.shown, run);
        if (!result && report_scope_is_selection(&drawing.shown)) {
            drawing.query.keeps = report_scope_keeps;
            drawing.query.keeps_context = &drawing.shown;
        }
        if (!result) result = replace_charts(&drawing, run->directory);
        report_scope_free(&drawing.shown);
        query_close(&drawing.query);
    }
    for (int i = 0; i < drawing.count; i++) free(drawing.drawn[i]);
    free(drawing.drawn);
    free(drawing.charts);
    free(directory);
    return result;
}

int plot_run(struct run *run)
{
    return stage_work(STAGE_PLOT, draw_pictures, run);
}

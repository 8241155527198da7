/*
 * plot: draws one picture per gnuplot script and row of its `each` (report/chart_script.h).
 *
 * Scripts may read the tables that draw() loads, those of report/chart_tables.sql and
 * map_tables.sql, `cause` with the names and areas of causes (metrics/causes.metric), and `track`
 * and `shown` with the counters over time (query/track_values.h).
 *
 * Each picture has a gnuplot of its own, several at once, started without a shell, from copies of
 * the scripts that stay beside the pictures: a run can be drawn again by plot.gp wherever it is
 * copied to. A picture whose SQL or whose gnuplot fails is a warning and a gap: charts.csv says why
 * it is absent, and all others are drawn. Of a large run
 * a selection is drawn (report/report_scope.h). Whatever text the run holds, gnuplot executes only
 * the commands of the scripts: values reach it as strings in single quotes, in which it expands
 * nothing (append_string), and as cells of data files whose names this program makes (append_safe);
 * the scripts evaluate no such string and interpret no markup in it (noenhanced).
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
#include "report/rise.sql.h"
#include "run/run_stages.h"

/* The report shows SVG, which is drawn in a fraction of the time. */
enum { SVG, PNG, TERMINALS };
static const char *const terminals[TERMINALS] = {"svg", "png"};

/* The texts of a picture: the columns of charts.csv, the last of which says why it could not be
 * drawn and is "" if it was, and gnuplot's commands for each terminal. */
enum {
    CHART,
    SCRIPT,
    FAMILY,
    SIZE,
    TITLE,
    CAPTION,
    REASON,
    COMMANDS,
    TEXTS = COMMANDS + TERMINALS
};

struct picture {
    struct text text[TEXTS];
};

struct drawing {
    struct query query;
    struct report_scope scope;
    const struct chart_script *script;
    const char *data;         /* the data directory, which holds plots/ */
    const char *charts;       /* the directory that they are drawn in: the run's charts.part/ */
    int terminals;            /* SVG alone for a report, else SVG and PNG */
    const char *const *sizes; /* that the user named */
    int size_count;           /* 0: each family's primary size */
    struct picture *picture;
    int count;
};

/* ---- words ----------------------------------------------------------------------------------- */

/* A gnuplot string: single quotes, doubled inside; nothing is expanded in them. Line feeds would
 * end the command. */
static void append_string(struct text *out, const char *text)
{
    text_append(out, "'");
    for (; text && *text; text++) {
        if (*text == '\'') text_append(out, "'");
        text_append_bytes(out, (unsigned char)*text < ' ' || *text == 0x7F ? " " : text, 1);
    }
    text_append(out, "'");
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

static void append_commands(struct text *out, const char *script, int terminal, const char *chart,
                            const char *title, const struct scope *row, const struct run *run)
{
    static const char *const facts[] = {"device_name", "date", "whyfast_version", "git_revision"};
    text_append(out, "reset session\n");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        text_format(out, "run_%s = ", facts[i]);
        append_string(out, run_fact(run, facts[i]));
        text_append(out, "\n");
    }
    for (int i = 0; i < row->count; i++) {
        text_format(out, "%s = ", row->name[i]);
        append_string(out, row->value[i]);
        text_append(out, "\n");
    }
    text_append(out, "title = ");
    append_string(out, title);
    text_format(out, "\nterminal = '%s'\ndata = '%s.csv'\noutput = '%s.%s'\n", terminals[terminal],
                chart, chart, terminals[terminal]);
    text_format(out, "style = 'style.gp'\nload style\nload '%s.gp'\nunset output\n", script);
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

static const char *text_of(const struct picture *picture, int which)
{
    return text_string(&picture->text[which]);
}

static int is_absent(const struct picture *picture)
{
    return picture->text[REASON].length > 0;
}

static int is_drawn(const struct drawing *drawing, const char *chart)
{
    for (int i = 0; i < drawing->count; i++)
        if (!strcmp(text_of(&drawing->picture[i], CHART), chart)) return 1;
    return 0;
}

/* Without a row, which failed, the picture is called by its script. */
static struct picture *add_picture(struct drawing *drawing, const struct scope *row)
{
    static const struct scope none;
    const struct chart_script *script = drawing->script;
    struct picture picture = {0};
    if (!ARRAY_GROWS(drawing->picture, drawing->count)) return NULL;
    append_chart(&picture.text[CHART], script->name, row ? row : &none);
    if (is_drawn(drawing, text_of(&picture, CHART)))
        text_format(&picture.text[CHART], "-%d", drawing->count);
    text_append(&picture.text[SCRIPT], script->name);
    if (row) {
        const char *family = scope_value(row, "family", NULL),
                   *size = scope_value(row, "size", NULL);
        text_append(&picture.text[FAMILY], family ? family : "");
        text_append(&picture.text[SIZE], size ? size : "");
        fill_words(&picture.text[TITLE], text_string(&script->value[KEY_TITLE]), row);
        fill_words(&picture.text[CAPTION], text_string(&script->value[KEY_CAPTION]), row);
    } else {
        text_append(&picture.text[TITLE], script->name);
    }
    drawing->picture[drawing->count] = picture;
    return &drawing->picture[drawing->count++];
}

static void free_pictures(struct drawing *drawing)
{
    for (int i = 0; i < drawing->count; i++)
        for (int which = 0; which < TEXTS; which++) text_free(&drawing->picture[i].text[which]);
    free(drawing->picture);
}

/* A picture that cannot be drawn is left out; any other failure ends all work. The words of either
 * are those of REASON. */
static int leave_gap(struct picture *picture, int result)
{
    const char *words = text_of(picture, REASON);
    for (int which = 0; which < TEXTS; which++)
        if (picture->text[which].failed) return error_memory();
    if (result && result != FAIL_INPUT) return *words ? error(result, "%s", words) : result;
    if (result) warning("%s: %s", text_of(picture, CHART), words);
    return 0;
}

static int write_data(struct drawing *drawing, const char *chart, const struct scope *row)
{
    const struct chart_script *script = drawing->script;
    const struct path place = path_of("plots/%s.gp:%d", script->name, script->line[KEY_DATA]);
    struct atomic_file output;
    const int result = atomic_file_begin(&output, drawing->charts, path_of("%s.csv", chart).at);
    return result ? result
                  : atomic_file_end(&output, query_csv(&drawing->query, place.at,
                                                       text_string(&script->value[KEY_DATA]), row,
                                                       output.file));
}

static int draw_one(void *context, const struct scope *row)
{
    struct drawing *drawing = context;
    struct picture *picture = add_picture(drawing, row);
    if (!picture) return error_memory();
    const char *chart = text_of(picture, CHART), *title = text_of(picture, TITLE);
    for (int terminal = 0; terminal < TERMINALS; terminal++)
        append_commands(&picture->text[COMMANDS + terminal], drawing->script->name, terminal, chart,
                        title, row, drawing->query.run);
    struct text *const outer = message_keep(&picture->text[REASON]);
    const int result = write_data(drawing, chart, row);
    message_keep(outer);
    return leave_gap(picture, result);
}

/* Draws the rows of `each` up to the first that cannot be computed. */
static int draw_rows(struct drawing *drawing)
{
    const struct chart_script *script = drawing->script;
    const struct path place = path_of("plots/%s.gp:%d", script->name, script->line[KEY_EACH]);
    struct text words = {0}, *const outer = message_keep(&words);
    const int result = query_each(&drawing->query, place.at, text_string(&script->value[KEY_EACH]),
                                  NULL, draw_one, drawing);
    message_keep(outer);
    struct picture *picture = result ? add_picture(drawing, NULL) : NULL;
    if (picture) {
        picture->text[REASON] = words;
        return leave_gap(picture, result);
    }
    text_free(&words);
    return result ? error_memory() : 0;
}

static int draw_script(struct drawing *drawing, const char *file)
{
    struct chart_script script;
    int result = chart_script_read(&script, drawing->data, file);
    drawing->script = &script;
    if (!result) result = file_copy(script.path, drawing->charts, file);
    if (!result) result = draw_rows(drawing);
    chart_script_free(&script);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int is_script(const struct dirent *entry)
{
    return text_before(entry->d_name, ".gp") && strcmp(entry->d_name, "style.gp");
}

static int draw_scripts(struct drawing *drawing)
{
    struct dirent **names = NULL;
    const struct path plots = path_in(drawing->data, "plots");
    const int count = scandir(plots.at, &names, is_script, alphasort);
    int result = count < 0
                     ? error(FAIL_INPUT, "%s: cannot read: %s", plots.at, strerror(errno))
                     : file_copy(path_in(plots.at, "style.gp").at, drawing->charts, "style.gp");
    for (int i = 0; i < count; i++) {
        if (!result) result = draw_script(drawing, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return result;
}

static struct path file_of(const struct picture *picture, int terminal)
{
    return path_of("%s.%s", text_of(picture, CHART), terminals[terminal]);
}

/* Finishes what gnuplot drew. It may leave a picture incomplete without a message, for instance on
 * a full disk. */
static int finish_file(struct drawing *drawing, struct picture *picture, int terminal)
{
    const struct path file = file_of(picture, terminal), path = path_in(drawing->charts, file.at);
    char *text = text_read_file(path.at, NULL);
    int result = text || errno == ENOENT
                     ? 0
                     : error(FAIL_OUTPUT, "%s: cannot read: %s", path.at, strerror(errno));
    if (!result && (!text || !*text || (terminal == SVG && !strstr(text, "</svg>")))) {
        text_append(&picture->text[REASON], "gnuplot did not finish drawing it");
        result = leave_gap(picture, FAIL_INPUT);
    } else if (!result && terminal == SVG) {
        result = chart_svg_finish(drawing->charts, file.at, text, text_of(picture, TITLE),
                                  text_of(picture, CAPTION));
    }
    free(text);
    return result;
}

/* Nothing stays of a picture that is absent. */
static int finish_picture(struct drawing *drawing, struct picture *picture)
{
    int result = 0;
    for (int terminal = 0; terminal < drawing->terminals && !result; terminal++)
        if (!is_absent(picture)) result = finish_file(drawing, picture, terminal);
    for (int terminal = 0; terminal < TERMINALS && is_absent(picture) && !result; terminal++)
        result = directory_remove(path_in(drawing->charts, file_of(picture, terminal).at).at);
    return result;
}

/* Finishes the pictures, and writes the script that draws them again. */
static int finish_pictures(struct drawing *drawing)
{
    struct text all = {0};
    int result = 0;
    text_append(&all, "# Made by whyfast: draws every chart of this run. Start it in this "
                      "directory.\n");
    for (int i = 0; i < drawing->count && !result; i++) {
        struct picture *picture = &drawing->picture[i];
        result = finish_picture(drawing, picture);
        for (int terminal = 0; terminal < TERMINALS && !is_absent(picture); terminal++)
            text_append(&all, text_of(picture, COMMANDS + terminal));
    }
    if (!result) result = atomic_file_write(drawing->charts, "plot.gp", &all);
    text_free(&all);
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

static int load_charts(struct drawing *drawing)
{
    struct query *query = &drawing->query;
    int result = query_make_sizes(query);
    if (!result) result = query_make_library_ratios(query);
    if (!result) result = query_write(query, "CREATE TABLE wanted_sizes(size TEXT)");
    if (!result)
        result = variant_names_want_sizes(query, "SELECT size FROM points", drawing->sizes,
                                          drawing->size_count, "the run", "has no");
    if (!result) result = query_write(query, "%s %s %s", chart_tables_sql, rise_sql, resources_sql);
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

static int draw(struct drawing *drawing)
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
    return result ? result : draw_scripts(drawing);
}

static void gnuplot_failed(void *context, int number, const char *reason)
{
    struct picture *picture = &((struct drawing *)context)->picture[number];
    text_append(&picture->text[REASON], reason);
    leave_gap(picture, FAIL_INPUT);
}

/* The script of a single picture is removed afterwards. */
static int run_gnuplots(struct drawing *drawing)
{
    char **script = calloc((size_t)drawing->count + 1, sizeof *script);
    int result = script ? 0 : error_memory();
    for (int i = 0; i < drawing->count && !result; i++) {
        struct picture *picture = &drawing->picture[i];
        struct text commands = {0};
        if (is_absent(picture)) continue;
        for (int terminal = 0; terminal < drawing->terminals; terminal++)
            text_append(&commands, text_of(picture, COMMANDS + terminal));
        script[i] = text_new("%s.part.gp", text_of(picture, CHART));
        result =
            script[i] ? atomic_file_write(drawing->charts, script[i], &commands) : error_memory();
        text_free(&commands);
    }
    if (!result)
        result = gnuplot_run(drawing->charts, script, drawing->count, gnuplot_failed, drawing);
    for (int i = 0; script && i < drawing->count; i++) {
        if (script[i] && !result) result = directory_remove(path_in(drawing->charts, script[i]).at);
        free(script[i]);
    }
    free(script);
    return result;
}

static void write_list(const struct drawing *drawing, FILE *file)
{
    struct csv_writer list = {.file = file};
    table_header(&list, TABLE_CHARTS);
    for (int i = 0; i < drawing->count; i++) {
        for (int which = 0; which < COMMANDS; which++)
            csv_text(&list, text_of(&drawing->picture[i], which));
        csv_end(&list);
    }
}

static int draw_all(struct drawing *drawing, FILE *list)
{
    int result = directory_remove(drawing->charts);
    if (!result) result = directory_make(drawing->charts);
    if (!result) result = draw(drawing);
    if (!result) result = run_gnuplots(drawing);
    if (!result) result = finish_pictures(drawing);
    if (!result) write_list(drawing, list);
    return result;
}

/* The new pictures and their list replace the old ones once they are complete. */
static int replace_charts(struct drawing *drawing, const char *directory)
{
    struct atomic_file list;
    const struct path charts = path_in(directory, "charts");
    int result = atomic_file_begin(&list, directory, "charts.csv");
    if (result) return result;
    result = draw_all(drawing, list.file);
    if (!result) result = directory_sync(drawing->charts);
    if (!result) result = directory_remove(charts.at);
    if (!result && rename(drawing->charts, charts.at))
        result = error(FAIL_OUTPUT, "%s: cannot replace: %s", charts.at, strerror(errno));
    if (result) directory_remove(drawing->charts);
    return atomic_file_end(&list, result);
}

static int draw_pictures(struct run *run, const char *const *sizes, int size_count,
                         int drawn_terminals)
{
    char *directory = data_directory();
    const struct path charts = path_in(run->directory, "charts.part");
    struct drawing drawing = {.charts = charts.at,
                              .data = directory,
                              .sizes = sizes,
                              .size_count = size_count,
                              .terminals = drawn_terminals};
    struct stage stage;
    int result = stage_begin(&stage, NULL, STAGE_PLOT, NULL);
    if (!result) result = directory ? query_open(&drawing.query, run) : FAIL_INPUT;
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
    for (int i = 0; i < drawing.count && !result; i++)
        if (is_absent(&drawing.picture[i])) result = FAIL_CHECK;
    free_pictures(&drawing);
    free(directory);
    return stage_end(&stage, result);
}

int plot_sizes(struct run *run, const char *const *sizes, int size_count)
{
    return draw_pictures(run, sizes, size_count, TERMINALS);
}

int plot_run(struct run *run)
{
    return draw_pictures(run, NULL, 0, PNG);
}

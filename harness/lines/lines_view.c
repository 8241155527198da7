#include "lines/lines_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "lines/annotation.h"
#include "lines/bank_maps.h"
#include "lines/kernel_summary.h"
#include "lines/lines_tables.h"
#include "query/variant_names.h"
#include "run/recorded_runs.h"

enum { KERNEL_SIZE = 24 };

/* ---- the request ----------------------------------------------------------------------------- */

static int find_metrics(const struct lines_options *options, struct annotation *annotation)
{
    annotation->sort = -1;
    annotation->sass = options->sass;
    annotation->hot_only = options->hot_only;
    if (options->metric_count > LINE_METRIC_COUNT)
        return error(FAIL_USAGE, "--metric: more than the %d known metrics", LINE_METRIC_COUNT);
    for (int i = 0; i < options->metric_count; i++) {
        const int found = line_column_find(options->metrics[i]);
        if (found < 0) return found;
        annotation->metric[annotation->metric_count++] = found;
    }
    if (!options->sort) return 0;
    annotation->sort = line_column_find(options->sort);
    return annotation->sort < 0 ? annotation->sort : 0;
}

static int check_kernels(struct query *query)
{
    char *any = NULL;
    int result = query_text(query, NULL, "SELECT 1 FROM kernels LIMIT 1", NULL, &any);
    if (!result && !any)
        result = error(FAIL_INPUT,
                       "%s has no per-line data; 'whyfast collect %s --sets lines' adds them on a "
                       "machine with a GPU",
                       query->run->path, shell_word(query->run->path).at);
    free(any);
    return result;
}

/* How many points a message names. */
enum { MOST_CHOICES = 4 };

struct choices {
    struct text list;
    int count;
};

static int add_choice(void *context, const struct scope *row)
{
    struct choices *choices = context;
    if (choices->count++ < MOST_CHOICES)
        text_format(&choices->list, "%s%s", choices->list.length ? "; " : "", row->value[0]);
    return 0;
}

static int say_choices(struct query *query, const char *name, const struct scope *scope)
{
    struct choices choices = {.count = 0};
    int result = query_each(
        query, NULL,
        "SELECT 'size ' || size || ', block ' || block || CASE WHEN sweep > 0 THEN ', sweep ' || "
        "sweep ELSE '' END || "
        "', launch ' || group_concat(launch, ', ') FROM kernels WHERE family || '/' || variant = "
        ":name "
        "GROUP BY size, block, sweep ORDER BY CAST(size AS INTEGER) DESC, size, block, sweep",
        scope, add_choice, &choices);
    if (choices.count > MOST_CHOICES)
        text_format(&choices.list, "; and %d more", choices.count - MOST_CHOICES);
    if (!result)
        result = error(FAIL_USAGE, "%s has no such per-line data of %s; it has %s",
                       recorded_title(query->run), name, text_string(&choices.list));
    text_free(&choices.list);
    return result;
}

static const char *number_or_null(char buffer[KERNEL_SIZE], long value, int is_specified)
{
    snprintf(buffer, KERNEL_SIZE, "%ld", value);
    return is_specified ? buffer : NULL;
}

static int find_kernel(struct query *query, const char *name, const struct kernel_choice *choice,
                       const char *like, char kernel[KERNEL_SIZE])
{
    static const char sql[] =
        "SELECT k.kernel FROM kernels k LEFT JOIN clean_points p USING (" POINT_KEY
        ") LEFT JOIN kernels n ON n.kernel = :like "
        "WHERE k.family || '/' || k.variant = :name AND (:size IS NULL OR "
        "instr(:size, ',' || k.size || ',') > 0) AND "
        "(:block IS NULL OR k.block = :block) "
        "AND (:sweep IS NULL OR k.sweep = :sweep) AND (:launch IS NULL OR k.launch = :launch) "
        "ORDER BY k.size = n.size DESC, k.block = n.block DESC, k.launch = n.launch DESC, "
        "k.counts_status = 'ok' DESC, "
        "CAST(k.size AS INTEGER) DESC, k.size, k.block, "
        "p.best DESC, "
        "k.sweep, k.launch LIMIT 1";
    char sizes[SIZE_LIST], block[KERNEL_SIZE], sweep[KERNEL_SIZE], launch[KERNEL_SIZE],
        *found = NULL;
    int result = choice->size ? size_list(choice->size, sizes) : 0;
    if (result) return result;
    const struct scope scope =
        SCOPE_OF(STRINGS("name", "like", "size", "block", "sweep", "launch"),
                 STRINGS(name, like, choice->size ? sizes : NULL,
                         number_or_null(block, choice->block, choice->block > 0),
                         number_or_null(sweep, choice->sweep, choice->sweep > 0),
                         number_or_null(launch, choice->launch, choice->launch >= 0)));
    result = query_text(query, NULL, sql, &scope, &found);
    if (!result && !found) result = say_choices(query, name, &scope);
    if (!result) snprintf(kernel, KERNEL_SIZE, "%s", found);
    free(found);
    return result;
}

/* Writes the number of the kernel of the variant that `word` names. Among several points it prefers
 * the size, block and launch of the kernel `like`, unless that is NULL, then a kernel whose
 * instructions were counted, the largest size, the best setting of a swept variant and the first
 * launch. */
static int choose_kernel(struct query *query, const char *word, const struct kernel_choice *choice,
                         const char *like, char kernel[KERNEL_SIZE])
{
    char *name;
    static const struct variant_names_search search = {
        "SELECT DISTINCT family || '/' || variant FROM kernels ORDER BY 1", "per-line data"};
    int result = variant_names_find(query, &search, word, &name);
    if (!result) result = find_kernel(query, name, choice, like, kernel);
    free(name);
    return result;
}

/* Finds the kernels that the words mean, the second one as similar to the first as possible. */
static int find_kernels(struct query *query, const struct lines_options *options,
                        char kernel[2][KERNEL_SIZE])
{
    int result = check_kernels(query);
    for (int i = 0; i < options->variant_count && !result; i++)
        result = choose_kernel(query, options->variants[i], &options->choice, i ? kernel[0] : NULL,
                               kernel[i]);
    if (!result && options->variant_count == 1) strcpy(kernel[1], kernel[0]);
    return result;
}

/* ---- sources --------------------------------------------------------------------------------- */

static int warn(void *context, const struct scope *row)
{
    (void)context;
    warning("%s", row->value[0]);
    return 0;
}

/* Warns of sources of the project whose text the run does not have. */
static int warn_of_sources(struct query *query, const struct scope *kernels)
{
    return query_each(query, NULL,
                      "SELECT message FROM source_state WHERE state NOT IN ('same', 'foreign') AND "
                      "source IN (SELECT source FROM line_counts "
                      "WHERE kernel IN (:a, :b)) ORDER BY path",
                      kernels, warn, NULL);
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

static int print_rows(struct query *query, const struct annotation *annotation,
                      const struct scope *kernels, struct json_writer *json, FILE *file)
{
    struct text sql = {0};
    text_append(&sql, "SELECT " POINT_KEY_OF("k.") ", k.launch, k.name, s.path, x.line");
    if (annotation->sass) text_append(&sql, ", x.pc, x.sass");
    for (int i = 0; i < (annotation->metric_count ? annotation->metric_count : LINE_METRIC_COUNT);
         i++) {
        const struct line_metric *metric =
            &line_metrics[annotation->metric_count ? annotation->metric[i] : i];
        text_format(&sql, ", x.%s", metric->column);
    }
    text_format(&sql,
                " FROM %s x JOIN kernels k ON k.kernel = x.kernel LEFT JOIN source_state s ON "
                "s.source = x.source WHERE x.kernel IN (:a, :b) "
                "ORDER BY x.kernel <> :a",
                annotation->sass ? "instructions" : "line_sums");
    if (annotation->sort >= 0)
        text_format(&sql, ", x.%s IS NULL, x.%s DESC", line_metrics[annotation->sort].column,
                    line_metrics[annotation->sort].column);
    text_append(&sql, ", x.source IS NULL, s.path, x.source, x.line");
    if (annotation->sass) text_append(&sql, ", x.pc");
    const int result = sql.failed ? error_memory()
                       : json     ? query_json(query, text_string(&sql), kernels, json)
                                  : query_csv(query, NULL, text_string(&sql), kernels, file);
    text_free(&sql);
    return result;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Takes a line of *page, without its end, into *line. Returns 0 at the end of the page. */
static int take_line(const char **page, char **line)
{
    const size_t length = strcspn(*page, "\n");
    if (!**page) return 0;
    *line = strndup(*page, length);
    *page += length + ((*page)[length] == '\n');
    return 1;
}

/* Lays two pages side by side. */
static int join_pages(struct text *page, const char *left, const char *right, int columns)
{
    for (int more = 1; more;) {
        char *a = NULL, *b = NULL;
        const int has_left = take_line(&left, &a), has_right = take_line(&right, &b);
        more = has_left || has_right;
        const int failed = (has_left && !a) || (has_right && !b);
        if (more && !failed) {
            text_append(page, a ? a : "");
            terminal_blanks(page, columns - (a ? terminal_width(a) : 0));
            text_format(page, " \xE2\x94\x82%s%s\n", b && *b ? " " : "", b ? b : "");
        }
        free(a);
        free(b);
        if (failed) return error_memory();
    }
    return page->failed ? error_memory() : 0;
}

/* The summary of a kernel and its lines, which can be laid side by side with another's. */
struct kernel_page {
    struct text summary, lines;
};

static int make_page(struct kernel_page *page, struct annotation *annotation, const char *kernel)
{
    annotation->kernel = kernel;
    const int result =
        kernel_summary_append(&page->summary, annotation->query, kernel, annotation->screen);
    return result ? result : annotation_append(&page->lines, annotation);
}

static int append_one_after_the_other(struct text *page, const struct kernel_page *pages, int count)
{
    for (int i = 0; i < count; i++)
        text_format(page, "%s%s%s%s", i ? "\n" : "", text_string(&pages[i].summary),
                    pages[i].lines.length ? "\n" : "", text_string(&pages[i].lines));
    return page->failed ? error_memory() : 0;
}

static int append_side_by_side(struct text *page, const struct kernel_page *pages, int columns)
{
    const int result =
        join_pages(page, text_string(&pages[0].summary), text_string(&pages[1].summary), columns);
    text_append(page, "\n");
    return result ? result
                  : join_pages(page, text_string(&pages[0].lines), text_string(&pages[1].lines),
                               columns);
}

static void append_run(struct text *page, const struct run *run,
                       const struct lines_options *options, const struct terminal *screen)
{
    struct text words = {0};
    recorded_describe(&words, run, options->recorded);
    terminal_paragraph(page, screen, STYLE_PLAIN, 0, "", text_string(&words));
    text_free_piece(&words, page);
    text_append(page, "\n");
}

static int append_pages(struct text *page, struct annotation *annotation,
                        const char *const kernels[2], int count)
{
    const struct terminal *screen = annotation->screen;
    struct terminal half_screen = *screen;
    struct kernel_page pages[2] = {{{0}, {0}}, {{0}, {0}}};
    const int half = (screen->columns - 3) / 2, beside = count == 2 && half >= LINES_LEAST_HALF;
    int result = 0;
    if (beside) half_screen.columns = half;
    annotation->screen = &half_screen;
    for (int i = 0; i < count && !result; i++)
        result = make_page(&pages[i], annotation, kernels[i]);
    if (!result)
        result = beside ? append_side_by_side(page, pages, half)
                        : append_one_after_the_other(page, pages, count);
    for (int i = 0; i < 2; i++) {
        text_free_piece(&pages[i].summary, page);
        text_free_piece(&pages[i].lines, page);
    }
    annotation->screen = screen;
    return result;
}

/* The words of a verdict, and what gives them. */
struct verdict {
    struct text words;
    struct query *query;
    const struct lines_options *options;
};

/* Columns: the variants, their size or NULL. */
static int append_verdict(void *context, const struct scope *row)
{
    struct verdict *verdict = context;
    if (!row->value[2] || !verdict->options->verdict) return 0;
    return verdict->options->verdict(&verdict->words, verdict->query, row->value[0], row->value[1],
                                     row->value[2]);
}

/* Appends why one kernel is faster than the other, then their differences. */
static int append_comparison(struct text *page, const struct annotation *annotation,
                             const char *const kernels[2], const struct lines_options *options)
{
    static const char sql[] =
        "SELECT a.family || '/' || a.variant, b.family || '/' || b.variant, CASE WHEN a.size = "
        "b.size THEN a.size END FROM kernels a, kernels b WHERE a.kernel = :a AND b.kernel = :b";
    const struct scope scope = SCOPE_OF(STRINGS("a", "b"), kernels);
    struct verdict verdict = {.query = annotation->query, .options = options};
    int result = query_each(annotation->query, NULL, sql, &scope, append_verdict, &verdict);
    if (verdict.words.length) {
        terminal_paragraph(page, annotation->screen, STYLE_HEADING, 0, "",
                           text_string(&verdict.words));
        text_append(page, "\n");
    }
    text_free_piece(&verdict.words, page);
    if (!result)
        result =
            kernel_summary_append_differences(page, annotation->query, kernels, annotation->screen);
    text_append(page, "\n");
    return result;
}

static int print_pages(struct annotation *annotation, const char *const kernels[2],
                       const struct lines_options *options, FILE *file)
{
    struct text page = {0};
    int result = 0;
    append_run(&page, annotation->query->run, options, annotation->screen);
    if (options->variant_count == 2)
        result = append_comparison(&page, annotation, kernels, options);
    if (!result) result = append_pages(&page, annotation, kernels, options->variant_count);
    return page_print(file, &page, result);
}

static int print_kernels(struct annotation *annotation, const char *const kernels[2],
                         const struct lines_options *options, FILE *file)
{
    struct query *query = annotation->query;
    const struct scope scope = SCOPE_OF(STRINGS("a", "b"), kernels);
    char wanted[100];
    int impossible = 0;
    snprintf(wanted, sizeof wanted, "SELECT kernel FROM kernels WHERE kernel IN (%s, %s)",
             kernels[0], kernels[1]);
    int result = lines_tables_load(query, wanted);
    if (!result) result = lines_tables_impossible(query, &impossible);
    if (!result) result = warn_of_sources(query, &scope);
    struct json_writer json;
    const int rows = options->csv || options->json, opens = !result && options->json;
    if (opens) {
        json_begin(&json, file, options->banks ? "lines.banks/1" : "lines/2");
        json_open(&json, options->banks ? "lanes" : "lines", '[');
    }
    for (int i = 0; i < options->variant_count && options->banks && !result; i++)
        result = rows ? bank_maps_print_rows(query, kernels[i], options->json ? &json : NULL,
                                             i == 0, file)
                      : bank_maps_print(query, kernels[i], file);
    if (!result && !options->banks)
        result = rows ? print_rows(query, annotation, &scope, options->json ? &json : NULL, file)
                      : print_pages(annotation, kernels, options, file);
    if (opens) {
        json_close(&json, ']');
        json_end(&json);
    }
    return result || !impossible ? result : FAIL_CHECK;
}

int lines_view_print(const struct run *run, const struct lines_options *options,
                     const struct terminal *screen, FILE *file)
{
    struct query query;
    struct annotation annotation = {.query = &query, .screen = screen};
    char kernel[2][KERNEL_SIZE];
    int result = find_metrics(options, &annotation);
    if (!result) result = query_open(&query, run);
    if (result) return result;
    result = query_load(&query, TABLE_VARIANTS);
    if (!result) result = lines_tables_load_kernels(&query);
    if (!result) result = find_kernels(&query, options, kernel);
    if (!result)
        result =
            print_kernels(&annotation, (const char *const[]){kernel[0], kernel[1]}, options, file);
    query_close(&query);
    return result;
}

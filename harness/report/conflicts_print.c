#include "report/conflicts_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "explain/conflicts.h"
#include "explain/explain.h"
#include "query/query.h"
#include "query/variant_names.h"
#include "report/conflict_places.sql.h"
#include "report/conflicts_print.sql.h"
#include "run/recorded_runs.h"

/* ---- which kernels --------------------------------------------------------------------------- */

static int want_pattern(struct query *query, const struct variant_names *known, const char *pattern,
                        int may_be_run)
{
    char *lacking = may_be_run ? text_new("there is no run '%s', and %s has no kernel of a",
                                          pattern, recorded_title(query->run))
                               : text_new("%s has no kernel of a", recorded_title(query->run));
    const int result =
        lacking ? variant_names_want(query, known, pattern, lacking) : error_memory();
    free(lacking);
    return result;
}

/* Inserts the variants of `table` that are asked for into table wanted. */
static int want_patterns(struct query *query, const struct conflicts_options *options,
                         const char *table)
{
    char *names = text_new("SELECT DISTINCT family || '/' || variant AS name FROM %s", table);
    struct variant_names known = {0};
    int result =
        names ? query_each(query, NULL, names, NULL, variant_names_add, &known) : error_memory();
    for (int i = 0; i < options->pattern_count && !result; i++)
        result =
            want_pattern(query, &known, options->patterns[i], i == 0 && options->first_may_be_run);
    variant_names_free(&known);
    if (!result && !options->pattern_count)
        result = query_write(query, "INSERT INTO wanted %s", names);
    free(names);
    return result;
}

/* Refuses names that the run lacks before it is evaluated. */
static int check_patterns(struct query *query, const struct conflicts_options *options)
{
    int result = QUERY_LOAD(query, TABLE_VARIANTS);
    if (!result) result = query_write(query, "CREATE TABLE wanted(name TEXT)");
    if (!result) result = want_patterns(query, options, "variants");
    return result ? result : query_write(query, "DELETE FROM wanted");
}

static int load(struct query *query, const struct conflicts_options *options)
{
    static const enum table_id needed[] = {TABLE_CONFLICTS, TABLE_CONFLICT_LINES, TABLE_CAUSE_LINES,
                                           TABLE_SOURCES, TABLE_SOURCE_FILES};
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(query, needed[i]);
    if (!result)
        result = query_write(query,
                             "CREATE TABLE wanted_sizes(size TEXT);"
                             "CREATE TABLE wanted_all AS SELECT %d AS is_all",
                             options->all || options->pattern_count > 0);
    if (!result) result = want_patterns(query, options, "conflicts");
    if (!result)
        result = variant_names_want_sizes(query, "SELECT size FROM conflicts", options->sizes,
                                          options->size_count, recorded_title(query->run),
                                          "has no kernel of");
    return result ? result : query_write(query, "%s %s", conflict_places_sql, conflicts_print_sql);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct print_column columns[] = {
    {.name = "family"},
    {.name = "variant"},
    {.name = "size"},
    {.name = "block", .kind = PRINT_NUMBER},
    {.name = "sweep", .kind = PRINT_NUMBER},
    {.name = "device", .kind = PRINT_NUMBER},
    {.name = "time_ns", .kind = PRINT_NUMBER},
    {.name = "cost_ns", .head = "cost", .kind = PRINT_PART},
    {.name = "cost_low_ns", .head = "from", .kind = PRINT_PART},
    {.name = "cost_high_ns", .head = "to", .kind = PRINT_PART},
    {.name = "bound", .head = "cost is", .is_shown_only = 1},
    {.name = "share_pct", .head = "share %", .kind = PRINT_NUMBER, .digits = 1},
    {.name = "excess", .kind = PRINT_NUMBER},
    {.name = "excess_text", .head = "excess", .kind = PRINT_RIGHT, .is_shown_only = 1},
    {.name = "loads", .kind = PRINT_NUMBER},
    {.name = "stores", .kind = PRINT_NUMBER},
    {.name = "matrix", .kind = PRINT_NUMBER},
    {.name = "copies", .kind = PRINT_NUMBER},
    {.name = "atomics", .kind = PRINT_NUMBER},
    {.name = "same_word", .kind = PRINT_NUMBER},
    {.name = "copied_lines", .kind = PRINT_NUMBER},
    {.name = "is_exact", .kind = PRINT_FLAG},
    {.name = "ways", .kind = PRINT_NUMBER},
    {.name = "ways_text", .head = "\xC3\x97 ideal", .kind = PRINT_RIGHT, .is_shown_only = 1},
    {.name = "name", .head = "kernel", .place = PRINT_WORDS, .is_shown_only = 1},
    {.name = "kinds", .head = "", .place = PRINT_FAINT, .is_shown_only = 1},
    {.name = "place", .head = "", .place = PRINT_NOTE, .is_shown_only = 1},
    {.name = "path"},
    {.name = "line", .kind = PRINT_NUMBER},
    {.name = "text", .head = "", .place = PRINT_CODE},
    {.name = "called_path"},
    {.name = "called_line", .kind = PRINT_NUMBER},
    {.name = "kind"},
    {.name = "width_bytes", .kind = PRINT_NUMBER},
    {.name = "line_ways", .kind = PRINT_NUMBER},
    {.name = "line_words"},
    {.name = "line_share_pct", .kind = PRINT_NUMBER},
    {.name = "status"},
    {.name = "line_status"},
    {.name = "lines", .kind = PRINT_JSON},
};

static const struct print_column ranking_columns[] = {
    {.name = "rank", .head = "", .kind = PRINT_NUMBER},
    {.name = "cost_ns", .head = "cost", .kind = PRINT_PART},
    {.name = "share_pct", .head = "share %", .kind = PRINT_NUMBER, .digits = 1},
    {.name = "name", .head = "kernel"},
    {.name = "worst_place", .head = "worst line", .place = PRINT_REMARK},
};

static const struct print_column sentence_columns[] = {
    {.name = "words", .head = "", .place = PRINT_WORDS},
};

static int append_rows(struct text *page, const struct terminal *screen, struct query *query,
                       struct print_table table, const char *sql)
{
    const int result = query_print_rows(query, sql, NULL, &table);
    if (!result) print_table_append(page, &table, screen);
    print_table_free(&table);
    return result;
}

/* Appends one of the two tables below its legend, and an empty line. */
static int append_part(struct text *page, const struct terminal *screen, struct query *query,
                       struct print_table table, int place, const char *sql)
{
    const struct print_table sentences = {PRINT_COLUMNS_OF(sentence_columns)};
    const size_t length = page->length;
    char *legend = text_new("SELECT words FROM legends WHERE place = %d", place);
    int result = legend ? append_rows(page, screen, query, sentences, legend) : error_memory();
    free(legend);
    if (!result && page->length > length) result = append_rows(page, screen, query, table, sql);
    if (page->length > length) text_append(page, "\n");
    return result;
}

static int print_page(struct query *query, const struct conflicts_options *options,
                      const struct terminal *screen, FILE *file)
{
    static const char ranking[] = "SELECT * FROM conflict_rows WHERE is_listed ORDER BY rank",
                      detailed[] = "SELECT *, NULL AS lines FROM conflict_rows WHERE is_detailed "
                                   "ORDER BY rank";
    const struct print_table kernels = {PRINT_COLUMNS_OF(columns)},
                             ranked = {PRINT_COLUMNS_OF(ranking_columns)},
                             sentences = {PRINT_COLUMNS_OF(sentence_columns)};
    struct text page = {0}, words = {0};
    int result = append_rows(&page, screen, query, sentences, "SELECT words FROM verdict");
    recorded_describe(&words, query->run, options->recorded);
    terminal_paragraph(&page, screen, STYLE_FAINT, 0, "", text_string(&words));
    text_free_piece(&words, &page);
    text_append(&page, "\n");
    if (!result) result = append_part(&page, screen, query, ranked, 1, ranking);
    if (!result) result = append_part(&page, screen, query, kernels, 2, detailed);
    if (!result) result = append_rows(&page, screen, query, sentences, "SELECT words FROM remarks");
    return page_print(file, &page, result);
}

static int print_data(struct query *query, enum print_form form, FILE *file)
{
    static const char sql[] = /* a view may not make JSON */
        "SELECT *, (SELECT json_group_array(json_object('path', path, 'line', CAST(line AS "
        "INTEGER), 'text', text, 'called_path', called_path, 'called_line', CAST(called_line AS "
        "INTEGER), "
        "'kind', kind, 'width_bytes', width_bytes, 'executed', executed, "
        "'wavefronts', wavefronts, 'ideal', ideal, 'excess', excess, 'ways', ways, 'share_pct', "
        "share_pct)) FROM (SELECT * FROM conflict_lines l WHERE l.family = p.family AND "
        "l.variant = p.variant ORDER BY l.place)) AS lines FROM conflict_rows p ORDER BY rank";
    struct print_table table = {.name = "kernels", PRINT_COLUMNS_OF(columns)};
    int result = query_print_rows(query, sql, NULL, &table);
    if (!result) result = print_table_print(&table, form, "conflicts/1", file);
    print_table_free(&table);
    return result;
}

/* Makes the tables in memory, unless the run has them. */
static int make_tables(struct query *query)
{
    struct records records;
    if (explain_is_done(query->run)) return 0;
    int result = records_read_own(&records);
    if (result) return result;
    result = explain_part(query, &records, NULL, NULL, 0);
    records_free(&records);
    if (!result) result = QUERY_LOAD(query, TABLE_SOURCE_FILES, TABLE_ACCESSES);
    return result ? result : conflicts_make(query);
}

int conflicts_print(const struct run *run, const struct conflicts_options *options,
                    const struct terminal *screen, FILE *file)
{
    struct query query;
    int result = query_open(&query, run);
    if (result) return result;
    result = check_patterns(&query, options);
    if (!result) result = make_tables(&query);
    if (!result) result = load(&query, options);
    if (!result)
        result = options->form == PRINT_SCREEN ? print_page(&query, options, screen, file)
                                               : print_data(&query, options->form, file);
    query_close(&query);
    return result;
}

#include "report/conflicts_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "query/query.h"
#include "query/variant_names.h"
#include "report/conflicts_print.sql.h"
#include "run/recorded_runs.h"

/* ---- which kernels --------------------------------------------------------------------------- */

static int want_sizes(struct query *query, const struct conflicts_options *options)
{
    int result = 0, found = 0;
    for (int i = 0; i < options->size_count && !result; i++) {
        result =
            variant_names_want_size(query, "SELECT size FROM conflicts", options->sizes[i], &found);
        if (!result && !found)
            result = error(FAIL_USAGE, "--size: %s has no kernel of size %s", query->run->path,
                           options->sizes[i]);
    }
    return result;
}

#define NAMES "SELECT DISTINCT family || '/' || variant AS name FROM conflicts"

static int want_pattern(struct query *query, const struct variant_names *known, const char *pattern,
                        int may_be_run)
{
    char *lacking = may_be_run ? text_new("there is no run '%s', and %s has no kernel of a",
                                          pattern, query->run->path)
                               : text_new("%s has no kernel of a", query->run->path);
    const int result =
        lacking ? variant_names_want(query, known, pattern, lacking) : error_memory();
    free(lacking);
    return result;
}

static int want_patterns(struct query *query, const struct conflicts_options *options)
{
    struct variant_names known = {0};
    int result = query_each(query, NULL, NAMES, NULL, variant_names_add, &known);
    for (int i = 0; i < options->pattern_count && !result; i++)
        result =
            want_pattern(query, &known, options->patterns[i], i == 0 && options->first_may_be_run);
    variant_names_free(&known);
    if (!result && !options->pattern_count)
        result = query_write(query, "INSERT INTO wanted " NAMES);
    return result;
}

static int load(struct query *query, const struct conflicts_options *options)
{
    int result = query_load(query, TABLE_CONFLICTS);
    if (!result) result = query_load(query, TABLE_CONFLICT_LINES);
    if (!result)
        result = query_write(query,
                             "CREATE TABLE wanted(name TEXT); CREATE TABLE wanted_sizes(size TEXT);"
                             "CREATE TABLE wanted_all AS SELECT %d AS is_all",
                             options->all || options->pattern_count > 0);
    if (!result) result = want_patterns(query, options);
    if (!result) result = want_sizes(query, options);
    return result ? result : query_write(query, "%s", conflicts_print_sql);
}

/* ---- for people ------------------------------------------------------------------------------ */

enum { INDENT = 10 };

struct page {
    struct text text;
    const struct terminal *screen;
};

static void append_paragraph(struct page *page, enum terminal_style style, int indent,
                             const char *words)
{
    char blanks[INDENT + 1];
    snprintf(blanks, sizeof blanks, "%*s", indent, "");
    terminal_paragraph(&page->text, page->screen, style, indent, blanks, words);
}

/* Columns of the statement in append_kernels. */
enum { COST, SHARE, NAME, COUNTS, KINDS, AT, LINE };

static int append_kernel(void *context, const struct scope *row)
{
    struct page *page = context;
    const char *const *value = row->value;
    char cost[24], label[64];
    snprintf(label, sizeof label, "%8s ",
             value[COST] ? text_time(cost, strtod(value[COST], NULL)) : "unknown");
    if (value[SHARE])
        snprintf(label + strlen(label), sizeof label - strlen(label), "%5.1f %%  ",
                 strtod(value[SHARE], NULL));
    text_append(&page->text, "\n");
    terminal_paragraph(&page->text, page->screen, STYLE_HEADING, INDENT, label, value[NAME]);
    append_paragraph(page, STYLE_PLAIN, INDENT, value[COUNTS]);
    if (value[KINDS] && *value[KINDS]) append_paragraph(page, STYLE_FAINT, INDENT, value[KINDS]);
    if (value[AT]) append_paragraph(page, STYLE_PLAIN, INDENT, value[AT]);
    if (value[LINE]) {
        terminal_blanks(&page->text, INDENT + 2);
        terminal_append(&page->text, value[LINE], page->screen->columns - INDENT - 2);
        text_append(&page->text, "\n");
    }
    return page->text.failed ? error_memory() : 0;
}

/* Adds each row's only column as a paragraph. */
static int append_words(void *context, const struct scope *row)
{
    struct page *page = context;
    if (row->value[0]) append_paragraph(page, STYLE_PLAIN, 0, row->value[0]);
    return 0;
}

static int append_verdict(struct query *query, struct page *page)
{
    static const char sql[] =
        "SELECT CASE WHEN name IS NULL THEN CASE (SELECT count(*) FROM ranked WHERE part = 1) WHEN "
        "0 THEN 'No kernel could be counted.' ELSE 'No kernel has bank conflicts.' END ELSE "
        "'Bank conflicts cost ' || name || CASE WHEN cost_ns IS NULL THEN ' an unknown time' ELSE "
        "' most: ' || time_text(cost_ns) || printf(', %.1f %% of its time', share_pct) END || "
        "coalesce(', mostly at ' || at || ' (' || access || ')', '') || '.' END "
        "FROM (SELECT 1) LEFT JOIN (SELECT * FROM worded WHERE part = 0 ORDER BY rank LIMIT 1)";
    return query_each(query, NULL, sql, NULL, append_words, page);
}

static int append_kernels(struct query *query, struct page *page)
{
    static const char sql[] =
        "SELECT cost_ns, share_pct, name, CASE WHEN is_exact = 0 THEN 'at most ' ELSE '' END || "
        "human(round(excess)) || printf(' excess wavefronts; %.3g-way', ways), kinds, "
        "coalesce(at || ': ' || access || printf(', %.3g %% of the excess', line_share_pct), "
        "'line unknown: ' || replace(line_status, 'absent: ', '')), text FROM worded "
        "WHERE part = 0 AND is_listed ORDER BY rank";
    return query_each(query, NULL, sql, NULL, append_kernel, page);
}

static int append_end(struct query *query, struct page *page)
{
    static const char legend[] =
        "SELECT 'The cost is the time that the kernel would save without conflicts, by the model "
        "of time. A step that explain names after bank conflicts may show more: it contains all "
        "of shared memory. Excess wavefronts are those beyond the ideal; n-way: wavefronts per "
        "ideal wavefront, of all accesses or of those of the line.' FROM ranked WHERE part = 0 "
        "LIMIT 1";
    static const char estimated[] =
        "SELECT 'At most: the number is estimated from the sums over a launch whose single "
        "instructions were not counted, so that wide accesses may count as conflicts.' FROM ranked "
        "WHERE part = 0 AND is_listed AND is_exact = 0 LIMIT 1";
    static const char smaller[] =
        "SELECT CASE count(*) WHEN 1 THEN name || ' has conflicts that cost' ELSE count(*) || "
        "' more kernels have conflicts that cost each' END || ' less than 0.5 % of the time, at "
        "most ' || time_text(max(cost_ns)) || CASE count(*) WHEN 1 THEN ' (-v lists it).' ELSE "
        "' (-v lists them).' END FROM ranked WHERE part = 0 AND NOT is_listed HAVING count(*) > 0";
    static const char without[] =
        "SELECT count(*) || CASE WHEN (SELECT count(*) FROM ranked WHERE part = 0) > 0 THEN "
        "' other' ELSE '' END || CASE count(*) WHEN 1 THEN ' kernel has' ELSE ' kernels have' END "
        "|| ' no bank conflicts.' FROM ranked WHERE part = 1 HAVING count(*) > 0";
    static const char same_word[] =
        "SELECT 'Lanes of ' || name || ' update one word, one after the other ('|| "
        "human(round(same_word)) || ' wavefronts); that is no bank conflict.' FROM worded WHERE "
        "part = 1 AND same_word > 0 ORDER BY same_word DESC";
    static const char uncounted[] =
        "SELECT name || ' could not be counted: ' || replace(status, 'absent: ', '') FROM ranked "
        "WHERE part = 2 ORDER BY rank";
    static const char *const sql[] = {legend, estimated, smaller, without, same_word, uncounted};
    int result = 0;
    text_append(&page->text, "\n");
    for (size_t i = 0; i < sizeof sql / sizeof *sql && !result; i++)
        result = query_each(query, NULL, sql[i], NULL, append_words, page);
    return result;
}

static int print_page(struct query *query, const struct conflicts_options *options,
                      const struct terminal *screen, FILE *file)
{
    struct page page = {.screen = screen};
    struct text words = {0};
    int result = append_verdict(query, &page);
    recorded_describe(&words, query->run, options->recorded);
    append_paragraph(&page, STYLE_FAINT, 0, text_string(&words));
    text_free_piece(&words, &page.text);
    if (!result) result = append_kernels(query, &page);
    if (!result) result = append_end(query, &page);
    if (!result && page.text.failed) result = error_memory();
    if (!result) fputs(text_string(&page.text), file);
    text_free(&page.text);
    return result;
}

/* ---- for programs ---------------------------------------------------------------------------- */

#define COLUMNS                                                                                    \
    "family, variant, size, block, sweep, device, time_ns, cost_ns, share_pct, ledger_ns, "        \
    "excess, loads, stores, matrix, copies, atomics, same_word, is_exact, ways, path, line, "      \
    "text, "                                                                                       \
    "kind, width_bytes, line_ways, line_share_pct, status, line_status"

static int print_json(struct query *query, FILE *file)
{
    static const char sql[] =
        "SELECT json_object('kernels', json_group_array(json_object('family', family, 'variant', "
        "variant, 'size', size, 'block', block, 'sweep', sweep, 'device', device, 'time_ns', "
        "time_ns, 'cost_ns', cost_ns, 'share_pct', share_pct, 'ledger_ns', ledger_ns, "
        "'excess', excess, 'loads', loads, 'stores', stores, "
        "'matrix', matrix, 'copies', copies, 'atomics', atomics, 'same_word', same_word, "
        "'is_exact', is_exact, 'ways', ways, 'status', status, 'line_status', line_status, "
        "'lines', (SELECT "
        "json_group_array(json_object('path', l.path, 'line', CAST(l.line AS INTEGER), 'text', "
        "l.text, 'kind', l.kind, 'width_bytes', l.width_bytes, 'executed', l.executed, "
        "'wavefronts', l.wavefronts, 'ideal', l.ideal, 'excess', l.excess, 'ways', l.ways, "
        "'share_pct', l.share_pct)) FROM (SELECT * FROM conflict_lines l WHERE l.family = r.family "
        "AND l.variant = r.variant ORDER BY place) l)))) FROM (SELECT * FROM ranked ORDER BY rank) "
        "r";
    char *json = NULL;
    const int result = query_text(query, NULL, sql, NULL, &json);
    if (!result) text_write_json(file, json), fputc('\n', file);
    free(json);
    return result;
}

int conflicts_print(const struct run *run, const struct conflicts_options *options,
                    const struct terminal *screen, FILE *file)
{
    struct query query;
    int result = query_open(&query, run);
    if (result) return result;
    result = load(&query, options);
    if (!result && options->json)
        result = print_json(&query, file);
    else if (!result && options->csv)
        result =
            query_csv(&query, NULL, "SELECT " COLUMNS " FROM ranked ORDER BY rank", NULL, file);
    else if (!result)
        result = print_page(&query, options, screen, file);
    query_close(&query);
    return result;
}

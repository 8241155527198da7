#include "report/compare_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/print_table.h"
#include "base/terminal.h"
#include "explain/account_sentence.h"
#include "explain/metric_words.h"
#include "report/explain_pair.sql.h"
#include "report/explain_pair_data.h"
#include "run/recorded_runs.h"

/* ---- on the screen --------------------------------------------------------------------------- */

/* One line of the table. */
enum { INTERVAL, SHARE, CAUSE, NOTE, DIRECTION, DETAILS, WITNESS, PLACE, TEXTS };
struct cause_row {
    double part; /* ns */
    char *text[TEXTS];
};

struct page {
    struct text text;
    const struct terminal *screen;
    const struct explain_pair *pair;
    struct cause_row *row;
    int count, all;
    int bar, zero;           /* width of all bars; columns of it for negative parts */
    double most;             /* ns of the longest bar to each side, together */
    struct text_times times; /* of the parts and of their sum */
};

enum { NUMBER_WIDTH = 10, LEAST_BAR = 6, MOST_BAR = 20 };

static int keep_row(void *context, const struct scope *row)
{
    struct page *page = context;
    if (!ARRAY_GROWS(page->row, page->count)) return error_memory();
    struct cause_row *kept = &page->row[page->count++];
    *kept = (struct cause_row){.part = row_number(row, 0)};
    for (int i = 0; i < TEXTS; i++)
        if (row->value[i + 1] && !(kept->text[i] = strdup(row->value[i + 1])))
            return error_memory();
    return 0;
}

static void free_rows(struct page *page)
{
    for (int i = 0; i < page->count; i++)
        for (int k = 0; k < TEXTS; k++) free(page->row[i].text[k]);
    free(page->row);
}

/* The second saved so much, by the times: the causes add up to their difference. */
static double change_of(const struct explain_pair *pair)
{
    return side_number(&pair->before, TIME) - side_number(&pair->after, TIME);
}

/* Divides the width of the bars between the longest ones of both signs. */
static void measure_bars(struct page *page)
{
    double least = 0, most = 0;
    page->times = (struct text_times){.are_saved = 1, .are_parts = 1};
    text_times_add(&page->times, change_of(page->pair));
    for (int i = 0; i < page->count; i++) {
        most = fmax(most, page->row[i].part);
        least = fmin(least, page->row[i].part);
        text_times_add(&page->times, page->row[i].part);
    }
    page->bar = (page->screen->columns - NUMBER_WIDTH) / 4;
    if (page->bar < LEAST_BAR) page->bar = LEAST_BAR;
    if (page->bar > MOST_BAR) page->bar = MOST_BAR;
    page->most = most - least;
    page->zero = page->most > 0 ? (int)(page->bar * -least / page->most + 0.5) : 0;
}

static void append_paragraph(struct page *page, enum terminal_style style, int indent,
                             struct text *words)
{
    terminal_paragraph(&page->text, page->screen, style, indent, indent ? "  " : "",
                       text_string(words));
    text_free_piece(words, &page->text);
}

static void append_head(struct page *page)
{
    const struct explain_pair *pair = page->pair;
    const struct side *before = &pair->before, *after = &pair->after;
    const double a = side_number(before, TIME), b = side_number(after, TIME);
    char was[24], is[24];
    struct text words = {0};
    text_format(&words, "%s -> %s, %s", before->name, after->name, before->fact[SIZE]);
    append_paragraph(page, STYLE_HEADING, 0, &words);
    text_append(&words, pair->headline ? pair->headline : pair->evidence);
    append_paragraph(page, STYLE_PLAIN, 0, &words);
    text_append(&page->text, "\n");
    text_format(&words, "%s -> %s", before->fact[TITLE], after->fact[TITLE]);
    append_paragraph(page, STYLE_PLAIN, 2, &words);
    text_format(&words, "%s -> %s: %s%.3f times as fast", text_time(was, a), text_time(is, b),
                pair->in_rounds ? "in the same rounds " : "", pair->ratio);
    if (isfinite(pair->low)) text_format(&words, " [%.3f to %.3f]", pair->low, pair->high);
    text_format(&words, ", %s", pair->evidence);
    if (isfinite(pair->floor_pct)) text_format(&words, "; noise floor %.2f %%", pair->floor_pct);
    if ((pair->ratio - 1) * (a - b) < 0)
        text_append(&words,
                    "; the times are medians of all samples, and the ratio is the median of "
                    "the rounds");
    append_paragraph(page, STYLE_PLAIN, 2, &words);
    text_append(&page->text, "\n");
}

static int is_sure(const struct cause_row *row)
{
    return row->text[DIRECTION] && strcmp(row->text[DIRECTION], "0");
}

/* Begins a line with what was saved, or with words. Returns the columns that it takes. */
static int append_number(struct page *page, struct text *label, double saved_ns, const char *words)
{
    struct text number = {0};
    text_append(&number, words);
    if (isfinite(saved_ns)) {
        text_append_time(&number, &page->times, saved_ns);
        terminal_blanks(&number, text_time_blanks(&page->times, saved_ns));
    }
    terminal_blanks(label, NUMBER_WIDTH - terminal_width(text_string(&number)));
    text_format(label, "%s ", text_string(&number));
    text_free_piece(&number, label);
    return NUMBER_WIDTH + 1;
}

/* Begins a line with a number and a bar, of a negative one to the left. Returns the columns that
 * they take. */
static int append_bar(struct page *page, struct text *label, const struct cause_row *row)
{
    static const char full[] = "\xE2\x96\x88", pale[] = "\xE2\x96\x91";
    const double saved = change_of(page->pair) >= 0 ? row->part : -row->part;
    const int columns = append_number(page, label, saved, isfinite(saved) ? "" : "-");
    const int room = row->part < 0 ? page->zero : page->bar - page->zero,
              wanted = page->most > 0 ? (int)(page->bar * fabs(row->part) / page->most + 0.5) : 0,
              length = wanted < room ? wanted : room, begin = page->zero - (row->part < 0) * length;
    terminal_blanks(label, begin);
    for (int i = 0; i < length; i++) text_append(label, is_sure(row) ? full : pale);
    terminal_blanks(label, page->bar - begin - length + 2);
    return columns + page->bar + 2;
}

/* With -v: the interval, details, witness and lines of a cause. */
static void append_evidence(struct page *page, const struct cause_row *row, int indent)
{
    const char *const interval = row->text[INTERVAL], *const share = row->text[SHARE];
    struct text words = {0};
    if (interval) text_format(&words, "interval %s", interval);
    if (interval && share) text_format(&words, ", %s of the change", share);
    if (words.length)
        terminal_paragraph(&page->text, page->screen, STYLE_FAINT, indent, "", text_string(&words));
    text_free_piece(&words, &page->text);
    for (int i = DETAILS; i <= WITNESS; i++)
        if (row->text[i])
            terminal_paragraph(&page->text, page->screen, STYLE_FAINT, indent, "", row->text[i]);
}

static void append_row(struct page *page, const struct cause_row *row)
{
    struct text label = {0}, title = {0};
    const int indent = append_bar(page, &label, row);
    text_append(&title, row->text[CAUSE] ? row->text[CAUSE] : "");
    if (row->text[NOTE]) text_format(&title, " (%s)", row->text[NOTE]);
    const enum terminal_style style = !is_sure(row) ? STYLE_FAINT
                                      : (row->part >= 0) == (change_of(page->pair) >= 0)
                                          ? STYLE_GOOD
                                          : STYLE_HOT;
    terminal_paragraph(&page->text, page->screen, style, indent, text_string(&label),
                       text_string(&title));
    if (page->all) append_evidence(page, row, indent);
    text_free_piece(&title, &page->text);
    text_free_piece(&label, &page->text);
}

static void append_rows(struct page *page)
{
    struct text words = {0};
    text_format(&words, "change, %s", text_times_unit(&page->times));
    terminal_blanks(&words, 1);
    const int indent = NUMBER_WIDTH + 1;
    terminal_blanks(&words, page->bar + 2);
    terminal_paragraph(&page->text, page->screen, STYLE_HEADING, indent + page->bar + 2,
                       text_string(&words), "cause, saved (\xE2\x88\x92) or lost (+)");
    text_free_piece(&words, &page->text);
    for (int i = 0; i < page->count; i++) append_row(page, &page->row[i]);
    append_number(page, &words, change_of(page->pair), "");
    terminal_paragraph(&page->text, page->screen, STYLE_HEADING, indent, text_string(&words),
                       "in all");
    text_free_piece(&words, &page->text);
}

/* The lines at which the significant causes happen. */
static void append_places(struct page *page)
{
    struct text words = {0};
    int found = 0;
    for (int i = 0; i < page->count; i++) {
        char *const *text = page->row[i].text;
        if (!text[PLACE]) continue;
        text_append(&page->text, found++ ? "" : "\nLines with most of a cause\n");
        text_format(&words, "%s: %s", text[PLACE], text[CAUSE]);
        append_paragraph(page, STYLE_PLAIN, 2, &words);
    }
}

static void append_table(struct page *page, const char *head, struct print_table *table)
{
    struct text words = {0};
    if (table->count) {
        text_append(&page->text, "\n");
        text_append(&words, head);
        append_paragraph(page, STYLE_PLAIN, 0, &words);
    }
    print_table_append(&page->text, table, page->screen);
    print_table_free(table);
}

/* The words of a bound, and the time that they say first. */
struct bound {
    struct text *text;
    double gain_ns;
};

static int take_bound(void *context, const struct scope *row)
{
    struct bound *bound = context;
    if (row->value[0]) text_append(bound->text, row->value[0]);
    bound->gain_ns = row_number(row, 1);
    return 0;
}

/* How far the point is from what the hardware allows if that is known, else whether DRAM limits. */
static int append_bound(struct bound *bound, const struct side *side)
{
    static const char sql[] =
        "SELECT CASE WHEN time_ns > least_time_ns THEN printf(': at most %s, for the hardware "
        "needs %s', time_text(time_ns - least_time_ns), time_text(least_time_ns)) || "
        "iif(least_time_ns > 1.001 * useful_bytes / dram_peak_gbs AND sm_clock_mhz > 0, "
        "printf(' at %.0f MHz', sm_clock_mhz), '') WHEN least_time_ns IS NULL AND demand_dram_ns "
        ">= " LIMIT_OF_UNITS " * time_ns THEN printf(': DRAM, busy %.0f %% of the time, limits "
        "it', 100 * demand_dram_ns / time_ns) END, time_ns - least_time_ns FROM metrics WHERE "
        "family || '/' || variant = :name AND size = :size AND best = 1 LIMIT 1";
    const struct scope scope =
        SCOPE_OF(STRINGS("name", "size"), STRINGS(side->name, side->fact[SIZE]));
    return query_each(side->query, NULL, sql, &scope, take_bound, bound);
}

/* Appends the words that a statement finds, if it finds any. */
static int append_found(struct page *page, const char *sql, const struct scope *scope, int indent)
{
    char *words = NULL;
    const int result = query_text(page->pair->after.query, NULL, sql, scope, &words);
    if (words && !indent) text_append(&page->text, "\n");
    if (words)
        terminal_paragraph(&page->text, page->screen, STYLE_PLAIN, indent, indent ? "  " : "",
                           words);
    free(words);
    return result;
}

/* Where the cost of both at once is used: why. */
static int append_joint(struct page *page)
{
    static const char sql[] =
        "SELECT means FROM cause WHERE cause = 'barriers_conflicts' AND "
        "EXISTS (SELECT 1 FROM used_knockouts WHERE knockout = 'barriers_conflicts')";
    return append_found(page, sql, NULL, 2);
}

/* Where knock-outs were measured at another size alone: at which. */
static int append_other_size(struct page *page, struct explain_pair *pair)
{
    static const char sql[] =
        "SELECT 'Knock-outs of this step were measured at ' || size || ' (--size shows them).' "
        "FROM knockouts JOIN sizes USING (family, size) WHERE family = :family AND variant IN "
        "(:before, :after) AND size <> :size AND status = 'ok' AND knockout <> 'nothing' "
        "ORDER BY place LIMIT 1";
    const struct side *before = &pair->before, *after = &pair->after;
    const struct scope scope = SCOPE_OF(STRINGS("family", "before", "after", "size"),
                                        STRINGS(after->fact[FAMILY], before->fact[VARIANT],
                                                after->fact[VARIANT], after->fact[SIZE]));
    if (before->query != after->query || strcmp(before->fact[FAMILY], after->fact[FAMILY]))
        return 0;
    return append_found(page, sql, &scope, 0);
}

static int append_tables(struct page *page, struct explain_pair *pair)
{
    struct print_table experiments, remains = {0};
    struct text head = {0}, unmeasured = {0};
    struct bound bound = {&head, 0};
    int result = explain_pair_experiments(pair, &experiments);
    if (!result) result = explain_pair_remains(pair, &remains, 1);
    if (!result && !experiments.count) result = append_other_size(page, pair);
    text_format(&head, "Still to be gained from %s", pair->after.name);
    if (!result) result = append_bound(&bound, &pair->after);
    remains.above_ns = bound.gain_ns;
    append_table(page,
                 "What copies without one cost save. Costs overlap, so they do not add up. A "
                 "measured change between half and twice the inferred one confirms it",
                 &experiments);
    if (!result) result = append_joint(page);
    if (!result) result = explain_pair_unmeasured(&pair->before, NULL, &unmeasured);
    if (!result && strcmp(pair->before.name, pair->after.name))
        result = explain_pair_unmeasured(&pair->after, NULL, &unmeasured);
    if (unmeasured.length) {
        text_append(&page->text, "\n");
        append_paragraph(page, STYLE_PLAIN, 0, &unmeasured);
    }
    append_table(page, text_string(&head), &remains);
    text_free_piece(&head, &page->text);
    return result;
}

static void append_runs(struct page *page, int recorded)
{
    const struct run *first = page->pair->before.query->run, *second = page->pair->after.query->run;
    struct text words = {0};
    text_append(&page->text, "\n");
    recorded_describe(&words, first, recorded);
    append_paragraph(page, STYLE_PLAIN, 0, &words);
    if (!strcmp(first->path, second->path)) return;
    recorded_describe(&words, second, 0);
    append_paragraph(page, STYLE_PLAIN, 0, &words);
}

int explain_pair_print(struct explain_pair *pair, int recorded, int all)
{
    const struct terminal screen = terminal_of_stdout();
    struct page page = {.screen = &screen, .pair = pair, .all = all};
    const struct scope scope = SCOPE_OF(STRINGS("sign", "all"),
                                        STRINGS(change_of(pair) >= 0 ? "+" : "-", all ? "1" : "0"));
    int result = metric_words_make(pair->after.query, &pair->records);
    if (!result)
        result = query_each(pair->after.query, NULL, explain_pair_sql, &scope, keep_row, &page);
    if (!result) {
        measure_bars(&page);
        append_head(&page);
        append_rows(&page);
        append_places(&page);
        result = append_tables(&page, pair);
    }
    if (!result) append_runs(&page, recorded);
    free_rows(&page);
    return page_print(stdout, &page.text, result);
}

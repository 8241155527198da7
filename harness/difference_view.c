#include "difference_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "difference.h"
#include "message.h"
#include "recorded.h"
#include "screen.h"

#define IN_ORDER " FROM difference ORDER BY cause = 'residual', abs(saved_ns) DESC"

/* ---- as JSON and CSV -------------------------------------------------------------------------------------------------------------------------- */

static int print_json(struct difference *difference)
{
    struct side *before = &difference->before, *after = &difference->after;
    static const char sql[] =
        "SELECT json_object('before', json_object('run', :run_a, 'variant', :name_a, 'size', :size, 'block', CAST(:block_a AS INTEGER), 'sweep', CAST(:sweep_a AS INTEGER), 'time_ns',"
        " CAST(:time_a AS REAL)), 'after', json_object('run', :run_b, 'variant', :name_b, 'size', :size, 'block', CAST(:block_b AS INTEGER), 'sweep', CAST(:sweep_b AS INTEGER), 'time_ns',"
        " CAST(:time_b AS REAL)), 'speedup', CAST(:ratio AS REAL), 'low', CAST(:low AS REAL), 'high', CAST(:high AS REAL), 'floor_pct', CAST(:floor AS REAL), 'evidence', :word,"
        " 'causes', (SELECT json_group_array(json_object('cause', cause, 'title', title, 'before_ns', before_ns, 'after_ns', after_ns, 'saved_ns', saved_ns, 'low_ns', low_ns, 'high_ns',"
        " high_ns, 'share_pct', share_pct, 'status', status, 'witness', witness, 'witness_before', witness_before, 'witness_after', witness_after)) FROM (SELECT *" IN_ORDER ")))";
    static const char *const name[] = {"run_a", "run_b", "name_a", "name_b", "size", "block_a", "block_b", "sweep_a", "sweep_b", "time_a", "time_b", "ratio", "low", "high", "floor", "word"};
    char number[4][32], *json = NULL;
    const double value[4] = {difference->ratio, difference->low, difference->high, difference->floor_pct};
    for (int i = 0; i < 4; i++) snprintf(number[i], sizeof number[i], "%.9g", value[i]);
    const char *const values[] = {before->query.run->path, after->query.run->path, before->name, after->name, before->fact[SIZE], before->fact[BLOCK], after->fact[BLOCK],
                                  before->fact[SWEEP], after->fact[SWEEP], before->fact[TIME], after->fact[TIME], number[0], isfinite(value[1]) ? number[1] : NULL,
                                  isfinite(value[2]) ? number[2] : NULL, isfinite(value[3]) ? number[3] : NULL, difference->evidence};
    const struct scope scope = {NULL, sizeof name / sizeof *name, name, values};
    const int result = query_text(&after->query, NULL, sql, &scope, &json);
    if (!result) printf("%s\n", json ? json : "null");
    free(json);
    return result;
}

static int print_csv(struct difference *difference)
{
    static const char sql[] = "SELECT :name_a AS before, :name_b AS after, :size AS size, cause, before_ns, after_ns, saved_ns, low_ns, high_ns, share_pct, status, witness, witness_before,"
                              " witness_after" IN_ORDER;
    const char *const name[] = {"name_a", "name_b", "size"}, *const value[] = {difference->before.name, difference->after.name, difference->before.fact[SIZE]};
    const struct scope scope = {NULL, 3, name, value};
    return query_csv(&difference->after.query, NULL, sql, &scope, stdout);
}

/* ---- on the screen ------------------------------------------------------------------------------------------------------------------------------ */

struct page {
    struct text text;
    const struct screen *screen;
};

enum { SAVED, SHARE, STATUS, CAUSE, INTERVAL, LEVELS, WITNESS };

/* One cause: what it saved, its share and its name; below, where there is room for it, how sure that is and what shows it. */
static int add_row(void *context, const struct scope *row)
{
    struct page *page = context;
    const char *status = row->value[STATUS];
    const int sure = !strcmp(status, "resolved");
    screen_style(&page->text, page->screen, sure ? STYLE_PLAIN : STYLE_FAINT);
    text_format(&page->text, "%12s %8s  %s", row->value[SAVED], row->value[SHARE], row->value[CAUSE]);
    if (!sure) text_format(&page->text, " (%s)", status);
    screen_style(&page->text, page->screen, STYLE_PLAIN);
    text_append(&page->text, "\n");
    screen_style(&page->text, page->screen, STYLE_FAINT);
    text_format(&page->text, "%23s%s%s", "", row->value[LEVELS] ? row->value[LEVELS] : "", row->value[INTERVAL] ? row->value[INTERVAL] : "");
    if (row->value[WITNESS]) text_format(&page->text, "\n%23s%s", "", row->value[WITNESS]);
    screen_style(&page->text, page->screen, STYLE_PLAIN);
    text_append(&page->text, "\n");
    return 0;
}

static void append_number(struct text *text, double value, const char *unit)
{
    query_append_human(text, value);
    text_append(text, unit);
}

static void append_head(struct page *page, const struct difference *difference)
{
    const struct side *before = &difference->before, *after = &difference->after;
    struct text *text = &page->text;
    const double a = side_number(before, TIME), b = side_number(after, TIME);
    screen_style(text, page->screen, STYLE_HEADING);
    text_format(text, "%s -> %s, %s\n", before->name, after->name, before->fact[SIZE]);
    screen_style(text, page->screen, STYLE_PLAIN);
    text_format(text, "  %s -> %s\n  ", before->fact[TITLE], after->fact[TITLE]);
    append_number(text, round(a / 10) / 100, " us -> ");
    append_number(text, round(b / 10) / 100, " us: ");
    text_format(text, "%.3f times as fast", difference->ratio);
    if (isfinite(difference->low)) text_format(text, " [%.3f to %.3f]", difference->low, difference->high);
    if (isfinite(difference->floor_pct)) text_format(text, ", noise floor %.2f %%", difference->floor_pct);
    text_format(text, ": %s\n", difference->evidence);
    text_format(text, "  what the %.2f us %s are put down to; below 0 stands against it:\n\n%12s %8s\n", fabs(a - b) / 1e3, a >= b ? "saved" : "lost", a >= b ? "saved, us" : "lost, us", "share");
}

static int print_text(struct difference *difference)
{
    /* A loss reads as one: its rows count what was lost. */
    static const char sql[] =
        "SELECT printf('%.2f', CASE WHEN :sign = '-' THEN -saved_ns ELSE saved_ns END / 1e3), printf('%.1f %%', share_pct), status, title,"
        " CASE WHEN low_ns IS NOT NULL THEN printf('95 %% interval of the change %.2f to %.2f', min(low_ns * s, high_ns * s) / 1e3, max(low_ns * s, high_ns * s) / 1e3) END,"
        " CASE WHEN before_ns IS NOT NULL THEN printf('%.2f -> %.2f us, ', before_ns / 1e3, after_ns / 1e3) END,"
        " CASE WHEN witness_before IS NOT NULL AND witness_after IS NOT NULL THEN witness || ' ' || human(witness_before) || ' -> ' || human(witness_after) END"
        " FROM (SELECT *, CASE WHEN :sign = '-' THEN -1 ELSE 1 END AS s FROM difference) ORDER BY cause = 'residual', abs(saved_ns) DESC";
    const struct screen screen = screen_of_stdout();
    struct page page = {.screen = &screen};
    const char *const name[] = {"sign"}, *const value[] = {difference->ratio >= 1 ? "+" : "-"};
    const struct scope scope = {NULL, 1, name, value};
    append_head(&page, difference);
    int result = query_each(&difference->after.query, NULL, sql, &scope, add_row, &page);
    if (!result && page.text.failed) result = error_memory();
    if (!result) fputs(text_string(&page.text), stdout);
    text_free(&page.text);
    return result;
}

/* ---- the command ------------------------------------------------------------------------------------------------------------------------------ */

static int print(const struct run *first, const struct run *second, const char *before, const char *after, const struct arguments *arguments)
{
    struct difference difference;
    int result = difference_open(&difference, first, second, before, after, arguments->size_count ? arguments->size[0] : NULL);
    if (!result) result = arguments->json ? print_json(&difference) : arguments->csv ? print_csv(&difference) : print_text(&difference);
    difference_close(&difference);
    return result;
}

/* How many of the first operands are runs: names of variants begin with their family. */
static int leading_runs(const struct arguments *arguments)
{
    int runs = 0;
    for (; runs < arguments->positional_count && runs < 2; runs++) {
        const char *word = arguments->positional[runs];
        char *facts = text_new("%s/run.txt", word);
        const int is_run = facts && access(facts, F_OK) == 0;
        free(facts);
        if (!is_run && !strchr("/.", word[0])) break;
    }
    return runs;
}

int difference_run(const struct arguments *arguments)
{
    struct run first, second;
    const int runs = leading_runs(arguments), words = arguments->positional_count - runs;
    const char *const *word = arguments->positional + runs;
    if (arguments->size_count > 1) return error(FAIL_USAGE, "explain: expected one size");
    if (arguments->csv && arguments->json) return error(FAIL_USAGE, "explain: --csv or --json, not both");
    if (runs == 2 ? words < 1 || words > 2 : words != 2) return error(FAIL_USAGE, "explain: expected a run; or two variants, after a run or without one; or two runs and a variant");
    char *path = runs ? strdup(arguments->positional[0]) : recorded_newest();
    int result = path ? run_open(&first, path) : runs ? error_memory() : FAIL_GPU;
    free(path);
    if (result) return result;
    if (runs < 2) {
        result = print(&first, &first, word[0], word[1], arguments);
    } else {
        result = run_open(&second, arguments->positional[1]);
        if (!result) result = print(&first, &second, word[0], word[words - 1], arguments);
        if (!result || second.path) run_close(&second);
    }
    run_close(&first);
    return result;
}

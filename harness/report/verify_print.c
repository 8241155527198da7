#include "report/verify_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "report/compare_print.h"
#include "report/compare_print.sql.h"
#include "run/recorded_runs.h"

/* Times and ratios are those of `explain`: a speed-up above 1 is a faster candidate. */
static const struct print_column point_columns[] = {
    {.name = "before"},
    {.name = "after"},
    {.name = "size"},
    {.name = "verdict"},
    {.name = "speedup", .head = "times as fast", .kind = PRINT_NUMBER, .digits = 3},
    {.name = "speedup_interval", .head = "95 % interval", .kind = PRINT_RIGHT, .is_shown_only = 1},
    {.name = "low", .kind = PRINT_NUMBER},
    {.name = "high", .kind = PRINT_NUMBER},
    {.name = "floor_pct", .head = "floor %", .kind = PRINT_NUMBER, .digits = 2},
    {.name = "before_ns", .head = "before", .kind = PRINT_TIME},
    {.name = "after_ns", .head = "after", .kind = PRINT_TIME},
    {.name = "machine_code"},
    {.name = "reason"},
    {.name = "reason_code"},
    {.name = "words", .head = "", .place = PRINT_WORDS, .is_shown_only = 1},
};

static const struct print_column guard_columns[] = {
    {.name = "guard", .head = "condition"},
    {.name = "state", .head = "state"},
    {.name = "words", .head = "", .place = PRINT_PATHS},
};

void verified_make(struct verified *verified)
{
    *verified = (struct verified){.points = {.name = "points", PRINT_COLUMNS_OF(point_columns)},
                                  .guards = {.name = "guards", PRINT_COLUMNS_OF(guard_columns)}};
}

void verified_free(struct verified *verified)
{
    print_table_free(&verified->points);
    print_table_free(&verified->guards);
    text_free(&verified->unexplained);
    free(verified->sentence);
}

int verified_take(struct verified *verified, struct run_comparison *comparison, int all)
{
    static const char guards[] =
        "SELECT * FROM guard WHERE :all OR state <> 'holds' ORDER BY place";
    const struct scope scope = SCOPE_OF(STRINGS("all"), STRINGS(all ? "1" : NULL));
    struct text summary = {0};
    int result = compare_decision(comparison, "inputs sizes device", &verified->decision,
                                  &verified->sentence);
    if (!result) result = query_write(&comparison->query, "%s", compare_print_sql);
    char *points =
        text_new("SELECT * FROM verified WHERE :all OR is_news ORDER BY %s", compare_order);
    if (!result && !points) result = error_memory();
    if (!result) result = query_print_rows(&comparison->query, points, &scope, &verified->points);
    if (!result) result = query_print_rows(&comparison->query, guards, &scope, &verified->guards);
    free(points);
    if (result || (verified->sentence && verified->decision == DECISION_NOT_COMPARABLE))
        return result;
    free(verified->sentence); /* wrong, and besides not comparable */
    if (verified->decision == DECISION_NOT_COMPARABLE)
        text_format(&summary, "no point was measured %sin both runs",
                    comparison->count[COMPARE_NOT_MEASURED] ? "often enough " : "");
    else
        compare_append_summary(&summary, comparison);
    verified->sentence = summary.data;
    return 0;
}

void verified_point(struct verified *verified, const struct verified_point *point)
{
    struct print_table *table = &verified->points;
    const struct explain_ratio *ratio = &point->ratio;
    char interval[64], words[512];
    snprintf(interval, sizeof interval, "%.3f to %.3f", ratio->low, ratio->high);
    print_table_text(table, point->before);
    print_table_text(table, point->after);
    print_table_text(table, NULL); /* of a program, the size is unknown */
    print_table_text(table, point->verdict);
    print_table_number(table, ratio->ratio);
    print_table_text(table, isfinite(ratio->low) && isfinite(ratio->high) ? interval : NULL);
    print_table_number(table, ratio->low);
    print_table_number(table, ratio->high);
    print_table_number(table, ratio->floor_pct);
    print_table_number(table, point->before_ns);
    print_table_number(table, point->after_ns);
    print_table_text(table, point->machine_code);
    print_table_text(table, NULL);
    print_table_text(table, !isfinite(ratio->low)         ? "few_samples"
                            : !isfinite(ratio->floor_pct) ? "no_floor"
                                                          : NULL);
    snprintf(words, sizeof words, "%s: %s -> %s", point->verdict, point->before, point->after);
    print_table_text(table, words);
}

void verified_refuse(struct verified *verified)
{
    const int is_alike = verified->decision == DECISION_NO_EVIDENCE;
    verified->code = is_alike                               ? "no_evidence"
                     : verified->decision == DECISION_WRONG ? "wrong"
                                                            : "not_comparable";
    text_format(&verified->unexplained,
                is_alike ? "there is %s of a change" : "the candidate is %s",
                decision_words[verified->decision]);
}

void verified_guard(struct verified *verified, const char *guard, const char *state,
                    const char *words)
{
    print_table_text(&verified->guards, guard);
    print_table_text(&verified->guards, state);
    print_table_text(&verified->guards, words);
}

static int write_json(struct verified *verified)
{
    struct json_writer writer;
    json_begin(&writer, stdout, "verify/2");
    json_text(&writer, "verdict", decision_words[verified->decision]);
    json_number(&writer, "exit_code", -decision_failure(verified->decision, 0));
    json_text(&writer, "sentence", verified->sentence);
    print_table_rows(&writer, &verified->points);
    print_table_rows(&writer, &verified->guards);
    if (verified->pair) {
        json_text(&writer, "unexplained", NULL);
    } else {
        json_open(&writer, "unexplained", '{');
        json_text(&writer, "code", verified->code);
        json_text(&writer, "words", text_string(&verified->unexplained));
        json_close(&writer, '}');
    }
    int result = 0;
    if (verified->pair)
        result = explain_pair_write(verified->pair, &writer, "explanation");
    else
        json_text(&writer, "explanation", NULL);
    json_end(&writer);
    return result;
}

/* Appends which runs were compared, one that is compared with itself once. */
static void append_runs(struct text *page, const struct verified *verified,
                        const struct terminal *screen)
{
    for (int i = 0; i < 2 && verified->run[i]; i++) {
        struct text words = {0};
        if (i && !strcmp(verified->run[0]->path, verified->run[1]->path)) return;
        if (!i) text_append(page, "\n");
        recorded_describe(&words, verified->run[i], 0);
        terminal_paragraph(page, screen, STYLE_PLAIN, 0, "", text_string(&words));
        text_free_piece(&words, page);
    }
}

static int print_screen(struct verified *verified, int all)
{
    const struct terminal screen = terminal_of_stdout();
    struct text page = {0};
    terminal_line(&page, "%s: %s", decision_words[verified->decision], verified->sentence);
    if (verified->decision != DECISION_NOT_COMPARABLE) {
        if (verified->points.count) text_append(&page, "\n");
        print_table_append(&page, &verified->points, &screen);
    }
    if (verified->guards.count) text_append(&page, "\n");
    print_table_append(&page, &verified->guards, &screen);
    text_append(&page, "\n");
    if (!verified->pair && verified->unexplained.length)
        terminal_line(&page, "No causes are given: %s.", text_string(&verified->unexplained));
    if (!verified->pair) append_runs(&page, verified, &screen);
    const int result = page_print(stdout, &page, 0);
    return result || !verified->pair ? result : explain_pair_print(verified->pair, 0, all);
}

int verified_print(struct verified *verified, enum print_form form, int all)
{
    if (!verified->sentence || verified->points.failed || verified->guards.failed ||
        verified->unexplained.failed)
        return error_memory();
    return form == PRINT_AS_JSON  ? write_json(verified)
           : form == PRINT_AS_CSV ? print_table_csv(&verified->points, stdout)
                                  : print_screen(verified, all);
}

/*
 * Writes the sentences of lines/lines_tables.h, as functions of SQL: what bank conflicts cost, and
 * whether the three counts of them agree.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lines/line_columns.h"
#include "lines/lines_tables.h"
#include "query/number_texts.h"

/* NAN for NULL. */
static double number(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_NULL ? NAN : sqlite3_value_double(value);
}

static const char *words(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    return text ? text : "";
}

/* Returns the text to SQLite, NULL if it is empty, and frees it. */
static void give(sqlite3_context *context, struct text *text)
{
    if (text->failed)
        sqlite3_result_error_nomem(context);
    else if (text->length)
        sqlite3_result_text(context, text_string(text), -1, SQLITE_TRANSIENT);
    text_free(text);
}

/* The reason in a status: without its "absent: ". */
static const char *reason_of(const char *status)
{
    static const char absent[] = "absent: ";
    return strncmp(status, absent, strlen(absent)) ? status : status + strlen(absent);
}

static void append_percent(struct text *text, double percent)
{
    if (percent > 0 && percent < 0.01)
        text_append(text, "less than 0.01 %");
    else
        text_format(text, "%.*f %%", percent < 0.995 ? 2 : 1, percent);
}

/* ---- the cost of conflicts ------------------------------------------------------------------- */

struct cost {
    double excess, wavefronts;
    double pipe_pct, waiting_pct, sample_pct;
    double lines;    /* of a kernel that have conflicts; NAN for a line */
    double launches; /* of the point, which share its clean time */
    const char *counts_status, *samples_status;
};

static void append_waiting(struct text *text, const struct cost *cost)
{
    if (!isfinite(cost->waiting_pct) || !isfinite(cost->sample_pct)) {
        text_format(text, "; the waits for them are unknown: %s", reason_of(cost->samples_status));
        return;
    }
    text_append(text, "; of the kernel's stall samples, ");
    append_percent(text, cost->sample_pct);
    if (isnan(cost->lines))
        text_append(text, " are here, and ");
    else if (cost->lines < 2)
        text_append(text, " are on the line with conflicts, and ");
    else
        text_format(text, " are on the %.0f lines with conflicts, and ", cost->lines);
    append_percent(text, cost->waiting_pct);
    text_format(text, " wait %s for shared memory", isnan(cost->lines) ? "here" : "there");
}

static void append_cost(struct text *text, const struct cost *cost)
{
    number_text_append(text, cost->excess);
    text_append(text, cost->excess == 1 ? " excess wavefront" : " excess wavefronts");
    if (isfinite(cost->pipe_pct)) {
        text_append(text, cost->excess == 1 ? " takes " : " take ");
        append_percent(text, cost->pipe_pct);
        text_append(text, " of the cycles of the shared-memory pipe");
        if (cost->launches > 1) text_format(text, " over all %.0f launches", cost->launches);
    } else {
        text_append(text, ", an unknown share of the cycles of the shared-memory pipe: the run has "
                          "no clean time of the point");
    }
    append_waiting(text, cost);
    if (cost->pipe_pct < COST_PIPE_PCT && cost->waiting_pct < COST_WAITING_PCT) /* false for NAN */
        text_format(text,
                    ". These conflicts have no visible cost: their cycles and their waits are "
                    "each below %g %%",
                    fmax(COST_PIPE_PCT, COST_WAITING_PCT));
    text_append(text, ".");
}

/* conflict_cost(excess, wavefronts, pipe_pct, waiting_pct, sample_pct, lines, launches,
 * counts_status, samples_status) */
static void conflict_cost(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct cost cost = {number(arguments[0]), number(arguments[1]), number(arguments[2]),
                              number(arguments[3]), number(arguments[4]), number(arguments[5]),
                              number(arguments[6]), words(arguments[7]),  words(arguments[8])};
    const int is_kernel = isfinite(cost.lines);
    struct text text = {0};
    (void)count;
    if (cost.excess > 0) {
        append_cost(&text, &cost);
    } else if (is_kernel && strcmp(cost.counts_status, "ok")) {
        text_format(&text, "The cost of bank conflicts is unknown: %s.",
                    reason_of(cost.counts_status));
    } else if (is_kernel && isnan(cost.wavefronts)) {
        text_append(&text, "No instruction accesses shared memory.");
    } else if (is_kernel) {
        text_append(&text, "The kernel has no bank conflicts: its ");
        number_text_append(&text, cost.wavefronts);
        text_append(&text, " shared-memory wavefronts are no more than the accesses need.");
    }
    give(context, &text);
}

/* ---- three counts of conflicts --------------------------------------------------------------- */

struct views {
    double hardware, arbitration; /* of all that uses the data stage */
    double excess;                /* of all instructions */
    double wavefronts;
    double closed_form; /* of loads, ldmatrix among them, and stores */
    double others;      /* excess of other instructions; NAN if they cannot be told apart */
    double atomics;     /* the parts of it of atomics and of asynchronous copies */
    double copies;
};

static struct views views_of(sqlite3_value **arguments)
{
    return (struct views){number(arguments[0]), number(arguments[1]), number(arguments[2]),
                          number(arguments[3]), number(arguments[4]), number(arguments[5]),
                          number(arguments[6]), number(arguments[7])};
}

/* The difference in % of the wavefronts; NAN if a number is unknown, 0 if both are equal. */
static double apart(double a, double b, double wavefronts)
{
    return a == b ? 0 : 100 * (a - b) / wavefronts;
}

/* Returns 1 if there is a count of loads and stores alone. */
static int form_is_comparable(const struct views *views)
{
    return isfinite(views->closed_form) && isfinite(views->excess - views->others);
}

static int form_differs(const struct views *views)
{
    return fabs(apart(views->closed_form, views->excess - views->others, views->wavefronts)) >
           VIEWS_FORM_PCT;
}

/* By how much the wavefronts of asynchronous copies may differ, in % of all: the hardware writes
 * words together that arrive together from several cache lines, so its count depends on their
 * timing; the count by instruction depends on their addresses alone. */
static double copies_pct(const struct views *views)
{
    return views->copies > 0 ? apart(VIEWS_COPIES_PCT / 100 * views->copies, 0, views->wavefronts)
                             : 0;
}

static int hardware_is_low(const struct views *views)
{
    return apart(views->hardware, views->excess, views->wavefronts) <
           -VIEWS_FORM_PCT - copies_pct(views);
}

/* How far the hardware counter may be above the excess, in % of the wavefronts. It and the counter
 * of arbitration are read in passes of their own. Lost arbitration is a chance event, so that two
 * counts of it differ by the square root of their sum: three of these standard deviations are
 * allowed. */
static double most_arbitration(const struct views *views)
{
    if (!isfinite(views->arbitration)) return VIEWS_ARBITRATION_PCT;
    const double lost = fmax(views->hardware - views->excess, 0),
                 scatter = 3 * sqrt(lost + fmax(views->arbitration, 0));
    return apart(views->arbitration + scatter, 0, views->wavefronts) + VIEWS_FORM_PCT;
}

static int hardware_is_high(const struct views *views)
{
    return apart(views->hardware, views->excess, views->wavefronts) >
           most_arbitration(views) + copies_pct(views);
}

static int agree(const struct views *views)
{
    return !form_differs(views) && !hardware_is_low(views) && !hardware_is_high(views);
}

/* Without machine code the parts of asynchronous copies are unknown. */
static int is_untold(const struct views *views)
{
    return isnan(views->copies) && isfinite(views->excess) &&
           (isfinite(views->hardware) || form_is_comparable(views));
}

static int is_comparable(const struct views *views)
{
    return isfinite(views->excess) && !is_untold(views) &&
           (isfinite(views->hardware) || form_is_comparable(views));
}

static void append_view(struct text *text, const char *name, double value, const char *unknown)
{
    text_format(text, "%s%s ", text->length ? ", " : "", name);
    if (isfinite(value))
        number_text_append(text, value);
    else
        text_append(text, unknown);
}

static void append_judgement(struct text *text, const struct views *views)
{
    const double more = apart(views->hardware, views->excess, views->wavefronts);
    const int known = is_comparable(views);
    text_append(text, is_untold(views) ? ": they cannot be compared, because the instructions that "
                                         "copy cannot be told from others"
                      : !known         ? ": there is nothing to compare it with"
                      : agree(views)   ? ": they agree"
                                       : ": they DISAGREE");
    if (!known) return;
    if (form_differs(views))
        text_append(text, "; the closed form differs from the count by instruction");
    if (hardware_is_low(views))
        text_append(text, "; the hardware counter is below what the addresses need");
    if (hardware_is_high(views)) {
        text_format(text,
                    "; the hardware counter is higher by %.1f %% of the wavefronts, more than "
                    "arbitration takes (",
                    more);
        append_percent(text, most_arbitration(views));
        text_append(text, ")");
    } else if (known && agree(views) &&
               (more > most_arbitration(views) || more < -VIEWS_FORM_PCT)) {
        text_format(text, "; the hardware counter is %s by ", more > 0 ? "higher" : "lower");
        append_percent(text, fabs(more));
        text_append(text, " of the wavefronts, because it counts the words of asynchronous copies "
                          "as they arrive, several at a time or one by one");
    } else if (agree(views) && more > 0) {
        text_append(text, " but for arbitration, which the hardware counter alone includes: ");
        append_percent(text, more);
        text_append(text, " of the wavefronts");
    }
}

/* conflict_views(hw_conflicts, arbitration, excess, wavefronts, closed_form, other_excess,
 * atomic_excess, async_excess) */
static void conflict_views(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct views views = views_of(arguments);
    struct text text = {0};
    (void)count;
    if (isnan(views.excess)) return;
    append_view(&text, "hardware counter", views.hardware, "unknown");
    append_view(&text, "by instruction", views.excess, "");
    append_view(&text, views.others > 0 ? "closed form of loads and stores" : "closed form",
                views.closed_form, "none");
    append_judgement(&text, &views);
    text_append(&text, ".");
    if (views.others > 0) {
        text_append(&text, " Instructions other than loads and stores have ");
        number_text_append(&text, views.others);
        text_append(&text, " of these.");
    }
    if (views.atomics > 0) {
        text_append(&text, " Atomics have ");
        number_text_append(&text, views.atomics);
        text_append(&text,
                    ": their lanes also wait for one another at one word, which is not a bank "
                    "conflict (same_word_wavefronts).");
    }
    if (views.copies > 0) {
        text_append(&text, " Asynchronous copies have ");
        number_text_append(&text, views.copies);
        text_append(&text, ": their words also wait for those of other cache lines, which is not "
                           "a bank conflict (line_wavefronts).");
    }
    give(context, &text);
}

/* conflict_views_agree(the same): 1 or 0, NULL if there is nothing to compare. */
static void conflict_views_agree(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct views views = views_of(arguments);
    (void)count;
    if (!is_comparable(&views)) return;
    sqlite3_result_int(context, agree(&views));
}

/* ratio_words(x) and percent_words(x), as the columns of lines are written. */
static void give_number(sqlite3_context *context, sqlite3_value *value, enum line_format format)
{
    struct text text = {0};
    line_column_append(&text, &(struct line_metric){.format = format},
                       (const char *)sqlite3_value_text(value));
    give(context, &text);
}

static void ratio_words(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    give_number(context, arguments[0], LINE_RATIO);
}

static void percent_words(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    give_number(context, arguments[0], LINE_PERCENT);
}

int conflict_sentences_add(struct query *query)
{
    static const struct {
        const char *name;
        int arguments;
        query_function *function;
    } functions[] = {{"conflict_cost", 9, conflict_cost},
                     {"conflict_views", 8, conflict_views},
                     {"conflict_views_agree", 8, conflict_views_agree},
                     {"ratio_words", 1, ratio_words},
                     {"percent_words", 1, percent_words}};
    int status = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && status == SQLITE_OK; i++)
        status = query_add_function(query, functions[i].name, functions[i].arguments,
                                    functions[i].function);
    return status;
}

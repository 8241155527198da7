/*
 * What the tables about lines say in sentences: what bank conflicts cost, and whether the three
 * views of them agree. Functions of SQL, for the views of lines/lines_tables.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lines/lines_tables.h"

/* NULL is NAN. */
static double number(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_NULL ? NAN : sqlite3_value_double(value);
}

static const char *words(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    return text ? text : "";
}

/* Gives the text to SQLite and frees it; NULL for an empty one. */
static void give(sqlite3_context *context, struct text *text)
{
    if (text->failed)
        sqlite3_result_error_nomem(context);
    else if (text->length)
        sqlite3_result_text(context, text_string(text), -1, SQLITE_TRANSIENT);
    text_free(text);
}

/* Why something is absent: a status without its "absent: ". */
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

/* ---- what conflicts cost --------------------------------------------------------------------- */

struct cost {
    double excess, wavefronts;
    double pipe_pct, waiting_pct, sample_pct;
    double lines;    /* with conflicts, of a kernel; NAN for a line */
    double launches; /* of the point: its clean time is theirs together */
    const char *counts_status, *samples_status;
};

static void append_waiting(struct text *text, const struct cost *cost)
{
    if (!isfinite(cost->waiting_pct) || !isfinite(cost->sample_pct)) {
        text_format(text, "; where warps wait for them is not known: %s",
                    reason_of(cost->samples_status));
        return;
    }
    text_append(text, "; ");
    append_percent(text, cost->sample_pct);
    if (isnan(cost->lines))
        text_append(text, " of the kernel's stall samples are here, ");
    else if (cost->lines < 2)
        text_append(text, " of the stall samples are on the line with conflicts, ");
    else
        text_format(text, " of the stall samples are on the %.0f lines with conflicts, ",
                    cost->lines);
    append_percent(text, cost->waiting_pct);
    text_append(text, " waiting for shared memory");
}

static void append_cost(struct text *text, const struct cost *cost)
{
    query_append_human(text, cost->excess);
    text_append(text, cost->excess == 1 ? " excess wavefront" : " excess wavefronts");
    if (isfinite(cost->pipe_pct)) {
        text_append(text, cost->excess == 1 ? " takes " : " take ");
        append_percent(text, cost->pipe_pct);
        text_append(text, " of the cycles of the shared-memory pipe");
        if (cost->launches > 1) text_format(text, " in all %.0f launches", cost->launches);
    } else {
        text_append(text, ", of how many cycles of the shared-memory pipe is not known: the run "
                          "has no clean time of it");
    }
    append_waiting(text, cost);
    if (cost->pipe_pct < COST_PIPE_PCT &&
        cost->waiting_pct < COST_WAITING_PCT) /* NAN is below nothing */
        text_format(text, ". These conflicts have no cost that shows: both are below %g %%",
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
        text_format(&text, "What bank conflicts cost is not known: %s.",
                    reason_of(cost.counts_status));
    } else if (is_kernel && isnan(cost.wavefronts)) {
        text_append(&text, "No instruction accesses shared memory.");
    } else if (is_kernel) {
        text_append(&text, "No bank conflicts: its ");
        query_append_human(&text, cost.wavefronts);
        text_append(&text, " shared-memory wavefronts are no more than the accesses need.");
    }
    give(context, &text);
}

/* ---- three views of conflicts ---------------------------------------------------------------- */

struct views {
    double hardware, arbitration; /* of loads and stores; of all that uses the data stage */
    double
        excess; /* by instruction, of loads and stores: NAN where copies cannot be told from them */
    double wavefronts, closed_form;
    double copies; /* excess of copies past the registers, of which the others know nothing */
    double all;    /* excess of them together */
};

static struct views views_of(sqlite3_value **arguments)
{
    return (struct views){number(arguments[0]), number(arguments[1]), number(arguments[2]),
                          number(arguments[3]), number(arguments[4]), number(arguments[5]),
                          number(arguments[6])};
}

/* In per cent of the wavefronts; NAN where one of them is not known, 0 where both are 0. */
static double apart(double a, double b, double wavefronts)
{
    return a == b ? 0 : 100 * (a - b) / wavefronts;
}

static int form_differs(const struct views *views)
{
    return fabs(apart(views->closed_form, views->excess, views->wavefronts)) > VIEWS_FORM_PCT;
}

static int hardware_is_low(const struct views *views)
{
    return apart(views->hardware, views->excess, views->wavefronts) < -VIEWS_FORM_PCT;
}

/* How far the hardware counter may be above the excess: by what the hardware says was lost to
 * arbitration, where it does. */
static double most_arbitration(const struct views *views)
{
    return isfinite(views->arbitration)
               ? apart(views->arbitration, 0, views->wavefronts) + VIEWS_FORM_PCT
               : VIEWS_ARBITRATION_PCT;
}

static int hardware_is_high(const struct views *views)
{
    return apart(views->hardware, views->excess, views->wavefronts) > most_arbitration(views);
}

static int agree(const struct views *views)
{
    return !form_differs(views) && !hardware_is_low(views) && !hardware_is_high(views);
}

static void append_view(struct text *text, const char *name, double value, const char *unknown)
{
    text_format(text, "%s%s ", text->length ? ", " : "", name);
    if (isfinite(value))
        query_append_human(text, value);
    else
        text_append(text, unknown);
}

static void append_judgement(struct text *text, const struct views *views)
{
    const double more = apart(views->hardware, views->excess, views->wavefronts);
    const int known =
        isfinite(views->excess) && (isfinite(views->hardware) || isfinite(views->closed_form));
    text_append(text, !known         ? ": no other view to hold against it"
                      : agree(views) ? ": they agree"
                                     : ": they DISAGREE");
    if (form_differs(views))
        text_append(text, "; the closed form is not what the instructions counted");
    if (hardware_is_low(views))
        text_append(text, "; the hardware counter is below what the addresses need");
    if (hardware_is_high(views)) {
        text_format(text,
                    "; the hardware counter is above by %.1f %% of the wavefronts, more than "
                    "arbitration takes (",
                    more);
        append_percent(text, most_arbitration(views));
        text_append(text, ")");
    } else if (known && agree(views) && more > 0) {
        text_append(text, "; what the hardware counter has more, ");
        append_percent(text, more);
        text_append(text, " of the wavefronts, is arbitration");
    }
}

/* conflict_views(hw_conflicts, arbitration, access_excess, wavefronts, closed_form, copy_excess,
 * excess) */
static void conflict_views(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct views views = views_of(arguments);
    struct text text = {0};
    (void)count;
    if (isnan(views.all)) return;
    append_view(&text, "hardware counter", views.hardware, "not known");
    append_view(&text, "by instruction", isnan(views.excess) ? views.all : views.excess, "");
    if (isnan(views.excess))
        text_append(&text, " (copies past the registers, which cannot be told apart without the "
                           "machine code, among them)");
    append_view(&text, "closed form", views.closed_form, "none");
    append_judgement(&text, &views);
    text_append(&text, ".");
    if (views.copies > 0) {
        text_append(&text,
                    " Beside these loads and stores, copies past the registers (LDGSTS) have ");
        query_append_human(&text, views.copies);
        text_append(&text, " excess wavefronts.");
    }
    give(context, &text);
}

/* conflict_views_agree(the same): 1 or 0, NULL where there is nothing to compare. */
static void conflict_views_agree(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct views views = views_of(arguments);
    (void)count;
    if (isnan(views.excess) || (isnan(views.hardware) && isnan(views.closed_form))) return;
    sqlite3_result_int(context, agree(&views));
}

int conflict_sentences_add(struct query *query)
{
    static const struct {
        const char *name;
        int arguments;
        query_function *function;
    } functions[] = {{"conflict_cost", 9, conflict_cost},
                     {"conflict_views", 7, conflict_views},
                     {"conflict_views_agree", 7, conflict_views_agree}};
    int status = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && status == SQLITE_OK; i++)
        status = query_add_function(query, functions[i].name, functions[i].arguments,
                                    functions[i].function, NULL, NULL);
    return status;
}

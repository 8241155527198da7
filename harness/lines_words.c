/*
 * What the tables about lines say in sentences: what bank conflicts cost, and whether the three views of them agree. Functions of SQL, for the views
 * of lines_query.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lines_query.h"
#include "text.h"

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

/* ---- what conflicts cost -------------------------------------------------------------------------------------------------------------------- */

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
        text_format(text, "; what warps wait for is not known: %s", reason_of(cost->samples_status));
        return;
    }
    text_append(text, "; ");
    append_percent(text, cost->sample_pct);
    if (isnan(cost->lines))
        text_append(text, " of the kernel's stall samples are here, ");
    else if (cost->lines < 2)
        text_append(text, " of the stall samples are on the line with conflicts, ");
    else
        text_format(text, " of the stall samples are on the %.0f lines with conflicts, ", cost->lines);
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
        text_append(text, ", of how many cycles of the shared-memory pipe is not known: the run has no clean time of it");
    }
    append_waiting(text, cost);
    if (cost->pipe_pct < COST_PIPE_PCT && cost->waiting_pct < COST_WAITING_PCT) /* NAN is below nothing */
        text_format(text, ". These conflicts have no cost that shows: both are below %g %%", fmax(COST_PIPE_PCT, COST_WAITING_PCT));
    text_append(text, ".");
}

/* conflict_cost(excess, wavefronts, pipe_pct, waiting_pct, sample_pct, lines, launches, counts_status, samples_status) */
static void conflict_cost(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct cost cost = {number(arguments[0]), number(arguments[1]), number(arguments[2]), number(arguments[3]), number(arguments[4]),
                              number(arguments[5]), number(arguments[6]), words(arguments[7]),  words(arguments[8])};
    const int is_kernel = isfinite(cost.lines);
    struct text text = {0};
    (void)count;
    if (cost.excess > 0) {
        append_cost(&text, &cost);
    } else if (is_kernel && strcmp(cost.counts_status, "ok")) {
        text_format(&text, "What bank conflicts cost is not known: %s.", reason_of(cost.counts_status));
    } else if (is_kernel && isnan(cost.wavefronts)) {
        text_append(&text, "No instruction accesses shared memory.");
    } else if (is_kernel) {
        text_append(&text, "No bank conflicts: its ");
        query_append_human(&text, cost.wavefronts);
        text_append(&text, " shared-memory wavefronts are no more than the accesses need.");
    }
    give(context, &text);
}

/* ---- three views of conflicts ---------------------------------------------------------------------------------------------------------------- */

struct view_of_conflicts {
    double excess, wavefronts, closed_form; /* of one launch, or of all of them */
};

struct views {
    double hardware;            /* of all launches of the point */
    double launches, collected; /* of the point; whose instructions were counted */
    struct view_of_conflicts point, launch;
};

static struct views views_of(sqlite3_value **arguments)
{
    return (struct views){number(arguments[0]),
                          number(arguments[1]),
                          number(arguments[2]),
                          {number(arguments[3]), number(arguments[4]), number(arguments[5])},
                          {number(arguments[6]), number(arguments[7]), number(arguments[8])}};
}

/* What can be compared: all launches of the point when each was looked into, else this launch alone, of which the hardware counter knows nothing. */
static struct view_of_conflicts comparable(const struct views *views, double *hardware)
{
    const int whole = views->launches == views->collected;
    *hardware = whole ? views->hardware : NAN;
    return whole ? views->point : views->launch;
}

/* In per cent of the wavefronts; NAN where one of them is not known, 0 where both are 0. */
static double apart(double a, double b, double wavefronts)
{
    return a == b ? 0 : 100 * (a - b) / wavefronts;
}

static int form_differs(const struct view_of_conflicts *view)
{
    return fabs(apart(view->closed_form, view->excess, view->wavefronts)) > VIEWS_FORM_PCT;
}

static int hardware_is_low(const struct view_of_conflicts *view, double hardware)
{
    return apart(hardware, view->excess, view->wavefronts) < -VIEWS_FORM_PCT;
}

static int hardware_is_high(const struct view_of_conflicts *view, double hardware)
{
    return apart(hardware, view->excess, view->wavefronts) > VIEWS_ARBITRATION_PCT;
}

static void append_view(struct text *text, const char *name, double value, const char *unknown)
{
    text_format(text, "%s%s ", text->length ? ", " : "", name);
    if (isfinite(value))
        query_append_human(text, value);
    else
        text_append(text, unknown);
}

static void append_judgement(struct text *text, const struct view_of_conflicts *view, double hardware)
{
    const double arbitration = apart(hardware, view->excess, view->wavefronts);
    const int known = isfinite(hardware) || isfinite(view->closed_form);
    const int agree = !form_differs(view) && !hardware_is_low(view, hardware) && !hardware_is_high(view, hardware);
    if (!known)
        text_append(text, ": no other view to hold against it");
    else if (agree)
        text_append(text, ": they agree");
    else
        text_append(text, ": they DISAGREE");
    if (form_differs(view)) text_append(text, "; the closed form is not what the instructions counted");
    if (hardware_is_low(view, hardware))
        text_append(text, "; the hardware counter is below what the addresses need (of loads and stores it knows, of copies past the "
                          "registers it does not)");
    if (hardware_is_high(view, hardware))
        text_format(text, "; the hardware counter is above by %.1f %% of the wavefronts, more than arbitration takes (%g %%)", arbitration,
                    VIEWS_ARBITRATION_PCT);
    else if (agree && arbitration > 0) {
        text_append(text, "; what the hardware counter has more, ");
        append_percent(text, arbitration);
        text_append(text, " of the wavefronts, is arbitration");
    }
}

/* conflict_views(hw_conflicts, launches, collected, point_excess, point_wavefronts, point_closed_form, excess, wavefronts, closed_form) */
static void conflict_views(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct views views = views_of(arguments);
    double hardware;
    const struct view_of_conflicts view = comparable(&views, &hardware);
    struct text text = {0};
    (void)count;
    if (isnan(view.excess)) return;
    append_view(&text, "hardware counter", hardware, isfinite(views.hardware) ? "known only of all launches together" : "not known");
    append_view(&text, "by instruction", view.excess, "");
    append_view(&text, "closed form", view.closed_form, "none");
    if (isfinite(hardware) && views.launches > 1) text_format(&text, " (all %.0f launches)", views.launches);
    append_judgement(&text, &view, hardware);
    text_append(&text, ".");
    give(context, &text);
}

/* conflict_views_agree(the same): 1 or 0, NULL where there is nothing to compare. */
static void conflict_views_agree(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct views views = views_of(arguments);
    double hardware;
    const struct view_of_conflicts view = comparable(&views, &hardware);
    (void)count;
    if (isnan(view.excess) || (isnan(hardware) && isnan(view.closed_form))) return;
    sqlite3_result_int(context, !form_differs(&view) && !hardware_is_low(&view, hardware) && !hardware_is_high(&view, hardware));
}

int lines_add_functions(struct query *query)
{
    static const struct {
        const char *name;
        void (*function)(sqlite3_context *context, int count, sqlite3_value **arguments);
    } functions[] = {{"conflict_cost", conflict_cost}, {"conflict_views", conflict_views}, {"conflict_views_agree", conflict_views_agree}};
    int status = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && status == SQLITE_OK; i++)
        status = sqlite3_create_function(query->database, functions[i].name, 9, SQLITE_UTF8 | SQLITE_DETERMINISTIC, query,
                                         functions[i].function, NULL, NULL);
    return status;
}

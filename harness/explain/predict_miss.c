#include "explain/predict_miss.h"

#include <math.h>

#include "explain/predict_inputs.h"

static void append_cycles(struct text *text, const char *what, double predicted, double measured)
{
    text_format(text, "; %s: ", what);
    query_append_human(text, predicted);
    text_append(text, " cycles predicted, ");
    query_append_human(text, measured);
    text_append(text, " by the counters");
}

/* The term that is furthest off, except `but`; -1 if none is off. */
static int furthest(const struct predict_result *predicted, const struct predict_result *found,
                    int but)
{
    int worst = -1;
    double most = 0;
    for (int i = 0; i < TERM_COUNT; i++) {
        const double off = fabs(predicted->term[i] - found->term[i]);
        if (i != but && off > most) worst = i, most = off;
    }
    return worst;
}

static void append_wrong_counts(struct text *why, const struct predict_rung *taken,
                                const double *declared, const struct predict_rung *rung)
{
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        const double off =
            predict_quantities[i].counter[0] ? 100 * (taken->count[i] / rung->count[i] - 1) : 0;
        if (!(fabs(off) > 10) || !isfinite(off)) continue;
        text_format(why, "; %s %s %.0f %% %s", predict_quantities[i].name,
                    isnan(declared[i]) ? "assumed unchanged," : "declared", fabs(off),
                    off > 0 ? "too high" : "too low");
    }
}

void predict_explain_miss(struct text *why, const struct predict_result *predicted,
                          const struct predict_rung *taken, const double *declared,
                          const struct predict_rung *rung, const struct predict_measured *measured)
{
    const struct predict_result found = predict_analyse(rung, measured);
    if (isnan(found.efficiency)) {
        text_append(why, "the counters of the rung that would explain it are absent");
        return;
    }
    const int first = furthest(predicted, &found, -1), second = furthest(predicted, &found, first);
    const double untold = fabs(predicted->efficiency / found.efficiency - 1) * measured->time_ns *
                          measured->clock_ghz;
    if (first < 0 || untold > fabs(predicted->term[first] - found.term[first]))
        text_append(why, "The model omits the main effect. ");
    text_append(why, "Measured time over modelled time: ");
    query_append_human(why, predicted->efficiency);
    text_append(why, " for the rung before, ");
    query_append_human(why, found.efficiency);
    text_append(why, " for this rung");
    if (first >= 0)
        append_cycles(why, predict_term_names[first], predicted->term[first], found.term[first]);
    if (second >= 0)
        append_cycles(why, predict_term_names[second], predicted->term[second], found.term[second]);
    text_format(why, "; limiter by the counters: %s", predict_term_names[found.limiter]);
    append_wrong_counts(why, taken, declared, rung);
}

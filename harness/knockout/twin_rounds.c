#include "knockout/twin_rounds.h"

#include <math.h>

#include "base/message.h"
#include "base/stats.h"

static int run_round(struct twin_rounds *rounds, uint64_t *random)
{
    int order[KNOCKOUTS + 1], count = 0, result = 0;
    double time[KNOCKOUTS + 1] = {0};
    for (int k = ORIGINAL; k < KNOCKOUTS; k++)
        if (k == ORIGINAL || (rounds->timed >> k & 1)) order[count++] = k;
    for (int i = 0; i < count && !result; i++) {
        const int j = i + (int)stats_draw(random, (size_t)(count - i)), k = order[j];
        order[j] = order[i];
        result = rounds->take(rounds->context, k, &time[k + 1]);
    }
    rounds->original[rounds->rounds] = time[0];
    for (int k = 0; k < KNOCKOUTS; k++) rounds->saved[k][rounds->rounds] = time[0] - time[k + 1];
    rounds->rounds += !result;
    return result;
}

int twin_rounds_run(struct twin_rounds *rounds)
{
    uint64_t random = rounds->seed;
    double low, high;
    const double start = seconds_now();
    int result = 0;
    rounds->rounds = 0;
    while (!result && rounds->rounds < MOST_ROUNDS &&
           (rounds->rounds < LEAST_ROUNDS || seconds_now() - start < rounds->most_seconds))
        result = run_round(rounds, &random);
    if (result) return result;
    const size_t count = (size_t)rounds->rounds;
    stats_sort(rounds->original, count);
    for (int k = 0; k < KNOCKOUTS; k++) stats_sort(rounds->saved[k], count);
    stats_median_interval(rounds->saved[KNOCKOUT_NOTHING], count, &low, &high);
    rounds->noise_ns = fmax(fabs(low), fabs(high));
    return 0;
}

struct twin_figures twin_rounds_figures(const struct twin_rounds *rounds, int twin)
{
    const size_t count = (size_t)rounds->rounds;
    const double *saved = rounds->saved[twin];
    struct twin_figures figures = {.samples = rounds->rounds,
                                   .time_ns = stats_quantile(rounds->original, count, 0.5),
                                   .saved_ns = stats_quantile(saved, count, 0.5)};
    stats_median_interval(saved, count, &figures.low_ns, &figures.high_ns);
    const int is_cost = figures.saved_ns > rounds->noise_ns && figures.low_ns > 0;
    figures.status = is_cost ? "ok" : TWIN_NO_COST;
    return figures;
}

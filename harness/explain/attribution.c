#include "explain/attribution.h"

#include <math.h>
#include <string.h>

/* The part of a cause that resident warps can hide, before and after. */
struct waiting {
    double before, after;
};

/* The row of a cause, added if it is new; there are at most as many as levels of both sides. */
static int row_of(struct attribution *attribution, const char *cause)
{
    int i = 0;
    while (i < attribution->count && strcmp(attribution->row[i].cause, cause)) i++;
    if (i == attribution->count)
        attribution->row[attribution->count++] = (struct attribution_row){.cause = cause};
    return i;
}

static double cycles_of(const struct attribution_side *side, enum attribution_kind kind)
{
    double sum = 0;
    for (int l = 0; l < side->count; l++)
        if (side->level[l].kind == kind) sum += side->level[l].cycles;
    return sum;
}

/* How much more the busiest SM does than the average. */
static double busiest(const struct attribution_side *side)
{
    const double busy = cycles_of(side, LEVEL_BUSY);
    return busy > 0 ? (busy + cycles_of(side, LEVEL_IDLE)) / busy : 1;
}

/* The cycles of a level on the busiest SM: `ratio` is that of both sides, `busy` their mean. */
static double on_the_busiest(const struct attribution_side *side, int l, double ratio, double busy)
{
    const struct attribution_level *level = &side->level[l];
    return level->kind == LEVEL_BUSY   ? level->cycles * ratio
           : level->kind == LEVEL_IDLE ? busy * (busiest(side) - 1)
                                       : level->cycles;
}

static void add_levels(struct attribution *attribution, struct waiting *waiting,
                       const struct attribution_side *const both[2], int is_after,
                       double ns_per_cycle)
{
    const struct attribution_side *side = both[is_after];
    const double ratio = (busiest(both[0]) + busiest(both[1])) / 2,
                 busy = (cycles_of(both[0], LEVEL_BUSY) + cycles_of(both[1], LEVEL_BUSY)) / 2;
    for (int l = 0; l < side->count; l++) {
        const struct attribution_level *level = &side->level[l];
        const int i = row_of(attribution, level->cause);
        struct attribution_row *row = &attribution->row[i];
        const double ns = on_the_busiest(side, l, ratio, busy) * ns_per_cycle,
                     half = level->half * (level->kind == LEVEL_BUSY ? ratio : 1) * ns_per_cycle;
        *(is_after ? &row->after_ns : &row->before_ns) += ns;
        row->saved_ns += is_after ? -ns : ns;
        row->half_ns = hypot(row->half_ns, half);
        if (level->waiting) *(is_after ? &waiting[i].after : &waiting[i].before) += ns;
    }
}

static double logarithmic_mean(double a, double b)
{
    if (a <= 0 || b <= 0) return 0;
    return fabs(a - b) < 1e-9 * a ? a : (a - b) / log(a / b);
}

/* Moves from the waiting to residency the part that the number of resident warps explains. */
static void add_residency(struct attribution *attribution, const struct waiting *waiting,
                          double warps_before, double warps_after)
{
    struct waiting all = {0, 0};
    double same_sign = 0;
    for (int i = 0; i < attribution->count; i++) {
        all.before += waiting[i].before;
        all.after += waiting[i].after;
    }
    const double change = all.before - all.after;
    const double effect = logarithmic_mean(all.before, all.after) * log(warps_after / warps_before);
    if (!(effect * change > 0)) return; /* also if the warps are unknown */
    const double part = fmin(fabs(effect) / fabs(change), 1);
    for (int i = 0; i < attribution->count; i++) {
        const double saved = waiting[i].before - waiting[i].after;
        if (saved * change > 0) same_sign += saved;
    }
    double half = 0;
    const double share = part * change / same_sign; /* at most 1: `change` has all signs in it */
    for (int i = 0; i < attribution->count; i++) {
        const double saved = waiting[i].before - waiting[i].after;
        if (!(saved * change > 0)) continue;
        attribution->row[i].saved_ns -= share * saved;
        half = hypot(half, share * attribution->row[i].half_ns);
    }
    attribution->row[attribution->count++] =
        (struct attribution_row){"residency", NAN, NAN, part * change, half};
}

void attribution_make(struct attribution *attribution, const struct attribution_side *before,
                      const struct attribution_side *after)
{
    const struct attribution_side *const both[2] = {before, after};
    struct waiting waiting[2 * ATTRIBUTION_CAUSES] = {{0, 0}};
    const double period_before = 1 / before->ghz, period_after = 1 / after->ghz,
                 period = (period_before + period_after) / 2;
    const double cycles = (before->time_ns * before->ghz + after->time_ns * after->ghz) / 2;
    memset(attribution, 0, sizeof *attribution);
    add_levels(attribution, waiting, both, 0, period);
    add_levels(attribution, waiting, both, 1, period);
    add_residency(attribution, waiting, before->warps, after->warps);
    attribution->row[attribution->count++] =
        (struct attribution_row){"clock", NAN, NAN, cycles * (period_before - period_after), NAN};
}

const char *attribution_status(const struct attribution_row *row, const char *evidence)
{
    if (evidence && strcmp(evidence, "faster") && strcmp(evidence, "slower")) return evidence;
    return !isfinite(row->half_ns)              ? "no interval"
           : fabs(row->saved_ns) > row->half_ns ? "resolved"
                                                : "unresolved";
}

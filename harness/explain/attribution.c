#include "explain/attribution.h"

#include <math.h>
#include <string.h>

/* What of a cause is waiting that resident warps hide, before and after. */
struct waiting {
    double before, after;
};

/* Place of the row of a cause, which is added where it is new: no more than both sides have
 * levels. */
static int row_of(struct account *account, const char *cause)
{
    int i = 0;
    while (i < account->count && strcmp(account->row[i].cause, cause)) i++;
    if (i == account->count)
        account->row[account->count++] = (struct attribution_row){.cause = cause};
    return i;
}

static void add_levels(struct account *account, struct waiting *waiting,
                       const struct attribution_side *side, int is_after, double ns_per_cycle)
{
    for (int l = 0; l < side->count; l++) {
        const struct attribution_level *level = &side->level[l];
        const int i = row_of(account, level->cause);
        struct attribution_row *row = &account->row[i];
        const double ns = level->cycles * ns_per_cycle, half = level->half * ns_per_cycle;
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

/* Takes from the waiting what the number of resident warps accounts for. */
static void add_residency(struct account *account, const struct waiting *waiting,
                          double warps_before, double warps_after)
{
    struct waiting all = {0, 0};
    double same_sign = 0;
    for (int i = 0; i < account->count; i++) {
        all.before += waiting[i].before;
        all.after += waiting[i].after;
    }
    const double change = all.before - all.after;
    const double effect = logarithmic_mean(all.before, all.after) * log(warps_after / warps_before);
    if (!(effect * change > 0)) return; /* also where the warps are not known */
    const double part = fmin(fabs(effect) / fabs(change), 1);
    for (int i = 0; i < account->count; i++) {
        const double saved = waiting[i].before - waiting[i].after;
        if (saved * change > 0) same_sign += saved;
    }
    double half = 0;
    const double share =
        part * change / same_sign; /* at most 1: what has the other sign lies in change, too */
    for (int i = 0; i < account->count; i++) {
        const double saved = waiting[i].before - waiting[i].after;
        if (!(saved * change > 0)) continue;
        account->row[i].saved_ns -= share * saved;
        half = hypot(half, share * account->row[i].half_ns);
    }
    account->row[account->count++] =
        (struct attribution_row){"residency", NAN, NAN, part * change, half};
}

void attribution_make(struct account *account, const struct attribution_side *before,
                      const struct attribution_side *after)
{
    struct waiting waiting[2 * ACCOUNT_CAUSES] = {{0, 0}};
    const double period_before = 1 / before->ghz, period_after = 1 / after->ghz,
                 period = (period_before + period_after) / 2;
    const double cycles = (before->time_ns * before->ghz + after->time_ns * after->ghz) / 2;
    memset(account, 0, sizeof *account);
    add_levels(account, waiting, before, 0, period);
    add_levels(account, waiting, after, 1, period);
    add_residency(account, waiting, before->warps, after->warps);
    account->row[account->count++] =
        (struct attribution_row){"clock", NAN, NAN, cycles * (period_before - period_after), NAN};
}

const char *attribution_status(const struct attribution_row *row, const char *evidence)
{
    if (evidence && strcmp(evidence, "faster") && strcmp(evidence, "slower")) return evidence;
    return !isfinite(row->half_ns)              ? "no interval"
           : fabs(row->saved_ns) > row->half_ns ? "resolved"
                                                : "unresolved";
}

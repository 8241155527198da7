#include "explain/time_model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const time_input_names[FEATURE_INPUTS] = {
    [FEATURE_ISSUE] = "issue",
    [FEATURE_FMA] = "fma",
    [FEATURE_ALU] = "alu",
    [FEATURE_DATA] = "data",
    [FEATURE_TENSOR] = "tensor",
    [FEATURE_FIXED] = "fixed",
    [FEATURE_SHORT] = "short",
    [FEATURE_SHORT_QUEUE] = "short_queue",
    [FEATURE_LONG] = "long",
    [FEATURE_LONG_QUEUE] = "long_queue",
    [FEATURE_TURNOVER] = "turnover",
    [FEATURE_LOADED_BYTES] = "loaded_bytes",
    [FEATURE_BYTES_PER_WAIT] = "bytes_per_wait",
    [FEATURE_WAIT_CYCLES] = "wait_cycles",
    [FEATURE_L2_NS] = "l2_ns",
    [FEATURE_DRAM_NS] = "dram_ns",
    [FEATURE_ROUND_TRIP_NS] = "round_trip_ns",
    [FEATURE_ATOMIC_NS] = "atomic_ns",
    [FEATURE_WARPS] = "warps",
    [FEATURE_SHORT_SLOTS] = "short_slots",
    [FEATURE_LONG_SLOTS] = "long_slots",
    [FEATURE_GROUP] = "group",
    [FEATURE_UNEVEN] = "uneven",
    [FEATURE_LAUNCH_NS] = "launch_ns",
    [FEATURE_END] = "end",
    [FEATURE_GHZ] = "ghz",
    [FEATURE_DRAM_RATE] = "dram_rate",
    [FEATURE_UNEXPLAINED] = "unexplained",
    [FEATURE_SCALE] = "scale",
};

/* Exponents of overlap; the share of the busy time from which on device memory is saturated. */
static const double beside_issue = 20, beside_data = 10, beside_device = 4;
static const double between_warps = 0.2, between_groups = 0.5;
static const double saturated = 0.85;

static int is_product(enum time_input input)
{
    switch (input) {
    case FEATURE_BYTES_PER_WAIT:
    case FEATURE_WAIT_CYCLES:
    case FEATURE_WARPS:
    case FEATURE_SHORT_SLOTS:
    case FEATURE_LONG_SLOTS:
    case FEATURE_GROUP:
    case FEATURE_UNEVEN:
    case FEATURE_GHZ:
    case FEATURE_DRAM_RATE:
    case FEATURE_UNEXPLAINED:
    case FEATURE_SCALE: return 1;
    default: return 0;
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

static double overlap(double exponent, double a, double b)
{
    const double larger = fmax(a, b);
    if (!(larger > 0)) return 0;
    return larger * pow(pow(a / larger, exponent) + pow(b / larger, exponent), 1 / exponent);
}

static double share(double work, double wait, double customers, double exponent)
{
    const double n = fmax(customers, 1);
    return work / n + overlap(1 + exponent * log2(n), work * (1 - 1 / n), wait);
}

static double sm_cycles(const double *x)
{
    const double slots = overlap(
        beside_issue, overlap(beside_issue, x[FEATURE_ISSUE], x[FEATURE_FMA]), x[FEATURE_ALU]);
    const double few = (x[FEATURE_FIXED] + x[FEATURE_SHORT] + x[FEATURE_SHORT_QUEUE]) /
                       (x[FEATURE_WARPS] * x[FEATURE_SHORT_SLOTS]);
    const double units = overlap(beside_data, x[FEATURE_DATA], x[FEATURE_TENSOR]);
    const double busy =
        overlap(beside_data, units, share(slots, few, x[FEATURE_WARPS], between_warps));
    const double many =
        (x[FEATURE_LONG] + x[FEATURE_LONG_QUEUE] + x[FEATURE_TURNOVER] +
         x[FEATURE_LOADED_BYTES] / x[FEATURE_BYTES_PER_WAIT] * x[FEATURE_WAIT_CYCLES]) /
        (x[FEATURE_WARPS] * x[FEATURE_LONG_SLOTS]);
    return share(busy, many, x[FEATURE_WARPS] / x[FEATURE_GROUP], between_groups);
}

/* Cycles of the busiest SM. Device memory and the L2 cache serve all of them. */
static double cycles_of(const double *x)
{
    const double ghz = x[FEATURE_GHZ], dram_ns = x[FEATURE_DRAM_NS] / x[FEATURE_DRAM_RATE];
    const double sm = sm_cycles(x) * x[FEATURE_UNEVEN] * x[FEATURE_UNEXPLAINED];
    double cycles = overlap(beside_device, sm, x[FEATURE_L2_NS] * ghz);
    cycles = overlap(beside_device, cycles, x[FEATURE_ATOMIC_NS] * ghz);
    return overlap(beside_device, cycles,
                   dram_ns > 0 ? (dram_ns + x[FEATURE_ROUND_TRIP_NS]) * ghz : 0);
}

static void add_features(double *x, const struct time_point *point, int is_other,
                         int (*takes)(void *, const char *), void *context)
{
    for (int f = 0; f < point->count; f++) {
        const struct time_feature *feature = &point->feature[f];
        const int is_taken = takes ? takes(context, feature->cause) : 0;
        if (is_taken != is_other) continue;
        if (is_product(feature->input))
            x[feature->input] *= feature->value;
        else
            x[feature->input] += feature->value;
    }
}

static void gather(double *x, const struct time_point *point, const struct time_point *other,
                   int (*takes)(void *, const char *), void *context)
{
    for (int i = 0; i < FEATURE_INPUTS; i++) x[i] = is_product((enum time_input)i) ? 1 : 0;
    add_features(x, point, 0, takes, context);
    if (other) add_features(x, other, 1, takes, context);
}

double time_model_ns(const struct time_point *point, const struct time_point *other,
                     int (*takes)(void *context, const char *cause), void *context)
{
    double x[FEATURE_INPUTS];
    gather(x, point, other, takes, context);
    return x[FEATURE_LAUNCH_NS] +
           (cycles_of(x) * x[FEATURE_SCALE] + x[FEATURE_END]) / x[FEATURE_GHZ];
}

/* ---- fitting --------------------------------------------------------------------------------- */

/* The unknowns of a fit. */
struct fit {
    double waits, queues, rate, unexplained;
};

static int is_wait(enum time_input input)
{
    return input == FEATURE_SHORT || input == FEATURE_LONG || input == FEATURE_WAIT_CYCLES;
}

static int is_queue(enum time_input input)
{
    return input == FEATURE_SHORT_QUEUE || input == FEATURE_LONG_QUEUE;
}

static double fitted_cycles(const struct time_point *point, const struct fit *fit)
{
    double x[FEATURE_INPUTS];
    gather(x, point, NULL, NULL, NULL);
    for (int i = 0; i < FEATURE_INPUTS; i++) {
        if (is_wait((enum time_input)i)) x[i] *= fit->waits;
        if (is_queue((enum time_input)i)) x[i] *= fit->queues;
    }
    x[FEATURE_DRAM_RATE] *= fit->rate;
    x[FEATURE_UNEXPLAINED] *= fit->unexplained;
    return cycles_of(x);
}

/* Bisects one member of `fit`, in which the cycles grow (or fall, if low > high). */
static void solve(const struct time_point *point, struct fit *fit, double *member, double low,
                  double high, double target)
{
    for (int i = 0; i < 60; i++) {
        *member = (low + high) / 2;
        if (fitted_cycles(point, fit) < target)
            low = *member;
        else
            high = *member;
    }
}

/* Cycles of the busiest SM, as measured. */
static double busy_cycles(const struct time_point *point)
{
    double x[FEATURE_INPUTS];
    gather(x, point, NULL, NULL, NULL);
    return fmax((point->time_ns - x[FEATURE_LAUNCH_NS]) * x[FEATURE_GHZ] - x[FEATURE_END], 300);
}

int time_model_saturated(const struct time_point *point)
{
    double x[FEATURE_INPUTS];
    gather(x, point, NULL, NULL, NULL);
    return x[FEATURE_DRAM_NS] * x[FEATURE_GHZ] > saturated * busy_cycles(point);
}

static void add(struct time_point *point, enum time_input input, const char *cause, double value)
{
    if (point->count < TIME_FEATURES)
        point->feature[point->count++] = (struct time_feature){input, cause, value};
}

/* Solves for the part of the waits or of the queues that is exposed. Returns 1 if there is one. */
static int fit_waits(const struct time_point *point, struct fit *fit, double target)
{
    if (fitted_cycles(point, fit) < target) {
        fit->queues = 1;
        if (fitted_cycles(point, fit) < target) return 0;
        solve(point, fit, &fit->queues, 0, 1, target);
    } else {
        fit->waits = 0;
        if (fitted_cycles(point, fit) > target) return 0;
        solve(point, fit, &fit->waits, 0, 1, target);
    }
    return 1;
}

/* Solves for the rate of device memory, or for the ratio of measured to modelled cycles of an SM.
 */
static void fit_rest(const struct time_point *point, struct fit *fit, double target)
{
    static const double fastest = 4, least = 0.2, most = 100;
    if (fit->waits == 0 && time_model_saturated(point)) {
        fit->rate = fastest;
        if (fitted_cycles(point, fit) <= target) {
            solve(point, fit, &fit->rate, fastest, 1, target);
            return;
        }
        fit->rate = 1;
    }
    solve(point, fit, &fit->unexplained, fit->waits == 0 ? least : 1, fit->waits == 0 ? 1 : most,
          target);
}

void time_model_fit(struct time_point *point)
{
    const double target = busy_cycles(point);
    struct fit fit = {.waits = 1, .queues = 0, .rate = 1, .unexplained = 1};
    if (!fit_waits(point, &fit, target)) fit_rest(point, &fit, target);
    const double cycles = fitted_cycles(point, &fit);
    for (int f = 0; f < point->count; f++) {
        struct time_feature *feature = &point->feature[f];
        if (is_wait(feature->input)) feature->value *= fit.waits;
        if (is_queue(feature->input)) feature->value *= fit.queues;
    }
    add(point, FEATURE_DRAM_RATE, "dram_rate", fit.rate);
    add(point, FEATURE_UNEXPLAINED, "residual", fit.unexplained);
    add(point, FEATURE_SCALE, "residual", target / cycles);
}

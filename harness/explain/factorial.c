#include "explain/factorial.h"

#include <math.h>

/* Sums over all settings of `of`, with the others as in `rest` and a plus if an even number of them
 * is off. */
static double alternating_sum(const double *value, unsigned of, unsigned rest)
{
    double sum = 0;
    for (unsigned on = of;; on = (on - 1) & of) {
        const double term = value[rest | on];
        sum += __builtin_popcount(of & ~on) % 2 ? -term : term;
        if (on == 0) return sum;
    }
}

void factorial_effect(const double *value, int factors, unsigned of,
                      struct factorial_effect *effect)
{
    double sum = 0;
    *effect = (struct factorial_effect){.mean = NAN, .least = NAN, .most = NAN};
    for (unsigned rest = 0; rest < 1u << factors; rest++) {
        const double difference = rest & of ? NAN : alternating_sum(value, of, rest);
        if (!isfinite(difference)) continue;
        if (!(effect->least <= difference)) {
            effect->least = difference;
            effect->least_at = rest;
        }
        if (!(effect->most >= difference)) {
            effect->most = difference;
            effect->most_at = rest;
        }
        sum += difference;
        effect->settings++;
    }
    if (effect->settings) effect->mean = sum / effect->settings;
}

/* The part of all orders of n factors in which exactly `before` given ones precede a given one:
 * before! (n - before - 1)! / n!. */
static double part_of_orders(int n, int before)
{
    double part = 1.0 / n;
    for (int i = 1; i <= before; i++) part *= (double)i / (n - i);
    return part;
}

void factorial_shapley(const double *value, int factors, double *share)
{
    for (int f = 0; f < factors; f++) {
        const unsigned bit = 1u << f;
        share[f] = 0;
        for (unsigned cell = 0; cell < 1u << factors; cell++)
            if (!(cell & bit))
                share[f] += part_of_orders(factors, __builtin_popcount(cell)) *
                            (value[cell | bit] - value[cell]);
    }
}

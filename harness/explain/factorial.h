/*
 * Effects in a factorial design of two levels: what each of a few factors, on or off, does to a
 * value, and what they do together. Nothing is owned; arrays are the caller's.
 *
 * A cell is a setting of all factors, numbered by its bits: bit f is set where factor f is on.
 * value[cell] is on a scale on which independent effects add up: for speed-ups the logarithm of the
 * speed, -log(time). A cell that was not measured is NAN.
 */
#ifndef WHYFAST_FACTORIAL_H
#define WHYFAST_FACTORIAL_H

enum { FACTORIAL_MOST = 6, FACTORIAL_CELLS = 1 << FACTORIAL_MOST };

struct factorial_effect {
    double mean, least, most; /* over the settings of the other factors; NAN where there is none */
    unsigned least_at,
        most_at; /* the cells with these settings of the others and the factors of the effect off */
    int settings; /* of the others, for which all cells that it takes were measured */
};

/* The effect of the factors whose bits are set in `of`. Of one it is value(on) - value(off), of
 * two how much that of the one changes when the other is switched on (whichever is the one), of
 * three how much such a change changes with the third, and so on: the alternating sum over their
 * settings, its mean over the settings of all other factors for which no cell is missing.
 * Source: G. Box, J. Hunter and W. Hunter, Statistics for Experimenters (1978), chapter 10; F.
 * Yates, The Design and Analysis of Factorial Experiments (1937). Their interaction of n factors
 * is this one over 2^(n - 1): they halve each difference, so that here the exponential of an
 * interaction is a ratio of speed-ups. */
void factorial_effect(const double *value, int factors, unsigned of,
                      struct factorial_effect *effect);

/* The share that each factor has in value(all on) - value(all off): what switching it on adds,
 * averaged over all orders in which the factors can be switched on. The shares add up to the
 * whole. share[factors]; all are NAN when a cell is missing. Source: L. Shapley, A Value for
 * n-Person Games (1953). */
void factorial_shapley(const double *value, int factors, double *share);

#endif

/*
 * Computes the effects of a few factors, on or off, on a value, alone and together (a factorial
 * design of two levels). Nothing is owned; arrays are the caller's.
 *
 * A cell is a setting of all factors, numbered by its bits: bit f is set if factor f is on.
 * value[cell] is on a scale on which independent effects add up: for speed-ups the logarithm of the
 * speed, -log(time). A cell that was not measured is NAN.
 */
#ifndef WHYFAST_FACTORIAL_H
#define WHYFAST_FACTORIAL_H

enum { FACTORIAL_MOST = 6, FACTORIAL_CELLS = 1 << FACTORIAL_MOST };

struct factorial_effect {
    double mean, least, most; /* over the settings of the other factors; NAN if there are none */
    unsigned least_at,
        most_at;  /* cells with these settings of the others and its own factors off */
    int settings; /* of the others for which all cells of the effect were measured */
};

/* Computes the effect of the factors whose bits are set in `of`: of one factor value(on) -
 * value(off), of two the change of that difference when the other is switched on, of three the
 * change of such a change with the third: the alternating sum over their settings, its mean over
 * the settings of the other factors for which no cell is missing. Source: G. Box, J. Hunter and W.
 * Hunter, Statistics for Experimenters (1978), chapter 10; F. Yates, The Design and Analysis of
 * Factorial Experiments (1937). Their interaction of n factors is this one over 2^(n - 1); here the
 * exponential of an interaction is a ratio of speed-ups. */
void factorial_effect(const double *value, int factors, unsigned of,
                      struct factorial_effect *effect);

/* Computes the share of each factor in value(all on) - value(all off): the gain of switching it on,
 * averaged over all orders of switching on the factors. The shares add up to the whole; all are NAN
 * if a cell is missing. Source: L. Shapley, A Value for n-Person Games (1953). */
void factorial_shapley(const double *value, int factors, double *share);

#endif

/*
 * Finds the number that shows a cause at work. No global state; nothing is owned.
 */
#ifndef WHYFAST_CAUSE_WITNESS_H
#define WHYFAST_CAUSE_WITNESS_H

#include "catalog/records.h"
#include "explain/account.h"

/* Causes of one record are one row. */
struct cause_row {
    const char *cause;
    double gross_ns, saved_ns, waits_ns; /* waits_ns: what of saved_ns is of waits */
    double inferred_ns;                  /* NAN unless the cause was measured */
    int named;
    const char *demand; /* of a unit that stands for causes, else NULL */
};

/* A number that shows a cause at work, on both sides. */
struct witness {
    const char *name;
    double number[2];
};

/* The witness of a cause is what was measured of it, if it was; else the first that carries it: the
 * count that made it, the metric of its record, the number of the account. A count that only moved
 * is its own. */
struct witness cause_witness(const struct account *account, const struct cause_row *row,
                             const struct record *record);

#endif

/*
 * The cells of an ablation: the variants of a family that carry factors, by their settings, with
 * their clean times at one size. A struct grid owns its strings and samples until grid_close.
 *
 * The factors of a grid are those that are on in some variants and off in others (1 and 0). A
 * factor that is the same in all is none, and a variant that does not name one of the grid's
 * factors is no cell of it. Of a variant the fastest setting (block and sweep) counts.
 */
#ifndef WHYFAST_ABLATION_GRID_H
#define WHYFAST_ABLATION_GRID_H

#include "explain/factorial.h"
#include "query/query.h"

struct grid_cell {
    char *variant;       /* NULL: no variant has this setting */
    char *missing;       /* why there is no time, NULL where there is one */
    double time_ns;      /* median; NAN where missing */
    double floor_pct;    /* NAN where it is not known */
    int count, capacity; /* of its samples, the fastest first */
    struct grid_sample {
        double time_ns;
        int round;
    } * sample;
};

struct grid {
    char *family;
    int factors;
    char *factor[FACTORIAL_MOST];
    char *impossible; /* why the variants make no grid, or NULL */
    struct grid_cell cell[FACTORIAL_CELLS];
};

/* Table ablation_samples: those samples of variants with factors that time_ns is of. Wants
 * variants and samples. */
int grid_make_samples(struct query *query);

/* The grid of a family, without times. A grid without factors is no ablation. Wants the table
 * variants. */
int grid_open(struct grid *grid, struct query *query, const char *family);
void grid_close(struct grid *grid);

/* The times of its cells at a size. Wants metrics, points and ablation_samples. */
int grid_read(struct grid *grid, struct query *query, const char *size);

/* value[cell] = -log(time), NAN where it is missing. */
void grid_values(const struct grid *grid, double *value);

#endif

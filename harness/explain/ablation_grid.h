/*
 * Reads the cells of an ablation: the variants of a family that carry factors, by their settings,
 * with their clean times at one size. A struct grid owns its strings and samples until grid_close.
 *
 * The factors of a grid are those that are on in some variants and off in others (1 and 0). A
 * factor with the same value in all is not one of them, and a variant that does not name all
 * factors of the grid is no cell of it. A variant counts in its fastest setting (block and sweep).
 */
#ifndef WHYFAST_ABLATION_GRID_H
#define WHYFAST_ABLATION_GRID_H

#include "explain/factorial.h"
#include "query/query.h"

struct grid_cell {
    char *variant;       /* NULL: no variant has this setting */
    char *missing;       /* the reason why there is no time, else NULL */
    double time_ns;      /* median; NAN if missing */
    double floor_pct;    /* NAN if unknown */
    int count, capacity; /* of its samples, the fastest first */
    double *sample_ns;
    int *round; /* of each sample, counted over the rounds of all cells */
};

struct grid {
    char *family;
    int factors;
    char *factor[FACTORIAL_MOST];
    char *impossible; /* the reason why the variants make no grid, or NULL */
    int rounds;       /* in which any cell has a sample */
    struct grid_cell cell[FACTORIAL_CELLS];
};

/* Makes the tables of explain/ablation_grid.sql. Needs variants, points and metrics; loads the
 * samples. */
int grid_make_tables(struct query *query);

/* Reads the grid of a family, without times. A grid without factors is no ablation. */
int grid_open(struct grid *grid, struct query *query, const char *family);
void grid_close(struct grid *grid);

/* Reads the times of its cells at a size. */
int grid_read(struct grid *grid, struct query *query, const char *size);

#endif

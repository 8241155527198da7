/*
 * Chooses the points whose kernels are looked at closely: every size of each family, and the
 * fastest setting of each variant there. A struct kernel_points owns its strings until
 * kernel_points_free.
 */
#ifndef WHYFAST_KERNEL_POINTS_H
#define WHYFAST_KERNEL_POINTS_H

#include "catalog/point_key.h"
#include "run/run.h"

struct kernel_point {
    struct point_key key;
    char *file;     /* of the variant */
    double time_ns; /* median of its cold samples; NAN if there are none */
    int is_largest; /* among the sizes of the family in this run */
    int is_primary; /* of the primary size: that of families.csv (lines_size) if the run has it,
                       else the largest */
};

struct kernel_points {
    int count;
    struct kernel_point *point; /* by family, size and variant */
};

/* Chooses among the points that the run measured right, without those on the CPU, at every size;
 * those of ablation grids only if `grids` is set. The setting is the one with the smallest median
 * of its cold samples. */
int kernel_points_choose(struct kernel_points *points, const struct run *run, int grids);
void kernel_points_free(struct kernel_points *points);

/* End of the group that starts at `start`: the points of one family and size. */
int kernel_points_group_end(const struct kernel_points *points, int start);

#endif

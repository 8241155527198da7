/*
 * Pairs the kernels of two versions of a program: by their names with template arguments, and the
 * grid; by these names; by the names without template arguments; by grid and block; and the last
 * ones that are left with each other. Kernels that are alike are paired in their order. Nothing is
 * owned.
 */
#ifndef WHYFAST_KERNEL_PAIRS_H
#define WHYFAST_KERNEL_PAIRS_H

enum { MOST_PAIRED = 64 };

struct paired_kernel {
    char *whole, *bare; /* its names: with template arguments, and without */
    double blocks, threads;
    int is_paired;
};

/* The kernels of a version, those with the most time first. */
struct paired_version {
    struct paired_kernel kernel[MOST_PAIRED];
    int count;
};

struct kernel_pair {
    int before, after; /* places in the two versions */
};

/* Returns 1 for a kernel that the user names by one of its names or by its variant, and if `word`
 * is NULL. */
int kernel_pairs_wants(const struct paired_kernel *kernel, const char *variant, const char *word);

/* Sets is_paired and the pairs, of which there are at most MOST_PAIRED; returns their number. The
 * first kernels are a pair, whatever they are, if the user names both. */
int kernel_pairs_find(struct kernel_pair *pair, struct paired_version version[2], int are_named);

#endif

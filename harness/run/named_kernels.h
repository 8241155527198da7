/*
 * Names kernels of a program of the user as variants. Nothing is owned.
 *
 * The title of a variant is the label of its kernel (machine_code/kernel_label.h), or what a mark
 * of whyfast.h calls it, and the variant is its key. Kernels with one key have behind it what they
 * differ in: ".g64x2" the grid, ".b128" the block, ".s4096" bytes of dynamic shared memory, the
 * last NVTX range, ".d1" the device. Only if they differ in none of these, numbers follow in the
 * order of the kernels.
 */
#ifndef WHYFAST_NAMED_KERNELS_H
#define WHYFAST_NAMED_KERNELS_H

enum { NAMED_KERNEL = 65 };

/* `l2` in series.csv: their caches are as the launch found them. */
#define SERIES_L2 "as_run"

struct named_kernel {
    const char *label, *range; /* range: "outer/inner", or "" */
    unsigned grid[3], block[3];
    double dynamic_shared;
    int process, device, is_graph_node;
    /* what is made of them */
    char variant[NAMED_KERNEL], size[NAMED_KERNEL];
    char title[NAMED_KERNEL]; /* as it is written in the program */
    double useful_bytes;      /* by a mark, else NAN */
};

/* Names the kernels. Returns FAIL_OUTPUT, with a message, if memory is short. */
int named_kernels_make(struct named_kernel *kernels, int count);

/* Makes the family of a program or script, whose file has no directory. Names of families are parts
 * of the names of pages, which have no '.'. */
void named_kernel_family(char name[NAMED_KERNEL], const char *file);

#endif

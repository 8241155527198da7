#include "watched_program/program_pairs.h"

#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "machine_code/kernel_name.h"
#include "machine_code/kernel_pairs.h"

const char program_pairs_other[] = "other pairs of kernels take more time and changed more";

/* The chosen kernels of the two processes. */
struct sides {
    struct paired_version version[2];
    int chosen[2][MOST_PAIRED];
};

static double volume(const unsigned shape[3])
{
    return (double)shape[0] * shape[1] * shape[2];
}

static int take_kernel(struct sides *sides, int side, const struct program_point *point,
                       const char *named)
{
    struct paired_version *version = &sides->version[side];
    struct paired_kernel *kernel = &version->kernel[version->count];
    *kernel = (struct paired_kernel){.whole = point->kernel->name,
                                     .bare = kernel_short_name(point->kernel->name),
                                     .blocks = volume(point->kernel->grid),
                                     .threads = volume(point->kernel->block)};
    if (!kernel->bare) return FAIL_OUTPUT;
    if (kernel_pairs_wants(kernel, point->variant, named))
        sides->chosen[side][version->count++] = point->chosen;
    else
        free(kernel->bare);
    return 0;
}

/* The kernels come by their time, and the first version has the lower number. */
static int take_kernels(struct sides *sides, const struct program_names *names,
                        const struct program_choice *choice, const char *const named[2])
{
    int first = choice->kernel[0]->process, result = 0;
    for (int k = 0; k < choice->count; k++)
        if (choice->kernel[k]->process < first) first = choice->kernel[k]->process;
    for (int k = 0; k < choice->count && !result; k++) {
        const int side = choice->kernel[k]->process != first;
        result = take_kernel(sides, side, program_names_chosen(names, k), named[side]);
    }
    return result;
}

int program_pairs_choose(unsigned *bits, const struct program_names *names,
                         const struct program_choice *choice, const char *const named[2])
{
    struct kernel_pair pair[MOST_PAIRED];
    double most_ns = -1, most_change_ns = -1;
    unsigned longest = 0, changed = 0;
    struct sides *sides = calloc(1, sizeof *sides);
    int result = sides ? take_kernels(sides, names, choice, named) : error_memory();
    const int count = result ? 0 : kernel_pairs_find(pair, sides->version, named[0] && named[1]);
    for (int i = 0; i < count; i++) {
        const int a = sides->chosen[0][pair[i].before], b = sides->chosen[1][pair[i].after];
        const double a_ns = choice->kernel[a]->total_ns, b_ns = choice->kernel[b]->total_ns;
        if (a_ns + b_ns > most_ns) {
            most_ns = a_ns + b_ns;
            longest = 1u << a | 1u << b;
        }
        if (fabs(a_ns - b_ns) > most_change_ns) {
            most_change_ns = fabs(a_ns - b_ns);
            changed = 1u << a | 1u << b;
        }
    }
    for (int side = 0; sides && side < 2; side++)
        for (int i = 0; i < sides->version[side].count; i++)
            free(sides->version[side].kernel[i].bare);
    free(sides);
    *bits = longest | changed;
    return result;
}

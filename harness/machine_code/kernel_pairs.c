#include "machine_code/kernel_pairs.h"

#include <stddef.h>
#include <string.h>

int kernel_pairs_wants(const struct paired_kernel *kernel, const char *variant, const char *word)
{
    return !word || !strcmp(word, kernel->whole) || !strcmp(word, kernel->bare) ||
           !strcmp(word, variant);
}

typedef int alike(const struct paired_kernel *a, const struct paired_kernel *b);

static int same_name(const struct paired_kernel *a, const struct paired_kernel *b)
{
    return !strcmp(a->whole, b->whole);
}

static int same_whole(const struct paired_kernel *a, const struct paired_kernel *b)
{
    return same_name(a, b) && a->blocks == b->blocks;
}

static int same_bare(const struct paired_kernel *a, const struct paired_kernel *b)
{
    return !strcmp(a->bare, b->bare);
}

static int same_grid(const struct paired_kernel *a, const struct paired_kernel *b)
{
    return a->blocks == b->blocks && a->threads == b->threads;
}

static int any(const struct paired_kernel *a, const struct paired_kernel *b)
{
    return a && b;
}

static int left(const struct paired_version *version)
{
    int count = 0;
    for (int i = 0; i < version->count; i++) count += !version->kernel[i].is_paired;
    return count;
}

/* Returns the new number of pairs. */
static int pair_alike(struct kernel_pair *pair, int count, struct paired_version version[2],
                      alike *are_alike)
{
    for (int i = 0; i < version[0].count; i++)
        for (int k = 0; k < version[1].count; k++) {
            struct paired_kernel *a = &version[0].kernel[i], *b = &version[1].kernel[k];
            if (a->is_paired || b->is_paired || !are_alike(a, b)) continue;
            a->is_paired = b->is_paired = 1;
            pair[count++] = (struct kernel_pair){i, k};
        }
    return count;
}

int kernel_pairs_find(struct kernel_pair *pair, struct paired_version version[2], int are_named)
{
    static alike *const ways[] = {same_whole, same_name, same_bare, same_grid};
    int count = 0;
    if (are_named && version[0].count && version[1].count) {
        version[0].kernel[0].is_paired = version[1].kernel[0].is_paired = 1;
        pair[count++] = (struct kernel_pair){0, 0};
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        count = pair_alike(pair, count, version, ways[i]);
    if (left(&version[0]) == 1 && left(&version[1]) == 1)
        count = pair_alike(pair, count, version, any);
    return count;
}

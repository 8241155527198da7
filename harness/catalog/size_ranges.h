/*
 * Expands ranges of problem sizes, such as 2^6..2^13x2^6..2^13x2048, into the sizes that they stand
 * for. A struct size_list owns its strings until size_list_free.
 */
#ifndef WHYFAST_SIZE_RANGES_H
#define WHYFAST_SIZE_RANGES_H

struct size_list {
    char **size;
    int count;
};

/* Adds each size, and of a range LOW..HIGH the sizes LOW, 2 LOW, 4 LOW and so on up to HIGH;
 * ranges of several dimensions are combined, the last one fastest. Returns FAIL_USAGE for a range
 * that cannot be read, or for too many sizes; the list can be freed then, too. */
int size_ranges_expand(struct size_list *sizes, const char *const *size, int count);
void size_list_free(struct size_list *sizes);

#endif

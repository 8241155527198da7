#include "others.h"

OTHERS_NOTHING("The same again: atomics all over the L2 cache", "25_many_slices", others_add, 0,
               OTHERS_BLOCK, 64, OTHERS_SUMS - 1, work->scratch)

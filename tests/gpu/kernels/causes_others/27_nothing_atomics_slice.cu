#include "others.h"

OTHERS_NOTHING("The same again: atomics all over the L2 cache", "25_many_slices",
               others_begin(work, launch, (const void *)others_add, 0, OTHERS_BLOCK);
               launch_integer(launch, 64); launch_integer(launch, OTHERS_SUMS - 1);
               launch_pointer(launch, work->scratch))

#include "others.h"

OTHERS_PLANTED("Atomics on one sector", "25_many_slices",
               others_begin(work, launch, (const void *)others_add, 0, OTHERS_BLOCK);
               launch_integer(launch, 1); launch_integer(launch, 7);
               launch_pointer(launch, work->scratch))

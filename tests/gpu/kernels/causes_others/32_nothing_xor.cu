#include "others.h"

OTHERS_NOTHING("Exclusive or instead of a sum", "30_stream",
               others_begin(work, launch, (const void *)others_stream<0, 1>, 0, OTHERS_BLOCK);
               launch_integer(launch, outputs); launch_pointer(launch, work->scratch))

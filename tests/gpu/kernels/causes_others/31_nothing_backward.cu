#include "others.h"

OTHERS_NOTHING("Backward", "30_stream",
               others_begin(work, launch, (const void *)others_stream<1, 0>, 0, OTHERS_BLOCK);
               launch_integer(launch, outputs); launch_pointer(launch, work->scratch))

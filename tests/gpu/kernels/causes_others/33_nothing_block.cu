#include "others.h"

OTHERS_NOTHING("Blocks of 512 threads", "30_stream",
               others_begin(work, launch, (const void *)others_stream<0, 0>, 0, 2 * OTHERS_BLOCK);
               launch_integer(launch, outputs); launch_pointer(launch, work->scratch))

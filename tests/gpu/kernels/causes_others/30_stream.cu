#include "others.h"

OTHERS_BASE("A stream of words",
            others_begin(work, launch, (const void *)others_stream<0, 0>, 0, OTHERS_BLOCK);
            launch_integer(launch, outputs); launch_pointer(launch, work->scratch))

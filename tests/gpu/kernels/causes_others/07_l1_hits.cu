#include "others.h"

OTHERS_BASE("4 KiB read again and again",
            others_begin(work, launch, (const void *)others_reuse, 0, OTHERS_BLOCK);
            launch_integer(launch, 1024); launch_pointer(launch, work->scratch))

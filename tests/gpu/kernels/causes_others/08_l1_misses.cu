#include "others.h"

OTHERS_PLANTED("64 KiB read again and again", "07_l1_hits",
               others_begin(work, launch, (const void *)others_reuse, 0, OTHERS_BLOCK);
               launch_integer(launch, 16384); launch_pointer(launch, work->scratch))

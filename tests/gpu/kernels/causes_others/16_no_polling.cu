#include "others.h"

OTHERS_BASE("No block waits for others",
            others_begin(work, launch, (const void *)others_turns, OTHERS_BLOCKS, OTHERS_BLOCK);
            launch_integer(launch, outputs); launch_integer(launch, 0);
            launch_pointer(launch, work->scratch); launch->clear_scratch = sizeof(unsigned))

#include "others.h"

OTHERS_PLANTED("Blocks wait for each other", "16_no_polling",
               others_begin(work, launch, (const void *)others_turns, OTHERS_BLOCKS, OTHERS_BLOCK);
               launch_integer(launch, outputs); launch_integer(launch, 1);
               launch_pointer(launch, work->scratch); launch->clear_scratch = sizeof(unsigned))

#include "others.h"

OTHERS_PLANTED("A block for each SM", "13_many_threads",
               others_begin(work, launch, (const void *)others_share, OTHERS_BLOCKS, OTHERS_FEW);
               launch_integer(launch, outputs))

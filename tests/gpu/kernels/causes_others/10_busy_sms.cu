#include "others.h"

OTHERS_BASE("A block for each SM", others_begin(work, launch, (const void *)others_share,
                                                OTHERS_BLOCKS, OTHERS_WIDE_BLOCK);
            launch_integer(launch, outputs); launch->dynamic_shared = OTHERS_ONE_BLOCK)

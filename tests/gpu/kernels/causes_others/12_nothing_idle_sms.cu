#include "others.h"

OTHERS_NOTHING("The same again: a block for each SM", "10_busy_sms",
               others_begin(work, launch, (const void *)others_share, OTHERS_BLOCKS,
                            OTHERS_WIDE_BLOCK);
               launch_integer(launch, outputs); launch->dynamic_shared = OTHERS_ONE_BLOCK)

#include "others.h"

OTHERS_PLANTED("A block for each fourth SM", "10_busy_sms",
               others_begin(work, launch, (const void *)others_share, OTHERS_BLOCKS / 4,
                            OTHERS_WIDE_BLOCK);
               launch_integer(launch, outputs); launch->dynamic_shared = OTHERS_ONE_BLOCK)

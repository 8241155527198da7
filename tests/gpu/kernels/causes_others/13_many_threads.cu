#include "others.h"

OTHERS_BASE("Eight blocks for each SM",
            others_begin(work, launch, (const void *)others_share, OTHERS_BLOCKS * 8, OTHERS_FEW);
            launch_integer(launch, outputs))

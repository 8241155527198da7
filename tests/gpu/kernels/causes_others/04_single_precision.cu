#include "others.h"

OTHERS_BASE("Single precision",
            others_begin(work, launch, (const void *)others_precision<float>, 0, OTHERS_BLOCK);
            launch_integer(launch, 512))

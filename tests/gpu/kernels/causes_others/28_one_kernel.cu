#include "others.h"

OTHERS_BASE("One kernel",
            others_begin(work, launch, (const void *)others_precision<float>, 0, OTHERS_BLOCK);
            launch_integer(launch, 512))

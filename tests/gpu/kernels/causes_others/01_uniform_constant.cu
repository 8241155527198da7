#include "others.h"

OTHERS_BASE("One constant for all lanes",
            others_begin(work, launch, (const void *)others_constant, 0, OTHERS_BLOCK);
            launch_integer(launch, 0))

#include "others.h"

OTHERS_BASE("Products of 64 columns",
            others_begin(work, launch, (const void *)others_columns, 0, OTHERS_BLOCK);
            launch_integer(launch, 64))

#include "others.h"

OTHERS_BASE("One piece of code again and again",
            others_begin(work, launch, (const void *)others_loop, 0, OTHERS_BLOCK);
            launch_integer(launch, 128))

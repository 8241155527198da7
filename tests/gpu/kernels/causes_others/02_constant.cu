#include "others.h"

OTHERS_PLANTED("A constant for each lane", "01_uniform_constant",
               others_begin(work, launch, (const void *)others_constant, 0, OTHERS_BLOCK);
               launch_integer(launch, 1))

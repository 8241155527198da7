#include "others.h"

OTHERS_PLANTED("Double precision", "04_single_precision",
               others_begin(work, launch, (const void *)others_precision<double>, 0, OTHERS_BLOCK);
               launch_integer(launch, 512))

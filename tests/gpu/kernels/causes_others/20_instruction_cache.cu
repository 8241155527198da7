#include "others.h"

OTHERS_PLANTED("64 pieces of code in turn", "19_one_piece",
               others_begin(work, launch, (const void *)others_code, 0, OTHERS_BLOCK);
               launch_integer(launch, 37))

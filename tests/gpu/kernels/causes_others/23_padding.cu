#include "others.h"

OTHERS_PLANTED("Products of 96 columns", "22_no_padding",
               others_begin(work, launch, (const void *)others_columns, 0, OTHERS_BLOCK);
               launch_integer(launch, 96))

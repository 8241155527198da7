#include "others.h"

OTHERS_PLANTED("A constant for each lane", "01_uniform_constant", others_constant, 0, OTHERS_BLOCK,
               1)

#include "others.h"

OTHERS_NOTHING("The same again: single precision", "04_single_precision", others_precision<float>,
               0, OTHERS_BLOCK, 512)

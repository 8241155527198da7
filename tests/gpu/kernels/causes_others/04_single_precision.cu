#include "others.h"

OTHERS_BASE("Single precision", others_precision<float>, 0, OTHERS_BLOCK, 512)

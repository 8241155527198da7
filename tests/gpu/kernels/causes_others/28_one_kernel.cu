#include "others.h"

OTHERS_BASE("One kernel", others_precision<float>, 0, OTHERS_BLOCK, 512)

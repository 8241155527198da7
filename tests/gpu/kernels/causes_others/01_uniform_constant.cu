#include "others.h"

OTHERS_BASE("One constant for all lanes", others_constant, 0, OTHERS_BLOCK, 0)

#include "others.h"

OTHERS_BASE("Products of 64 columns", others_columns, 0, OTHERS_BLOCK, 64)

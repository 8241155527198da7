#include "others.h"

OTHERS_PLANTED("Products of 96 columns", "22_no_padding", others_columns, 0, OTHERS_BLOCK, 96)

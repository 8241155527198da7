#include "others.h"

OTHERS_NOTHING("The same again: products of 64 columns", "22_no_padding", others_columns, 0,
               OTHERS_BLOCK, 64)

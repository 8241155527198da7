#include "others.h"

OTHERS_PLANTED("64 pieces of code in turn", "19_one_piece", others_code, 0, OTHERS_BLOCK, 37)

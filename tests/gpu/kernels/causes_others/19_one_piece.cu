#include "others.h"

OTHERS_BASE("One piece of code again and again", others_loop, 0, OTHERS_BLOCK, 128)

#include "others.h"

OTHERS_NOTHING("The same again: one constant for all lanes", "01_uniform_constant", others_constant,
               0, OTHERS_BLOCK, 0)

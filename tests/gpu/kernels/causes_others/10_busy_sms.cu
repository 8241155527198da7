#include "others.h"

OTHERS_BASE("A block for each SM", others_share, OTHERS_BLOCKS, OTHERS_WIDE_BLOCK, outputs)

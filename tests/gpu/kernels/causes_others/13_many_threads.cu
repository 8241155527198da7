#include "others.h"

OTHERS_BASE("Eight blocks for each SM", others_share, OTHERS_BLOCKS * 8, OTHERS_FEW, outputs)

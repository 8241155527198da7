#include "others.h"

OTHERS_PLANTED("A block for each SM", "13_many_threads", others_share, OTHERS_BLOCKS, OTHERS_FEW,
               outputs)

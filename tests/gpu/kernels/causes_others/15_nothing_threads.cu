#include "others.h"

OTHERS_NOTHING("The same again: eight blocks for each SM", "13_many_threads", others_share,
               OTHERS_BLOCKS * 8, OTHERS_FEW, outputs)

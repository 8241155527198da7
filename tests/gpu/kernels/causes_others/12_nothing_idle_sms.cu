#include "others.h"

OTHERS_NOTHING("The same again: a block for each SM", "10_busy_sms", others_share, OTHERS_BLOCKS,
               OTHERS_WIDE_BLOCK, outputs)

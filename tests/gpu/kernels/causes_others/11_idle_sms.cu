#include "others.h"

OTHERS_PLANTED("A block for each fourth SM", "10_busy_sms", others_share, OTHERS_BLOCKS / 4,
               OTHERS_WIDE_BLOCK, outputs)

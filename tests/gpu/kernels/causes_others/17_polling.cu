#include "others.h"

OTHERS_PLANTED("Blocks wait for each other", "16_no_polling", others_turns, OTHERS_BLOCKS,
               OTHERS_BLOCK, outputs, 1, work->scratch, OTHERS_CLEARED)

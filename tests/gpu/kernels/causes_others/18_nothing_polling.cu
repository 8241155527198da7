#include "others.h"

OTHERS_NOTHING("The same again: no block waits for others", "16_no_polling", others_turns,
               OTHERS_BLOCKS, OTHERS_BLOCK, outputs, 0, work->scratch, OTHERS_CLEARED)

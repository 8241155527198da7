#include "others.h"

OTHERS_BASE("No block waits for others", others_turns, OTHERS_BLOCKS, OTHERS_BLOCK, outputs, 0,
            work->scratch, OTHERS_CLEARED)

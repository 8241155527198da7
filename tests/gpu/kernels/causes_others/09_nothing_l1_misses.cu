#include "others.h"

OTHERS_NOTHING("The same again: 4 KiB read again and again", "07_l1_hits", others_reuse, 0,
               OTHERS_BLOCK, 1024, work->scratch)

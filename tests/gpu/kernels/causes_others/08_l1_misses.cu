#include "others.h"

OTHERS_PLANTED("64 KiB read again and again", "07_l1_hits", others_reuse, 0, OTHERS_BLOCK, 16384,
               work->scratch)

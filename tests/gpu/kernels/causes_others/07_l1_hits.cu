#include "others.h"

OTHERS_BASE("4 KiB read again and again", others_reuse, 0, OTHERS_BLOCK, 1024, work->scratch)

#include "others.h"

OTHERS_BASE("Atomics all over the L2 cache", others_add, 0, OTHERS_BLOCK, 64, OTHERS_SUMS - 1,
            work->scratch)

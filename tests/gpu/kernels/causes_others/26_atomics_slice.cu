#include "others.h"

OTHERS_PLANTED("Atomics on one sector", "25_many_slices", others_add, 0, OTHERS_BLOCK, 1, 7,
               work->scratch)

#include "others.h"

OTHERS_NOTHING("Backward", "30_stream", others_stream<1, 0>, 0, OTHERS_BLOCK, outputs,
               work->scratch)

#include "others.h"

OTHERS_NOTHING("Blocks of 512 threads", "30_stream", others_stream<0, 0>, 0, 2 * OTHERS_BLOCK,
               outputs, work->scratch)

#include "others.h"

OTHERS_NOTHING("Exclusive or instead of a sum", "30_stream", others_stream<0, 1>, 0, OTHERS_BLOCK,
               outputs, work->scratch)

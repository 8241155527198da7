#include "others.h"

OTHERS_BASE("A stream of words", others_stream<0, 0>, 0, OTHERS_BLOCK, outputs, work->scratch)

#include "others.h"

OTHERS_PLANTED("Double precision", "04_single_precision", others_precision<double>, 0, OTHERS_BLOCK,
               512)

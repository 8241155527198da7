#include "conflicts.h"

CONFLICTS_VARIANT("16 bytes, every other: 2-way", uint4, 2)

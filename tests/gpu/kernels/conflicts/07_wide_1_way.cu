#include "conflicts.h"

CONFLICTS_VARIANT("16 bytes next to each other: none", uint4, 1)

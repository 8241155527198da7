#include "conflicts.h"

CONFLICTS_VARIANT("Words 4 apart: 4-way", unsigned, 4)

#include "conflicts.h"

CONFLICTS_VARIANT("Words 32 apart: 32-way", unsigned, 32)

#include "conflicts.h"

CONFLICTS_VARIANT("Words 1 apart: 1-way", unsigned, 1)

#include "conflicts.h"

CONFLICTS_VARIANT("Words 2 apart: 2-way", unsigned, 2)

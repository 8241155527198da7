#include "conflicts.h"

CONFLICTS_VARIANT("Words 8 apart: 8-way", unsigned, 8)

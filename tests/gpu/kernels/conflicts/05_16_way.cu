#include "conflicts.h"

CONFLICTS_VARIANT("Words 16 apart: 16-way", unsigned, 16)

#include "lines/lines_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Moves *list behind `used` characters and the blanks that must follow unless it ends there. */
static int take(const char **list, int used)
{
    const char *p = *list + used;
    if (used == 0 || (*p && *p != ' ')) return -1;
    *list = p + strspn(p, " ");
    return 1;
}

int location_next(const char **list, struct location *location)
{
    char source[10], line[10];
    int used = 0;
    if (!**list) return 0;
    if (sscanf(*list, "%9[0-9]:%9[0-9]%n", source, line, &used) != 2) return -1;
    *location = (struct location){(int)strtol(source, NULL, 10), (int)strtol(line, NULL, 10)};
    return take(list, used);
}

int stall_next(const char **list, struct stall *stall)
{
    char samples[16], not_issued[16];
    int used = 0;
    if (!**list) return 0;
    if (sscanf(*list, "%47[a-z0-9_]=%15[0-9]/%15[0-9]%n", stall->reason, samples, not_issued,
               &used) != 3)
        return -1;
    stall->samples = strtod(samples, NULL);
    stall->not_issued = strtod(not_issued, NULL);
    return stall->not_issued > stall->samples ? -1 : take(list, used);
}

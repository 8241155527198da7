#include "lines_cells.h"

#include <stdlib.h>
#include <string.h>

/* A whole number of up to `digits` digits, and the character that must follow it: 0 stands for a blank or the end. What lies behind, or NULL. */
static const char *take_number(const char *p, size_t digits, char after, double *value)
{
    const size_t length = strspn(p, "0123456789");
    if (length == 0 || length > digits) return NULL;
    *value = strtod(p, NULL);
    p += length;
    if (after) return *p == after ? p + 1 : NULL;
    return *p && *p != ' ' ? NULL : p + strspn(p, " ");
}

int place_next(const char **list, struct place *place)
{
    double source, line;
    if (!**list) return 0;
    const char *p = take_number(*list, 9, ':', &source);
    if (p) p = take_number(p, 9, 0, &line);
    if (!p) return -1;
    *place = (struct place){(int)source, (int)line};
    *list = p;
    return 1;
}

int stall_next(const char **list, struct stall *stall)
{
    if (!**list) return 0;
    const size_t length = strspn(*list, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (length == 0 || length >= REASON_SIZE || (*list)[length] != '=') return -1;
    memcpy(stall->reason, *list, length);
    stall->reason[length] = 0;
    const char *p = take_number(*list + length + 1, 15, '/', &stall->samples);
    if (p) p = take_number(p, 15, 0, &stall->not_issued);
    if (!p || stall->not_issued > stall->samples) return -1;
    *list = p;
    return 1;
}

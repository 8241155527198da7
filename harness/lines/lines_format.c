#include "lines/lines_format.h"

#include <string.h>

/* Takes a whole number of up to `digits` digits and the character that must follow it, 0 for a
 * blank or the end. Returns the rest, or NULL if there is no such number. */
static const char *take_number(const char *p, size_t digits, char after, double *value)
{
    size_t length = 0;
    *value = 0;
    for (; p[length] >= '0' && p[length] <= '9'; length++)
        *value = 10 * *value + (p[length] - '0'); /* exact: at most 15 digits count */
    if (length == 0 || length > digits) return NULL;
    p += length;
    if (after) return *p == after ? p + 1 : NULL;
    return *p && *p != ' ' ? NULL : p + strspn(p, " ");
}

int location_next(const char **list, struct location *location)
{
    double source, line;
    if (!**list) return 0;
    const char *p = take_number(*list, 9, ':', &source);
    if (p) p = take_number(p, 9, 0, &line);
    if (!p) return -1;
    *location = (struct location){(int)source, (int)line};
    *list = p;
    return 1;
}

int stall_next(const char **list, struct stall *stall)
{
    if (!**list) return 0;
    size_t length = 0;
    while (((*list)[length] >= 'a' && (*list)[length] <= 'z') || (*list)[length] == '_' ||
           ((*list)[length] >= '0' && (*list)[length] <= '9'))
        length++;
    if (length == 0 || length >= REASON_SIZE || (*list)[length] != '=') return -1;
    memcpy(stall->reason, *list, length);
    stall->reason[length] = 0;
    const char *p = take_number(*list + length + 1, 15, '/', &stall->samples);
    if (p) p = take_number(p, 15, 0, &stall->not_issued);
    if (!p || stall->not_issued > stall->samples) return -1;
    *list = p;
    return 1;
}

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

/* Reads a whole number. Returns what is behind it, or NULL unless it has 1 to 15 digits. */
static const char *take_count(const char *text, double *count)
{
    enum { MOST = 15 };
    long long whole = 0;
    int digits = 0;
    for (; digits <= MOST && text[digits] >= '0' && text[digits] <= '9'; digits++)
        whole = 10 * whole + (text[digits] - '0');
    *count = (double)whole;
    return digits > 0 && digits <= MOST ? text + digits : NULL;
}

int stall_next(const char **list, struct stall *stall)
{
    const char *p = *list;
    size_t length = 0;
    if (!*p) return 0;
    while ((p[length] >= 'a' && p[length] <= 'z') || (p[length] >= '0' && p[length] <= '9') ||
           p[length] == '_')
        length++;
    if (length == 0 || length >= REASON_SIZE || p[length] != '=') return -1;
    memcpy(stall->reason, p, length);
    stall->reason[length] = 0;
    p = take_count(p + length + 1, &stall->samples);
    if (p) p = *p == '/' ? take_count(p + 1, &stall->not_issued) : NULL;
    if (!p || stall->not_issued > stall->samples) return -1;
    return take(list, (int)(p - *list));
}

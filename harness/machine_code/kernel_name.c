#include "machine_code/kernel_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* From the C++ runtime, which the kernels' host code is linked with (Itanium C++ ABI, 3.4). */
__attribute__((weak)) char *__cxa_demangle(const char *symbol, char *buffer, size_t *bytes,
                                           int *status);

/* Cuts the return type and the arguments off a demangled name. Returns the arguments. */
static char *cut_types(char *name)
{
    static const char result[] = "void ", unnamed[] = "(anonymous namespace)";
    int depth = 0;
    if (!strncmp(name, result, strlen(result)))
        memmove(name, name + strlen(result), strlen(name + strlen(result)) + 1);
    for (char *types = name;; types++) {
        if (!*types) return types;
        if (!strncmp(types, unnamed, strlen(unnamed))) {
            types += strlen(unnamed) - 1;
        } else if (*types == '(' && depth == 0) {
            *types = 0;
            return types + 1;
        }
        depth += *types == '<';
        depth -= *types == '>';
    }
}

char *kernel_name_and_types(const char *symbol, char **types)
{
    int status;
    char *name = __cxa_demangle ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
    if (name) {
        *types = cut_types(name);
        return name;
    }
    char *same = strdup(symbol);
    *types = same ? same + strlen(same) : NULL;
    if (!same) error_memory();
    return same;
}

char *kernel_name_of(const char *demangled)
{
    char *name = strdup(demangled), *to = name;
    if (!name) return error_memory(), NULL;
    for (const char *p = name; *p; p++) { /* "f<(int)4>" is "f<4>" */
        const char *end = *p == '(' && p > name && strchr("<, ", p[-1]) ? strchr(p, ')') : NULL;
        if (end && (isdigit((unsigned char)end[1]) || end[1] == '-'))
            p = end;
        else
            *to++ = *p;
    }
    *to = 0;
    cut_types(name);
    return name;
}

char *kernel_name(const char *symbol)
{
    char *types;
    return kernel_name_and_types(symbol, &types);
}

char *kernel_short_name(const char *symbol)
{
    char *name = kernel_name(symbol);
    int depth = 0;
    if (!name) return NULL;
    char *to = name;
    for (const char *p = name; *p; p++) {
        depth += *p == '<' || *p == '(';
        if (depth == 0 && p[0] == ':' && p[1] == ':') {
            to = name; /* what precedes is a namespace */
            p++;
        } else if (depth == 0) {
            *to++ = *p;
        }
        depth -= depth > 0 && (*p == '>' || *p == ')');
    }
    *to = 0;
    return name;
}

#include "machine_code/kernel_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* From the C++ runtime, which the kernels' host code is linked with (Itanium C++ ABI, 3.4). */
__attribute__((weak)) char *__cxa_demangle(const char *symbol, char *buffer, size_t *bytes,
                                           int *status);

char *kernel_name_and_types(const char *symbol, char **types)
{
    static const char result[] = "void ", unnamed[] = "(anonymous namespace)";
    int status, depth = 0;
    char *name = __cxa_demangle ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
    if (!name) {
        char *same = strdup(symbol);
        *types = same ? same + strlen(same) : NULL;
        if (!same) error_memory();
        return same;
    }
    if (!strncmp(name, result, strlen(result)))
        memmove(name, name + strlen(result), strlen(name + strlen(result)) + 1);
    for (*types = name; **types; ++*types) {
        if (!strncmp(*types, unnamed, strlen(unnamed))) {
            *types += strlen(unnamed) - 1;
        } else if (**types == '(' && depth == 0) {
            *(*types)++ = 0;
            break;
        }
        depth += **types == '<';
        depth -= **types == '>';
    }
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

#include "catalog/knockout.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

const struct knockout_kind knockout_kinds[KNOCKOUTS] = {
    [KNOCKOUT_NOTHING] = {"nothing", "nothing", "",
                          "the unchanged copy: what the method itself costs"},
    [KNOCKOUT_BARRIERS] = {"barriers", "barriers", "barriers", ""},
    [KNOCKOUT_CONFLICTS] = {"conflicts", "bank conflicts", "bank_conflicts", ""},
    [KNOCKOUT_LOAD_CONFLICTS] = {"load_conflicts", "bank conflicts of loads", "", ""},
    [KNOCKOUT_STORE_CONFLICTS] = {"store_conflicts", "bank conflicts of stores", "", ""},
    [KNOCKOUT_MATRIX_CONFLICTS] = {"matrix_conflicts", "bank conflicts of ldmatrix", "", ""},
    [KNOCKOUT_ATOMIC_CONFLICTS] = {"atomic_conflicts", "bank conflicts of atomics", "", ""},
    [KNOCKOUT_COPY_CONFLICTS] = {"copy_conflicts", "bank conflicts of asynchronous copies", "",
                                 "each warp takes two jumps more"},
    [KNOCKOUT_BARRIERS_CONFLICTS] = {"barriers_conflicts", "barriers and bank conflicts at once",
                                     "barriers_conflicts", "what both share is in it once"},
    [KNOCKOUT_GLOBAL_LOADS] = {"global_loads", "global loads", "",
                               "an upper bound: no bytes, no queue, no latency"},
    [KNOCKOUT_GLOBAL_STORES] = {"global_stores", "global stores", "", "no bytes and no queue"},
    [KNOCKOUT_ATOMICS] = {"atomics", "atomics without a result", "", ""},
    [KNOCKOUT_LOCAL_MEMORY] = {"local_memory", "spills and arrays in local memory", "", ""},
    [KNOCKOUT_CONSTANT_READS] = {"constant_reads", "divergent reads of constants", "", ""},
    [KNOCKOUT_DOUBLES] = {"doubles", "double precision and conversions", "", ""},
    [KNOCKOUT_HALF_FP32] = {"half_fp32", "every second FP32 instruction", "",
                            "a lower bound for half of them: they still take their issue slots"},
    [KNOCKOUT_HALF_TENSOR] = {"half_tensor", "every second product of matrices", "",
                              "a lower bound for half of them: they still take their issue slots"},
    [KNOCKOUT_REGISTER_BANKS] = {"register_banks", "multiply-adds with registers of one bank", "",
                                 "only those whose three operands are in one bank"},
    [KNOCKOUT_ALL] = {"all", "all memory and barriers at once", "",
                      "what is left is arithmetic and control"},
};

int knockout_find(const char *name)
{
    for (int i = 0; i < KNOCKOUTS; i++)
        if (!strcmp(name, knockout_kinds[i].name)) return i;
    return -1;
}

long knockout_line(const char *line)
{
    const char *colon = strrchr(line, ':'), *number = colon ? colon + 1 : line;
    const size_t digits = strspn(number, "0123456789");
    return colon == line || number[digits] || digits > 8 ? 0 : strtol(number, NULL, 10);
}

int knockout_line_is(const char *line, const char *file, long number)
{
    const char *colon = strrchr(line, ':');
    const size_t bytes = colon ? (size_t)(colon - line) : 0, length = strlen(file);
    return number > 0 && knockout_line(line) == number && bytes <= length &&
           !memcmp(file + length - bytes, line, bytes) &&
           (!bytes || bytes == length || file[length - bytes - 1] == '/');
}

int knockout_unknown(const char *name)
{
    const char *names[KNOCKOUTS];
    for (int i = 0; i < KNOCKOUTS; i++) names[i] = knockout_kinds[i].name;
    const char *nearest = text_nearest(name, names, KNOCKOUTS);
    return error(FAIL_USAGE, "no knock-out is called '%s'%s%s%s", name,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

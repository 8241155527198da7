/*
 * A set of texts that have as many parts each, to ask quickly whether one is among them. A zeroed
 * set is empty; it owns copies until string_set_free.
 */
#ifndef WHYFAST_STRING_SET_H
#define WHYFAST_STRING_SET_H

#include <stdint.h>

struct string_set {
    int count, slots;
    char **name; /* open addressing; NULL for none */
};

/* Adds a text of `parts` parts; 0, also where it is there already, or FAIL_OUTPUT. */
int string_set_add(struct string_set *set, const char *const *part, int parts);
int string_set_has(const struct string_set *set, const char *const *part, int parts);
void string_set_free(struct string_set *set);

#endif

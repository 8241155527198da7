/*
 * A set of texts that have as many parts each, to ask quickly whether one is among them. A zeroed
 * set is empty; it owns copies until name_set_free.
 */
#ifndef WHYFAST_NAME_SET_H
#define WHYFAST_NAME_SET_H

#include <stdint.h>

struct name_set {
    int count, slots;
    char **name; /* open addressing; NULL for none */
};

/* Adds a text of `parts` parts; 0, also where it is there already, or FAIL_OUTPUT. */
int name_set_add(struct name_set *set, const char *const *part, int parts);
int name_set_has(const struct name_set *set, const char *const *part, int parts);
void name_set_free(struct name_set *set);

#endif

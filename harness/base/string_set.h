/*
 * A set of tuples of strings. A zeroed set is empty; it owns copies until string_set_free.
 */
#ifndef WHYFAST_STRING_SET_H
#define WHYFAST_STRING_SET_H

struct string_set {
    void *tree; /* of tsearch */
};

/* Adds a tuple of `parts` strings unless the set has it. Returns 0, or FAIL_OUTPUT. */
int string_set_add(struct string_set *set, const char *const *part, int parts);
int string_set_has(const struct string_set *set, const char *const *part, int parts);
void string_set_free(struct string_set *set);

#endif

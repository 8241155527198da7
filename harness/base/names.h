/*
 * Finds the names of variants, "family/name", that a word of a command line means. Nothing is
 * owned. text_nearest (base/text.h) names the nearest ones for a typo.
 */
#ifndef WHYFAST_NAMES_H
#define WHYFAST_NAMES_H

#include <stddef.h>

/* Returns the part of a name behind its family. */
const char *names_bare(const char *name);

/* Marks in found[0..count) the names that a word means, in the first of these ways that finds one:
 * in full ("gemm/11_zigzag", "11_zigzag"), by a pattern ("gemm/11*"), by the number of the rung
 * ("gemm/8" for "gemm/08_double_buffer"), without its mark ("app/sum" for "app/sum.2"), by its
 * beginning ("gemm/08_d", "gemm/0", but not "gemm/1", which is a rung or nothing); then in the same
 * ways regardless of case. A family is given in full. Returns how many it marked. */
size_t names_find(const char *word, const char *const *names, size_t count, char *found);

/* Returns 1 if a pattern names the family of a variant, or matches "family/name" or the name. */
int names_match(const char *pattern, const char *name);

/* Marks the names that a word selects where several may be: those that it matches as a pattern,
 * those of a family regardless of case, else the one that it means. Returns how many it marked, or
 * -1 if the word is no pattern and means several, which are marked. */
int names_select(const char *word, const char *const *names, size_t count, char *found);

/* Returns 1 for the name of a source of CUDA, C or C++, which people take for that of a variant. */
int names_is_source(const char *word);

/* Puts the word with the family of a name in place of its own, which is a typo or the beginning of
 * that family, into `mended`. Returns 1 if that means a name, else 0. */
enum { MENDED_SIZE = 200 };
int names_mend(const char *word, const char *const *names, size_t count, char mended[MENDED_SIZE]);

/* Writes a text as a word that no shell changes: letters, digits, '_', '.' and '-'. What opens or
 * separates arguments becomes '-', what closes them or stands for a pointer is left out, and the
 * rest becomes '_': "mul<float, 4>" is "mul-float-4". The key has no more bytes than the text. */
void names_key(const char *text, char *key);

#endif

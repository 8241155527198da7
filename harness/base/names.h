/*
 * Finds the names of variants, "family/name", that a word of a command line means. Nothing is
 * owned.
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

/* Appends "did you mean ...?" with up to three of the names that a word without a meaning may stand
 * for: with its family mended, then those of its family with its number or its letters, then the
 * nearest one. Returns 0 if there is none, and appends nothing. */
struct text;
int names_suggest(struct text *text, const char *word, const char *const *names, size_t count);

/* Appends the nth name, from 0 on, of a list that shows the first of them, and how many more there
 * are. */
void names_list(struct text *list, int nth, const char *name);
void names_list_rest(struct text *list, int count);

/* Appends the names of the family that a word begins with, or is, behind the opening ("it has"), or
 * of many their number, the first and the last. Returns how many there are. */
int names_list_family(struct text *text, const char *opening, const char *word,
                      const char *const *names, size_t count);

/* Writes a text as a word that no shell changes: letters, digits, '_', '.' and '-'. What opens or
 * separates arguments becomes '-', what closes them or stands for a pointer is left out, and the
 * rest becomes '_': "mul<float, 4>" is "mul-float-4". The key has no more bytes than the text. */
void names_key(const char *text, char *key);

#endif

#include "base/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

const char *names_bare(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash ? slash + 1 : name;
}

enum way { WAY_FULL, WAY_PATTERN, WAY_RUNG, WAY_UNMARKED, WAY_BEGINNING, WAY_COUNT };

static int begins(const char *string, const char *with, size_t length, int folds)
{
    return folds ? !strncasecmp(string, with, length) : !strncmp(string, with, length);
}

static int is_number(const char *word)
{
    return *word && !word[strspn(word, "0123456789")];
}

/* Returns 1 if the word is a whole number and the name begins with this number. */
static int is_rung(const char *word, const char *name)
{
    char *end;
    if (!is_number(word) || !isdigit((unsigned char)*name)) return 0;
    const unsigned long wanted = strtoul(word, NULL, 10), rung = strtoul(name, &end, 10);
    return wanted == rung && (*end == '_' || !*end);
}

/* Compares a word without a family with a name without one. */
static int part_matches(const char *word, const char *name, enum way way, int folds)
{
    switch (way) {
    case WAY_FULL: return begins(name, word, strlen(word) + 1, folds);
    case WAY_PATTERN: return text_matches(word, name);
    case WAY_RUNG: return is_rung(word, name);
    case WAY_UNMARKED: return begins(name, word, strlen(word), folds) && name[strlen(word)] == '.';
    default: return (*word == '0' || !is_number(word)) && begins(name, word, strlen(word), folds);
    }
}

/* Compares a word with a name; the family of the word, if it has one, is given in full. */
static int matches(const char *word, const char *name, enum way way, int folds)
{
    const char *bare = names_bare(name), *part = names_bare(word);
    if (part_matches(word, bare, way, folds)) return 1;
    if (way == WAY_PATTERN) return text_matches(word, name);
    if (part == word) return way == WAY_BEGINNING && begins(name, word, strlen(word), folds);
    return part - word == bare - name && begins(name, word, (size_t)(part - word), folds) &&
           part_matches(part, bare, way, folds);
}

size_t names_find(const char *word, const char *const *names, size_t count, char *found)
{
    size_t marked = 0;
    for (int folds = 0; folds < 2; folds++)
        for (enum way way = WAY_FULL; way < WAY_COUNT && !marked; way++)
            for (size_t i = 0; i < count; i++) {
                found[i] = (char)matches(word, names[i], way, folds);
                marked += found[i] != 0;
            }
    return marked;
}

static int is_family(const char *word, const char *name, int folds)
{
    const size_t length = strlen(word);
    return begins(name, word, length, folds) && name[length] == '/';
}

int names_match(const char *pattern, const char *name)
{
    return is_family(pattern, name, 0) || text_matches(pattern, name) ||
           text_matches(pattern, names_bare(name));
}

int names_select(const char *word, const char *const *names, size_t count, char *found)
{
    int marked = 0;
    for (int folds = 0; folds < 2 && !marked; folds++)
        for (size_t i = 0; i < count; i++) {
            found[i] = (char)(folds ? is_family(word, names[i], 1) : names_match(word, names[i]));
            marked += found[i];
        }
    if (marked) return marked;
    const size_t meant = names_find(word, names, count, found);
    return meant > 1 ? -1 : (int)meant;
}

/* Returns the family that is rather meant by a typed one, or NULL if both are other words: the
 * shorter of those that begin as typed, else the one that needs fewer changes. */
static const char *likelier(const char *typed, const char *one, const char *other)
{
    const char *const both[] = {one, other};
    const size_t length = strlen(typed);
    const int one_begins = length && begins(one, typed, length, 1),
              other_begins = length && begins(other, typed, length, 1);
    if (one_begins && other_begins) return strlen(other) < strlen(one) ? other : one;
    return one_begins ? one : other_begins ? other : text_nearest(typed, both, 2);
}

/* Puts the word with the family of a name in place of its own, which is a typo or the beginning of
 * that family, into `mended`. Returns 1 if that means a name, else 0. */
enum { MENDED_SIZE = 200 };
static int mend(const char *word, const char *const *names, size_t count, char mended[MENDED_SIZE])
{
    char typed[80], family[80], nearest[80] = "", whole[MENDED_SIZE], is_meant;
    const char *rest = word + strcspn(word, "/");
    snprintf(typed, sizeof typed, "%.*s", (int)(rest - word), word);
    for (size_t i = 0; i < count && *rest; i++) {
        snprintf(family, sizeof family, "%.*s", (int)(names_bare(names[i]) - names[i]) - 1,
                 names[i]);
        snprintf(whole, sizeof whole, "%s%s", family, rest);
        if (likelier(typed, nearest, family) != family ||
            !names_find(whole, &names[i], 1, &is_meant))
            continue;
        memcpy(nearest, family, sizeof family);
        memcpy(mended, whole, sizeof whole);
    }
    return *nearest != 0;
}

/* Puts the family that is nearest to a typo of one into `nearest`, or "". */
static void nearest_family(const char *typed, const char *const *names, size_t count,
                           char nearest[MENDED_SIZE])
{
    char family[MENDED_SIZE];
    const char *const both[] = {nearest, family};
    *nearest = 0;
    for (size_t i = 0; i < count; i++) {
        snprintf(family, sizeof family, "%.*s", (int)(names_bare(names[i]) - names[i]) - 1,
                 names[i]);
        if (text_nearest(typed, both, 2) == family) memcpy(nearest, family, sizeof family);
    }
}

static const char *letters_of(const char *bare)
{
    bare += strspn(bare, "0123456789");
    return bare + (*bare == '_');
}

/* Returns 1 for a name with the number that the typed part begins with, or with its letters. */
static int is_near(const char *part, const char *bare)
{
    enum { LEAST = 3 };
    const char *letters = letters_of(part);
    return (isdigit((unsigned char)*part) && isdigit((unsigned char)*bare) &&
            strtoul(part, NULL, 10) == strtoul(bare, NULL, 10)) ||
           (strlen(letters) >= LEAST && strcasestr(bare, letters));
}

/* Finds the names of a family ("": of all) that a part of a name is near to, or the nearest one: in
 * full, without its family, or without its number. Returns how many, or -1 if memory is short. */
enum { MOST_SUGGESTED = 3 };
static int find_near(const char *part, const char *family, const char *const *names, size_t count,
                     const char *found[MOST_SUGGESTED])
{
    const char **candidate = calloc(3 * count + 1, sizeof *candidate);
    size_t *of = calloc(3 * count + 1, sizeof *of), candidates = 0;
    int near = candidate && of ? 0 : -1;
    for (size_t i = 0; i < count && near >= 0; i++) {
        const char *bare = names_bare(names[i]), *const forms[] = {names[i], bare,
                                                                   letters_of(bare)};
        if (*family && !is_family(family, names[i], 0)) continue;
        if (*family && near < MOST_SUGGESTED && is_near(part, bare)) found[near++] = names[i];
        for (size_t form = *family != 0; form < 3; form++) {
            of[candidates] = i;
            candidate[candidates++] = forms[form];
        }
    }
    const char *nearest = near ? NULL : text_nearest(part, candidate, candidates);
    for (size_t i = 0; i < candidates && nearest && !near; i++)
        if (candidate[i] == nearest) found[near++] = names[of[i]];
    free(candidate);
    free(of);
    return near;
}

int names_suggest(struct text *text, const char *word, const char *const *names, size_t count)
{
    char family[MENDED_SIZE], typed[MENDED_SIZE];
    const char *part = names_bare(word), *found[MOST_SUGGESTED] = {family};
    int near = mend(word, names, count, family);
    snprintf(typed, sizeof typed, "%.*s", part > word ? (int)(part - word) - 1 : -1, word);
    if (!near) {
        nearest_family(typed, names, count, family);
        if (part == word)
            near = *family != 0;
        else if (*family)
            near = find_near(part, family, names, count, found);
    }
    if (!near && part == word) near = find_near(part, "", names, count, found);
    if (near < 0) text->failed = 1;
    for (int i = 0; i < near; i++)
        text_format(text, "%s'%s'",
                    i == 0         ? "did you mean "
                    : i + 1 < near ? ", "
                                   : " or ",
                    found[i]);
    if (near > 0) text_append(text, "?");
    return near > 0;
}

enum { MOST_LISTED = 6 };

void names_list(struct text *list, int nth, const char *name)
{
    if (nth < MOST_LISTED) text_format(list, "%s%s", nth ? ", " : "", name);
}

void names_list_rest(struct text *list, int count)
{
    if (count > MOST_LISTED) text_format(list, " and %d more", count - MOST_LISTED);
}

int names_list_family(struct text *text, const char *opening, const char *word,
                      const char *const *names, size_t count)
{
    size_t first = count, last = 0;
    int found = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = (size_t)(names_bare(names[i]) - names[i]) - 1;
        if (!begins(names[i], word, length, 0) || (word[length] && word[length] != '/')) continue;
        if (!found++) first = i;
        last = i;
    }
    if (found > MOST_LISTED)
        text_format(text, "%s %d, from %s to %s", opening, found, names[first], names[last]);
    for (size_t i = first; found <= MOST_LISTED && i < count && i <= last; i++)
        text_format(text, "%s %s", i == first ? opening : ",", names[i]);
    return found;
}

int names_is_source(const char *word)
{
    static const char *const endings[] = {".cu", ".cuh", ".c", ".cc", ".cpp", ".h"};
    const char *dot = strrchr(word, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(dot, endings[i])) return 1;
    return 0;
}

void names_key(const char *text, char *key)
{
    const int has_any = *text != 0;
    char *to = key;
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        const int is_behind = to > key && to[-1] == '-'; /* a separator */
        if (byte < 128 && isalnum(byte))
            *to++ = (char)byte;
        else if (to == key || strchr(">)]}*&\"'", byte) || (is_behind && byte == ' '))
            continue;
        else if (!strchr("<([{,-", byte))
            *to++ = byte == '.' ? '.' : '_';
        else if (!is_behind)
            *to++ = '-';
        else if (byte == '-')
            *to++ = 'm'; /* minus */
    }
    while (to > key && strchr("_-", to[-1])) to--;
    if (to == key && has_any) *to++ = 'x';
    *to = 0;
}

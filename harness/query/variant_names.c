#include "query/variant_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"

int variant_names_add(void *context, const struct scope *row)
{
    struct names *names = context;
    char **name = realloc(names->name, (size_t)(names->count + 1) * sizeof *name);
    if (!name) return error_memory();
    names->name = name;
    name[names->count] = strdup(row->value[0]);
    if (!name[names->count]) return error_memory();
    names->count++;
    return 0;
}

void variant_names_free(struct names *names)
{
    for (int i = 0; i < names->count; i++) free(names->name[i]);
    free(names->name);
    memset(names, 0, sizeof *names);
}

/* The name without its family. */
static const char *bare_of(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash ? slash + 1 : name;
}

/* The name nearest to a typo, with its family or without it; in *nearest NULL when none is near
 * enough. */
static int find_nearest(const struct names *names, const char *word, const char **nearest)
{
    const char **candidates = calloc(2 * (size_t)names->count + 1, sizeof *candidates);
    if (!candidates) return error_memory();
    for (int i = 0; i < names->count; i++) {
        candidates[2 * i] = names->name[i];
        candidates[2 * i + 1] = bare_of(names->name[i]);
    }
    *nearest = text_nearest(word, candidates, 2 * (size_t)names->count);
    free(candidates);
    return 0;
}

/* ---- the one that a word means --------------------------------------------------------------- */

enum match { MATCH_FULL, MATCH_PATTERN, MATCH_BEGINNING };

static int matches(const char *word, const char *name, enum match match)
{
    const size_t length = strlen(word);
    switch (match) {
    case MATCH_FULL: return !strcmp(word, name) || !strcmp(word, bare_of(name));
    case MATCH_PATTERN: return text_matches(word, name) || text_matches(word, bare_of(name));
    case MATCH_BEGINNING:
        return !strncmp(word, name, length) || !strncmp(word, bare_of(name), length);
    }
    return 0;
}

/* Indices of the names that the word means, by the strictest way in which it means any. */
static int find_matches(const struct names *names, const char *word, int *found)
{
    int count = 0;
    for (enum match match = MATCH_FULL; match <= MATCH_BEGINNING && count == 0; match++)
        for (int i = 0; i < names->count; i++)
            if (matches(word, names->name[i], match)) found[count++] = i;
    return count;
}

static void append_names(struct text *text, const struct names *names, const int *which, int count)
{
    enum { MOST = 6 };
    for (int i = 0; i < count && i < MOST; i++)
        text_format(text, "%s%s", i ? ", " : "", names->name[which ? which[i] : i]);
    if (count > MOST) text_format(text, " and %d more", count - MOST);
}

static int say_unknown(const struct run *run, const struct names *known, const char *word)
{
    const char *nearest;
    const int result = find_nearest(known, word, &nearest);
    if (result) return result;
    return nearest ? error(FAIL_USAGE, "%s has no variant '%s'; did you mean '%s'?", run->path,
                           word, nearest)
                   : error(FAIL_USAGE, "%s has no variant '%s'; its variants.csv names them all",
                           run->path, word);
}

/* Nothing that has what is wanted is called so: is it a variant without, or a typo? */
static int say_without(struct query *query, const struct variant_names_search *search,
                       const struct names *with, const char *word)
{
    struct names known = {0};
    struct text list = {0};
    int result = query_each(query, NULL, "SELECT family || '/' || variant FROM variants", NULL,
                            variant_names_add, &known);
    if (!result) result = query_each(query, NULL, search->sql, NULL, variant_names_add, &known);
    int *found = result ? NULL : calloc((size_t)known.count + 1, sizeof *found);
    append_names(&list, with, NULL, with->count);
    if (!result && (!found || list.failed))
        result = error_memory();
    else if (!result && find_matches(&known, word, found))
        result = error(FAIL_INPUT, "%s has no %s of %s; it has that of %s", query->run->path,
                       search->wanted, known.name[found[0]],
                       list.length ? text_string(&list) : "no variant");
    else if (!result)
        result = say_unknown(query->run, &known, word);
    free(found);
    text_free(&list);
    variant_names_free(&known);
    return result;
}

int variant_names_find(struct query *query, const struct variant_names_search *search,
                       const char *word, char **name)
{
    struct names names = {0};
    struct text list = {0};
    int result = query_each(query, NULL, search->sql, NULL, variant_names_add, &names);
    int *found = result ? NULL : calloc((size_t)names.count + 1, sizeof *found);
    const int count = found ? find_matches(&names, word, found) : 0;
    *name = NULL;
    if (!result && !found) {
        result = error_memory();
    } else if (!result && count == 0) {
        result = say_without(query, search, &names, word);
    } else if (!result && count > 1) {
        append_names(&list, &names, found, count);
        result = list.failed ? error_memory()
                             : error(FAIL_USAGE, "'%s' means several variants: %s; name one", word,
                                     text_string(&list));
    } else if (!result) {
        *name = strdup(names.name[found[0]]);
        if (!*name) result = error_memory();
    }
    free(found);
    text_free(&list);
    variant_names_free(&names);
    return result;
}

/* ---- those that a pattern means -------------------------------------------------------------- */

static int is_meant(const char *pattern, const char *name)
{
    const char *bare = bare_of(name);
    const size_t family = (size_t)(bare - name) - 1;
    return text_matches(pattern, name) || text_matches(pattern, bare) ||
           (strlen(pattern) == family && !strncmp(pattern, name, family));
}

int variant_names_mean(const struct names *known, const char *pattern)
{
    for (int i = 0; i < known->count; i++)
        if (is_meant(pattern, known->name[i])) return 1;
    return 0;
}

int variant_names_want(struct query *query, const struct names *known, const char *pattern,
                       const char *lacking)
{
    int found = 0, result = 0;
    for (int i = 0; i < known->count && !result; i++) {
        if (!is_meant(pattern, known->name[i])) continue;
        found = 1;
        result = query_write(query, "INSERT INTO wanted VALUES(%Q)", known->name[i]);
    }
    if (result || found) return result;
    const char *nearest;
    result = find_nearest(known, pattern, &nearest);
    if (result) return result;
    return nearest
               ? error(FAIL_USAGE, "%s variant '%s'; did you mean '%s'?", lacking, pattern, nearest)
               : error(FAIL_USAGE, "%s variant '%s'; variants.csv names them all", lacking,
                       pattern);
}

int variant_names_a_run(const char *word)
{
    char *facts = text_new("%s/run.txt", word);
    const int found = facts && access(facts, F_OK) == 0;
    free(facts);
    return found || (*word && strchr("/.", *word));
}

/* ---- sizes ----------------------------------------------------------------------------------- */

int size_digits(const char *size, char digits[72])
{
    struct shape shape;
    int rank = 1;
    for (const char *p = size; *p; p++) rank += *p == 'x';
    const int result = shape_parse(&shape, size, rank > 3 ? 3 : rank);
    if (!result) shape_text(&shape, digits);
    return result;
}

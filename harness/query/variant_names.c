#include "query/variant_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"

int variant_names_add(void *context, const struct scope *row)
{
    struct variant_names *names = context;
    char **name = realloc(names->name, (size_t)(names->count + 1) * sizeof *name);
    if (!name) return error_memory();
    names->name = name;
    name[names->count] = strdup(row->value[0]);
    if (!name[names->count]) return error_memory();
    names->count++;
    return 0;
}

void variant_names_free(struct variant_names *names)
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

/* Finds the name nearest to a typo, with or without its family; NULL if none is near enough. */
static int find_nearest(const struct variant_names *names, const char *word, const char **nearest)
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

/* ---- the variant that a word names ----------------------------------------------------------- */

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

/* Finds the names that a word matches, in the strictest way in which it matches any. The strings
 * belong to `names`; the caller frees only found->name. */
static int find_matches(const struct variant_names *names, const char *word,
                        struct variant_names *found)
{
    *found = (struct variant_names){calloc((size_t)names->count + 1, sizeof *found->name), 0};
    if (!found->name) return error_memory();
    for (enum match match = MATCH_FULL; match <= MATCH_BEGINNING && found->count == 0; match++)
        for (int i = 0; i < names->count; i++)
            if (matches(word, names->name[i], match)) found->name[found->count++] = names->name[i];
    return 0;
}

static int list_names(struct text *text, const struct variant_names *names)
{
    enum { MOST = 6 };
    for (int i = 0; i < names->count && i < MOST; i++)
        text_format(text, "%s%s", i ? ", " : "", names->name[i]);
    if (names->count > MOST) text_format(text, " and %d more", names->count - MOST);
    return text->failed ? error_memory() : 0;
}

static int say_unknown(const char *lacking, const struct variant_names *known, const char *word)
{
    const char *nearest = NULL;
    const int result = find_nearest(known, word, &nearest);
    if (result) return result;
    return nearest
               ? error(FAIL_USAGE, "%s variant '%s'; did you mean '%s'?", lacking, word, nearest)
               : error(FAIL_USAGE, "%s variant '%s'; variants.csv names them all", lacking, word);
}

/* The word names none of the variants of the search: it names another variant, or is a typo. */
static int say_without(struct query *query, const struct variant_names_search *search,
                       const struct variant_names *with, const char *word)
{
    struct variant_names known = {0}, found = {0};
    struct text list = {0};
    int result = query_each(query, NULL, "SELECT family || '/' || variant FROM variants", NULL,
                            variant_names_add, &known);
    if (!result) result = query_each(query, NULL, search->sql, NULL, variant_names_add, &known);
    if (!result) result = find_matches(&known, word, &found);
    if (!result) result = list_names(&list, with);
    char *lacking = text_new("%s has no", query->run->path);
    if (!result && !lacking) result = error_memory();
    if (!result && found.count)
        result =
            error(FAIL_INPUT, "%s has no %s of %s; it has that of %s", query->run->path,
                  search->wanted, found.name[0], list.length ? text_string(&list) : "no variant");
    else if (!result)
        result = say_unknown(lacking, &known, word);
    free(lacking);
    free(found.name);
    text_free(&list);
    variant_names_free(&known);
    return result;
}

static int say_several(const struct variant_names *found, const char *word)
{
    struct text list = {0};
    int result = list_names(&list, found);
    if (!result)
        result = error(FAIL_USAGE, "'%s' means several variants: %s; name one", word,
                       text_string(&list));
    text_free(&list);
    return result;
}

int variant_names_find(struct query *query, const struct variant_names_search *search,
                       const char *word, char **name)
{
    struct variant_names names = {0}, found = {0};
    int result = query_each(query, NULL, search->sql, NULL, variant_names_add, &names);
    *name = NULL;
    if (!result) result = find_matches(&names, word, &found);
    if (!result && found.count == 0) result = say_without(query, search, &names, word);
    if (!result && found.count > 1) result = say_several(&found, word);
    if (!result) {
        *name = strdup(found.name[0]);
        if (!*name) result = error_memory();
    }
    free(found.name);
    variant_names_free(&names);
    return result;
}

/* ---- the variants that a pattern matches ----------------------------------------------------- */

static int matches_pattern(const char *pattern, const char *name)
{
    const char *bare = bare_of(name);
    const size_t family = (size_t)(bare - name) - 1;
    return text_matches(pattern, name) || text_matches(pattern, bare) ||
           (strlen(pattern) == family && !strncmp(pattern, name, family));
}

int variant_names_match(const struct variant_names *known, const char *pattern)
{
    for (int i = 0; i < known->count; i++)
        if (matches_pattern(pattern, known->name[i])) return 1;
    return 0;
}

int variant_names_want(struct query *query, const struct variant_names *known, const char *pattern,
                       const char *lacking)
{
    int found = 0, result = 0;
    for (int i = 0; i < known->count && !result; i++) {
        if (!matches_pattern(pattern, known->name[i])) continue;
        found = 1;
        result = query_write(query, "INSERT INTO wanted VALUES(%Q)", known->name[i]);
    }
    return result || found ? result : say_unknown(lacking, known, pattern);
}

int variant_names_is_run(const char *word)
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

int variant_names_want_size(struct query *query, const char *sizes, const char *size, int *found)
{
    char digits[72];
    int result = size_digits(size, digits);
    if (!result)
        result = query_write(query, "INSERT INTO wanted_sizes SELECT %Q WHERE %Q IN (%s)", digits,
                             digits, sizes);
    *found = !result && sqlite3_changes(query->database) > 0;
    return result;
}

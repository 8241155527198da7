#include "lines_select.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "names.h"
#include "text.h"

/* ---- names -------------------------------------------------------------------------------------------------------------------------------- */

enum match { MATCH_FULL, MATCH_PATTERN, MATCH_BEGINNING };

static int matches(const char *word, const char *name, enum match match)
{
    const size_t length = strlen(word);
    switch (match) {
    case MATCH_FULL: return !strcmp(word, name) || !strcmp(word, names_bare(name));
    case MATCH_PATTERN: return text_matches(word, name) || text_matches(word, names_bare(name));
    case MATCH_BEGINNING: return !strncmp(word, name, length) || !strncmp(word, names_bare(name), length);
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
    for (int i = 0; i < count && i < MOST; i++) text_format(text, "%s%s", i ? ", " : "", names->name[which ? which[i] : i]);
    if (count > MOST) text_format(text, " and %d more", count - MOST);
}

static int say_unknown(const struct run *run, const struct names *known, const char *word)
{
    const char *nearest;
    const int result = names_nearest(known, word, &nearest);
    if (result) return result;
    return nearest ? error(FAIL_USAGE, "%s has no variant '%s'; did you mean '%s'?", run->path, word, nearest)
                   : error(FAIL_USAGE, "%s has no variant '%s'; its variants.csv names them all", run->path, word);
}

/* Nothing with per-line data is called so: is it a variant without, or a typo? */
static int say_without(struct query *query, const struct names *with, const char *word)
{
    struct names known = {0};
    struct text list = {0};
    int result = query_each(query, NULL, "SELECT family || '/' || variant FROM variants UNION SELECT family || '/' || variant FROM kernels",
                            NULL, names_add, &known);
    int *found = result ? NULL : calloc((size_t)known.count + 1, sizeof *found);
    append_names(&list, with, NULL, with->count);
    if (!result && (!found || list.failed))
        result = error_memory();
    else if (!result && find_matches(&known, word, found))
        result = error(FAIL_INPUT, "%s has no per-line data of %s; it has that of %s", query->run->path, known.name[found[0]],
                       text_string(&list));
    else if (!result)
        result = say_unknown(query->run, &known, word);
    free(found);
    text_free(&list);
    names_free(&known);
    return result;
}

/* The one variant that the word means, into *name, which the caller frees. */
static int find_variant(struct query *query, const char *word, char **name)
{
    struct names names = {0};
    struct text list = {0};
    int result = query_each(query, NULL, "SELECT DISTINCT family || '/' || variant FROM kernels ORDER BY 1", NULL, names_add, &names);
    int *found = result ? NULL : calloc((size_t)names.count + 1, sizeof *found);
    const int count = found ? find_matches(&names, word, found) : 0;
    *name = NULL;
    if (!result && !found) {
        result = error_memory();
    } else if (!result && count == 0) {
        result = say_without(query, &names, word);
    } else if (!result && count > 1) {
        append_names(&list, &names, found, count);
        result = list.failed ? error_memory() : error(FAIL_USAGE, "'%s' means several variants: %s; name one", word, text_string(&list));
    } else if (!result) {
        *name = strdup(names.name[found[0]]);
        if (!*name) result = error_memory();
    }
    free(found);
    text_free(&list);
    names_free(&names);
    return result;
}

/* ---- points and launches -------------------------------------------------------------------------------------------------------------------- */

/* How many points are named where another one was asked for. */
enum { MOST_CHOICES = 4 };

struct choices {
    struct text list;
    int count;
};

static int add_choice(void *context, const struct scope *row)
{
    struct choices *choices = context;
    if (choices->count++ < MOST_CHOICES) text_format(&choices->list, "%s%s", choices->list.length ? "; " : "", row->value[0]);
    return 0;
}

static int say_choices(struct query *query, const char *name, const struct scope *scope)
{
    struct choices choices = {.count = 0};
    int result = query_each(query, NULL,
                            "SELECT 'size ' || size || ', block ' || block || CASE WHEN sweep > 0 THEN ', sweep ' || sweep ELSE '' END || "
                            "', launch ' || group_concat(launch, ', ') FROM kernels WHERE family || '/' || variant = :name "
                            "GROUP BY size, block, sweep ORDER BY CAST(size AS INTEGER) DESC, size, block, sweep",
                            scope, add_choice, &choices);
    if (choices.count > MOST_CHOICES) text_format(&choices.list, "; and %d more", choices.count - MOST_CHOICES);
    if (!result)
        result = choices.list.failed ? error_memory()
                                     : error(FAIL_USAGE, "%s has no such per-line data of %s; it has %s", query->run->path, name,
                                             text_string(&choices.list));
    text_free(&choices.list);
    return result;
}

static const char *number_or_null(char buffer[KERNEL_SIZE], long value, int said)
{
    snprintf(buffer, KERNEL_SIZE, "%ld", value);
    return said ? buffer : NULL;
}

static int find_kernel(struct query *query, const char *name, const struct kernel_choice *choice, const char *like,
                       char kernel[KERNEL_SIZE])
{
    static const char sql[] =
        "SELECT k.kernel FROM kernels k JOIN kernel_totals t ON t.kernel = k.kernel LEFT JOIN kernels n ON n.kernel = :like "
        "WHERE k.family || '/' || k.variant = :name AND (:size IS NULL OR k.size = :size) AND (:block IS NULL OR k.block = :block) "
        "AND (:sweep IS NULL OR k.sweep = :sweep) AND (:launch IS NULL OR k.launch = :launch) "
        "ORDER BY k.size = n.size DESC, k.block = n.block DESC, k.launch = n.launch DESC, CAST(k.size AS INTEGER) DESC, k.size, k.block, "
        "t.best DESC, "
        "k.sweep, k.launch LIMIT 1";
    char digits[72], block[KERNEL_SIZE], sweep[KERNEL_SIZE], launch[KERNEL_SIZE], *found = NULL;
    int result = choice->size ? size_digits(choice->size, digits) : 0;
    if (result) return result;
    const char *const keys[] = {"name", "like", "size", "block", "sweep", "launch"};
    const char *const values[] = {name,
                                  like,
                                  choice->size ? digits : NULL,
                                  number_or_null(block, choice->block, choice->block > 0),
                                  number_or_null(sweep, choice->sweep, choice->sweep > 0),
                                  number_or_null(launch, choice->launch, choice->launch >= 0)};
    const struct scope scope = {NULL, 6, keys, values};
    result = query_text(query, NULL, sql, &scope, &found);
    if (!result && !found) result = say_choices(query, name, &scope);
    if (!result) snprintf(kernel, KERNEL_SIZE, "%s", found);
    free(found);
    return result;
}

int kernel_find(struct query *query, const char *word, const struct kernel_choice *choice, const char *like, char kernel[KERNEL_SIZE])
{
    char *name;
    int result = find_variant(query, word, &name);
    if (!result) result = find_kernel(query, name, choice, like, kernel);
    free(name);
    return result;
}

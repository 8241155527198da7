#include "lines/kernel_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "query/variant_names.h"

/* ---- points and launches --------------------------------------------------------------------- */

/* How many points a message names. */
enum { MOST_CHOICES = 4 };

struct choices {
    struct text list;
    int count;
};

static int add_choice(void *context, const struct scope *row)
{
    struct choices *choices = context;
    if (choices->count++ < MOST_CHOICES)
        text_format(&choices->list, "%s%s", choices->list.length ? "; " : "", row->value[0]);
    return 0;
}

static int say_choices(struct query *query, const char *name, const struct scope *scope)
{
    struct choices choices = {.count = 0};
    int result = query_each(
        query, NULL,
        "SELECT 'size ' || size || ', block ' || block || CASE WHEN sweep > 0 THEN ', sweep ' || "
        "sweep ELSE '' END || "
        "', launch ' || group_concat(launch, ', ') FROM kernels WHERE family || '/' || variant = "
        ":name "
        "GROUP BY size, block, sweep ORDER BY CAST(size AS INTEGER) DESC, size, block, sweep",
        scope, add_choice, &choices);
    if (choices.count > MOST_CHOICES)
        text_format(&choices.list, "; and %d more", choices.count - MOST_CHOICES);
    if (!result)
        result = choices.list.failed
                     ? error_memory()
                     : error(FAIL_USAGE, "%s has no such per-line data of %s; it has %s",
                             query->run->path, name, text_string(&choices.list));
    text_free(&choices.list);
    return result;
}

static const char *number_or_null(char buffer[KERNEL_SIZE], long value, int is_specified)
{
    snprintf(buffer, KERNEL_SIZE, "%ld", value);
    return is_specified ? buffer : NULL;
}

static int find_kernel(struct query *query, const char *name, const struct kernel_choice *choice,
                       const char *like, char kernel[KERNEL_SIZE])
{
    static const char sql[] =
        "SELECT k.kernel FROM kernels k LEFT JOIN clean_points p USING (family, variant, size, "
        "block, sweep) LEFT JOIN kernels n ON n.kernel = :like "
        "WHERE k.family || '/' || k.variant = :name AND (:size IS NULL OR k.size = :size) AND "
        "(:block IS NULL OR k.block = :block) "
        "AND (:sweep IS NULL OR k.sweep = :sweep) AND (:launch IS NULL OR k.launch = :launch) "
        "ORDER BY k.size = n.size DESC, k.block = n.block DESC, k.launch = n.launch DESC, "
        "CAST(k.size AS INTEGER) DESC, k.size, k.block, "
        "p.best DESC, "
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

int kernel_choice_find(struct query *query, const char *word, const struct kernel_choice *choice,
                       const char *like, char kernel[KERNEL_SIZE])
{
    char *name;
    static const struct variant_names_search search = {
        "SELECT DISTINCT family || '/' || variant FROM kernels ORDER BY 1", "per-line data"};
    int result = variant_names_find(query, &search, word, &name);
    if (!result) result = find_kernel(query, name, choice, like, kernel);
    free(name);
    return result;
}

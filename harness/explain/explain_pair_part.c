/* Implements what explain/explain_pair.h says of runs of which little is known. */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "explain/explain.h"
#include "explain/explain_pair.h"
#include "query/variant_names.h"

/* Chooses the size as explain_pair_open does; *size is NULL if there is none. */
static int choose_size(struct query *query, const char *before, const char *after,
                       const char *asked, char **size)
{
    static const char sql[] =
        "SELECT size FROM points p JOIN sizes s USING (family, size) WHERE family || '/' || "
        "variant = "
        ":after AND status = 'ok' AND (:asked IS NULL OR instr(:asked, ',' || size || ',') > 0) "
        "AND (:before IS NULL OR size IN (SELECT size FROM points WHERE family || '/' || variant = "
        ":before AND status = 'ok')) ORDER BY s.place LIMIT 1";
    char list[SIZE_LIST] = "";
    const int result = asked ? size_list(asked, list) : 0;
    const struct scope scope =
        SCOPE_OF(STRINGS("before", "after", "asked"), STRINGS(before, after, asked ? list : NULL));
    return result ? result : query_text(query, NULL, sql, &scope, size);
}

/* Names the sizes of a variant that lacks the asked one. */
static int say_sizes(struct query *query, const char *name, const char *asked)
{
    static const char sql[] = "SELECT group_concat(size, ', ') FROM (SELECT DISTINCT size FROM "
                              "points WHERE family || '/' || variant = :name AND status = 'ok' "
                              "ORDER BY CAST(size AS INTEGER), size)";
    const struct scope scope = SCOPE_OF(STRINGS("name"), STRINGS(name));
    char *sizes = NULL;
    int result = query_text(query, NULL, sql, &scope, &sizes);
    if (!result) result = error(FAIL_USAGE, "%s has no size %s; it has %s", name, asked, sizes);
    free(sizes);
    return result;
}

int explain_pair_part(struct query *query, const char *before, const char *after, const char *asked,
                      char **family, char **size)
{
    static const struct variant_names_search search = {
        "SELECT DISTINCT family || '/' || variant FROM points WHERE status = 'ok' ORDER BY 1",
        "time"};
    char *first = NULL, *second = NULL;
    int result = QUERY_LOAD(query, TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS);
    if (!result) result = query_make_sizes(query);
    if (!result && before) result = variant_names_find(query, &search, before, &first);
    if (!result) result = variant_names_find(query, &search, after, &second);
    if (!result && size) result = choose_size(query, first, second, asked, size);
    if (!result && size && !*size && asked) result = say_sizes(query, second, asked);
    if (!result) {
        *family = strndup(second, strcspn(second, "/"));
        if (!*family) result = error_memory();
    }
    free(first);
    free(second);
    return result;
}

int explain_pair_sentence(struct text *words, struct query *query, const char *before,
                          const char *after, const char *size)
{
    static const char sql[] =
        "SELECT 1 FROM ledger JOIN metrics USING (" POINT_KEY ") WHERE size = :size AND best = 1 "
        "AND family || '/' || variant IN (:before, :after) "
        "GROUP BY size HAVING count(DISTINCT family || '/' || variant) = CASE :before WHEN :after "
        "THEN 1 ELSE 2 "
        "END";
    const struct scope scope =
        SCOPE_OF(STRINGS("before", "after", "size"), STRINGS(before, after, size));
    struct explain_pair pair;
    char *found = NULL;
    if (!explain_is_done(query->run)) return 0;
    int result = QUERY_LOAD(query, TABLE_METRICS, TABLE_LEDGER);
    if (!result) result = query_text(query, NULL, sql, &scope, &found);
    if (result || !found) return result;
    free(found);
    result = explain_pair_open(&pair, query, query, before, after, size, NULL);
    if (!result)
        text_format(words, "%s -> %s: %s", before, after,
                    pair.headline ? pair.headline : pair.evidence);
    explain_pair_close(&pair);
    return result;
}

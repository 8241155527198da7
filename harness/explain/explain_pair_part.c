/* Implements explain_pair_part of explain/explain_pair.h. */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "explain/explain_pair.h"
#include "query/variant_names.h"

static int load(struct query *query, const struct run *run)
{
    static const enum table_id needed[] = {TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS};
    int result = query_open(query, run);
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(query, needed[i]);
    return result;
}

/* Chooses the size as explain_pair_open does; *size is NULL if there is none. */
static int choose_size(struct query *query, const char *before, const char *after,
                       const char *asked, char **size)
{
    static const char sql[] =
        "SELECT size FROM points p JOIN families f USING (family) WHERE family || '/' || variant = "
        ":after AND status = 'ok' AND (:asked IS NULL OR instr(:asked, ',' || size || ',') > 0) "
        "AND (:before IS NULL OR size IN (SELECT size FROM points WHERE family || '/' || variant = "
        ":before AND status = 'ok')) ORDER BY size = f.lines_size DESC, useful_bytes DESC LIMIT 1";
    char list[SIZE_LIST] = "";
    const int result = asked ? size_list(asked, list) : 0;
    const char *const name[] = {"before", "after", "asked"};
    const char *const value[] = {before, after, asked ? list : NULL};
    const struct scope scope = {NULL, 3, name, value};
    return result ? result : query_text(query, NULL, sql, &scope, size);
}

int explain_pair_part(const struct run *run, const char *before, const char *after,
                      const char *asked, char **family, char **size)
{
    static const struct variant_names_search search = {
        "SELECT DISTINCT family || '/' || variant FROM points WHERE status = 'ok' ORDER BY 1",
        "time"};
    struct query query;
    char *first = NULL, *second = NULL;
    int result = load(&query, run);
    if (!result && before) result = variant_names_find(&query, &search, before, &first);
    if (!result) result = variant_names_find(&query, &search, after, &second);
    if (!result && size) result = choose_size(&query, first, second, asked, size);
    if (!result) {
        *family = strndup(second, strcspn(second, "/"));
        if (!*family) result = error_memory();
    }
    free(first);
    free(second);
    query_close(&query);
    return result;
}

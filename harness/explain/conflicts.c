#include "explain/conflicts.h"

#include <stdlib.h>
#include <string.h>

#include "explain/conflicts.sql.h"

/* Says why conflicts were not counted: the reason of a counter, else that of all counters. */
static int set_reasons(struct query *query)
{
    static const char sql[] =
        "UPDATE conflicts SET status = coalesce((SELECT CASE WHEN c.status LIKE 'absent: %%' "
        "THEN c.status ELSE 'absent: ' || c.status END FROM counters c WHERE "
        "(c.family, c.variant, c.size) = (conflicts.family, conflicts.variant, conflicts.size) "
        "AND c.status <> 'ok' AND c.counter LIKE 'shared\\_%%' ESCAPE '\\' LIMIT 1), %Q) "
        "WHERE status IS NULL";
    const char *counters = run_fact(query->run, "counters");
    const int is_absent = counters && !strncmp(counters, ABSENT, strlen(ABSENT));
    int result = query_load(query, TABLE_COUNTERS);
    if (!result)
        result = query_write(query, sql,
                             is_absent ? counters : ABSENT "counters of shared memory are missing");
    return result;
}

/* The records of a run may lack metrics of shared memory: they are unknown then. */
static int add_columns(struct query *query)
{
    static const char *const columns[] = {"load_excess_wavefronts",   "store_excess_wavefronts",
                                          "matrix_excess_wavefronts", "async_excess_wavefronts",
                                          "atomic_excess_wavefronts", "same_word_wavefronts",
                                          "line_wavefronts",          "shared_conflict_ways",
                                          "shared_excess_wavefronts", "shared_excess_exact"};
    return query_add_columns(query, "metrics", columns, sizeof columns / sizeof *columns);
}

int conflicts_make(struct query *query)
{
    char *unknown = NULL;
    int result = add_columns(query);
    if (!result) result = query_write(query, "%s", conflicts_sql);
    if (!result)
        result = query_text(query, NULL, "SELECT 1 FROM conflicts WHERE status IS NULL LIMIT 1",
                            NULL, &unknown);
    if (!result && unknown) result = set_reasons(query);
    free(unknown);
    return result;
}

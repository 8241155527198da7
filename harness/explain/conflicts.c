#include "explain/conflicts.h"

#include <stdlib.h>
#include <string.h>

#include "explain/conflicts.sql.h"

/* Says why conflicts were not counted: the reason of a counter, else that of all counters. */
static int set_reasons(struct query *query)
{
    static const char sql[] =
        "CREATE INDEX counters_absent ON counters(family, variant, size) WHERE status <> 'ok';"
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

int conflicts_make(struct query *query)
{
    char *unknown = NULL;
    int result = query_write(query, "%s", conflicts_sql);
    if (!result)
        result = query_text(query, NULL, "SELECT 1 FROM conflicts WHERE status IS NULL LIMIT 1",
                            NULL, &unknown);
    if (!result && unknown) result = set_reasons(query);
    free(unknown);
    return result;
}

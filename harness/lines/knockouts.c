#include "lines/knockouts.h"

#include "catalog/knockout.h"
#include "lines/costs_of_sides.sql.h"
#include "lines/measured.sql.h"

int knockouts_load(struct query *query)
{
    int result = query_load(query, TABLE_KNOCKOUTS);
    if (!result)
        result = query_write(query, "CREATE TABLE IF NOT EXISTS knockout_kinds"
                                    "  (knockout PRIMARY KEY, title, cause, note)");
    for (int k = 0; k < KNOCKOUTS && !result; k++)
        result = query_run(query, NULL, "INSERT OR REPLACE INTO knockout_kinds VALUES (?, ?, ?, ?)",
                           "tttt", knockout_kinds[k].name, knockout_kinds[k].title,
                           knockout_kinds[k].cause, knockout_kinds[k].note);
    return result;
}

int knockouts_measure(struct query *query)
{
    const int result = knockouts_load(query);
    return result ? result : query_write(query, "%s", measured_sql);
}

int knockouts_take(struct query *query)
{
    const int result = knockouts_measure(query);
    return result ? result : query_write(query, "%s", costs_of_sides_sql);
}

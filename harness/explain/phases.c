#include "explain/phases.h"

#include "explain/phases.sql.h"

int phases_make(struct query *query)
{
    return query_write(query, "%s", phases_sql);
}

#include "query/expression.h"

#include <stdlib.h>

#include "base/message.h"
#include "base/text.h"
#include "query/query_guard.h"

int expression_check(struct query *query, const struct record *record, const char *field,
                     const char *expression, const char *table)
{
    char *origin = text_new("%s:%d", record->file, record_line(record, field));
    char *sql = text_new("SELECT (%s) FROM %s LIMIT 0", expression, table), *value = NULL;
    int result = origin && sql ? query_text(query, origin, sql, NULL, &value) : error_memory();
    if (!result) result = query_guard_expression(origin, expression);
    free(value);
    free(sql);
    free(origin);
    return result;
}

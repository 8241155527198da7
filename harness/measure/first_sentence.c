#include "measure/first_sentence.h"

#include "base/message.h"
#include "measure/first_sentence.sql.h"
#include "query/query.h"

static int say(void *context, const struct scope *row)
{
    (void)context;
    note("%s", row->value[0]);
    return 0;
}

int first_sentence(const struct run *run)
{
    struct query query;
    int result = query_open(&query, run);
    if (result) return result;
    result = query_load(&query, TABLE_VARIANTS);
    if (!result) result = query_load(&query, TABLE_SAMPLES);
    if (!result) result = query_each(&query, NULL, first_sentence_sql, NULL, say, NULL);
    query_close(&query);
    return result;
}

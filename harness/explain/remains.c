#include "explain/remains.h"

#include <math.h>

#include "catalog/point_key.h"
#include "explain/causes.h"
#include "explain/counterfactual.h"
#include "explain/explain_tables.h"
#include "explain/remains.sql.h"

struct making {
    struct query *query;
    const struct records *records;
};

static int add_point(void *context, const struct scope *row)
{
    const struct making *making = context;
    struct time_point point;
    int result = causes_point(making->query, making->records, row, &point);
    if (result || !point.count) return result;
    time_model_fit(&point);
    const double time_ns = time_model_ns(&point, NULL, NULL, NULL);
    for (int i = 0; i < making->records->count && !result; i++) {
        const struct record *record = &making->records->record[i];
        struct cause_group group = {making->records, record->name, 0};
        if (record->kind != RECORD_CAUSE || !record_field(record, "spare")) continue;
        const double saved = time_ns - time_model_ns(&point, NULL, cause_group_has, &group);
        if (!isfinite(saved)) continue;
        result = query_write(making->query,
                             "INSERT INTO spare VALUES(%Q, %Q, %Q, %Q, %Q, %Q, %Q, %.17g, %.17g)",
                             POINT_KEYS(row), record->name, saved, 100 * saved / time_ns);
    }
    return result;
}

int remains_make(struct query *query, const struct records *records)
{
    static const char points[] = "SELECT DISTINCT " POINT_KEY " FROM features";
    struct making making = {query, records};
    int result = query_write(
        query, "CREATE TABLE spare(family TEXT, variant TEXT, size TEXT, block INTEGER, sweep "
               "INTEGER, device INTEGER, cause TEXT, saved_ns REAL, share_pct REAL); BEGIN");
    if (!result) result = query_each(query, NULL, points, NULL, add_point, &making);
    if (!result) result = query_write(query, "COMMIT");
    return result ? result : query_write(query, "%s", remains_sql);
}

#include "explain/remains.h"

#include <string.h>

#include "catalog/point_key.h"
#include "explain/causes.h"
#include "explain/explain_tables.h"
#include "explain/remains.sql.h"
#include "explain/time_model.h"

struct making {
    struct query *query;
    const struct records *records;
};

struct cause_of {
    const struct records *records;
    const char *name;
};

static int is_of(void *context, const char *cause)
{
    const struct cause_of *of = context;
    const struct record *record = records_find(of->records, RECORD_CAUSE, cause);
    const char *within = record ? record_field(record, "within") : NULL;
    return !strcmp(cause, of->name) || (within && !strcmp(within, of->name));
}

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
        struct cause_of of = {making->records, record->name};
        if (record->kind != RECORD_CAUSE || !record_field(record, "spare")) continue;
        const double saved = time_ns - time_model_ns(&point, NULL, is_of, &of);
        if (!(saved >= 0.01 * time_ns)) continue; /* also if it is unknown */
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

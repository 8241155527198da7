#include "explain/remains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

#include "catalog/point_key.h"
#include "explain/causes.h"
#include "explain/explain_tables.h"
#include "explain/remains.sql.h"
#include "explain/time_model.h"

struct reading {
    const struct records *records;
    struct time_point *point;
};

static int take_feature(void *context, const struct scope *row)
{
    const struct reading *reading = context;
    struct time_point *point = reading->point;
    const double value = row->value[2] ? strtod(row->value[2], NULL) : NAN;
    if (!strcmp(row->value[0], "time_ns")) {
        point->time_ns = value;
        return 0;
    }
    int input = 0;
    while (input < FEATURE_INPUTS && strcmp(time_input_names[input], row->value[0])) input++;
    const struct record *cause =
        row->value[1] ? records_find(reading->records, RECORD_CAUSE, row->value[1]) : NULL;
    if (input == FEATURE_INPUTS || !cause)
        return error(FAIL_INPUT,
                     "features.csv: '%s' of '%s' is unknown; 'whyfast evaluate RUN' recomputes it",
                     row->value[0], row->value[1] ? row->value[1] : "");
    if (point->count == TIME_FEATURES_READ)
        return error(FAIL_INPUT, "features.csv: more than %d features of one point",
                     TIME_FEATURES_READ);
    point->feature[point->count++] =
        (struct time_feature){(enum time_input)input, cause->name, value};
    return 0;
}

static int read_point(struct query *query, const struct records *records, const struct scope *scope,
                      struct time_point *point)
{
    static const char sql[] = "SELECT input, cause, value FROM features WHERE " CAUSES_POINT;
    struct reading reading = {records, point};
    memset(point, 0, sizeof *point);
    return query_each(query, NULL, sql, scope, take_feature, &reading);
}

/* A cause with all its details. */
struct cause_group {
    const struct records *records;
    const char *cause;
};

static int cause_group_has(void *group, const char *cause)
{
    const struct cause_group *of = group;
    if (!strcmp(cause, of->cause)) return 1;
    const struct record *record = records_find(of->records, RECORD_CAUSE, cause);
    const char *within = record ? record_field(record, "within") : NULL;
    return within && !strcmp(within, of->cause);
}

struct making {
    struct query *query;
    const struct records *records;
};

static int add_point(void *context, const struct scope *row)
{
    const struct making *making = context;
    struct time_point point;
    int result = read_point(making->query, making->records, row, &point);
    if (result || !point.count) return result;
    time_model_fit(&point);
    const double time_ns = time_model_ns(&point, NULL, NULL, NULL);
    for (int i = 0; i < making->records->count && !result; i++) {
        const struct record *record = &making->records->record[i];
        struct cause_group group = {making->records, record->name};
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

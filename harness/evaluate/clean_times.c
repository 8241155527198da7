#include "evaluate/clean_times.h"

#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/stats.h"
#include "catalog/point_key.h"
#include "evaluate/best_points.sql.h"
#include "evaluate/clean_times.sql.h"
#include "query/common_settings.sql.h"

/* Makes room for the samples of a series. Columns: samples, last round. */
static int add_series(void *context, const struct scope *row)
{
    enum { MOST_ROUNDS = 1 << 20 };
    struct query *query = context;
    const long long last = row->value[1] ? row_integer(row, 1) : -1;
    if (last >= MOST_ROUNDS)
        return error(FAIL_INPUT, "%s/samples.csv: round %lld; expected less than %d",
                     run_source(query->run, TABLE_SAMPLES), last, MOST_ROUNDS);
    struct sample_series *grown =
        realloc(query->series, ((size_t)query->series_count + 1) * sizeof *grown);
    if (!grown) return error_memory();
    query->series = grown;
    struct sample_series *series = &grown[query->series_count++];
    *series = (struct sample_series){
        .sorted = malloc(((size_t)row_integer(row, 0) + 1) * sizeof *series->sorted),
        .by_round = malloc(((size_t)last + 2) * sizeof *series->by_round),
        .rounds = (int)last + 1};
    if (!series->sorted || !series->by_round) return error_memory();
    for (int i = 0; i < series->rounds; i++) series->by_round[i] = NAN;
    return 0;
}

static int read_samples(struct query *query)
{
    sqlite3_stmt *read = NULL;
    int status, result = query_prepare_write(
                    query,
                    "SELECT t.series, s.round, s.time_ns FROM samples s JOIN points p USING "
                    "(" POINT_KEY ") JOIN timing t ON (t.point, t.l2, "
                    "t.kind, t.copy) = (p.rowid, s.l2, s.kind, s.copy) WHERE s.status = 'ok' AND "
                    "s.time_ns IS NOT NULL ORDER BY t.series, s.rowid",
                    &read);
    if (result) return result;
    while ((status = sqlite3_step(read)) == SQLITE_ROW) {
        struct sample_series *series = &query->series[sqlite3_column_int(read, 0)];
        series->sorted[series->count++] = series->by_round[sqlite3_column_int(read, 1)] =
            sqlite3_column_double(read, 2);
    }
    if (status != SQLITE_DONE) result = query_error(query, NULL, sqlite3_sql(read));
    sqlite3_finalize(read);
    return result;
}

static int update_rows(struct query *query)
{
    sqlite3_stmt *update = NULL;
    int result = query_prepare_write(
        query, "UPDATE timing SET median = ?, low = ?, high = ?, q1 = ?, q3 = ? WHERE series = ?",
        &update);
    for (int i = 0; i < query->series_count && !result; i++) {
        const struct sample_series *series = &query->series[i];
        const size_t count = (size_t)series->count;
        double low, high;
        stats_sort_times(series->sorted, count);
        stats_median_interval(series->sorted, count, &low, &high);
        const double value[] = {stats_quantile(series->sorted, count, 0.5), low, high,
                                stats_quantile(series->sorted, count, 0.25),
                                stats_quantile(series->sorted, count, 0.75)};
        for (int k = 0; k < 5; k++)
            sqlite3_bind_double(update, 1 + k, value[k]); /* NAN becomes NULL */
        sqlite3_bind_int(update, 6, i);
        if (sqlite3_step(update) != SQLITE_DONE)
            result = query_error(query, NULL, sqlite3_sql(update));
        sqlite3_reset(update);
    }
    sqlite3_finalize(update);
    return result;
}

int clean_times_make(struct query *query)
{
    static const char times[] = "CREATE VIEW setting_times AS SELECT " POINT_KEY ", median AS ns "
                                "FROM main_series WHERE is_usual;"; /* of best_points.sql */
    int result = query_load(query, TABLE_SAMPLES);
    if (!result) result = query_write(query, "%s", clean_times_sql);
    if (!result)
        result = query_each(query, NULL, "SELECT samples, last_round FROM timing ORDER BY series",
                            NULL, add_series, query);
    if (!result) result = query_write(query, "BEGIN");
    if (!result) result = read_samples(query);
    if (!result) result = update_rows(query);
    if (!result)
        result = query_write(query, "%s %s %s", times, common_settings_sql, best_points_sql);
    return result ? result : query_write(query, "COMMIT");
}

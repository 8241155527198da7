#include "evaluate/clean_times.h"

#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/stats.h"
#include "evaluate/clean_times.sql.h"

/* The samples of one series. */
struct timing {
    struct query *query;
    sqlite3_stmt *read, *update;
    int at; /* the series */
    int count, capacity;
    struct one_sample {
        double time_ns, clock_mhz; /* the clock is NAN if it is not known */
        int round;
    } * sample;
};

static int add_sample(struct timing *timing)
{
    enum { MOST_ROUNDS = 1 << 20 };
    const int64_t round = sqlite3_column_int64(timing->read, 1);
    if (round >= MOST_ROUNDS)
        return error(FAIL_INPUT, "%s/samples.csv: round %lld; expected less than %d",
                     timing->query->run->path, (long long)round, MOST_ROUNDS);
    if (timing->count == timing->capacity) {
        const int capacity = timing->capacity ? 2 * timing->capacity : 256;
        struct one_sample *grown = realloc(timing->sample, (size_t)capacity * sizeof *grown);
        if (!grown) return error_memory();
        timing->sample = grown;
        timing->capacity = capacity;
    }
    const int has_clock = sqlite3_column_type(timing->read, 3) != SQLITE_NULL;
    timing->sample[timing->count++] =
        (struct one_sample){sqlite3_column_double(timing->read, 2),
                            has_clock ? sqlite3_column_double(timing->read, 3) : NAN, (int)round};
    return 0;
}

/* Keeps the samples for the statistics functions of the database. */
static int keep_series(struct timing *timing, struct sample_series *series)
{
    for (int i = 0; i < timing->count; i++)
        if (timing->sample[i].round >= series->rounds) series->rounds = timing->sample[i].round + 1;
    series->sorted = malloc((size_t)timing->count * sizeof *series->sorted);
    series->by_round = malloc((size_t)series->rounds * sizeof *series->by_round);
    if (!series->sorted || !series->by_round) return error_memory();
    for (int i = 0; i < series->rounds; i++) series->by_round[i] = NAN;
    for (int i = 0; i < timing->count; i++)
        series->sorted[i] = series->by_round[timing->sample[i].round] = timing->sample[i].time_ns;
    series->count = timing->count;
    stats_sort(series->sorted, (size_t)series->count);
    return 0;
}

static int update_row(struct timing *timing, const struct sample_series *series)
{
    const size_t count = (size_t)series->count;
    double *clock = malloc(count * sizeof *clock), low, high;
    size_t clocks = 0;
    if (!clock) return error_memory();
    for (size_t i = 0; i < count; i++)
        if (!isnan(timing->sample[i].clock_mhz)) clock[clocks++] = timing->sample[i].clock_mhz;
    stats_sort(clock, clocks);
    stats_median_interval(series->sorted, count, &low, &high);
    const double value[] = {stats_quantile(series->sorted, count, 0.5),
                            low,
                            high,
                            stats_quantile(series->sorted, count, 0.25),
                            stats_quantile(series->sorted, count, 0.75),
                            stats_quantile(clock, clocks, 0.5)};
    free(clock);
    for (int i = 0; i < 6; i++)
        sqlite3_bind_double(timing->update, 1 + i, value[i]); /* NAN becomes NULL */
    sqlite3_bind_int(timing->update, 7, timing->at);
    const int status = sqlite3_step(timing->update);
    sqlite3_reset(timing->update);
    return status == SQLITE_DONE ? 0
                                 : query_error(timing->query, NULL, sqlite3_sql(timing->update));
}

static int finish_series(struct timing *timing)
{
    if (timing->count == 0) return 0;
    struct sample_series *series = &timing->query->series[timing->at];
    int result = keep_series(timing, series);
    if (!result) result = update_row(timing, series);
    timing->count = 0;
    return result;
}

static int read_series(struct timing *timing)
{
    int status, result = 0;
    while (!result && (status = sqlite3_step(timing->read)) == SQLITE_ROW) {
        const int series = sqlite3_column_int(timing->read, 0);
        if (series != timing->at) result = finish_series(timing);
        timing->at = series;
        if (!result) result = add_sample(timing);
    }
    if (!result && status != SQLITE_DONE)
        result = query_error(timing->query, NULL, sqlite3_sql(timing->read));
    return result ? result : finish_series(timing);
}

static int make_series(struct query *query)
{
    char *count = NULL;
    const int result = query_text(query, NULL, "SELECT count(*) FROM timing", NULL, &count);
    if (result) return result;
    query->series_count = (int)strtol(count, NULL, 10);
    free(count);
    query->series = calloc((size_t)query->series_count + 1, sizeof *query->series);
    return query->series ? 0 : error_memory();
}

int clean_times_make(struct query *query)
{
    struct timing timing = {.query = query};
    int result = query_load(query, TABLE_SAMPLES);
    if (!result) result = query_write(query, "%s", clean_times_sql);
    if (!result) result = make_series(query);
    if (!result) result = query_write(query, "BEGIN");
    if (!result)
        result = query_prepare_write(
            query,
            "SELECT t.series, s.round, s.time_ns, s.sm_clock_mhz FROM samples s JOIN points p "
            "USING (family, variant, size, block, sweep) JOIN timing t ON (t.point, t.l2, t.kind, "
            "t.copy) = (p.rowid, s.l2, s.kind, s.copy) WHERE s.status = 'ok' AND s.time_ns IS NOT "
            "NULL ORDER BY t.series, s.rowid",
            &timing.read);
    if (!result)
        result = query_prepare_write(query,
                                     "UPDATE timing SET median = ?, low = ?, high = ?, q1 = ?, q3 "
                                     "= ?, clock = ? WHERE series = ?",
                                     &timing.update);
    if (!result) result = read_series(&timing);
    sqlite3_finalize(timing.read);
    sqlite3_finalize(timing.update);
    free(timing.sample);
    return result ? result : query_write(query, "COMMIT; DROP TABLE samples");
}

#include "evaluate/clean_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* What a series is of, in the order in which they come in the file. */
struct series_key {
    int64_t point;
    char *name[3]; /* l2, kind, copy; one piece of memory, which the first owns */
    int next;      /* another series of the same point, or -1 */
    int throttled;
};

struct one_sample {
    double time_ns, clock_mhz; /* the clock is NAN where it is not known */
    int series, round;
};

struct timing {
    struct query *query;
    int series_count, series_capacity;
    struct series_key *series;
    int64_t points;
    int *first; /* series of each point, by its rowid; -1 for none */
    size_t count, capacity;
    struct one_sample *sample; /* good ones */
    int last;                  /* series found last: samples of a series follow each other */
};

static int is_series(const struct series_key *series, int64_t point, char *const name[3])
{
    return series->point == point && !strcmp(series->name[2], name[2]) &&
           !strcmp(series->name[0], name[0]) && !strcmp(series->name[1], name[1]);
}

static int add_series(struct timing *timing, int64_t point, char *const name[3])
{
    if (timing->series_count == timing->series_capacity) {
        const int capacity = timing->series_capacity ? 2 * timing->series_capacity : 256;
        struct series_key *series = realloc(timing->series, (size_t)capacity * sizeof *series);
        if (!series) return error_memory();
        timing->series = series;
        timing->series_capacity = capacity;
    }
    struct series_key *series = &timing->series[timing->series_count];
    *series = (struct series_key){.point = point, .next = timing->first[point]};
    series->name[0] = malloc(strlen(name[0]) + strlen(name[1]) + strlen(name[2]) + 3);
    if (!series->name[0]) return error_memory();
    series->name[1] = stpcpy(series->name[0], name[0]) + 1;
    series->name[2] = stpcpy(series->name[1], name[1]) + 1;
    strcpy(series->name[2], name[2]);
    timing->first[point] = timing->last = timing->series_count++;
    return 0;
}

static int find_series(struct timing *timing, int64_t point, char *const name[3])
{
    if (timing->last >= 0 && is_series(&timing->series[timing->last], point, name)) return 0;
    for (int i = timing->first[point]; i >= 0; i = timing->series[i].next) {
        if (!is_series(&timing->series[i], point, name)) continue;
        timing->last = i;
        return 0;
    }
    return add_series(timing, point, name);
}

static int keep_sample(struct timing *timing, const struct one_sample *sample)
{
    if (timing->count == timing->capacity) {
        const size_t capacity = timing->capacity ? timing->capacity + timing->capacity / 2 : 4096;
        struct one_sample *grown = realloc(timing->sample, capacity * sizeof *grown);
        if (!grown) return error_memory();
        timing->sample = grown;
        timing->capacity = capacity;
    }
    timing->sample[timing->count++] = *sample;
    return 0;
}

/* A row of samples.csv: the key, l2, kind, copy, round, time_ns, sm_clock_mhz, status. */
static int take_row(struct timing *timing, const struct table_rows *rows, int64_t point)
{
    enum { L2 = 5, ROUND = 8, TIME, CLOCK, STATUS, MOST_ROUNDS = 1 << 20 };
    char **cell = rows->reader.cell;
    const long long round = strtoll(cell[ROUND], NULL, 10);
    const int result = find_series(timing, point, cell + L2);
    if (result) return result;
    if (strcmp(cell[STATUS], "ok")) {
        timing->series[timing->last].throttled++;
        return 0;
    }
    if (!*cell[TIME]) return 0;
    if (round >= MOST_ROUNDS)
        return error(FAIL_INPUT, "%s:%d: round %lld; expected less than %d", rows->path,
                     rows->reader.line, round, MOST_ROUNDS);
    return keep_sample(timing, &(struct one_sample){rows->number[TIME],
                                                    *cell[CLOCK] ? rows->number[CLOCK] : NAN,
                                                    timing->last, (int)round});
}

static int read_samples(struct timing *timing, struct point_index *points)
{
    struct table_rows rows;
    int more = 0, result = table_rows_open(&rows, timing->query->run, TABLE_SAMPLES);
    if (result) return result;
    rows.keeps = timing->query->keeps;
    rows.context = timing->query->keeps_context;
    while (!result && (more = table_rows_next(&rows)) > 0) {
        timing->query->guard.rows++;
        int64_t point;
        result = point_index_find(points, &rows, 0, &point);
        if (!result && point) result = take_row(timing, &rows, point);
    }
    table_rows_close(&rows);
    return result ? result : more;
}

/* ---- series ---------------------------------------------------------------------------------- */

static int is_known_point(struct timing *timing, struct query *query)
{
    char *most = NULL;
    const int result = query_text(query, NULL, "SELECT max(rowid) FROM points", NULL, &most);
    timing->points = most ? strtoll(most, NULL, 10) : 0;
    free(most);
    timing->first = result ? NULL : malloc(((size_t)timing->points + 1) * sizeof *timing->first);
    if (!result && !timing->first) return error_memory();
    for (int64_t i = 0; !result && i <= timing->points; i++) timing->first[i] = -1;
    return result;
}

static int bind_times(sqlite3_stmt *insert, const struct sample_series *series, double *clock,
                      size_t clocks)
{
    double low, high;
    const size_t count = (size_t)series->count;
    stats_sort(series->sorted, count);
    stats_sort(clock, clocks);
    stats_median_interval(series->sorted, count, &low, &high);
    const double value[] = {stats_quantile(series->sorted, count, 0.5),
                            low,
                            high,
                            stats_quantile(series->sorted, count, 0.25),
                            stats_quantile(series->sorted, count, 0.75),
                            stats_quantile(clock, clocks, 0.5)};
    for (int i = 0; i < 6; i++) sqlite3_bind_double(insert, 8 + i, value[i]); /* NAN becomes NULL */
    return 0;
}

/* From one series' samples, `index` of them in the file's order, to its row. */
static int insert_series(struct timing *timing, sqlite3_stmt *insert, int at, const size_t *index,
                         size_t count)
{
    struct sample_series *series = &timing->query->series[at];
    const struct series_key *key = &timing->series[at];
    size_t clocks = 0;
    int rounds = 0;
    for (size_t i = 0; i < count; i++)
        if (timing->sample[index[i]].round >= rounds) rounds = timing->sample[index[i]].round + 1;
    double *clock = malloc((count + 1) * sizeof *clock);
    series->sorted = malloc((count + 1) * sizeof *series->sorted);
    series->by_round = malloc(((size_t)rounds + 1) * sizeof *series->by_round);
    if (!clock || !series->sorted || !series->by_round) {
        free(clock);
        return error_memory();
    }
    for (int i = 0; i < rounds; i++) series->by_round[i] = NAN;
    for (size_t i = 0; i < count; i++) {
        const struct one_sample *sample = &timing->sample[index[i]];
        series->sorted[series->count++] = series->by_round[sample->round] = sample->time_ns;
        if (!isnan(sample->clock_mhz)) clock[clocks++] = sample->clock_mhz;
    }
    series->rounds = rounds;
    sqlite3_bind_int64(insert, 1, key->point);
    for (int i = 0; i < 3; i++) sqlite3_bind_text(insert, 2 + i, key->name[i], -1, SQLITE_STATIC);
    sqlite3_bind_int(insert, 5, at);
    sqlite3_bind_int(insert, 6, series->count);
    sqlite3_bind_int(insert, 7, key->throttled);
    bind_times(insert, series, clock, clocks);
    free(clock);
    const int status = sqlite3_step(insert);
    sqlite3_reset(insert);
    return status == SQLITE_DONE ? 0 : query_error(timing->query, NULL, sqlite3_sql(insert));
}

/* Samples by series, each in the file's order. */
static int insert_all(struct timing *timing, sqlite3_stmt *insert)
{
    const size_t series = (size_t)timing->series_count;
    size_t *end = calloc(series + 2, sizeof *end),
           *index = malloc((timing->count + 1) * sizeof *index);
    timing->query->series = calloc(series + 1, sizeof *timing->query->series);
    int result = end && index && timing->query->series ? 0 : error_memory();
    if (!result) {
        timing->query->series_count = timing->series_count;
        for (size_t i = 0; i < timing->count; i++) end[timing->sample[i].series + 2]++;
        for (size_t s = 0; s < series; s++) end[s + 2] += end[s + 1];
        for (size_t i = 0; i < timing->count; i++) index[end[timing->sample[i].series + 1]++] = i;
    }
    for (size_t s = 0; s < series && !result; s++)
        result = insert_series(timing, insert, (int)s, index + end[s], end[s + 1] - end[s]);
    free(end);
    free(index);
    return result;
}

static int make_table(struct timing *timing)
{
    static const char table[] =
        "CREATE TABLE timing(point INTEGER, l2 TEXT, kind TEXT, copy TEXT, series INTEGER, samples "
        "INTEGER, throttled INTEGER, main"
        " INTEGER, median REAL, low REAL, high REAL, q1 REAL, q3 REAL, clock REAL);"
        "BEGIN",
                      row[] = "INSERT INTO timing VALUES(?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)",
                      marks[] = "COMMIT;"
                                "CREATE INDEX timing_point ON timing(point);"
                                "UPDATE timing SET main = 1 WHERE kind = 'end_to_end' AND copy = "
                                "'a' AND l2 = (SELECT CASE v.kind WHEN 'cpu' THEN 'warm' ELSE"
                                " 'cold' END FROM points p JOIN variants v ON v.family = p.family "
                                "AND v.variant = p.variant WHERE p.rowid = timing.point)";
    sqlite3_stmt *insert = NULL;
    int result = query_write(timing->query, "%s", table);
    if (!result) result = query_prepare_write(timing->query, row, &insert);
    if (!result) result = insert_all(timing, insert);
    sqlite3_finalize(insert);
    return result ? result : query_write(timing->query, "%s", marks);
}

int clean_times_make(struct query *query, struct point_index *points)
{
    struct timing timing = {.query = query, .last = -1};
    int result = is_known_point(&timing, query);
    if (!result) result = read_samples(&timing, points);
    if (!result) result = make_table(&timing);
    for (int i = 0; i < timing.series_count; i++) free(timing.series[i].name[0]);
    free(timing.series);
    free(timing.first);
    free(timing.sample);
    return result;
}

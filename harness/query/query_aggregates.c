/*
 * The functions of many rows that expressions have beside SQLite's own.
 */
#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "query/query.h"

struct values {
    double *value, percent; /* the latter of nearest_rank alone */
    size_t count, capacity;
};

static void values_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct values *state = sqlite3_aggregate_context(context, sizeof *state);
    if (!state || sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    if (state->count == state->capacity) {
        const size_t capacity = state->capacity ? 2 * state->capacity : 16;
        double *value = realloc(state->value, capacity * sizeof *value);
        if (!value) {
            sqlite3_result_error_nomem(context);
            return;
        }
        state->value = value;
        state->capacity = capacity;
    }
    if (count > 1) state->percent = sqlite3_value_double(arguments[1]);
    state->value[state->count++] = sqlite3_value_double(arguments[0]);
}

/* Sorted; NULL where there are none. */
static const struct values *values_sorted(sqlite3_context *context)
{
    struct values *state = sqlite3_aggregate_context(context, 0);
    if (!state || state->count == 0) return NULL;
    stats_sort(state->value, state->count);
    return state;
}

static void values_end(sqlite3_context *context, const struct values *sorted, double result)
{
    if (!sorted) {
        sqlite3_result_null(context);
        return;
    }
    sqlite3_result_double(context, result);
    free(sorted->value);
}

static void median_final(sqlite3_context *context)
{
    const struct values *sorted = values_sorted(context);
    values_end(context, sorted, sorted ? stats_quantile(sorted->value, sorted->count, 0.5) : NAN);
}

/* The smallest value that at least so many per cent of all do not exceed. */
static void nearest_rank_final(sqlite3_context *context)
{
    const struct values *sorted = values_sorted(context);
    const double rank = sorted ? ceil(sorted->percent * (double)sorted->count / 100) : 0;
    values_end(context, sorted,
               sorted ? sorted->value[rank <= 1                       ? 0
                                      : rank >= (double)sorted->count ? sorted->count - 1
                                                                      : (size_t)rank - 1]
                      : NAN);
}

struct mean_state {
    double logarithms;
    size_t count;
};

/* What is not above 0 has no place on a logarithmic scale: then there is no mean. */
static void geometric_mean_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct mean_state *state = sqlite3_aggregate_context(context, sizeof *state);
    (void)count;
    if (!state || sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    const double value = sqlite3_value_double(arguments[0]);
    state->logarithms += value > 0 ? log(value) : NAN;
    state->count++;
}

static void geometric_mean_final(sqlite3_context *context)
{
    const struct mean_state *state = sqlite3_aggregate_context(context, 0);
    const double mean = state && state->count ? exp(state->logarithms / (double)state->count) : NAN;
    if (isfinite(mean))
        sqlite3_result_double(context, mean);
    else
        sqlite3_result_null(context);
}

int query_add_aggregates(struct query *query)
{
    int status = query_add_function(query, "median", 1, NULL, values_step, median_final);
    if (status == SQLITE_OK)
        status =
            query_add_function(query, "nearest_rank", 2, NULL, values_step, nearest_rank_final);
    return status == SQLITE_OK ? query_add_function(query, "geometric_mean", 1, NULL,
                                                    geometric_mean_step, geometric_mean_final)
                               : status;
}

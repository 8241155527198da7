/*
 * Adds the SQL functions of query/query.h, except those of accesses to shared memory
 * (query/access_functions.c).
 */
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "query/query.h"

enum { RESAMPLES = 1000 };

struct ratio_interval {
    int a, b; /* series */
    double low, high;
};

/* Returns NULL unless the number is finite. */
static void result_number(sqlite3_context *context, double value)
{
    if (isfinite(value)) sqlite3_result_double(context, value);
}

/* ---- ratios of series ------------------------------------------------------------------------ */

static const struct sample_series *series_at(struct query *query, sqlite3_value *value)
{
    const int index = sqlite3_value_int(value);
    if (sqlite3_value_type(value) == SQLITE_NULL || index < 0 || index >= query->series_count)
        return NULL;
    return &query->series[index];
}

static int compare_intervals(const void *left, const void *right)
{
    const struct ratio_interval *x = left, *y = right;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* Returns the interval of two series, which is computed once, or NULL when out of memory. */
static const struct ratio_interval *find_interval(struct query *query, int a, int b)
{
    struct ratio_interval *interval = malloc(sizeof *interval);
    struct ratio_interval **node = NULL;
    if (interval) {
        interval->a = a;
        interval->b = b;
        node = tsearch(interval, &query->intervals, compare_intervals);
    }
    if (!node || *node != interval) {
        free(interval);
        return node ? *node : NULL;
    }
    const struct sample_series *x = &query->series[a], *y = &query->series[b];
    stats_ratio_interval(x->sorted, (size_t)x->count, y->sorted, (size_t)y->count, RESAMPLES, 1,
                         &interval->low, &interval->high);
    return interval;
}

void query_free_functions(struct query *query)
{
    tdestroy(query->intervals, free);
}

enum ratio_part { RATIO_MEDIAN, RATIO_LOW, RATIO_HIGH };

static void ratio_of_medians(sqlite3_context *context, sqlite3_value **arguments,
                             enum ratio_part part)
{
    struct query *query = sqlite3_user_data(context);
    const struct sample_series *a = series_at(query, arguments[0]),
                               *b = series_at(query, arguments[1]);
    if (!a || !b) return;
    const struct ratio_interval *found =
        find_interval(query, (int)(a - query->series), (int)(b - query->series));
    if (found)
        result_number(context, part == RATIO_LOW ? found->low : found->high);
    else
        sqlite3_result_error_nomem(context);
}

static void ratio_low(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    ratio_of_medians(context, arguments, RATIO_LOW);
}

static void ratio_high(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    ratio_of_medians(context, arguments, RATIO_HIGH);
}

/* In a round all series are timed one after the other, so that drift cancels in the ratio. */
static void ratio_in_rounds(sqlite3_context *context, sqlite3_value **arguments,
                            enum ratio_part part)
{
    struct query *query = sqlite3_user_data(context);
    const struct sample_series *a = series_at(query, arguments[0]),
                               *b = series_at(query, arguments[1]);
    const int rounds = !a || !b ? 0 : a->rounds < b->rounds ? a->rounds : b->rounds;
    double *value = malloc(((size_t)rounds + 1) * sizeof *value), low, high;
    size_t count = 0;
    if (!value) {
        sqlite3_result_error_nomem(context);
        return;
    }
    for (int i = 0; i < rounds; i++)
        if (a->by_round[i] > 0 && b->by_round[i] > 0)
            value[count++] = a->by_round[i] / b->by_round[i]; /* NAN is not above 0 */
    stats_sort(value, count);
    stats_median_interval(value, count, &low, &high);
    result_number(context, part == RATIO_MEDIAN ? stats_quantile(value, count, 0.5)
                           : part == RATIO_LOW  ? low
                                                : high);
    free(value);
}

static void ratio_median(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    ratio_in_rounds(context, arguments, RATIO_MEDIAN);
}

static void ratio_median_low(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    ratio_in_rounds(context, arguments, RATIO_LOW);
}

static void ratio_median_high(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    ratio_in_rounds(context, arguments, RATIO_HIGH);
}

/* ---- aggregates ------------------------------------------------------------------------------ */

struct values {
    double *value, percent; /* the latter for nearest_rank */
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

/* Returns the median or the nearest rank. */
static void values_final(sqlite3_context *context, int is_median)
{
    struct values *state = sqlite3_aggregate_context(context, 0);
    if (!state || state->count == 0) return;
    const double rank = ceil(state->percent * (double)state->count / 100);
    const size_t at = rank <= 1                      ? 0
                      : rank >= (double)state->count ? state->count - 1
                                                     : (size_t)rank - 1;
    stats_sort(state->value, state->count);
    sqlite3_result_double(context, is_median ? stats_quantile(state->value, state->count, 0.5)
                                             : state->value[at]);
    free(state->value);
}

static void median_final(sqlite3_context *context)
{
    values_final(context, 1);
}

static void nearest_rank_final(sqlite3_context *context)
{
    values_final(context, 0);
}

struct mean_state {
    double logarithms;
    size_t count;
};

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
    if (state && state->count)
        result_number(context, exp(state->logarithms / (double)state->count));
}

/* ---- numbers and text ------------------------------------------------------------------------ */

/* Returns the text and frees it. */
static void result_text(sqlite3_context *context, struct text *text)
{
    if (text->failed)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, text_string(text), -1, SQLITE_TRANSIENT);
    text_free(text);
}

/* Appends the digits of a whole number with thin spaces between thousands. */
static void append_grouped(struct text *text, const char *digits)
{
    const size_t whole = strspn(digits, "0123456789");
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0 && whole > 4) text_append(text, "\xE2\x80\xAF");
        text_append_bytes(text, digits + i, 1);
    }
    text_append(text, digits + whole);
}

void query_append_human(struct text *text, double value)
{
    const double size = fabs(value);
    char number[64];
    if (value == floor(value) && size < 1e15)
        snprintf(number, sizeof number, "%.0f", size);
    else if (size >= 1000)
        snprintf(number, sizeof number, "%.0f", size);
    else if (size >= 100)
        snprintf(number, sizeof number, "%.1f", size);
    else if (size >= 1)
        snprintf(number, sizeof number, "%.2f", size);
    else
        snprintf(number, sizeof number, "%.3g", size);
    if (value < 0) text_append(text, "-");
    append_grouped(text, number);
}

static void human(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct text text = {0};
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    if (sqlite3_value_type(arguments[0]) == SQLITE_TEXT) {
        sqlite3_result_value(context, arguments[0]);
        return;
    }
    query_append_human(&text, sqlite3_value_double(arguments[0]));
    result_text(context, &text);
}

static void time_text(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    char buffer[24];
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    sqlite3_result_text(context, text_time(buffer, sqlite3_value_double(arguments[0])), -1,
                        SQLITE_TRANSIENT);
}

/* "4194304" becomes "2^22", "1024x1024x1024" becomes "2^10 x 2^10 x 2^10"; other factors stay. */
static void size_text(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const char *size = (const char *)sqlite3_value_text(arguments[0]);
    struct text text = {0};
    while (size && *size) {
        char *end;
        const unsigned long long factor = strtoull(size, &end, 10);
        if (end == size) break;
        if (text.length) text_append(&text, " x ");
        if (factor >= 1024 && (factor & (factor - 1)) == 0)
            text_format(&text, "2^%d", __builtin_ctzll(factor));
        else
            text_format(&text, "%llu", factor);
        size = end + (*end == 'x');
    }
    result_text(context, &text);
}

/* Returns the value of a name in "double_buffer=1 conflict_free=0", as a whole number if it is one,
 * else as text. */
static void factor(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const char *factors = (const char *)sqlite3_value_text(arguments[0]),
               *name = (const char *)sqlite3_value_text(arguments[1]);
    const size_t length = name ? strlen(name) : 0;
    for (const char *p = factors; p && length && *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        if (strncmp(p, name, length) || p[length] != '=') continue;
        char *end;
        const char *value = p + length + 1;
        const size_t size = strcspn(value, " ");
        const long long number = strtoll(value, &end, 10);
        if (size && end == value + size)
            sqlite3_result_int64(context, number);
        else if (size)
            sqlite3_result_text(context, value, (int)size, SQLITE_TRANSIENT);
        return;
    }
}

static void square_root(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const double value = sqlite3_value_double(arguments[0]);
    (void)count;
    if (sqlite3_value_type(arguments[0]) != SQLITE_NULL && value >= 0)
        sqlite3_result_double(context, sqrt(value));
}

/* The opcode with its modifiers follows the predicate and precedes the operands. */
const char *query_opcode(const char *sass, size_t *length)
{
    if (*sass == '@') sass += strcspn(sass, " "), sass += strspn(sass, " ");
    *length = strcspn(sass, " ");
    return sass;
}

static void opcode_of(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const char *sass = (const char *)sqlite3_value_text(arguments[0]);
    size_t length;
    (void)count;
    if (!sass) return;
    sass = query_opcode(sass, &length);
    sqlite3_result_text(context, sass, (int)length, SQLITE_TRANSIENT);
}

/* ---- adding them ----------------------------------------------------------------------------- */

int query_add_function(struct query *query, const char *name, int arguments, query_function *scalar,
                       query_function *step, void (*final)(sqlite3_context *context))
{
    const int flags =
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS; /* views may use them, too */
    if (query->guard.function_count == MOST_FUNCTIONS) return SQLITE_FULL;
    query->guard.function[query->guard.function_count++] = name;
    return sqlite3_create_function(query->database, name, arguments, flags, query, scalar, step,
                                   final);
}

int query_add_functions(struct query *query)
{
    static const struct {
        const char *name;
        int arguments;
        query_function *scalar, *step;
        void (*final)(sqlite3_context *context);
    } functions[] = {
        {"median", 1, NULL, values_step, median_final},
        {"nearest_rank", 2, NULL, values_step, nearest_rank_final},
        {"geometric_mean", 1, NULL, geometric_mean_step, geometric_mean_final},
        {"ratio_low", 2, ratio_low, NULL, NULL},
        {"ratio_high", 2, ratio_high, NULL, NULL},
        {"ratio_median", 2, ratio_median, NULL, NULL},
        {"ratio_median_low", 2, ratio_median_low, NULL, NULL},
        {"ratio_median_high", 2, ratio_median_high, NULL, NULL},
        {"human", 1, human, NULL, NULL},
        {"time_text", 1, time_text, NULL, NULL},
        {"size_text", 1, size_text, NULL, NULL},
        {"factor", 2, factor, NULL, NULL},
        {"opcode_of", 1, opcode_of, NULL, NULL},
        {"sqrt", 1, square_root, NULL, NULL}, /* SQLite may be built without it */
    };
    int status = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && status == SQLITE_OK; i++)
        status = query_add_function(query, functions[i].name, functions[i].arguments,
                                    functions[i].scalar, functions[i].step, functions[i].final);
    return status == SQLITE_OK ? query_add_access_functions(query) : status;
}

/*
 * Adds the SQL functions of query/query.h.
 */
#include <limits.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/stats.h"
#include "base/text.h"
#include "catalog/bank_model.h"
#include "query/number_texts.h"
#include "query/query.h"
#include "query/verdict.h"

enum { RESAMPLES = 1000 };

struct ratio_interval {
    int a, b; /* series */
    double low, high;
};

/* Functions that share their code differ by a part. */
enum { RATIO_MEDIAN, RATIO_LOW, RATIO_HIGH };
enum { MEDIAN, MEDIAN_TIME, GEOMETRIC_MEAN, WRITTEN_MEDIAN, WRITTEN_SPREAD };
enum { LANE_TURN, LANE_WAVEFRONT, LANE_DELAY };
_Static_assert((int)WRITTEN_SPREAD < (int)QUERY_PARTS, "each part has its place in the query");

static int part_of(sqlite3_context *context)
{
    const struct query_part *data = sqlite3_user_data(context);
    return data->part;
}

static void result_number(sqlite3_context *context, double value)
{
    if (isfinite(value)) sqlite3_result_double(context, value);
}

/* ---- ratios of series ------------------------------------------------------------------------ */

static const struct sample_series *series_at(sqlite3_context *context, sqlite3_value *value)
{
    const struct query_part *data = sqlite3_user_data(context);
    const int index = sqlite3_value_int(value);
    const int is_there =
        sqlite3_value_type(value) != SQLITE_NULL && index >= 0 && index < data->query->series_count;
    return is_there ? &data->query->series[index] : NULL;
}

static int compare_intervals(const void *left, const void *right)
{
    return memcmp(left, right, offsetof(struct ratio_interval, low));
}

struct resamples_of {
    int a_count, b_count;
    struct stats_resamples *resamples;
};

static int compare_counts(const void *left, const void *right)
{
    return memcmp(left, right, offsetof(struct resamples_of, resamples));
}

/* Returns the resamples of series of these lengths, which are drawn once, or NULL when out of
 * memory. */
static const struct stats_resamples *find_resamples(struct query *query, int a_count, int b_count)
{
    struct resamples_of *wanted = malloc(sizeof *wanted), **node = NULL;
    if (wanted) {
        *wanted = (struct resamples_of){a_count, b_count, NULL};
        node = tsearch(wanted, &query->resamples, compare_counts);
    }
    if (!node || *node != wanted) {
        free(wanted);
        return node ? (*node)->resamples : NULL;
    }
    wanted->resamples = stats_resamples_draw((size_t)a_count, (size_t)b_count, RESAMPLES, 1);
    return wanted->resamples;
}

static void free_resamples(void *node)
{
    struct resamples_of *of = node;
    free(of->resamples);
    free(of);
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
    stats_resamples_interval(find_resamples(query, x->count, y->count), x->sorted, y->sorted,
                             &interval->low, &interval->high);
    return interval;
}

void query_free_functions(struct query *query)
{
    tdestroy(query->intervals, free);
    tdestroy(query->resamples, free_resamples);
}

static void ratio_of_medians(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct query_part *data = sqlite3_user_data(context);
    const struct sample_series *a = series_at(context, arguments[0]),
                               *b = series_at(context, arguments[1]);
    (void)count;
    if (!a || !b) return;
    const struct ratio_interval *found =
        find_interval(data->query, (int)(a - data->query->series), (int)(b - data->query->series));
    if (found)
        result_number(context, data->part == RATIO_LOW ? found->low : found->high);
    else
        sqlite3_result_error_nomem(context);
}

/* In a round all series are timed one after the other, so that drift cancels in the ratio. */
static void ratio_in_rounds(sqlite3_context *context, int arity, sqlite3_value **arguments)
{
    const int part = part_of(context);
    const struct sample_series *a = series_at(context, arguments[0]),
                               *b = series_at(context, arguments[1]);
    const int rounds = !a || !b ? 0 : a->rounds < b->rounds ? a->rounds : b->rounds;
    double *value = malloc(((size_t)rounds + 1) * sizeof *value), low, high;
    size_t count = 0;
    (void)arity;
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

/* ---- aggregates ------------------------------------------------------------------------------ */

struct values {
    double *value;
    size_t count;
};

static void values_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct values *state = sqlite3_aggregate_context(context, sizeof *state);
    (void)count;
    if (!state || sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    if (ARRAY_GROWS(state->value, state->count))
        state->value[state->count++] = sqlite3_value_double(arguments[0]);
    else
        sqlite3_result_error_nomem(context);
}

static void values_final(sqlite3_context *context)
{
    struct values *state = sqlite3_aggregate_context(context, 0);
    const int part = part_of(context);
    double logarithms = 0;
    if (!state || state->count == 0) return;
    if (part == GEOMETRIC_MEAN)
        for (size_t i = 0; i < state->count; i++)
            logarithms += state->value[i] > 0 ? log(state->value[i]) : NAN;
    (part == MEDIAN_TIME ? stats_sort_times : stats_sort)(state->value, state->count);
    const double median = stats_quantile(state->value, state->count, 0.5),
                 spread = state->value[state->count - 1] - state->value[0];
    if (part != WRITTEN_SPREAD || state->count > 1)
        result_number(context, part == GEOMETRIC_MEAN ? exp(logarithms / (double)state->count)
                               : part == MEDIAN || part == MEDIAN_TIME ? median
                               : part == WRITTEN_MEDIAN                ? csv_written_number(median)
                                                        : csv_written_number(spread));
    free(state->value);
}

/* ---- bootstrap of rounds --------------------------------------------------------------------- */

struct drawn {
    struct sample {
        double cell, weight, time_ns;
        int round;
    } * sample;
    size_t count, rounds;
};

static void drawn_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct drawn *state = sqlite3_aggregate_context(context, sizeof *state);
    const int round = sqlite3_value_int(arguments[count - 1]);
    if (!state || !ARRAY_GROWS(state->sample, state->count) || round < 0 || round > USHRT_MAX) {
        sqlite3_result_error(context, "short of memory, or a round is not from 0 to 65535", -1);
        return;
    }
    state->sample[state->count++] =
        (struct sample){sqlite3_value_double(arguments[0]), sqlite3_value_double(arguments[1]),
                        sqlite3_value_double(arguments[2]), round};
    if ((size_t)round >= state->rounds) state->rounds = (size_t)round + 1;
}

static int compare_samples(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    const int order = (a->cell > b->cell) - (a->cell < b->cell);
    return order ? order : (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* Draws whole rounds, the same for all cells. Returns the product of the medians of the cells, each
 * to the power of its weight; NAN if a cell has too few samples, or none in these rounds. */
static double draw(const struct drawn *state, uint64_t *random, double *time_ns,
                   unsigned short *drawn, unsigned short *rounds)
{
    const struct sample *sample = state->sample;
    double sum = 0;
    size_t end;
    memset(rounds, 0, state->rounds * sizeof *rounds);
    for (size_t i = 0; i < state->rounds; i++) rounds[stats_draw(random, state->rounds)]++;
    for (size_t first = 0; first < state->count; first = end) {
        for (end = first; end < state->count && sample[end].cell == sample[first].cell; end++) {
            time_ns[end] = sample[end].time_ns;
            drawn[end] = rounds[sample[end].round];
        }
        const double median = stats_counted_median(time_ns + first, drawn + first, end - first);
        sum += sample[first].weight * log(end - first < STATS_LEAST_SAMPLES ? NAN : median);
    }
    return exp(sum);
}

static void drawn_final(sqlite3_context *context)
{
    struct drawn *state = sqlite3_aggregate_context(context, 0);
    double value[RESAMPLES];
    uint64_t random = 1;
    size_t count = 0;
    if (!state) return;
    double *time_ns = malloc((state->count + 1) * sizeof *time_ns);
    unsigned short *drawn = malloc((state->count + state->rounds + 1) * sizeof *drawn);
    if (!time_ns || !drawn) sqlite3_result_error_nomem(context);
    if (state->count) qsort(state->sample, state->count, sizeof *state->sample, compare_samples);
    for (; time_ns && drawn && state->count && count < RESAMPLES; count++) {
        value[count] = draw(state, &random, time_ns, drawn, drawn + state->count);
        if (!isfinite(value[count])) break;
    }
    stats_sort(value, count);
    if (count == RESAMPLES)
        result_number(context,
                      stats_quantile(value, count, part_of(context) == RATIO_LOW ? 0.025 : 0.975));
    free(time_ns);
    free(drawn);
    free(state->sample);
}

/* ---- text and numbers ------------------------------------------------------------------------ */

static void square_root(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const double value = sqlite3_value_double(arguments[0]);
    (void)count;
    if (sqlite3_value_type(arguments[0]) != SQLITE_NULL && value >= 0)
        sqlite3_result_double(context, sqrt(value));
}

/* The opcode with its modifiers follows the predicate and precedes the operands. */
static const char *find_opcode(const char *sass, size_t *length)
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
    sass = find_opcode(sass, &length);
    sqlite3_result_text(context, sass, (int)length, SQLITE_TRANSIENT);
}

/* Returns line *n of a text, from 1, or NULL. Of inline assembly of which a line has operands or
 * instructions, it is the first line, which says more than they do, and *n is its number. */
static const char *find_line(const char *text, int *n)
{
    const char *line = *n < 1 ? NULL : text;
    for (int i = 1; line && i < *n; i++) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    const char *begin = line;
    int number = *n;
    for (const char *first = line; line && begin > text; first = begin, number--) {
        first += strspn(first, " \t");
        if (*first != ':' && *first != '"') break;
        for (begin--; begin > text && begin[-1] != '\n';) begin--;
    }
    const char *found = line ? strstr(begin, "asm") : NULL;
    if (!found || found >= begin + strcspn(begin, "\n")) return line;
    *n = number;
    return begin;
}

/* Returns the number of the line of a text at which the inline assembly begins that a line
 * continues, or the number of that line. */
static void assembly_line(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const char *text = (const char *)sqlite3_value_text(arguments[0]);
    int line = sqlite3_value_int(arguments[1]);
    (void)count;
    if (find_line(text, &line)) sqlite3_result_int(context, line);
}

/* Returns line n of a text, from 1, without the blanks around it; NULL if it has no such line. Of
 * inline assembly, its first line. */
static void text_line(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    int line = sqlite3_value_int(arguments[1]);
    const char *text = find_line((const char *)sqlite3_value_text(arguments[0]), &line);
    (void)count;
    if (!text) return;
    size_t length = strcspn(text, "\r\n");
    const size_t blanks = strspn(text, " \t");
    while (length > blanks && strchr(" \t", text[length - 1])) length--;
    if (length > blanks)
        sqlite3_result_text(context, text + blanks, (int)(length - blanks), SQLITE_TRANSIENT);
}

/* ---- accesses to shared memory --------------------------------------------------------------- */

/* Returns a whole number from 0 on, or -1 for anything else. */
static int whole_number(sqlite3_value *value)
{
    const double number = sqlite3_value_double(value);
    const int is_whole = sqlite3_value_type(value) != SQLITE_NULL && number >= 0 && number < 1e9 &&
                         number == floor(number);
    return is_whole ? (int)number : -1;
}

static int lane_number(sqlite3_value *value)
{
    const int lane = whole_number(value);
    return lane < BANKS_LANES ? lane : -1;
}

static void lane_address(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct shared_access access;
    const int lane = lane_number(arguments[1]);
    (void)count;
    /* Kind and width do not matter: every address is a multiple of 2. */
    if (lane < 0 || shared_accesses_parse((const char *)sqlite3_value_text(arguments[0]),
                                          access_kind_name(ACCESS_LOAD), 2, &access))
        return;
    if (access.address[lane] != LANE_IDLE) sqlite3_result_int(context, access.address[lane]);
}

/* Serves the access of arguments kind, width_bytes and addresses. Returns 0 if it is not valid. */
static int serve(sqlite3_value **arguments, struct bank_service *service)
{
    struct shared_access access;
    const char *kind = (const char *)sqlite3_value_text(arguments[0]),
               *addresses = (const char *)sqlite3_value_text(arguments[2]);
    if (shared_accesses_parse(addresses, kind, whole_number(arguments[1]), &access)) return 0;
    bank_model_serve(&access, service);
    return 1;
}

/* The turn of a lane, or the wavefront or the delay of one of its words. */
static void lane_served(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct bank_service service;
    const int part = part_of(context), lane = lane_number(arguments[3]),
              word = count > 4 ? whole_number(arguments[4]) : 0;
    if (lane < 0 || word < 0 || word >= BANKS_LANE_WORDS || !serve(arguments, &service)) return;
    const int found = part == LANE_TURN    ? service.turn[lane]
                      : part == LANE_DELAY ? service.delay[lane][word]
                                           : service.wavefront[lane][word];
    if (found >= 0) sqlite3_result_int(context, found);
}

/* ---- adding them ----------------------------------------------------------------------------- */

static int add(struct query *query, const char *name, int arguments, void *data,
               query_function *scalar, query_function *step, void (*final)(sqlite3_context *))
{
    const int flags =
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS; /* views may use them, too */
    if (query->guard.function_count == MOST_FUNCTIONS) return SQLITE_FULL;
    query->guard.function[query->guard.function_count++] = name;
    return sqlite3_create_function(query->database, name, arguments, flags, data, scalar, step,
                                   final);
}

int query_add_function(struct query *query, const char *name, int arguments, query_function *scalar)
{
    return add(query, name, arguments, NULL, scalar, NULL, NULL);
}

int query_add_functions(struct query *query)
{
    static const struct {
        const char *name;
        int arguments, part;
        query_function *scalar;
    } functions[] = {
        {"median", 1, MEDIAN, NULL},
        {"median_time", 1, MEDIAN_TIME, NULL},
        {"geometric_mean", 1, GEOMETRIC_MEAN, NULL},
        {"written_median", 1, WRITTEN_MEDIAN, NULL}, /* of metrics.csv and noise.csv */
        {"written_spread", 1, WRITTEN_SPREAD, NULL},
        {"ratio_low", 2, RATIO_LOW, ratio_of_medians},
        {"ratio_high", 2, RATIO_HIGH, ratio_of_medians},
        {"ratio_median", 2, RATIO_MEDIAN, ratio_in_rounds},
        {"ratio_median_low", 2, RATIO_LOW, ratio_in_rounds},
        {"ratio_median_high", 2, RATIO_HIGH, ratio_in_rounds},
        {"resampled_low", 4, RATIO_LOW, NULL},
        {"resampled_high", 4, RATIO_HIGH, NULL},
        {"human", 1, 0, number_text_human},
        {"human", 2, 0, number_text_human},
        {"time_text", 1, 0, number_text_time},
        {"time_text", 2, 0, number_text_time},
        {"time_among", 2, AMONG_TIMES, number_text_among},
        {"time_among", 3, AMONG_TIMES, number_text_among},
        {"part_among", 2, AMONG_PARTS, number_text_among},
        {"saved_among", 2, AMONG_SAVED, number_text_among},
        {"size_text", 1, 0, number_text_size},
        {"unit_text", 1, 0, number_text_unit},
        {"unit_text", 4, 0, number_text_unit},
        {"unit_beside", 2, 0, number_text_unit_beside},
        {"status_text", 3, 0, number_text_status},
        {"ratio_text", 1, 0, number_text_ratio},
        {"saved_text", 1, 0, number_text_saved},
        {"setting_text", 3, 0, number_text_setting},
        {"moved_text", 3, 0, number_text_moved},
        {"change_text", 1, 0, number_text_change},
        {"verdict", 3, 0, verdict_sql},
        {"opcode_of", 1, 0, opcode_of},
        {"text_line", 2, 0, text_line},
        {"assembly_line", 2, 0, assembly_line},
        {"sqrt", 1, 0, square_root}, /* SQLite may be built without it */
        {"lane_address", 2, 0, lane_address},
        {"lane_turn", 4, LANE_TURN, lane_served},
        {"lane_wavefront", 5, LANE_WAVEFRONT, lane_served},
        {"lane_delay", 5, LANE_DELAY, lane_served},
    };
    int status = SQLITE_OK;
    for (int i = 0; i < QUERY_PARTS; i++) query->part[i] = (struct query_part){query, i};
    for (size_t i = 0; i < sizeof functions / sizeof *functions && status == SQLITE_OK; i++) {
        query_function *scalar = functions[i].scalar;
        const int arguments = functions[i].arguments, draws = arguments == 4;
        query_function *step = draws ? drawn_step : values_step;
        void (*final)(sqlite3_context *) = draws ? drawn_final : values_final;
        status = add(query, functions[i].name, arguments, &query->part[functions[i].part], scalar,
                     scalar ? NULL : step, scalar ? NULL : final);
    }
    return status;
}

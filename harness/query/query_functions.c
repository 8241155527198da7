/*
 * The functions of one row that expressions have beside SQLite's own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "catalog/bank_model.h"
#include "catalog/shared_accesses.h"
#include "query/query.h"

enum { RESAMPLES = 1000, RESAMPLING_PLACES = 1021 };

static const struct sample_series *series_at(struct query *query, sqlite3_value *value)
{
    const int index = sqlite3_value_int(value);
    if (sqlite3_value_type(value) == SQLITE_NULL || index < 0 || index >= query->series_count)
        return NULL;
    return &query->series[index];
}

/* Open addressing; at most half full. NULL when memory is short: then nothing is kept. */
static struct ratio_interval *interval_slot(struct query *query, int a, int b)
{
    if (2 * query->interval_count >= query->interval_capacity) {
        const int capacity = query->interval_capacity ? 4 * query->interval_capacity : 4096;
        struct ratio_interval *old = query->intervals,
                              *slots = malloc((size_t)capacity * sizeof *slots);
        const int old_capacity = query->interval_capacity;
        if (!slots) return NULL;
        for (int i = 0; i < capacity; i++) slots[i].a = -1;
        query->intervals = slots;
        query->interval_capacity = capacity;
        query->interval_count = 0;
        for (int i = 0; i < old_capacity; i++) {
            if (old[i].a < 0) continue;
            *interval_slot(query, old[i].a, old[i].b) = old[i];
            query->interval_count++;
        }
        free(old);
    }
    unsigned i =
        ((unsigned)a * 2654435761u ^ (unsigned)b * 40503u) % (unsigned)query->interval_capacity;
    while (query->intervals[i].a >= 0 && (query->intervals[i].a != a || query->intervals[i].b != b))
        i = (i + 1) % (unsigned)query->interval_capacity;
    return &query->intervals[i];
}

/* What two series of these lengths draw; kept for the lengths that come first to their place.
 * NULL when memory is short. */
static const struct resampling *find_resampling(struct query *query, size_t a_count, size_t b_count)
{
    if (!query->resamplings)
        query->resamplings = calloc(RESAMPLING_PLACES + 1, sizeof *query->resamplings);
    if (!query->resamplings) return NULL;
    struct resampling *found = &query->resamplings[(a_count * 31 + b_count) % RESAMPLING_PLACES];
    if (found->a_count == a_count && found->b_count == b_count) return found;
    if (found->places) found = &query->resamplings[RESAMPLING_PLACES]; /* for once */
    resampling_free(found);
    return resampling_make(found, a_count, b_count, RESAMPLES, 1) ? NULL : found;
}

void query_free_functions(struct query *query)
{
    for (int i = 0; query->resamplings && i <= RESAMPLING_PLACES; i++)
        resampling_free(&query->resamplings[i]);
    free(query->resamplings);
    free(query->intervals);
}

static struct ratio_interval ratio_interval(struct query *query, int a, int b)
{
    struct ratio_interval found = {a, b, NAN, NAN};
    struct ratio_interval *slot = interval_slot(query, a, b);
    if (slot && slot->a >= 0) return *slot;
    const struct sample_series *x = &query->series[a], *y = &query->series[b];
    const struct resampling *drawn = find_resampling(query, (size_t)x->count, (size_t)y->count);
    if (drawn) resampling_interval(drawn, x->sorted, y->sorted, &found.low, &found.high);
    if (slot) {
        *slot = found;
        query->interval_count++;
    }
    return found;
}

static void ratio(sqlite3_context *context, sqlite3_value **arguments, int high_end)
{
    struct query *query = sqlite3_user_data(context);
    const struct sample_series *a = series_at(query, arguments[0]),
                               *b = series_at(query, arguments[1]);
    struct ratio_interval found = {0, 0, NAN, NAN};
    if (a && b) found = ratio_interval(query, (int)(a - query->series), (int)(b - query->series));
    if (isfinite(found.low))
        sqlite3_result_double(context, high_end ? found.high : found.low);
    else
        sqlite3_result_null(context);
}

static void ratio_low(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    ratio(context, arguments, 0);
}

static void ratio_high(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    ratio(context, arguments, 1);
}

enum ratio_part { RATIO_MEDIAN, RATIO_LOW, RATIO_HIGH };

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
    const double result = part == RATIO_MEDIAN ? stats_quantile(value, count, 0.5)
                          : part == RATIO_LOW  ? low
                                               : high;
    free(value);
    if (isfinite(result))
        sqlite3_result_double(context, result);
    else
        sqlite3_result_null(context);
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

/* Gives the text to SQLite and frees it. */
static void result_text(sqlite3_context *context, struct text *text)
{
    if (text->failed)
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, text_string(text), -1, SQLITE_TRANSIENT);
    text_free(text);
}

/* Digits of a whole number with a thin space in UTF-8 between thousands. */
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

/* "4194304" as "2^22", "1024x1024x1024" as "2^10 x 2^10 x 2^10"; factors that are no powers of
 * two as they are. */
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

/* Value of one name in "double_buffer=1 conflict_free=0": a whole number where it is one, else
 * text; NULL where the name is not there. */
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

/* The opcode with its modifiers of an instruction as the disassembler prints it: what follows
 * the predicate, up to the operands. */
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

/* A whole number from 0 on; -1 for anything else. */
static int whole_number(sqlite3_value *value)
{
    const double number = sqlite3_value_double(value);
    const int is_whole = sqlite3_value_type(value) != SQLITE_NULL && number >= 0 && number < 1e9 &&
                         number == floor(number);
    return is_whole ? (int)number : -1;
}

/* A lane's number, -1 for none. */
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
    /* Whatever the kind and the width: every address is a multiple of 4. */
    if (lane < 0 || shared_accesses_parse((const char *)sqlite3_value_text(arguments[0]),
                                          access_kind_name(ACCESS_LOAD), 4, &access))
        return;
    if (access.address[lane] != LANE_IDLE) sqlite3_result_int(context, access.address[lane]);
}

/* How the access in columns kind, width_bytes and addresses is served; 0 when there is none that
 * could be. */
static int serve(sqlite3_value **arguments, struct bank_service *service)
{
    struct shared_access access;
    const char *kind = (const char *)sqlite3_value_text(arguments[0]),
               *addresses = (const char *)sqlite3_value_text(arguments[2]);
    if (shared_accesses_parse(addresses, kind, whole_number(arguments[1]), &access)) return 0;
    bank_model_serve(&access, service);
    return 1;
}

static void lane_turn(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct bank_service service;
    const int lane = lane_number(arguments[3]);
    (void)count;
    if (lane >= 0 && serve(arguments, &service) && service.turn[lane] >= 0)
        sqlite3_result_int(context, service.turn[lane]);
}

static void lane_word(sqlite3_context *context, sqlite3_value **arguments, int is_delay)
{
    struct bank_service service;
    const int lane = lane_number(arguments[3]), word = whole_number(arguments[4]);
    if (lane < 0 || word < 0 || word >= BANKS_LANE_WORDS || !serve(arguments, &service)) return;
    const int found = is_delay ? service.delay[lane][word] : service.wavefront[lane][word];
    if (found >= 0) sqlite3_result_int(context, found);
}

static void lane_wavefront(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    lane_word(context, arguments, 0);
}

static void lane_delay(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    lane_word(context, arguments, 1);
}

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
        query_function *function;
    } functions[] = {
        {"ratio_low", 2, ratio_low},
        {"ratio_high", 2, ratio_high},
        {"human", 1, human},
        {"size_text", 1, size_text},
        {"ratio_median", 2, ratio_median},
        {"ratio_median_low", 2, ratio_median_low},
        {"factor", 2, factor},
        {"lane_address", 2, lane_address},
        {"ratio_median_high", 2, ratio_median_high},
        {"lane_turn", 4, lane_turn},
        {"lane_delay", 5, lane_delay},
        {"lane_wavefront", 5, lane_wavefront},
        {"opcode_of", 1, opcode_of},
        {"time_text", 1, time_text},
        {"sqrt", 1, square_root}, /* SQLite has one only where it was built with it */
    };
    int status = query_add_aggregates(query);
    for (size_t i = 0; i < sizeof functions / sizeof *functions && status == SQLITE_OK; i++)
        status = query_add_function(query, functions[i].name, functions[i].arguments,
                                    functions[i].function, NULL, NULL);
    return status;
}

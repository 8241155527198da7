#include "ncu_report/report_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* Fields of a result. */
enum {
    RESULT_GRID = 10,
    RESULT_BLOCK = 11,
    RESULT_METRIC = 13,
    RESULT_SOURCE = 15,
    RESULT_NVTX = 21
};
/* Fields of a metric and of an instance. */
enum { METRIC_NAME = 1, METRIC_VALUE = 2, METRIC_INSTANCE = 3 };
enum { INSTANCE_OF = 1, INSTANCE_VALUE = 2 };
/* A value is a message of one field: a text has number 1, the others are numbers. */
enum { VALUE_TEXT = 1 };
/* A limit on the metrics of a launch: real ones have some thousands. */
enum { MOST_METRICS = 1 << 18 };

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct report_metric *)a)->name, ((const struct report_metric *)b)->name);
}

/* By name, and the longest of a name first. */
static int compare_lengths(const void *a, const void *b)
{
    const size_t of_a = wire_length(((const struct report_metric *)a)->message),
                 of_b = wire_length(((const struct report_metric *)b)->message);
    const int order = compare(a, b);
    return order ? order : (of_a < of_b) - (of_a > of_b);
}

/* Where ncu starts the program anew for each pass (--replay-mode application), a metric with
 * instances is in the result once for each pass, and empty in all but one. */
static void keep_longest(struct report_result *result)
{
    size_t kept = 0;
    if (!result->count) return;
    qsort(result->metric, result->count, sizeof *result->metric, compare_lengths);
    for (size_t i = 1; i < result->count; i++)
        if (compare(&result->metric[kept], &result->metric[i]))
            result->metric[++kept] = result->metric[i];
    result->count = kept + 1;
}

static void read_extent(struct wire message, unsigned extent[3])
{
    for (uint32_t i = 0; i < 3; i++) extent[i] = (unsigned)wire_integer(message, i + 1, 0);
}

static int add_metric(struct report_result *result, struct wire message,
                      const struct report_block *block)
{
    const uint64_t name = wire_integer(message, METRIC_NAME, UINT64_MAX);
    if (name >= block->count || result->count == MOST_METRICS) return FAIL_INPUT;
    if (!ARRAY_GROWS(result->metric, result->count)) return error_memory();
    result->metric[result->count++] = (struct report_metric){block->name[name], message};
    return 0;
}

int report_result_open(struct report_result *result, struct wire entry,
                       const struct report_block *block)
{
    struct wire_field field;
    struct wire rest = entry;
    int more, failure = 0;
    *result = (struct report_result){.entry = entry};
    while (!failure && (more = wire_next(&rest, &field)) > 0) {
        if (field.type != WIRE_BYTES) continue;
        if (field.number == RESULT_METRIC) failure = add_metric(result, field.bytes, block);
        if (field.number == RESULT_GRID) read_extent(field.bytes, result->grid);
        if (field.number == RESULT_BLOCK) read_extent(field.bytes, result->block);
        if (field.number == RESULT_SOURCE) result->source = wire_integer(field.bytes, 1, 0);
    }
    if (!failure && more < 0) failure = FAIL_INPUT;
    keep_longest(result);
    return failure;
}

void report_result_close(struct report_result *result)
{
    free(result->metric);
    *result = (struct report_result){0};
}

const struct report_metric *report_result_find(const struct report_result *result, const char *name)
{
    const struct report_metric key = {name, {0}};
    return result->count ? bsearch(&key, result->metric, result->count, sizeof key, compare) : NULL;
}

static double number_in(struct wire value)
{
    struct wire_field field;
    double number = NAN;
    while (wire_next(&value, &field) > 0)
        if (field.type != WIRE_BYTES) number = wire_number(&field);
    return number;
}

double report_result_number(const struct report_result *result, const char *name)
{
    const struct report_metric *metric = report_result_find(result, name);
    return metric ? number_in(wire_bytes(metric->message, METRIC_VALUE)) : NAN;
}

enum report_kind report_result_kind(const struct report_result *result, const char *name)
{
    const struct report_metric *metric = report_result_find(result, name);
    struct wire value = metric ? wire_bytes(metric->message, METRIC_VALUE) : (struct wire){0};
    struct wire_field field;
    enum report_kind kind = REPORT_NOTHING;
    while (kind != REPORT_NUMBER && wire_next(&value, &field) > 0)
        kind = field.type == WIRE_BYTES ? REPORT_TEXT : REPORT_NUMBER;
    return kind;
}

struct wire report_result_text(const struct report_result *result, const char *name)
{
    const struct report_metric *metric = report_result_find(result, name);
    return metric ? wire_bytes(wire_bytes(metric->message, METRIC_VALUE), VALUE_TEXT)
                  : (struct wire){0};
}

size_t report_metric_each(const struct report_metric *metric,
                          void (*visit)(void *context, uint64_t of, double value), void *context)
{
    struct wire rest = metric->message;
    struct wire_field field, of;
    size_t count = 0;
    while (wire_next(&rest, &field) > 0) {
        if (field.number != METRIC_INSTANCE || field.type != WIRE_BYTES) continue;
        struct wire key = wire_bytes(field.bytes, INSTANCE_OF);
        if (wire_next(&key, &of) <= 0 || of.type != WIRE_VARINT) continue;
        visit(context, of.value, number_in(wire_bytes(field.bytes, INSTANCE_VALUE)));
        count++;
    }
    return count;
}

double report_result_keyed(const struct report_result *result, const char *name, const char *key)
{
    const struct report_metric *metric = report_result_find(result, name);
    struct wire rest = metric ? metric->message : (struct wire){0};
    struct wire_field field;
    double value = NAN;
    while (wire_next(&rest, &field) > 0) {
        if (field.number != METRIC_INSTANCE || field.type != WIRE_BYTES) continue;
        const struct wire of = wire_bytes(wire_bytes(field.bytes, INSTANCE_OF), VALUE_TEXT);
        if (wire_length(of) == strlen(key) && !memcmp(of.at, key, wire_length(of)))
            return number_in(wire_bytes(field.bytes, INSTANCE_VALUE));
        if (wire_length(of)) value = 0;
    }
    return value;
}

/* ---- NVTX ------------------------------------------------------------------------------------ */

static int begins(struct wire bytes, const char *prefix)
{
    const size_t length = strlen(prefix);
    return wire_length(bytes) >= length && !memcmp(bytes.at, prefix, length);
}

/* Appends the names of the ranges that the thread has open, the outer ones first; of whyfast's own
 * (run/nvtx.h) not those of single launches. */
static void append_ranges(struct text *text, struct wire ranges, int is_own)
{
    enum { OPEN_RANGE = 3, RANGE_NAME = 1 };
    struct wire_field field;
    while (wire_next(&ranges, &field) > 0) {
        if (field.number != OPEN_RANGE || field.type != WIRE_BYTES) continue;
        const struct wire name = wire_bytes(field.bytes, RANGE_NAME);
        if (!wire_length(name) || (is_own && begins(name, "launch "))) continue;
        if (text->length) text_append(text, "/");
        text_append_bytes(text, name.at, wire_length(name));
    }
}

char *report_result_range(const struct report_result *result)
{
    enum { DOMAIN = 1, DOMAIN_NAME = 2, THREAD = 2, THREAD_RANGES = 2 };
    struct wire rest = result->entry;
    struct wire_field domain, thread;
    struct text text = {0};
    while (wire_next(&rest, &domain) > 0) {
        if (domain.number != RESULT_NVTX || domain.type != WIRE_BYTES) continue;
        const int is_own =
            begins(wire_bytes(wire_bytes(domain.bytes, DOMAIN), DOMAIN_NAME), "whyfast");
        while (wire_next(&domain.bytes, &thread) > 0)
            if (thread.number == THREAD && thread.type == WIRE_BYTES)
                append_ranges(&text, wire_bytes(thread.bytes, THREAD_RANGES), is_own);
    }
    char *range = text.failed ? NULL : text_new("%s", text_string(&text));
    text_free(&text);
    return range;
}

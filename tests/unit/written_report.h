/*
 * Writes reports of Nsight Compute, as the tests need them: the container and the few fields that
 * harness/ncu_report reads. A struct text is the caller's; a message that is added to another one
 * is freed.
 */
#ifndef TESTS_UNIT_WRITTEN_REPORT_H
#define TESTS_UNIT_WRITTEN_REPORT_H

#include <stdint.h>
#include <string.h>

#include "base/text.h"

#define MAYBE_UNUSED __attribute__((unused))

static void add_varint(struct text *to, uint64_t value)
{
    do {
        const char byte = (char)((value & 127) | (value > 127 ? 128 : 0));
        text_append_bytes(to, &byte, 1);
        value >>= 7;
    } while (value);
}

static void add_integer(struct text *to, unsigned field, uint64_t value)
{
    add_varint(to, field << 3);
    add_varint(to, value);
}

MAYBE_UNUSED static void add_double(struct text *to, unsigned field, double value)
{
    add_varint(to, field << 3 | 1);
    text_append_bytes(to, (const char *)&value, sizeof value);
}

static void add_bytes(struct text *to, unsigned field, const char *bytes, size_t count)
{
    add_varint(to, field << 3 | 2);
    add_varint(to, count);
    text_append_bytes(to, bytes, count);
}

static void add_string(struct text *to, unsigned field, const char *string)
{
    add_bytes(to, field, string, strlen(string));
}

static void add_message(struct text *to, unsigned field, struct text *message)
{
    add_bytes(to, field, text_string(message), message->length);
    text_free(message);
}

/* Adds bytes behind their length, as the container has them. */
static void add_entry(struct text *to, struct text *message)
{
    const uint32_t length = (uint32_t)message->length;
    const char head[] = {(char)length, (char)(length >> 8), (char)(length >> 16),
                         (char)(length >> 24)};
    text_append_bytes(to, head, sizeof head);
    text_append_bytes(to, text_string(message), message->length);
    text_free(message);
}

static void begin_report(struct text *to, unsigned version)
{
    struct text header = {0};
    text_append_bytes(to, "NVR", 4);
    add_integer(&header, 1, version);
    add_entry(to, &header);
}

/* Adds a block with one entry, which is a source or a result, or with none. `names` are separated
 * by blanks, and `session` may be empty. */
MAYBE_UNUSED static void add_block(struct text *to, const char *names, struct text *session,
                                   struct text *entry, int is_source)
{
    struct text header = {0}, table = {0}, process = {0};
    const int has_entry = entry && entry->length;
    add_integer(&header, 1, has_entry && is_source);
    add_integer(&header, 2, has_entry && !is_source);
    if (session && session->length) add_message(&header, 3, session);
    for (const char *name = names; *name; name += strspn(name, " ")) {
        const size_t length = strcspn(name, " ");
        add_bytes(&table, 1, name, length);
        name += length;
    }
    add_message(&header, 4, &table);
    add_integer(&header, 5, has_entry ? entry->length + 4 : 0);
    add_integer(&process, 1, 4711);
    add_string(&process, 3, "/opt/programs/sums");
    add_message(&header, 6, &process);
    add_entry(to, &header);
    if (has_entry) add_entry(to, entry);
}

/* Adds a metric of a result: the place of its name, and its value. */
MAYBE_UNUSED static void add_metric(struct text *to, unsigned name, double value)
{
    struct text metric = {0}, number = {0};
    add_integer(&metric, 1, name);
    add_double(&number, 3, value);
    add_message(&metric, 2, &number);
    add_message(to, 13, &metric);
}

/* The same with a text as its value. */
MAYBE_UNUSED static void add_text_metric(struct text *to, unsigned name, const char *value)
{
    struct text metric = {0}, words = {0};
    add_integer(&metric, 1, name);
    add_string(&words, 1, value);
    add_message(&metric, 2, &words);
    add_message(to, 13, &metric);
}

/* Adds a metric whose values are of instructions at `base`, 16 bytes apart. */
MAYBE_UNUSED static void add_metric_of_code(struct text *to, unsigned name, uint64_t base,
                                            const unsigned *value, size_t count)
{
    struct text metric = {0}, total = {0};
    uint64_t sum = 0;
    add_integer(&metric, 1, name);
    for (size_t i = 0; i < count; i++) sum += value[i];
    add_integer(&total, 5, sum);
    add_message(&metric, 2, &total);
    for (size_t i = 0; i < count; i++) {
        struct text instance = {0}, of = {0}, number = {0};
        add_integer(&of, 5, base + 16 * i);
        add_integer(&number, 5, value[i]);
        add_message(&instance, 1, &of);
        add_message(&instance, 2, &number);
        add_message(&metric, 3, &instance);
    }
    add_message(to, 13, &metric);
}

/* Adds a metric without a value of its own, whose instances are by number. */
MAYBE_UNUSED static void add_metric_of_numbers(struct text *to, unsigned name,
                                               const uint64_t *value, size_t count)
{
    struct text metric = {0};
    add_integer(&metric, 1, name);
    for (size_t i = 0; i < count; i++) {
        struct text instance = {0}, of = {0}, number = {0};
        add_integer(&of, 5, i);
        add_integer(&number, 5, value[i]);
        add_message(&instance, 1, &of);
        add_message(&instance, 2, &number);
        add_message(&metric, 3, &instance);
    }
    add_message(to, 13, &metric);
}

/* Begins a result: a launch of this kernel on a grid of blocks of 256 threads. */
MAYBE_UNUSED static void begin_result(struct text *to, const char *symbol, const char *name,
                                      unsigned grid)
{
    struct text size = {0}, block = {0}, source = {0};
    add_integer(to, 1, 4711);
    add_string(to, 5, symbol);
    add_string(to, 6, symbol);
    add_string(to, 7, name);
    add_integer(&size, 1, grid);
    add_integer(&size, 2, 1);
    add_integer(&size, 3, 1);
    add_message(to, 10, &size);
    add_integer(&block, 1, 256);
    add_integer(&block, 2, 1);
    add_integer(&block, 3, 1);
    add_message(to, 11, &block);
    add_integer(&source, 1, 42);
    add_message(to, 15, &source);
}

/* Adds an NVTX range around the launch, and one within, of a domain. */
MAYBE_UNUSED static void add_ranges(struct text *to, const char *name, const char *outer,
                                    const char *inner)
{
    struct text domain = {0}, thread = {0}, ranges = {0}, range = {0}, named = {0};
    add_string(&named, 2, name);
    add_message(&domain, 1, &named);
    add_integer(&ranges, 1, 0);
    add_string(&range, 1, outer);
    add_message(&ranges, 3, &range);
    add_string(&range, 1, inner);
    add_message(&ranges, 3, &range);
    add_integer(&thread, 1, 4711);
    add_message(&thread, 2, &ranges);
    add_message(&domain, 2, &thread);
    add_message(to, 21, &domain);
}

#endif

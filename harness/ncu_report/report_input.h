/*
 * Reads the bytes of a file, and of what it holds if it is compressed by zstd. The library of zstd
 * is opened when it is needed. A struct report_input owns the file and the decoder until
 * report_input_close.
 */
#ifndef WHYFAST_REPORT_INPUT_H
#define WHYFAST_REPORT_INPUT_H

#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct zstd;

struct report_input {
    const char *path;
    FILE *file;
    uint64_t at;       /* bytes that were read, decompressed */
    struct zstd *zstd; /* NULL for a file that is not compressed */
};

/* Opens a plain file. Returns FAIL_INPUT, with a message, if it cannot be opened, or is compressed
 * and the library is missing. */
int report_input_open(struct report_input *input, const char *path);
void report_input_close(struct report_input *input);

/* Not a failure of base/message.h: the bytes end after some of those that were asked for. */
enum { REPORT_INPUT_ENDS_INSIDE = -100 };

/* Reads exactly `count` bytes. Returns 1, 0 at the end, REPORT_INPUT_ENDS_INSIDE, or FAIL_INPUT
 * with a message; of a file that grows to more than 8 GB, too. */
int report_input_read(struct report_input *input, void *bytes, size_t count);

/* Replaces a text by exactly `count` bytes, with memory for those that come. Returns 0,
 * REPORT_INPUT_ENDS_INSIDE, or a failure with a message. */
int report_input_append(struct report_input *input, struct text *text, size_t count);

#endif

/*
 * Reading from bytes that may be damaged or cut short: little-endian numbers, LEB128 and strings,
 * as DWARF has them. A struct bytes only borrows what it reads, and so are the strings that it
 * gives.
 */
#ifndef WHYFAST_BYTE_READER_H
#define WHYFAST_BYTE_READER_H

#include <stddef.h>
#include <stdint.h>

/* What is left to read. Reading beyond it gives 0 or "" and empties it; `damaged` stays set:
 * check once, at the end. */
struct bytes {
    const unsigned char *at, *end;
    int damaged;
};

/* A number of this many bytes, at most 8. */
uint64_t byte_reader_number(struct bytes *bytes, unsigned count);

/* LEB128 without and with a sign, the latter as the two's complement that is added to an
 * unsigned number. Bits beyond 64 are lost. */
uint64_t byte_reader_unsigned(struct bytes *bytes);
uint64_t byte_reader_signed(struct bytes *bytes);

/* A string up to its NUL. */
const char *byte_reader_string(struct bytes *bytes);

/* The next `count` bytes on their own; *bytes goes on behind them. Where there are fewer, both
 * are damaged. */
struct bytes byte_reader_part(struct bytes *bytes, uint64_t count);

#endif

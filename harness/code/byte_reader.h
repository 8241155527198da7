/*
 * Reads bytes that may be damaged or cut short: little-endian numbers, LEB128 and strings, as in
 * DWARF. A struct bytes borrows the bytes, and the strings returned lie in them.
 */
#ifndef WHYFAST_BYTE_READER_H
#define WHYFAST_BYTE_READER_H

#include <stddef.h>
#include <stdint.h>

/* The bytes left to read. Reading beyond them gives 0 or "", empties them and sets `damaged`, which
 * stays set: one check at the end suffices. */
struct bytes {
    const unsigned char *at, *end;
    int damaged;
};

/* Reads a number of up to 8 bytes. */
uint64_t byte_reader_number(struct bytes *bytes, unsigned count);

/* Read LEB128 without and with a sign; the latter as two's complement. Bits beyond 64 are lost. */
uint64_t byte_reader_unsigned(struct bytes *bytes);
uint64_t byte_reader_signed(struct bytes *bytes);

/* Reads a string up to its NUL. */
const char *byte_reader_string(struct bytes *bytes);

/* Splits off the next `count` bytes; *bytes continues after them. If there are fewer, both are
 * damaged. */
struct bytes byte_reader_part(struct bytes *bytes, uint64_t count);

#endif

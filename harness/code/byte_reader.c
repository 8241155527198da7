#include "code/byte_reader.h"

#include <string.h>

uint64_t byte_reader_number(struct bytes *bytes, unsigned count)
{
    uint64_t value = 0;
    if ((size_t)(bytes->end - bytes->at) < count) {
        bytes->at = bytes->end;
        bytes->damaged = 1;
        return 0;
    }
    for (unsigned i = 0; i < count; i++) value |= (uint64_t)*bytes->at++ << 8 * i;
    return value;
}

/* Reads seven bits of each byte, the lowest first. *bits counts them, for the sign. */
static uint64_t read_packed(struct bytes *bytes, unsigned *bits)
{
    uint64_t value = 0;
    unsigned byte, shift = 0;
    do {
        byte = (unsigned)byte_reader_number(bytes, 1);
        if (shift < 64) value |= (uint64_t)(byte & 0x7F) << shift;
        shift += 7;
    } while (byte & 0x80);
    *bits = shift;
    return value;
}

uint64_t byte_reader_unsigned(struct bytes *bytes)
{
    unsigned bits;
    return read_packed(bytes, &bits);
}

uint64_t byte_reader_signed(struct bytes *bytes)
{
    unsigned bits;
    const uint64_t value = read_packed(bytes, &bits);
    return bits < 64 && value >> (bits - 1) & 1 ? value | ~(uint64_t)0 << bits : value;
}

const char *byte_reader_string(struct bytes *bytes)
{
    const unsigned char *start = bytes->at,
                        *zero = start < bytes->end ? memchr(start, 0, (size_t)(bytes->end - start))
                                                   : NULL;
    bytes->damaged |= !zero;
    bytes->at = zero ? zero + 1 : bytes->end;
    return zero ? (const char *)start : "";
}

struct bytes byte_reader_part(struct bytes *bytes, uint64_t count)
{
    struct bytes part = {bytes->at, bytes->at, 0};
    if (count > (uint64_t)(bytes->end - bytes->at)) {
        bytes->damaged = part.damaged = 1;
        count = (uint64_t)(bytes->end - bytes->at);
    }
    part.end = bytes->at += count;
    return part;
}

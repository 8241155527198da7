#include "ncu_report/wire.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* Reads an integer of seven bits a byte, the lowest first. Returns 1, or 0 if it is damaged. */
static int read_varint(struct wire *message, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && message->at < message->end; shift += 7) {
        const unsigned char byte = *message->at++;
        if (shift == 63 && byte > 1) return 0;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return 1;
    }
    return 0;
}

/* Reads an integer of a fixed width, the lowest byte first. */
static int read_fixed(struct wire *message, unsigned width, uint64_t *value)
{
    *value = 0;
    if (wire_length(*message) < width) return 0;
    for (unsigned i = 0; i < width; i++) *value |= (uint64_t)*message->at++ << 8 * i;
    return 1;
}

static int read_bytes(struct wire *message, struct wire *bytes)
{
    uint64_t length;
    if (!read_varint(message, &length) || length > wire_length(*message)) return 0;
    *bytes = (struct wire){message->at, message->at + length};
    message->at += length;
    return 1;
}

int wire_next(struct wire *message, struct wire_field *field)
{
    uint64_t key;
    if (message->at == message->end) return 0;
    if (!read_varint(message, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX) return -1;
    *field = (struct wire_field){.number = (uint32_t)(key >> 3), .type = (enum wire_type)(key & 7)};
    switch (field->type) {
    case WIRE_VARINT: return read_varint(message, &field->value) ? 1 : -1;
    case WIRE_64: return read_fixed(message, 8, &field->value) ? 1 : -1;
    case WIRE_BYTES: return read_bytes(message, &field->bytes) ? 1 : -1;
    case WIRE_32: return read_fixed(message, 4, &field->value) ? 1 : -1;
    }
    return -1; /* a group, which reports do not have */
}

/* Finds the last field of this number and type, which is the one that counts. Returns 1, 0 if there
 * is none, or -1 if the message is damaged. */
static int find(struct wire message, uint32_t number, enum wire_type type, struct wire_field *found)
{
    struct wire_field field;
    int is_found = 0, more;
    while ((more = wire_next(&message, &field)) > 0)
        if (field.number == number && field.type == type) {
            *found = field;
            is_found = 1;
        }
    return more ? -1 : is_found;
}

uint64_t wire_integer(struct wire message, uint32_t number, uint64_t absent)
{
    struct wire_field field;
    return find(message, number, WIRE_VARINT, &field) > 0 ? field.value : absent;
}

struct wire wire_bytes(struct wire message, uint32_t number)
{
    struct wire_field field;
    return find(message, number, WIRE_BYTES, &field) > 0 ? field.bytes : (struct wire){0};
}

double wire_number(const struct wire_field *field)
{
    double number = NAN;
    float narrow = 0;
    const uint32_t low = (uint32_t)field->value;
    switch (field->type) {
    case WIRE_VARINT: return (double)field->value;
    case WIRE_64: memcpy(&number, &field->value, sizeof number); break;
    case WIRE_32:
        memcpy(&narrow, &low, sizeof narrow);
        number = narrow;
        break;
    case WIRE_BYTES: break;
    }
    return number;
}

char *wire_string(struct wire bytes)
{
    const size_t length = wire_length(bytes);
    return text_new("%.*s", (int)length, length ? (const char *)bytes.at : "");
}

/*
 * Decodes the wire format of protocol buffers, in which a message is a sequence of numbered fields.
 * Bytes are borrowed; nothing is owned. Every length is checked: the message may be damaged.
 *
 * It is written here because a report needs a dozen fields of a few messages: their numbers stand
 * where they are used, and no generated code and no library is needed.
 */
#ifndef WHYFAST_WIRE_H
#define WHYFAST_WIRE_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of a message, of a string, or of what is left of one. */
struct wire {
    const unsigned char *at, *end;
};

enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;    /* of a field that is no bytes */
    struct wire bytes; /* of one that is */
};

/* Reads the next field of a message. Returns 1, 0 at the end, or -1 if the message is damaged. */
int wire_next(struct wire *message, struct wire_field *field);

/* Returns an integer of a message, or `absent` if it lacks the field or is damaged. */
uint64_t wire_integer(struct wire message, uint32_t number, uint64_t absent);

/* Returns the bytes of a field of a message, none if it lacks the field or is damaged. */
struct wire wire_bytes(struct wire message, uint32_t number);

/* Returns the number that a field holds, whatever its width; NAN for bytes. */
double wire_number(const struct wire_field *field);

/* Returns bytes as a string, up to a 0 among them, which the caller frees; NULL if memory is short.
 */
char *wire_string(struct wire bytes);

static inline size_t wire_length(struct wire bytes)
{
    return (size_t)(bytes.end - bytes.at);
}

#endif

/*
 * Hashes bytes with FNV-1a, 64 bits (Fowler, Noll, Vo), which protects against accidents but not
 * against malice. Nothing is owned.
 */
#ifndef WHYFAST_HASH_H
#define WHYFAST_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define HASH_START 0xCBF29CE484222325u

/* Continues a hash with these bytes. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);

/* Formats a hash as 16 hexadecimal digits. Returns `text`. */
char *hash_text(uint64_t hash, char text[17]);

#endif

/*
 * A fingerprint of bytes, to tell whether two things are the same: FNV-1a with 64 bits (Fowler,
 * Noll, Vo). Against accident, not against malice. Nothing is owned.
 */
#ifndef WHYFAST_HASH_H
#define WHYFAST_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes at all, from which every other begins. */
#define HASH_START 0xCBF29CE484222325u

/* The hash of what `hash` stands for, followed by these bytes. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);

/* 16 hexadecimal digits, as hashes are written in a run. Returns `text`. */
char *hash_text(uint64_t hash, char text[17]);

#endif

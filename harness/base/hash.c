#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ p[i]) * 0x100000001B3u;
    return hash;
}

char *hash_text(uint64_t hash, char text[17])
{
    snprintf(text, 17, "%016" PRIx64, hash);
    return text;
}

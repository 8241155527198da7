/*
 * Generates random inputs that are the same on every machine. Element i depends only on the seed
 * and on i, so that loops vectorise. The generator is the finaliser of splitmix64 over a counter
 * (G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, 2014).
 */
#ifndef WHYFAST_RANDOM_H
#define WHYFAST_RANDOM_H

#include <stdint.h>

static inline uint32_t random_word(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + i * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)(z >> 32);
}

/* Returns a float in [0, 1), a multiple of 2^-24. */
static inline float random_fraction(uint64_t seed, uint64_t i)
{
    return (float)(random_word(seed, i) >> 8) * 0x1p-24f;
}

#endif

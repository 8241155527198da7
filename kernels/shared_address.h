/*
 * Converts pointers to shared memory into addresses of the shared window, which instructions in
 * assembly take. Nothing is owned.
 */
#ifndef KERNELS_SHARED_ADDRESS_H
#define KERNELS_SHARED_ADDRESS_H

#include <stdint.h>

static __device__ inline uint32_t shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

#endif

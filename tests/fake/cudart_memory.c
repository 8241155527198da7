/*
 * Emulates the memory of the fake device by the host's. Words of FAKE_STATE used here:
 * little_memory.
 */
#include <stdlib.h>
#include <string.h>

#include "cudart.h"

enum { ALIGNMENT = 256 };

static struct memory {
    char *base;
    size_t bytes;
    struct memory *next;
} * memories;

static size_t used;

static cudaError_t take(void **pointer, size_t bytes, const char *kind)
{
    struct memory *memory = malloc(sizeof *memory);
    char *base =
        memory ? aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT) : NULL;
    *pointer = base;
    if (!base) {
        free(memory);
        return failed(cudaErrorMemoryAllocation);
    }
    memset(base, 0xA5, bytes); /* the garbage of earlier uses */
    *memory = (struct memory){base, bytes, memories};
    memories = memory;
    fake_held(kind, 1);
    return cudaSuccess;
}

static size_t give_back(void *pointer, const char *kind)
{
    for (struct memory **at = &memories; *at; at = &(*at)->next) {
        struct memory *memory = *at;
        if (memory->base != pointer) continue;
        const size_t bytes = memory->bytes;
        *at = memory->next;
        free(memory->base);
        free(memory);
        fake_held(kind, -1);
        return bytes;
    }
    fake_misuse("what is no memory was freed");
    return 0;
}

int cudart_is_memory(const void *pointer, size_t bytes)
{
    for (const struct memory *memory = memories; memory; memory = memory->next)
        if ((const char *)pointer >= memory->base &&
            (const char *)pointer + bytes <= memory->base + memory->bytes)
            return 1;
    fake_misuse("memory outside of all buffers was named");
    return 0;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    const size_t most = fake_state("little_memory") ? 3u << 20 : FAKE_MEMORY_BYTES;
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (used + bytes > most) return failed(cudaErrorMemoryAllocation);
    used += bytes;
    return take(pointer, bytes, "device memory");
}

ALWAYS(cudaMemGetInfo, (size_t * available, size_t *total),
       *total = fake_state("little_memory") ? 8u << 20 : FAKE_MEMORY_BYTES;
       *available = *total - used)

cudaError_t cudaFree(void *pointer)
{
    const cudaError_t status = entered(__func__);
    if (pointer) fake_synchronize();
    if (pointer) used -= give_back(pointer, "device memory");
    return status;
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMalloc(pointer, bytes);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return cudaFree(pointer);
}

UNLESS(cudaHostAlloc, (void **pointer, size_t bytes, unsigned flags),
       return take(pointer, bytes, "host memory"))

cudaError_t cudaFreeHost(void *pointer)
{
    const cudaError_t status = entered(__func__);
    if (pointer) fake_synchronize();
    if (pointer) give_back(pointer, "host memory");
    return status;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!cudart_is_memory(kind == cudaMemcpyHostToDevice ? to : from, bytes))
        return failed(cudaErrorInvalidValue);
    memcpy(to, from, bytes);
    fake_advance(5000 + bytes / 20);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!cudart_is_memory(to, bytes)) return failed(cudaErrorInvalidValue);
    memset(to, value, bytes);
    fake_advance(5000);
    return cudaSuccess;
}

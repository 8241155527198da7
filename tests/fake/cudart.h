/*
 * Shared by the parts of the fake CUDA runtime (fake.h). Nothing is owned.
 */
#ifndef FAKE_CUDART_H
#define FAKE_CUDART_H

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "fake.h"

enum { GUARANTEED_SHARED = 48 << 10 };

extern cudaError_t cudart_last_error;

static inline cudaError_t failed(cudaError_t status)
{
    if (status) cudart_last_error = status;
    return status;
}

/* Returns the status planted for this call, which becomes the last error. */
static inline cudaError_t entered(const char *name)
{
    return failed((cudaError_t)fake_call(name));
}

/* Define a function that does something in any case, or only if no fault is planted. */
#define ALWAYS(name, parameters, ...)                                                              \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return entered(#name);                                                                     \
    }
#define UNLESS(name, parameters, ...)                                                              \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        const cudaError_t planted = entered(#name);                                                \
        if (planted) return planted;                                                               \
        __VA_ARGS__;                                                                               \
        return cudaSuccess;                                                                        \
    }

/* Returns 1 if the range lies in one buffer; otherwise notes a misuse and returns 0. */
int cudart_is_memory(const void *pointer, size_t bytes);

/* ---- the queue ------------------------------------------------------------------------------- */

enum operation_kind { OPERATION_KERNEL, OPERATION_FILL, OPERATION_EVENT };

struct operation {
    enum operation_kind kind;
    struct fake_launch launch;
    void *to;
    int value;
    size_t bytes;
    struct CUevent_st *event;
    struct operation *next;
};

/* Appends a new item to the queue. */
struct operation *cudart_queued(enum operation_kind kind);

enum { GRAPH_NODES = 32 };

struct CUgraphNode_st {
    struct operation operation;
};

struct CUgraph_st {
    int count;
    struct CUgraphNode_st node[GRAPH_NODES];
};

/* The graph that captures operations instead of the queue; NULL if there is none. */
extern struct CUgraph_st *cudart_capturing;

#endif

/*
 * What the parts of the fake CUDA runtime share (fake.h). Nothing is owned.
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

/* The status planted for this call; it is the last error then. */
static inline cudaError_t entered(const char *name)
{
    return failed((cudaError_t)fake_call(name));
}

/* Whether that much lies in one buffer; where not, that is a misuse. */
int cudart_is_memory(const void *pointer, size_t bytes);

/* ---- what is queued -------------------------------------------------------------------------- */

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

/* A new one, at the end of the queue. */
struct operation *cudart_queued(enum operation_kind kind);

enum { GRAPH_NODES = 32 };

struct CUgraphNode_st {
    struct operation operation;
};

struct CUgraph_st {
    int count;
    struct CUgraphNode_st node[GRAPH_NODES];
};

/* What is captured in place of being queued; NULL. */
extern struct CUgraph_st *cudart_capturing;

#endif

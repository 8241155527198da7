/*
 * Reference: the sum on all cores of the CPU, one contiguous slice each.
 *
 * Each sum starts its threads, which takes a few dozen microseconds: noticeable for a small sum.
 */
#include <pthread.h>
#include <unistd.h>

#include "reduce.h"

enum { MOST_THREADS = 256 };

struct slice {
    const unsigned *in;
    uint64_t count;
    unsigned sum;
};

static void *sum_slice(void *argument)
{
    struct slice *slice = static_cast<struct slice *>(argument);
    unsigned sum = 0;
    for (uint64_t i = 0; i < slice->count; i++) sum += slice->in[i];
    slice->sum = sum;
    return NULL;
}

static void host(const struct work *work)
{
    const unsigned *in = static_cast<const unsigned *>(work->input[0]);
    const uint64_t n = work->point.shape.dim[0];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t threads = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (uint64_t)cores;
    struct slice slice[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    bool started[MOST_THREADS];
    unsigned sum = 0;
    for (uint64_t t = 0; t < threads; t++) {
        const uint64_t start = n / threads * t + (t < n % threads ? t : n % threads);
        slice[t].in = in + start;
        slice[t].count = n / threads + (t < n % threads);
        started[t] = pthread_create(&thread[t], NULL, sum_slice, &slice[t]) == 0;
        if (!started[t]) sum_slice(&slice[t]); /* no new thread: run it here */
    }
    for (uint64_t t = 0; t < threads; t++) {
        if (started[t]) pthread_join(thread[t], NULL);
        sum += slice[t].sum;
    }
    *static_cast<unsigned *>(work->output) = sum;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "CPU, all cores",
    .suffers = "One core cannot use the full bandwidth of the memory.",
    .changes = "One thread and one slice of the input per core.",
    .pays =
        "The limit is the bandwidth of the CPU's memory, or of its caches, which are not flushed.",
    .host = host,
};

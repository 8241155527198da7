/*
 * Times every kernel by CUPTI's activity records, and writes launches.csv. A record carries the
 * correlation number of its launch, by which it finds its kernel and its place in the sequence.
 * Kernels of a graph have no launch of their own: their records name them.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "injected/part_files.h"
#include "injected/watch.h"

enum { BUFFER_BYTES = 1 << 20, ALIGNMENT = 8 };

/* Launches whose record has not come yet: a tree (tsearch) by correlation. */
struct pending {
    uint32_t correlation;
    unsigned ordinal;
    const struct known_kernel *kernel;
};

static void *launches;

static int by_correlation(const void *a, const void *b)
{
    const struct pending *first = a, *second = b;
    return (first->correlation > second->correlation) - (first->correlation < second->correlation);
}

void times_launched(uint32_t correlation, const struct known_kernel *kernel, unsigned ordinal)
{
    struct pending *launch = malloc(sizeof *launch);
    if (launch) *launch = (struct pending){correlation, ordinal, kernel};
    if (launch && tsearch(launch, &launches, by_correlation)) return;
    free(launch);
    part_problem("times", -1, "memory is short");
}

/* Records of the other kind let kernels overlap, but have each block do something for them. */
static CUpti_ActivityKind recorded_kind(void)
{
    return watch.plan.alone ? CUPTI_ACTIVITY_KIND_KERNEL : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most_records)
{
    *buffer = aligned_alloc(ALIGNMENT, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *most_records = 0; /* as many as fit */
}

/* The kernel of a graph's node, and its place among its launches. */
static const struct known_kernel *of_graph(const CUpti_ActivityKernel10 *record, unsigned *ordinal)
{
    const struct launch_signature signature = {
        .symbol = record->name ? record->name : "",
        .device = (int)record->deviceId,
        .grid = {(unsigned)record->gridX, (unsigned)record->gridY, (unsigned)record->gridZ},
        .block = {(unsigned)record->blockX, (unsigned)record->blockY, (unsigned)record->blockZ},
        .dynamic_shared = (unsigned)record->dynamicSharedMemory,
        .range = "CUDA graph"};
    const struct kernel_attributes attributes = {.static_shared = record->staticSharedMemory,
                                                 .registers = record->registersPerThread,
                                                 .local_bytes = (int)record->localMemoryPerThread,
                                                 .max_block_threads = -1,
                                                 .blocks_per_sm = -1,
                                                 .is_of_graph = 1};
    struct known_kernel *kernel = kernel_find(&signature);
    if (!kernel) kernel = kernel_add(&signature, &attributes);
    if (kernel) *ordinal = kernel->launches++;
    return kernel;
}

static void write_record(const CUpti_ActivityKernel10 *record)
{
    const struct pending wanted = {.correlation = record->correlationId};
    struct pending **found = tfind(&wanted, &launches, by_correlation);
    const struct known_kernel *kernel = NULL;
    unsigned ordinal = 0;
    if (found) {
        struct pending *launch = *found;
        kernel = launch->kernel;
        ordinal = launch->ordinal;
        tdelete(launch, &launches, by_correlation);
        free(launch);
    } else if (record->graphNodeId) {
        kernel = of_graph(record, &ordinal);
    } else {
        part_problem("times", -1, "kernels were launched in a way that the library does not know");
    }
    if (record->end <= record->start) {
        if (watch.has_left_work) return;
        part_problem("times", -1, "CUPTI gave launches no time: another profiler may be at work");
        return;
    }
    struct csv_writer *row = kernel ? part_row(PART_LAUNCHES) : NULL;
    if (!row) return;
    CSV_INTEGERS(row, kernel->number, ordinal, (int64_t)record->start, (int64_t)record->end,
                 record->streamId);
    part_row_end(row);
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t valid)
{
    CUpti_Activity *record = NULL;
    CUptiResult status = buffer && valid > 0 ? CUPTI_SUCCESS : CUPTI_ERROR_MAX_LIMIT_REACHED;
    size_t dropped = 0;
    (void)size;
    watch_lock();
    while (status == CUPTI_SUCCESS) {
        status = cuptiActivityGetNextRecord(buffer, valid, &record);
        if (status == CUPTI_SUCCESS && record->kind == recorded_kind())
            write_record((const CUpti_ActivityKernel10 *)record);
    }
    if (status != CUPTI_ERROR_MAX_LIMIT_REACHED)
        watch_ok(status, "cuptiActivityGetNextRecord", "times", -1);
    if (WATCH_OK(cuptiActivityGetNumDroppedRecords(context, stream, &dropped), "times", -1) &&
        dropped)
        part_problem("times", -1, "CUPTI dropped records of kernels");
    watch_unlock();
    free(buffer);
}

int times_open(void)
{
    return WATCH_OK(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "times", -1) &&
           WATCH_OK(cuptiActivityEnable(recorded_kind()), "times", -1);
}

/* CUPTI may hand the buffers over in a thread of its own, which needs the lock. A program may wait
 * after each launch: after the first calls, CUPTI is asked once per millisecond at most. */
void times_flush(int all)
{
    enum { LEAST_NS = 1000000, FIRST = 1000 };
    static uint64_t last;
    static int calls;
    watch_lock();
    const int is_due = all || calls++ < FIRST || watch_clock() - last >= LEAST_NS;
    watch_unlock();
    if (!is_due) return;
    const CUptiResult status = cuptiActivityFlushAll(all ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
    watch_lock();
    watch_ok(status, "cuptiActivityFlushAll", "times", -1);
    last = watch_clock();
    part_flush();
    watch_unlock();
}

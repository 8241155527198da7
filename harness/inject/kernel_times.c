/*
 * Times every kernel by CUPTI's activity records, and writes launches.csv. A record carries the
 * correlation number of its launch, by which it finds its kernel and its place in the sequence.
 * Kernels of a graph have no launch of their own: their records name them.
 */
#include <stdlib.h>
#include <string.h>

#include "inject/part_files.h"
#include "inject/watch.h"

enum { BUFFER_BYTES = 1 << 20, ALIGNMENT = 8 };

/* Launches whose record has not come yet: a hash table with open addressing, by correlation. */
struct pending {
    uint32_t correlation;
    int kernel; /* number + 1; 0: empty, -1: removed */
    unsigned ordinal;
};

static struct pending *slot;
static size_t slots, used;

static struct pending *find(uint32_t correlation)
{
    for (size_t i = correlation * 2654435761u & (slots - 1); slots && slot[i].kernel;
         i = (i + 1) & (slots - 1))
        if (slot[i].kernel > 0 && slot[i].correlation == correlation) return &slot[i];
    return NULL;
}

static void place(struct pending launch)
{
    size_t i = launch.correlation * 2654435761u & (slots - 1);
    while (slot[i].kernel) i = (i + 1) & (slots - 1);
    slot[i] = launch;
    used++;
}

/* Doubles the table, or cleans it of removed entries. */
static int rehash(void)
{
    struct pending *const old = slot;
    const size_t before = slots;
    size_t live = 0;
    for (size_t i = 0; i < before; i++) live += old[i].kernel > 0;
    const size_t wanted = before == 0 ? 1024 : live > before / 4 ? 2 * before : before;
    struct pending *fresh = calloc(wanted, sizeof *fresh);
    if (!fresh) return 0;
    slot = fresh;
    slots = wanted;
    used = 0;
    for (size_t i = 0; i < before; i++)
        if (old[i].kernel > 0) place(old[i]);
    free(old);
    return 1;
}

void times_launched(uint32_t correlation, int kernel, unsigned ordinal)
{
    if (used * 2 >= slots && !rehash())
        part_problem("times", -1, "memory is short");
    else
        place((struct pending){correlation, kernel + 1, ordinal});
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
static int of_graph(const CUpti_ActivityKernel10 *record, unsigned *ordinal)
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
    const int known = kernel_find(&signature);
    const int kernel = known < 0 ? kernel_add(&signature, &attributes) : known;
    if (kernel >= 0) *ordinal = kernel_at(kernel)->launches++;
    return kernel;
}

static void write_record(const CUpti_ActivityKernel10 *record)
{
    struct pending *launch = find(record->correlationId);
    unsigned ordinal = 0;
    int kernel = -1;
    if (launch) {
        kernel = launch->kernel - 1;
        ordinal = launch->ordinal;
        launch->kernel = -1;
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
    struct csv_writer *row = kernel < 0 ? NULL : part_row(PART_LAUNCHES);
    if (!row) return;
    CSV_INTEGERS(row, kernel, ordinal, (int64_t)record->start, (int64_t)record->end,
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

/*
 * Runs the queued operations of the fake device when they are waited for, in the order in which
 * they were queued; there is one queue for all streams.
 *
 * Words of FAKE_STATE used here: wrong_ceilings, throttled, wandering_stamps (of several SMs),
 * no_time (between events), serialised (no launch returns before the previous one has ended).
 * FAKE_FAIL=fake_gate:N names the N-th gate, which nobody opens in time.
 */
#include <stdlib.h>
#include <string.h>

#include "cudart.h"
#include "gpu/stream_gate.h"

void (*fake_listener)(const struct fake_ran *ran);

enum { MOST_OPERATIONS = 4096 };

struct CUevent_st {
    uint64_t ns;
    int recorded;
};

/* From an array of its own: the device must go on when the program runs out of memory. */
static struct operation operations[MOST_OPERATIONS], *first, **last = &first;
static int operation_count;
static uint64_t device_ns;
static double device_cycles;
static uint64_t random_state = 0x9E3779B97F4A7C15u;

/* Returns a number from -1 to 1, mostly near 0, by Vigna's xorshift64*. */
static double noise(void)
{
    double sum = 0;
    if (fake_state("even")) return 0; /* times do not depend on what the process did before */
    for (int i = 0; i < 3; i++) {
        random_state ^= random_state >> 12;
        random_state ^= random_state << 25;
        random_state ^= random_state >> 27;
        sum += (double)(random_state * 0x2545F4914F6CDD1Du >> 11) / 9007199254740992.0 * 2 - 1;
    }
    return sum / 3;
}

static int is_named(const struct fake_launch *launch, const char *name)
{
    return strstr(launch->kernel->symbol, name) != NULL;
}

static double clock_of_batch(void)
{
    static unsigned batches;
    batches++;
    return FAKE_MHZ * (1 + 0.001 * noise()) *
           (fake_state("throttled") && batches % 4 == 0 ? 0.7 : 1);
}

static void pass(double cycles, double mhz)
{
    device_cycles += fake_state("even") ? (double)(uint64_t)cycles : cycles;
    device_ns += (uint64_t)(1e3 * cycles / mhz);
}

/* The gate opens, or gives up after 5 s. */
static void wait(const struct fake_launch *launch)
{
    const volatile uint32_t *open = (const uint32_t *)(uintptr_t)launch->argument[0];
    if (device_ns < fake_now()) device_ns = fake_now();
    if (*open && !fake_call("fake_gate")) return;
    *(volatile uint32_t *)(uintptr_t)launch->argument[1] = 1;
    device_ns += 5000000000u;
}

static void stamp(const struct fake_launch *launch)
{
    static uint32_t stamps;
    const uint32_t sm = fake_state("wandering_stamps") ? stamps++ % FAKE_SMS : 0;
    *(struct stream_gate_stamp *)(uintptr_t)launch->argument[0] =
        (struct stream_gate_stamp){(uint64_t)device_cycles, device_ns, sm, 1};
}

static void run_kernel(const struct fake_launch *launch, double mhz)
{
    struct fake_ran ran = {.launch = launch, .begin_ns = device_ns, .mhz = mhz};
    if (is_named(launch, "gate_wait"))
        wait(launch);
    else if (is_named(launch, "gate_stamp_kernel"))
        stamp(launch);
    else
        launch->kernel->run(launch);
    ran.cycles = fake_cycles_of(launch, &ran.cost) * (1 + 0.004 * noise());
    pass(ran.cycles, mhz);
    ran.end_ns = device_ns;
    pass(500, mhz); /* until the next item may start */
    if (fake_listener) fake_listener(&ran);
}

/* The clear of a word ahead of an empty kernel. */
static int is_lost(const struct operation *fill)
{
    const struct operation *next = fill->next;
    return fake_state("wrong_ceilings") && fill->bytes == 4 && next &&
           next->kind == OPERATION_KERNEL && is_named(&next->launch, "5empty");
}

void fake_synchronize(void)
{
    const double mhz = clock_of_batch();
    int held = 0;
    if (device_ns < fake_now()) device_ns = fake_now();
    while (first) {
        struct operation *operation = first;
        if (operation->kind == OPERATION_KERNEL) {
            held |= is_named(&operation->launch, "gate_wait");
            run_kernel(&operation->launch, mhz);
        } else if (operation->kind == OPERATION_FILL) {
            if (!is_lost(operation)) memset(operation->to, operation->value, operation->bytes);
            pass(FAKE_CLEAR_CYCLES, mhz);
        } else {
            operation->event->ns = device_ns;
            operation->event->recorded = 1;
            pass(300, mhz);
        }
        first = operation->next;
    }
    last = &first;
    operation_count = 0;
    if (fake_now() < device_ns) fake_advance(device_ns - fake_now());
    fake_advance(held ? 6000000 : 8000); /* a sample costs the host some milliseconds */
}

struct operation *cudart_queued(enum operation_kind kind)
{
    if (fake_state("serialised"))
        fake_synchronize(); /* as under a profiler: nothing is queued after a running kernel */
    if (operation_count == MOST_OPERATIONS) fake_synchronize();
    struct operation *operation = &operations[operation_count++];
    memset(operation, 0, sizeof *operation);
    operation->kind = kind;
    *last = operation;
    last = &operation->next;
    fake_advance(2000);
    return operation;
}

/* ---- streams and events ---------------------------------------------------------------------- */

static char one_stream;

UNLESS(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags),
       *stream = (cudaStream_t)(void *)&one_stream;
       fake_held("streams", 1))

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const cudaError_t status = entered(__func__);
    fake_synchronize();
    if (stream) fake_held("streams", -1);
    return status;
}

static cudaError_t synchronized(cudaError_t status)
{
    if (cudart_capturing) return failed(cudaErrorStreamCaptureUnsupported);
    fake_synchronize();
    return status;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return synchronized(entered(__func__));
}

cudaError_t cudaDeviceSynchronize(void)
{
    return synchronized(entered(__func__));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return synchronized(entered(__func__));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!cudart_is_memory(to, bytes)) return failed(cudaErrorInvalidValue);
    if (cudart_capturing) {
        if (cudart_capturing->count < GRAPH_NODES)
            cudart_capturing->node[cudart_capturing->count++].operation.kind = OPERATION_FILL;
        return cudaSuccess;
    }
    struct operation *operation = cudart_queued(OPERATION_FILL);
    operation->to = to;
    operation->value = value;
    operation->bytes = bytes;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    *event = calloc(1, sizeof **event);
    if (!*event) return failed(cudaErrorMemoryAllocation);
    fake_held("events", 1);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const cudaError_t status = entered(__func__);
    fake_synchronize();
    free(event);
    fake_held("events", -1);
    return status;
}

UNLESS(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream),
       cudart_queued(OPERATION_EVENT)->event = event)

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!from->recorded || !to->recorded) return failed(cudaErrorInvalidResourceHandle);
    *milliseconds = fake_state("no_time") ? 0 : (float)((double)(to->ns - from->ns) / 1e6);
    return cudaSuccess;
}

#include "gpu/workbench.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

enum {
    GUARD_BYTES = 4096,
    GUARD_FILL = 0x5A,
    POISON_FILL = 0xA7 /* a negative integer: no sum of random words is it by chance */
};

static int guarded_open(struct guarded *memory, size_t bytes)
{
    memory->bytes = bytes;
    void *base = NULL;
    if (!CUDA_OK(cudaMalloc(&base, bytes + 2 * GUARD_BYTES))) return FAIL_GPU;
    memory->base = base;
    return CUDA_OK(cudaMemset(base, GUARD_FILL, bytes + 2 * GUARD_BYTES)) ? 0 : FAIL_GPU;
}

static void *guarded_data(const struct guarded *memory)
{
    return memory->base ? memory->base + GUARD_BYTES : NULL;
}

/* *intact becomes 0 if something was written outside. */
static int guarded_check(const struct guarded *memory, int *intact)
{
    unsigned char guard[2 * GUARD_BYTES];
    if (!memory->base) return 0;
    const char *behind = memory->base + GUARD_BYTES + memory->bytes;
    if (!CUDA_OK(cudaMemcpy(guard, memory->base, GUARD_BYTES, cudaMemcpyDeviceToHost)) ||
        !CUDA_OK(cudaMemcpy(guard + GUARD_BYTES, behind, GUARD_BYTES, cudaMemcpyDeviceToHost)))
        return FAIL_GPU;
    for (size_t i = 0; i < sizeof guard; i++)
        if (guard[i] != GUARD_FILL) *intact = 0;
    return 0;
}

static void make_reference(struct workbench *bench, void *const *host)
{
    const struct selected *of = &bench->expects;
    if (bench->reference && of->variant)
        of->variant->reference(&of->point, host, bench->reference);
    else if (bench->reference)
        bench->family->reference(&bench->shape, host, bench->reference);
}

/* Host inputs live only as long as the upload and the reference need them, unless the workbench
 * keeps them. */
static int fill_inputs(struct workbench *bench, int keep)
{
    const struct family *family = bench->family;
    void *host[INPUT_COUNT] = {NULL};
    int result = 0;
    for (int i = 0; i < family->input_count && !result; i++) {
        host[i] = malloc(bench->input[i].bytes);
        if (!host[i]) result = error_memory();
    }
    if (!result) {
        family->fill(&bench->shape, bench->seed, host);
        make_reference(bench, host);
    }
    for (int i = 0; i < family->input_count && !result; i++)
        if (!CUDA_OK(cudaMemcpy(guarded_data(&bench->input[i]), host[i], bench->input[i].bytes,
                                cudaMemcpyHostToDevice)))
            result = FAIL_GPU;
    /* Copies and fills go through the default stream, which the stream of the launches does not
     * wait for. */
    if (!result && bench->output.base && !CUDA_OK(cudaStreamSynchronize(cudaStreamLegacy)))
        result = FAIL_GPU;
    for (int i = 0; i < family->input_count; i++) {
        void **kept = keep && !result ? &bench->host_input[i] : &host[i];
        free(*kept);
        *kept = host[i];
    }
    return result;
}

static int allocate(struct workbench *bench, enum workbench_use use)
{
    const struct family *family = bench->family;
    const struct shape *shape = &bench->shape;
    const size_t scratch = family_scratch_bytes(family, shape);
    int result = 0;
    for (int i = 0; i < family->input_count && !result; i++)
        result = guarded_open(&bench->input[i], family->input_bytes(shape, i));
    if (!result) result = guarded_open(&bench->output, family->output_bytes(shape));
    if (!result && scratch > 0) result = guarded_open(&bench->scratch, scratch);
    if (result) return result;
    bench->result = malloc(bench->output.bytes);
    if (use != BENCH_UNCHECKED)
        bench->reference = malloc(reference_bytes(family, bench->output.bytes));
    if (!bench->result || (use != BENCH_UNCHECKED && !bench->reference)) return error_memory();
    return 0;
}

int workbench_open(struct workbench *bench, const struct device *device,
                   const struct selected *first, uint64_t seed, enum workbench_use use)
{
    *bench = (struct workbench){
        .device = device, .family = first->family, .shape = first->point.shape, .seed = seed};
    int result = allocate(bench, use);
    if (!result) result = fill_inputs(bench, use == BENCH_CHECKED_ON_CPU);
    if (!result) result = stream_gate_open(&bench->gate, device->stream, device->l2_bytes);
    if (result) workbench_close(bench);
    return result;
}

void workbench_close(struct workbench *bench)
{
    for (int i = 0; i < BUFFERS; i++)
        if (bench->buffer[i].base) CUDA_RELEASE(cudaFree(bench->buffer[i].base));
    for (int i = 0; i < INPUT_COUNT; i++) free(bench->host_input[i]);
    free(bench->reference);
    free(bench->result);
    if (bench->gate.open) stream_gate_close(&bench->gate);
    memset(bench, 0, sizeof *bench);
}

struct work workbench_view(const struct workbench *bench, const struct selected *selected)
{
    const int on_cpu = variant_kind(selected->variant) == KIND_CPU;
    struct work work = {.point = selected->point,
                        .sm_count = bench->device->sm_count,
                        .compute_capability = bench->device->compute_capability,
                        .output = on_cpu ? bench->result : guarded_data(&bench->output),
                        .scratch = on_cpu ? NULL : guarded_data(&bench->scratch)};
    for (int i = 0; i < INPUT_COUNT; i++)
        work.input[i] = on_cpu ? bench->host_input[i] : guarded_data(&bench->input[i]);
    return work;
}

int workbench_poison(struct workbench *bench)
{
    const struct guarded *memory[] = {&bench->output, &bench->scratch};
    for (int i = 0; i < 2; i++)
        if (memory[i]->base && !CUDA_OK(cudaMemsetAsync(guarded_data(memory[i]), POISON_FILL,
                                                        memory[i]->bytes, bench->device->stream)))
            return FAIL_GPU;
    return 0;
}

void workbench_poison_host(struct workbench *bench)
{
    memset(bench->result, POISON_FILL, bench->output.bytes);
}

int workbench_synchronize(const struct workbench *bench)
{
    return CUDA_OK(cudaStreamSynchronize(bench->device->stream)) ? 0 : FAIL_GPU;
}

int workbench_prepare(struct workbench *bench)
{
    int result = workbench_poison(bench);
    if (!result) result = stream_gate_flush_l2(&bench->gate);
    return result ? result : workbench_synchronize(bench);
}

int workbench_fetch(struct workbench *bench, int *intact)
{
    int result = workbench_synchronize(bench);
    if (!result && !CUDA_OK(cudaMemcpy(bench->result, guarded_data(&bench->output),
                                       bench->output.bytes, cudaMemcpyDeviceToHost)))
        result = FAIL_GPU;
    *intact = 1;
    for (int i = 0; i < BUFFERS && *intact && !result; i++)
        result = guarded_check(&bench->buffer[i], intact);
    return result;
}

int workbench_expect(struct workbench *bench, const struct selected *selected)
{
    struct selected wanted = {0}, *has = &bench->expects;
    if (selected->variant->reference) wanted = *selected;
    if (has->variant == wanted.variant && has->point.sweep == wanted.point.sweep) return 0;
    *has = wanted;
    if (!bench->host_input[0]) return fill_inputs(bench, 1); /* other settings follow */
    make_reference(bench, bench->host_input);
    return 0;
}

int workbench_repair(struct workbench *bench)
{
    for (int i = 0; i < BUFFERS; i++) {
        const struct guarded *memory = &bench->buffer[i];
        if (!memory->base) continue;
        char *behind = memory->base + GUARD_BYTES + memory->bytes;
        if (!CUDA_OK(cudaMemset(memory->base, GUARD_FILL, GUARD_BYTES)) ||
            !CUDA_OK(cudaMemset(behind, GUARD_FILL, GUARD_BYTES)))
            return FAIL_GPU;
    }
    return fill_inputs(bench, bench->host_input[0] != NULL);
}

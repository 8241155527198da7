#include "gpu/workbench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "gpu/launch_variant.h"
#include "gpu/verify.h"
#include "run/nvtx.h"

enum {
    GUARD_BYTES = 4096,
    GUARD_FILL = 0x5A,
    POISON_FILL = 0xA7 /* as an integer, a negative number of which no sum of random words is made
                          by chance */
};

static int guarded_open(struct guarded *memory, size_t bytes)
{
    memory->bytes = bytes;
    void *base = NULL;
    if (!CUDA_OK(cudaMalloc(&base, bytes + 2 * GUARD_BYTES))) return FAIL_GPU;
    memory->base = base;
    return CUDA_OK(cudaMemset(base, GUARD_FILL, bytes + 2 * GUARD_BYTES)) ? 0 : FAIL_GPU;
}

static void guarded_close(struct guarded *memory)
{
    if (memory->base) CUDA_RELEASE(cudaFree(memory->base));
    memset(memory, 0, sizeof *memory);
}

static void *guarded_data(const struct guarded *memory)
{
    return memory->base ? memory->base + GUARD_BYTES : NULL;
}

/* 1 when nothing was written outside. */
static int guarded_intact(const struct guarded *memory, int *intact)
{
    unsigned char guard[2 * GUARD_BYTES];
    *intact = 1;
    if (!memory->base) return 0;
    if (!CUDA_OK(cudaMemcpy(guard, memory->base, GUARD_BYTES, cudaMemcpyDeviceToHost)) ||
        !CUDA_OK(cudaMemcpy(guard + GUARD_BYTES, memory->base + GUARD_BYTES + memory->bytes,
                            GUARD_BYTES, cudaMemcpyDeviceToHost)))
        return FAIL_GPU;
    for (size_t i = 0; i < sizeof guard; i++)
        if (guard[i] != GUARD_FILL) *intact = 0;
    return 0;
}

/* Host inputs live only as long as the upload and the reference need them, unless the workbench
 * keeps them. */
static int fill_inputs(struct workbench *bench, uint64_t seed, int keep)
{
    const struct family *family = bench->family;
    void *host[INPUT_COUNT] = {NULL};
    int result = 0;
    for (int i = 0; i < family->input_count && !result; i++) {
        host[i] = malloc(bench->input[i].bytes);
        if (!host[i]) result = error_memory();
    }
    if (!result) {
        family->fill(&bench->shape, seed, host);
        if (bench->reference) family->reference(&bench->shape, host, bench->reference);
    }
    for (int i = 0; i < family->input_count && !result; i++)
        if (!CUDA_OK(cudaMemcpy(guarded_data(&bench->input[i]), host[i], bench->input[i].bytes,
                                cudaMemcpyHostToDevice)))
            result = FAIL_GPU;
    /* Copies and fills go through the default stream, which the stream of the launches does not
     * wait for; both may still be under way here. */
    if (!result && bench->output.base && !CUDA_OK(cudaStreamSynchronize(cudaStreamLegacy)))
        result = FAIL_GPU;
    for (int i = 0; i < family->input_count; i++) {
        if (keep && !result) {
            free(bench->host_input[i]);
            bench->host_input[i] = host[i];
        } else {
            free(host[i]);
        }
    }
    return result;
}

int work_open(struct workbench *bench, const struct device *device, const struct family *family,
              const struct shape *shape, uint64_t seed, enum work_use use)
{
    memset(bench, 0, sizeof *bench);
    bench->device = device;
    bench->family = family;
    bench->shape = *shape;
    bench->seed = seed;
    int result = 0;
    for (int i = 0; i < family->input_count && !result; i++)
        result = guarded_open(&bench->input[i], family->input_bytes(shape, i));
    if (!result) result = guarded_open(&bench->output, family->output_bytes(shape));
    if (!result && family_scratch_bytes(family, shape) > 0)
        result = guarded_open(&bench->scratch, family_scratch_bytes(family, shape));
    if (!result) {
        bench->result = malloc(bench->output.bytes);
        if (use != WORK_UNCHECKED)
            bench->reference = malloc(reference_bytes(family, bench->output.bytes));
        if (!bench->result || (use != WORK_UNCHECKED && !bench->reference)) result = error_memory();
    }
    if (!result) result = fill_inputs(bench, seed, use == WORK_CHECKED_ON_CPU);
    if (result) work_close(bench);
    return result;
}

void work_close(struct workbench *bench)
{
    for (int i = 0; i < INPUT_COUNT; i++) {
        guarded_close(&bench->input[i]);
        free(bench->host_input[i]);
    }
    guarded_close(&bench->output);
    guarded_close(&bench->scratch);
    free(bench->reference);
    free(bench->result);
    memset(bench, 0, sizeof *bench);
}

struct work work_view(const struct workbench *bench, const struct variant *variant,
                      const struct point *point)
{
    struct work work;
    const int on_cpu = variant_kind(variant) == KIND_CPU;
    memset(&work, 0, sizeof work);
    work.point = *point;
    work.sm_count = bench->device->sm_count;
    work.compute_capability = bench->device->compute_capability;
    for (int i = 0; i < INPUT_COUNT; i++)
        work.input[i] = on_cpu ? bench->host_input[i] : guarded_data(&bench->input[i]);
    work.output = on_cpu ? bench->result : guarded_data(&bench->output);
    work.scratch = on_cpu ? NULL : guarded_data(&bench->scratch);
    return work;
}

int work_poison(struct workbench *bench)
{
    cudaStream_t stream = bench->device->stream;
    const struct guarded *memory[] = {&bench->output, &bench->scratch};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (memory[i]->base && !CUDA_OK(cudaMemsetAsync(guarded_data(memory[i]), POISON_FILL,
                                                        memory[i]->bytes, stream)))
            return FAIL_GPU;
    memset(bench->result, POISON_FILL, bench->output.bytes); /* where the CPU writes */
    return 0;
}

static int guards_intact(const struct workbench *bench, int *intact)
{
    const struct guarded *memory[INPUT_COUNT + 2] = {&bench->output, &bench->scratch};
    for (int i = 0; i < INPUT_COUNT; i++) memory[2 + i] = &bench->input[i];
    *intact = 1;
    for (int i = 0; i < INPUT_COUNT + 2 && *intact; i++) {
        const int result = guarded_intact(memory[i], intact);
        if (result) return result;
    }
    return 0;
}

/* Guards and inputs as they were at first. */
static int repair(struct workbench *bench)
{
    struct guarded *memory[INPUT_COUNT + 2] = {&bench->output, &bench->scratch};
    for (int i = 0; i < INPUT_COUNT; i++) memory[2 + i] = &bench->input[i];
    for (int i = 0; i < INPUT_COUNT + 2; i++) {
        if (!memory[i]->base) continue;
        char *behind = memory[i]->base + GUARD_BYTES + memory[i]->bytes;
        if (!CUDA_OK(cudaMemset(memory[i]->base, GUARD_FILL, GUARD_BYTES)) ||
            !CUDA_OK(cudaMemset(behind, GUARD_FILL, GUARD_BYTES)))
            return FAIL_GPU;
    }
    return fill_inputs(bench, bench->seed, bench->host_input[0] != NULL);
}

static int compare(struct workbench *bench, const struct variant *variant, char reason[160])
{
    int intact;
    if (variant_kind(variant) == KIND_CPU)
        return verify(bench->family, &bench->shape, bench->result, bench->reference,
                      bench->output.bytes, reason)
                   ? 0
                   : FAIL_CHECK;
    if (!CUDA_OK(cudaStreamSynchronize(bench->device->stream)) ||
        !CUDA_OK(cudaMemcpy(bench->result, guarded_data(&bench->output), bench->output.bytes,
                            cudaMemcpyDeviceToHost)))
        return FAIL_GPU;
    const int result = guards_intact(bench, &intact);
    if (result) return result;
    if (!intact) {
        snprintf(reason, 160, "wrote outside of its buffers");
        return FAIL_CHECK;
    }
    return verify(bench->family, &bench->shape, bench->result, bench->reference,
                  bench->output.bytes, reason)
               ? 0
               : FAIL_CHECK;
}

int work_check(struct workbench *bench, const struct variant *variant, const struct point *point,
               char reason[160])
{
    nvtx_variant(&(struct selected){bench->family, variant, *point}, -1, 0);
    int result = invoke_all(bench, variant, point);
    if (!result) result = compare(bench, variant, reason);
    if (result == FAIL_CHECK) nvtx_trouble("wrong result", variant, reason);
    nvtx_end();
    if (result != FAIL_CHECK) return result;
    result = repair(bench);
    return result ? result : FAIL_CHECK;
}

int work_verify(struct workbench *bench, const struct variant *variant, const struct point *point,
                char reason[160])
{
    const int result = work_poison(bench);
    return result ? result : work_check(bench, variant, point, reason);
}

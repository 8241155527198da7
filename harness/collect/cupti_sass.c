/*
 * Counts the instructions of a kernel of ours (collect/collector.h).
 */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "collect/cupti.h"
#include "cupti/sass_counts.h"
#include "gpu/device.h"

static int add_row(void *context, const char *function, unsigned pc,
                   const double count[INSTRUCTION_COUNTS])
{
    struct counted_kernel *kernel = context;
    if (!kernel->symbol) kernel->symbol = strdup(function);
    struct counted_pc *grown =
        realloc(kernel->instruction, (size_t)(kernel->count + 1) * sizeof *grown);
    if (grown) kernel->instruction = grown;
    if (!grown || !kernel->symbol) return error_memory();
    grown += kernel->count++;
    grown->pc = pc;
    memcpy(grown->count, count, sizeof grown->count);
    return 0;
}

int instructions_count(struct cupti *cupti, int (*launch)(void *context), void *context,
                       struct counted_kernel *kernel, char reason[REASON_BYTES])
{
    struct sass_counts counts;
    memset(kernel, 0, sizeof *kernel);
    int result = sass_counts_begin(&counts, cupti, cupti->context, 0, cupti->chip, reason);
    if (result) return result;
    result = launch(context);
    if (!result && !CUDA_OK(cudaDeviceSynchronize())) result = FAIL_GPU;
    if (!result) result = sass_counts_read(&counts, add_row, kernel, reason);
    sass_counts_end(&counts);
    if (result) counted_kernel_free(kernel);
    return result;
}

void counted_kernel_free(struct counted_kernel *kernel)
{
    free(kernel->symbol);
    free(kernel->instruction);
    memset(kernel, 0, sizeof *kernel);
}

/*
 * Reads a report of Nsight Compute of arbitrary bytes, also compressed ones: nothing is read past
 * it, and each kernel that is found has launches, counters and lines of its own.
 */
#include "fuzz.h"

#include <math.h>

#include "ncu_report/report_kernels.h"

static struct records records;

static void fuzz_begin(void)
{
    const char *root = getenv("ROOT");
    if (!root) root = ".";
    if (records_read(&records, root)) fuzz_missing("metrics/");
    fuzz_open("code", "input.ncu-rep");
}

static void check(const struct report_kernels *kernels)
{
    size_t launches = 0;
    if (!kernels->count || kernels->lines.count != kernels->count) abort();
    for (int i = 0; i < kernels->count; i++) {
        const struct report_kernel *kernel = &kernels->kernel[i];
        launches += kernel->count;
        if (!kernel->count || kernel->repeats < 1 || kernel->repeats > MOST_REPEATS) abort();
        if (kernel->family < 0 || kernel->family >= kernels->families) abort();
        for (int k = 0; k < kernel->repeats * kernels->counters; k++)
            if (isinf(kernel->value[k].number)) abort();
    }
    if (launches != kernels->launches) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct report_kernels kernels;
    char directory[600];
    const char *path = input_path;
    write_input(data, size);
    snprintf(directory, sizeof directory, "%s/code", scratch);
    if (!report_kernels_read(&kernels, &records, &path, 1, directory)) check(&kernels);
    report_kernels_free(&kernels);
    return 0;
}

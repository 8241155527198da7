/*
 * Reads a report of Nsight Compute of arbitrary bytes, also compressed ones, and writes what it has
 * as a run, but for the listing of machine code (fuzz_cubin.c, fuzz_disassembly.c): nothing is read
 * past it, each kernel that is found has launches, counters and lines of its own, each program a
 * name of its own, and no text of it becomes a fact of the run.
 */
#include "fuzz.h"

#include <math.h>

#include "ncu_report/report_import.c"

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

/* Ends if two kernels have one name, or if the program's facts are not its own. */
static void check_run(const struct importing *importing)
{
    const struct report_kernels *kernels = &importing->kernels;
    const char *version = run_fact(importing->run, "whyfast_version");
    if (!version || strcmp(version, WHYFAST_VERSION)) abort();
    for (int i = 0; i < kernels->families; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(importing->family[i], importing->family[k])) abort();
    for (int i = 0; i < kernels->count; i++)
        for (int k = 0; k < i; k++) {
            const struct named_kernel *a = &importing->named[i], *b = &importing->named[k];
            if (a->process == b->process && !strcmp(a->variant, b->variant) &&
                !strcmp(a->size, b->size))
                abort();
        }
}

static void write_run(struct importing *importing, const char *path)
{
    struct run run;
    char place[600];
    snprintf(place, sizeof place, "%s/run", scratch);
    if (run_begin(&run, place, 0)) abort();
    importing->run = &run;
    if (write_all(importing, &path, 1)) abort();
    check_run(importing);
    run_abandon(&run);
    run_close(&run);
    free_names(importing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct importing importing = {0};
    struct report_kernels *kernels = &importing.kernels;
    char directory[600];
    const char *path = input_path;
    write_input(data, size);
    snprintf(directory, sizeof directory, "%s/code", scratch);
    if (!report_kernels_read(kernels, &records, &path, 1, directory)) {
        check(kernels);
        write_run(&importing, path);
    }
    report_kernels_free(kernels);
    return 0;
}

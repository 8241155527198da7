#include "measure/launch_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "gpu/launch_variant.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

static int launch_point(struct workbench *bench, const struct selected *selected,
                        struct csv_writer *writer, int *wrong)
{
    char reason[160] = "";
    int result = workbench_prepare(bench);
    if (!result) result = verify_run(bench, selected, reason);
    if (result && result != FAIL_CHECK) return result;
    const int wrong_here = result == FAIL_CHECK;
    *wrong += wrong_here;
    struct listed_kernel *kernels;
    unsigned count;
    result = launch_kernels(bench, selected, &kernels, &count);
    for (unsigned i = 0; i < count && !result; i++) {
        struct kernel_facts facts;
        result = kernel_facts(&kernels[i], &facts);
        if (result) break;
        point_write(writer, selected->variant, &selected->point);
        csv_integer(writer, i);
        CSV_TEXTS(writer, facts.symbol, wrong_here ? reason : "ok");
        csv_end(writer);
    }
    free(kernels);
    return result;
}

/* One round over the points of one family and size. */
static int launch_round(struct workbench *bench, const struct selected *first, int count,
                        struct csv_writer *writer, int *wrong)
{
    int result = 0;
    for (int i = 0; i < count && !result; i++) {
        char reason[160];
        if (variant_kind(first[i].variant) == KIND_CPU) continue; /* it launches nothing */
        result = launch_refused(bench, &first[i], reason);
        if (!result && *reason)
            nvtx_trouble("skipped", first[i].variant, reason);
        else if (!result)
            result = launch_point(bench, &first[i], writer, wrong);
    }
    return result;
}

/* In rounds, as when counters are collected: between two launches of a kernel the code of the
 * others goes through the caches. */
static int launch_group(const struct device *device, const struct selected *first, int count,
                        const struct launch_options *options, struct csv_writer *writer, int *wrong)
{
    struct workbench bench;
    int result = workbench_open(&bench, device, first, options->seed, BENCH_CHECKED);
    if (result) return result;
    for (int k = 0; k < options->times && !result; k++)
        result = launch_round(&bench, first, count, writer, wrong);
    workbench_close(&bench);
    return result;
}

int launch_run(const struct selection *selection, const struct launch_options *options)
{
    struct device device;
    struct csv_writer writer = {.file = stdout};
    struct stage whole, stage;
    int wrong = 0;
    int result = device_open(&device);
    if (result) return result;
    result = stage_begin(&whole, NULL, STAGE_LAUNCH, NULL);
    puts("family,variant,size,block,sweep,launch,kernel,status");
    for (int start = 0, end; start < selection->count && !result; start = end) {
        const struct selected *first = &selection->points[start];
        end = selection_group_end(selection, start);
        result = stage_begin(&stage, NULL, STAGE_LAUNCH, first);
        if (!result) result = launch_group(&device, first, end - start, options, &writer, &wrong);
        result = stage_end(&stage, result);
    }
    result = stage_end(&whole, result);
    device_close(&device);
    if (!result && wrong)
        return error(FAIL_CHECK, "a point gave a wrong result %d time%s", wrong,
                     wrong > 1 ? "s" : "");
    return result;
}

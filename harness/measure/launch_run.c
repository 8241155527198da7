/*
 * Launches every selected point for another profiler: ncu, nsys, compute-sanitizer. Nothing is
 * owned.
 *
 * The first launch of a kernel in a process differs from those that follow, because its code is
 * loaded then: on an H200 many write 0.3 to 3 MB more to device memory, and occupancy differs by up
 * to 2 points.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "gpu/launch_variant.h"
#include "measure/measure_run.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

struct launching {
    const struct launch_options *options;
    struct device device;
    struct workbench bench;
    struct csv_writer writer;
    int wrong;
};

static int launch_point(struct launching *launching, const struct selected *selected)
{
    char reason[160] = "";
    struct workbench *bench = &launching->bench;
    struct listed_kernel *kernels = NULL;
    struct kernel_facts facts;
    unsigned count = 0;
    int result = launch_refused(bench, selected, reason);
    if (!result && *reason) nvtx_trouble("skipped", selected->variant, reason);
    if (result || *reason) return result;
    result = workbench_prepare(bench);
    if (!result) result = verify_run(bench, selected, reason);
    if (result && result != FAIL_CHECK) return result;
    const int fails = selected->variant->fails != NULL;
    const char *status = fails ? status_of_trials(result) : result ? reason : "ok";
    launching->wrong += result == FAIL_CHECK && !fails;
    result = launch_kernels(bench, selected, &kernels, &count);
    for (unsigned i = 0; i < count && !result; i++) {
        result = kernel_facts(&kernels[i], &facts);
        if (result) break;
        point_write(&launching->writer, selected->variant, &selected->point);
        csv_integer(&launching->writer, i);
        CSV_TEXTS(&launching->writer, facts.symbol, status);
        csv_end(&launching->writer);
    }
    free(kernels);
    return result;
}

/* In rounds, as when counters are collected: between two launches of a kernel the code of the
 * others goes through the caches. */
static int launch_group(struct launching *launching, const struct selected *first, int count)
{
    int result = workbench_open(&launching->bench, &launching->device, first,
                                launching->options->seed, BENCH_CHECKED);
    if (result) return result;
    for (int i = 0; i < launching->options->times * count && !result; i++)
        if (variant_kind(first[i % count].variant) != KIND_CPU) /* it launches nothing */
            result = launch_point(launching, &first[i % count]);
    workbench_close(&launching->bench);
    return result;
}

int launch_run(const struct selection *selection, const struct launch_options *options)
{
    struct launching launching = {.options = options, .writer = {.file = stdout}};
    struct stage whole, stage;
    int result = device_open(&launching.device);
    if (result) return result;
    result = stage_begin(&whole, NULL, STAGE_LAUNCH, NULL);
    puts(POINT_KEY_CSV ",launch,kernel,status");
    for (int start = 0, end; start < selection->count && !result; start = end) {
        const struct selected *first = &selection->points[start];
        end = selection_group_end(selection, start);
        result = stage_begin(&stage, NULL, STAGE_LAUNCH, first);
        if (!result) result = launch_group(&launching, first, end - start);
        result = stage_end(&stage, result);
    }
    result = stage_end(&whole, result);
    device_close(&launching.device);
    if (result || !launching.wrong) return result;
    return error(FAIL_CHECK, "a point gave a wrong result %d time%s", launching.wrong,
                 launching.wrong > 1 ? "s" : "");
}

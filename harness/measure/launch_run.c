/*
 * Launches every point, for a profiler from outside: ncu, nsys, compute-sanitizer. The first launch
 * of a kernel in a process is not like those that follow, as its code is loaded then: on an H200
 * many write 0.3 to 3 MB more to device memory, and occupancy differs by up to 2 points.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "gpu/launch_variant.h"
#include "gpu/stream_gate.h"
#include "gpu/workbench.h"
#include "measure/launch_run.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

static int launch_point(struct workbench *bench, struct stream_gate *gate,
                        const struct selected *selected, struct csv_writer *writer, int *wrong)
{
    char reason[160] = "";
    int result = work_poison(bench); /* before the flush: it leaves dirty lines */
    if (!result) result = stream_gate_flush_l2(gate);
    if (!result) result = work_check(bench, selected->variant, &selected->point, reason);
    if (result && result != FAIL_CHECK) return result;
    const int wrong_here = result == FAIL_CHECK;
    *wrong += wrong_here;
    struct listed_kernel *kernels;
    unsigned count;
    result = invoke_kernels(bench, selected->variant, &selected->point, &kernels, &count);
    for (unsigned i = 0; i < count && !result; i++) {
        struct kernel_facts facts;
        result = kernel_facts(&kernels[i], &facts);
        if (result) break;
        point_write(writer, selected->variant, &selected->point);
        csv_integer(writer, i);
        csv_text(writer, facts.symbol);
        csv_text(writer, wrong_here ? reason : "ok");
        csv_end(writer);
    }
    free(kernels);
    return result;
}

/* One round over the points of one family and size. */
static int launch_round(struct workbench *bench, struct stream_gate *gate,
                        const struct selected *first, int count, struct csv_writer *writer,
                        int *wrong)
{
    int result = 0;
    for (int i = 0; i < count && !result; i++) {
        char reason[160];
        int refused;
        if (variant_kind(first[i].variant) == KIND_CPU)
            continue; /* a profiler of the GPU has nothing to see there */
        result = invoke_refuses(bench, first[i].variant, &first[i].point, &refused, reason);
        if (!result && refused) nvtx_trouble("skipped", first[i].variant, reason);
        if (!result && !refused) result = launch_point(bench, gate, &first[i], writer, wrong);
    }
    return result;
}

/* In rounds, as when counters are collected: between two launches of a kernel the code of the
 * others goes through the caches. */
static int launch_group(const struct device *device, const struct selected *first, int count,
                        const struct launch_options *options, struct csv_writer *writer, int *wrong)
{
    struct workbench bench;
    struct stream_gate gate;
    int result =
        work_open(&bench, device, first->family, &first->point.shape, options->seed, WORK_CHECKED);
    if (result) return result;
    result = stream_gate_open(&gate, device->stream, device->l2_bytes);
    for (int k = 0; k < options->times && !result; k++)
        result = launch_round(&bench, &gate, first, count, writer, wrong);
    stream_gate_close(&gate);
    work_close(&bench);
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

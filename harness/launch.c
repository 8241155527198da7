/*
 * Launches every point once, for a profiler from outside: ncu, nsys, compute-sanitizer.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gate.h"
#include "invoke.h"
#include "message.h"
#include "pipeline.h"
#include "work.h"

static int launch_point(struct workbench *bench, struct gate *gate, const struct selected *selected, struct csv_writer *writer, int *wrong)
{
    char reason[160] = "";
    int result = work_poison(bench); /* before the flush: it leaves dirty lines */
    if (!result) result = gate_flush_l2(gate);
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

int launch_run(const struct selection *selection, const struct measure_options *options)
{
    struct device device;
    struct csv_writer writer = {.file = stdout};
    int wrong = 0;
    int result = device_open(&device);
    if (result) return result;
    puts("family,variant,size,block,sweep,launch,kernel,status");
    for (int start = 0, end; start < selection->count && !result; start = end) {
        struct workbench bench;
        struct gate gate;
        end = selection_group_end(selection, start);
        const struct selected *first = &selection->points[start];
        result = work_open(&bench, &device, first->family, &first->point.shape, options->seed, WORK_CHECKED);
        if (result) break;
        result = gate_open(&gate, device.stream, device.l2_bytes);
        for (int i = start; i < end && !result; i++) {
            const struct selected *selected = &selection->points[i];
            char reason[160];
            int refused;
            if (variant_kind(selected->variant) == KIND_CPU) continue; /* a profiler of the GPU has nothing to see there */
            result = invoke_refuses(&bench, selected->variant, &selected->point, &refused, reason);
            if (result || refused) continue;
            result = launch_point(&bench, &gate, selected, &writer, &wrong);
        }
        gate_close(&gate);
        work_close(&bench);
    }
    device_close(&device);
    if (!result && wrong) return error(FAIL_CHECK, "%d point%s gave a wrong result", wrong, wrong > 1 ? "s" : "");
    return result;
}

#include "gpu/verify_point.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "gpu/launch_variant.h"
#include "gpu/verify.h"
#include "run/nvtx.h"

static int compare(struct workbench *bench, const struct selected *selected, char reason[160])
{
    int intact = 1;
    if (variant_kind(selected->variant) != KIND_CPU) {
        const int result = workbench_fetch(bench, &intact);
        if (result) return result;
    }
    if (!intact) {
        snprintf(reason, 160, "wrote outside of its buffers");
        return FAIL_CHECK;
    }
    const int right = verify(bench->family, &bench->shape, bench->result, bench->reference,
                             bench->output.bytes, reason);
    return right ? 0 : FAIL_CHECK;
}

int verify_run(struct workbench *bench, const struct selected *selected, char reason[160])
{
    nvtx_variant(selected, -1, 0);
    int result = launch_all(bench, selected);
    if (!result) result = compare(bench, selected, reason);
    if (result == FAIL_CHECK) nvtx_trouble("wrong result", selected->variant, reason);
    nvtx_end();
    if (result != FAIL_CHECK) return result;
    result = workbench_repair(bench);
    return result ? result : FAIL_CHECK;
}

int verify_point(struct workbench *bench, const struct selected *selected, char reason[160])
{
    const int result = workbench_poison(bench);
    return result ? result : verify_run(bench, selected, reason);
}

int verify_count_wrong(struct run *run, int wrong)
{
    const char *before = run_fact(run, "wrong_results");
    if (!wrong) return 0;
    return run_fact_set(run, "wrong_results", "%ld",
                        (before ? strtol(before, NULL, 10) : 0) + wrong);
}

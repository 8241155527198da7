#include "catalog/series_plan.h"

const struct series_kind *series_plan(const struct variant *variant, const struct point *point,
                                      int *count)
{
    static const struct series_kind cpu[] = {{L2_WARM, TIME_END_TO_END, 'a'},
                                             {L2_WARM, TIME_END_TO_END, 'b'}};
    static const struct series_kind gpu[] = {
        {L2_COLD, TIME_END_TO_END, 'a'},
        {L2_COLD, TIME_END_TO_END, 'b'},
        {L2_WARM, TIME_END_TO_END, 'a'},
        {L2_COLD, TIME_KERNELS, 'a'}, /* for one launch it would equal the first */
    };
    const int on_cpu = variant_kind(variant) == KIND_CPU;
    *count = on_cpu ? 2 : variant_launches(variant, point) > 1 ? 4 : 3;
    return on_cpu ? cpu : gpu;
}

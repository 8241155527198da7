/*
 * Probes: processes of their own in which CUPTI looks at single instructions, because it counts one
 * kernel per process and must sample before anything else has run (collect/cupti_instructions.h). A
 * probe prints CSV on stdout and says on stderr why it could not; collect/collect_lines.c starts
 * them. Nothing is owned.
 *
 *   counts    one row per instruction of one launch: symbol, pc, and the columns of
 *             instruction_count_name
 *   samples   for every launch of every point, rows that open with family, variant, size, block,
 *             sweep, launch, symbol, name: one for each instruction and reason (pc, reason,
 *             samples, not_issued), after one without pc for each of the totals: "launches" that
 *             were sampled, "period" in cycles, and "total", "dropped", "elsewhere" of struct
 *             sample_totals; or, where it could not be sampled, the one row "absent" with the
 *             reason in column `status`
 */
#ifndef WHYFAST_PROBE_H
#define WHYFAST_PROBE_H

#include "catalog/registry.h"

/* Counts at the instructions of launch `launch` of the one point that is selected. The launches
 * before it run first, uncounted. FAIL_USAGE when another number of points is selected,
 * FAIL_GPU, said, when it cannot be counted. */
int probe_counts(const struct selection *selection, uint64_t seed, unsigned launch);

/* Samples every launch of the selected points, which must be of one family and size, but those
 * whose kernel an earlier launch of the point had. Each is launched several times, each time
 * after a flush of the L2 cache, until there are about 100000 samples. */
int probe_samples(const struct selection *selection, uint64_t seed);

#endif

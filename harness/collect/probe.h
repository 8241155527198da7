/*
 * Runs probes: processes of their own in which CUPTI looks at single instructions, because it
 * counts one kernel per process and must sample before anything else has run
 * (collect/cupti_instructions.h). A probe prints CSV on stdout, and on stderr the reason of a
 * failure; collect/collect_lines.c starts probes. Nothing is owned.
 *
 *   counts    one row per instruction of one launch: symbol, pc, and the columns of
 *             instruction_count_name
 *   samples   rows that begin with family, variant, size, block, sweep, launch, symbol, name for
 *             every launch of every point:
 *               one without pc for each total: "launches" that were sampled, "period" in cycles,
 *               and "total", "dropped", "elsewhere" of struct sample_totals;
 *               then one for each instruction and reason: pc, reason, samples, not_issued;
 *               or, if sampling failed, only the row "absent" with the reason in column `status`
 */
#ifndef WHYFAST_PROBE_H
#define WHYFAST_PROBE_H

#include "catalog/registry.h"

/* Counts at the instructions of one launch of the only selected point. The launches before it run
 * first, uncounted. Returns FAIL_USAGE if another number of points is selected, FAIL_GPU, with a
 * message, if the launch cannot be counted. */
int probe_counts(const struct selection *selection, uint64_t seed, unsigned launch);

/* Samples every launch of the selected points, which must be of one family and size, except
 * launches whose kernel an earlier launch of the point had. Each is launched several times, after a
 * flush of the L2 cache, until there are about 100000 samples. */
int probe_samples(const struct selection *selection, uint64_t seed);

#endif

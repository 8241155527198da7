/*
 * Prints the plan of a run, without a GPU, and estimates its time. As CSV, there is one row for
 * each point that a stage would run, and one for each stage that concerns the whole run. Other
 * profilers see the same ranges as in a real run (run/nvtx.h), each point and launch once. Nothing
 * is owned.
 *
 * A dry run does not know whether a device refuses a point, which setting of a swept variant is the
 * fastest, or how many passes a device needs for its counters.
 */
#ifndef WHYFAST_DRY_RUN_H
#define WHYFAST_DRY_RUN_H

#include "catalog/registry.h"
#include "collect/collect_counters.h"

/* The functions below print their rows. They return FAIL_INPUT, with a message and without rows,
 * for a launch whose blocks no device can have. The columns are
 *   stage, family, variant, size, block, sweep, device
 *               sweep is empty if only the fastest setting is run
 *   launches    kernels, or the call of a library; empty if that depends on the setting, and on
 *               the CPU
 *   series      of samples
 *   repeats     how often its counters are collected, at most
 */

/* `asked` is collected after the ceilings, `repeats` times. Prints the header and rows as CSV, or
 * for people how many points and kernels there are, the time, the memory and the disk. */
int dry_run_measure(const struct selection *selection, const struct collect_asked *asked,
                    int repeats, int csv);
int dry_run_launch(const struct selection *selection);

/* Returns the seconds that measuring and reporting take on a GPU like an H200: each stage's time,
 * as recorded there, is close to linear in the points and in the useful bytes or operations of
 * their problems. Right within about a third. */
double expected_seconds(const struct selection *selection, const struct collect_asked *asked,
                        int repeats);

/* "about 50 s" or "about 4 min". Returns `text`. */
const char *expected_text(double seconds, char text[32]);

#endif

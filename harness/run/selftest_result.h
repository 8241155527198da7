/*
 * What the last self-test on a device found, remembered for later runs: a file for each device, in
 * $XDG_STATE_HOME/whyfast or ~/.local/state/whyfast, one row for each metric. It speaks for runs on
 * that device with that driver, by the very records under metrics/ that it was made with, and for
 * no others. Nothing is owned.
 */
#ifndef WHYFAST_SELFTEST_RESULT_H
#define WHYFAST_SELFTEST_RESULT_H

#include "run/run.h"

/* Remembers selftest.csv of a judged run of the self-test. FAIL_OUTPUT when it cannot be written.
 */
int selftest_result_write(const struct run *run);

/* Facts of a run whose device and driver are known already: `selftest` says when it was made and
 * how it came out, or why there is none; `selftest_proven` and `selftest_wrong` name metrics. A
 * file that is no such file counts as none, with a warning. */
int selftest_result_apply(struct run *run);

#endif

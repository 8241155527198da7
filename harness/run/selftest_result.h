/*
 * Stores the result of the last self-test on each device for later runs, in a file under
 * $XDG_STATE_HOME/whyfast or ~/.local/state/whyfast. The result applies to runs on that device with
 * that driver and with the same records under metrics/. Nothing is owned.
 */
#ifndef WHYFAST_SELFTEST_RESULT_H
#define WHYFAST_SELFTEST_RESULT_H

#include "run/run.h"

/* Stores the results in selftest.csv of a judged run of the self-test. */
int selftest_result_write(const struct run *run);

/* Sets facts of a run whose device and driver are known: `selftest` has the date and the result, or
 * the reason why there is no result; `selftest_proven` and `selftest_wrong` name metrics. A damaged
 * file is ignored, with a warning. */
int selftest_result_apply(struct run *run);

#endif

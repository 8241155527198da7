/*
 * Evaluates and explains the run r/ by records of a test's own.
 */
#ifndef TESTS_UNIT_EXPLAINED_H
#define TESTS_UNIT_EXPLAINED_H

#include "project_columns.h"

#include "explain/explain.h"

#define EXPLAINED(name, formula, better, rest)                                                     \
    "metric " name "\n    unit u\n    formula " formula "\n    better " better                     \
    "\n    means m\n" rest
#define SPEEDUP(of)                                                                                \
    EXPLAINED("speedup_" of, of "_time_ns / time_ns", "higher", "    title Speed-up\n")            \
    EXPLAINED("speedup_" of "_low", "ratio_low(" of "_series, series)", "higher", "")              \
    EXPLAINED("speedup_" of "_high", "ratio_high(" of "_series, series)", "higher", "")

/* The records that the steps of a ladder need. */
#define LADDER_RECORDS                                                                             \
    "counter c_sum\n    from x\n    set one\n    over sum\n    unit u\n    means m\n" SPEEDUP(     \
        "prev") SPEEDUP("first")

static int explain_by(const char *metrics)
{
    struct run run;
    make_whole_data(metrics);
    int result = run_open(&run, place("r"));
    if (result) return result;
    result = explain_run(&run, 0);
    run_close(&run);
    return result;
}

#endif

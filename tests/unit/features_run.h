/*
 * Makes the features of the points of ledger_run.h, on 10 SMs of 4 schedulers: 40000 instructions
 * per scheduler, 96000 of 100000 ns without the launch. Their other metrics are set here, since the
 * ledger does not need them.
 */
#ifndef TESTS_UNIT_FEATURES_RUN_H
#define TESTS_UNIT_FEATURES_RUN_H

#include "ledger_run.h"

#include "explain/time_model.h"

/* Sets metrics of all points: "name=value ...". */
static inline void set_metrics(const char *words)
{
    for (const char *word = words; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
        const int name = (int)strcspn(word, "=");
        assert_int_equal(query_write(&ledger_query, "UPDATE metrics SET %.*s = %.17g", name, word,
                                     strtod(word + name + 1, NULL)),
                         0);
    }
}

static inline void open_point(void)
{
    use_project_records();
    SUCCEEDS(ledger_open(), "");
    SUCCEEDS(causes_levels(&ledger_query, &ledger_records), "");
    set_metrics("sm_count=10 stall_total=12 sm_coverage_pct=100 grid_blocks=40 blocks=40 "
                "blocks_per_sm=4 block_threads=256");
}

/* Makes the features of a usual point with these metrics. */
static inline void make_features(const char *words)
{
    WRITE_RUN({"01_a", ""});
    open_point();
    set_metrics(words);
    SUCCEEDS(causes_features(&ledger_query), "");
}

static inline const char *feature(const char *input, const char *cause)
{
    return first("SELECT value FROM features WHERE variant = '01_a' AND input = '%s' AND cause = "
                 "'%s'",
                 input, cause);
}

/* The sum of the inputs in a list: "'a', 'b'". */
static inline const char *sum_of(const char *inputs)
{
    return first("SELECT sum(value) FROM features WHERE variant = '01_a' AND input IN (%s)",
                 inputs);
}

#endif

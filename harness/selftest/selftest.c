#include "selftest/selftest.h"

#include <string.h>

#include "base/message.h"
#include "evaluate/evaluate.h"
#include "run/selftest_result.h"

static int judge(const struct run *run, const struct judging_options *options)
{
    struct selftest_tally tally;
    const char *wrong = run_fact(run, "wrong_results");
    int result = selftest_judge(run, options->form, &tally);
    if (result) return result;
    if (options->is_measured && options->is_whole) result = selftest_result_write(run);
    if (!result && wrong)
        result = error(FAIL_CHECK, "%s kernel%s of the self-test gave a wrong result", wrong,
                       strcmp(wrong, "1") ? "s" : "");
    if (!result && tally.wrong)
        result = error(FAIL_CHECK, "the self-test found %d value%s that cannot be trusted",
                       tally.wrong, tally.wrong == 1 ? "" : "s");
    if (!result && run->impossible)
        result = error(FAIL_CHECK, "the self-test found impossible values, listed above");
    if (!result && !tally.right)
        result = error(FAIL_CHECK, "the self-test could not check any value");
    return result;
}

int selftest_copy(const char *path, const char *output)
{
    struct run from, run;
    int result = run_open(&from, path);
    if (result) return result;
    const char *fact = run_fact(&from, "selftest");
    result = fact && !strcmp(fact, "this run is one")
                 ? run_begin(&run, output, 0)
                 : error(FAIL_INPUT,
                         "%s is no run of the self-test; 'whyfast selftest -o' makes one", path);
    if (!result) {
        result = run_copy_raw(&run, &from, 0);
        if (!result) result = evaluate_run(&run);
        if (!result) result = run_commit(&run);
        if (result) run_abandon(&run);
        run_close(&run);
    }
    run_close(&from);
    return result;
}

int selftest_conclude(const char *path, const struct judging_options *options)
{
    struct run run;
    int result = run_open(&run, path);
    if (result) return result;
    if (options->is_measured) result = run_lock(&run);
    if (!result && options->is_measured) result = evaluate_run(&run);
    if (!result) result = judge(&run, options);
    run_close(&run);
    return result;
}

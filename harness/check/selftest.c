#include "check/selftest.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "evaluate/evaluate.h"
#include "run/selftest_result.h"

/* `measured`: the run was measured here, so that later runs can use the result. */
static int conclude(const struct run *run, const struct selftest_options *options, int measured)
{
    struct selftest_tally tally;
    const char *wrong = run_fact(run, "wrong_results");
    int result = selftest_judge(run, options->form, &tally);
    if (result) return result;
    if (measured && !options->pattern_count) result = selftest_result_write(run);
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

/* Copies the raw tables of another run of the self-test. */
static int copy_run(struct run *run, const char *path)
{
    struct run from;
    int result = run_open(&from, path);
    if (result) return result;
    result = run_copy_raw(run, &from, 0);
    run_close(&from);
    return result;
}

static int do_run(const char *path, const struct selftest_options *options)
{
    struct run run;
    int result = run_begin(&run, path, 0);
    if (result) return result;
    result = options->again ? copy_run(&run, options->again) : selftest_measure(&run, options);
    if (!result) result = evaluate_run(&run);
    if (!result) result = run_commit(&run);
    if (result)
        directory_remove(run.directory);
    else
        result = conclude(&run, options, !options->again);
    run_close(&run);
    return result;
}

int selftest_run(const struct selftest_options *options)
{
    if (options->output) return do_run(options->output, options);
    char *place = temporary_directory();
    if (!place) return FAIL_OUTPUT;
    const int result = do_run(place, options);
    directory_remove(place);
    free(place);
    return result;
}

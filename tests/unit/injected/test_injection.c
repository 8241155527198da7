#include "injected/watched_program.h"

static const char times[] = "mode\ttimes\nsamples\t1\nperiod\t12\n";
enum { TABLES = 4 };

static const char *const modes[] = {times, counters, counts};
static const char *const table_name[TABLES] = {"launches.csv", "samples.csv", "counters.csv",
                                               "counts.csv"};

FAKE_TEST(launches_are_timed_and_sampled)
{
    watches(times);
    has("kernels.csv", "\n0,_Z3addPf,0,132,1,1,256,1,1,0,24,24,24,24,8,");
    has("launches.csv", "\n0,0,1000,1100,0\n0,1,2000,2200,0\n0,2,3000,3300,0\n");
    has("samples.csv", "_Z3addPf,7,16,wait,");
    has("samples.csv", "_Z3addPf,7,32,wait,10,4\n");
    has("totals.csv", "period,4096\n");
    has("cubins/7.cubin", "code");
    has("process.txt", "chip: GH100\n");
    has("process.txt", "ended: exit\n");
}

FAKE_TEST(instructions_of_one_launch_are_counted)
{
    watches(counts);
    has("counts.csv", "\n0,_Z3addPf,16,32,64,96,");
}

/* Functions without which nothing is missing but a fact about the process, or whose failure leaves
 * nothing to do. */
static int is_harmless(const char *name)
{
    static const char *const harmless[] = {"cuptiGetVersion",
                                           "cuptiGetDeviceId",
                                           "cuptiRangeProfilerDisable",
                                           "cuptiDeviceGetChipName",
                                           "cuptiProfilerHostDeinitialize",
                                           "cuptiSassMetricsDisable",
                                           "cuptiSassMetricsUnsetConfig"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (!strcmp(name, harmless[i])) return 1;
    return 0;
}

/* Every row that is left must be one that an undisturbed run left, too. */
static void has_only_rows_of(const char *text, const char *undisturbed, const char *what)
{
    char *copy = strdup(text ? text : ""), *rest = copy;
    for (char *row; (row = strsep(&rest, "\n"));)
        if (!strstr(undisturbed ? undisturbed : "", row)) fail_msg("%s: wrong row: %s", what, row);
    free(copy);
}

static void fails_with_a_reason(const char *plan, const char *name, CUptiResult error,
                                char *const undisturbed[])
{
    int differs = 0;
    char what[FAKE_NAME + 32];
    snprintf(what, sizeof what, "%.63s: error %d", name, (int)error);
    fake.failing = name;
    fake.error = error;
    if (watch_program(plan)) fail_msg("%s: the program does not end as it should", what);
    fake.failing = NULL;
    for (size_t t = 0; t < TABLES; t++) {
        OWNED char *text = left(table_name[t]);
        differs |= strcmp(text ? text : "", undisturbed[t] ? undisturbed[t] : "") != 0;
        if (strcmp(table_name[t], "samples.csv")) has_only_rows_of(text, undisturbed[t], what);
    }
    OWNED char *problems = left("problems.csv");
    if (differs && !problems) fail_msg("%s: rows are missing without a reason", what);
    if (!is_harmless(name) && !problems) fail_msg("%s: is not reported", what);
}

/* In turn each function of CUPTI is refused, finds the hardware busy, a second subscriber, or no
 * memory. The program goes on, no row is wrong, and a reason is given for each that is missing. */
FAKE_TEST(every_failure_has_a_reason)
{
    static const CUptiResult errors[] = {
        CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_HARDWARE_BUSY,
        CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, CUPTI_ERROR_OUT_OF_MEMORY};
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        char *undisturbed[TABLES], called[FAKE_CALLS][FAKE_NAME];
        memset(fake_called, 0, sizeof called);
        assert_int_equal(watch_program(modes[m]), 0);
        memcpy(called, fake_called, sizeof called);
        for (size_t t = 0; t < TABLES; t++) undisturbed[t] = left(table_name[t]);
        assert_true(*called[9]); /* the program calls many */
        for (int c = 0; c < FAKE_CALLS && *called[c]; c++)
            for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
                fails_with_a_reason(modes[m], called[c], errors[e], undisturbed);
        for (size_t t = 0; t < TABLES; t++) free(undisturbed[t]);
    }
}

/* The process of the test is whyfast here, and the program its child. */
FAKE_TEST(a_process_has_the_number_of_its_like)
{
    char own[4096] = "", plan[3 * sizeof own];
    assert_true(readlink("/proc/self/exe", own, sizeof own - 1) > 0);
    snprintf(plan, sizeof plan,
             "starter\t%ld\nprocess\t0\t2\t%s\nprocess\t1\t1\t/bin/sh\nprocess\t2\t1\t%s\n%s",
             (long)getpid(), own, own, times);
    assert_int_equal(watch_program(plan), 0);
    assert_null(left("process.txt"));
    OWNED char *text = text_read_file(place("watch/2/process.txt"), NULL);
    assert_non_null(text);
    holds(text, "\ngeneration: 1\n");
}

FAKE_TEST(another_profiler_is_named)
{
    fake.failing = "cuptiSubscribe";
    fake.error = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    tells(times, "launches,,another profiler in the program uses CUPTI already\n");
    is_missing("launches.csv");
}

FAKE_TEST(an_old_driver_is_named)
{
    fake.has_driver = 0;
    tells(times, "launches,,the driver is too old: CUDA 13 is needed\n");
}

FAKE_TEST(dropped_records_are_reported)
{
    fake.dropped = 3;
    tells(times, "times,,CUPTI dropped records of kernels\n");
}

/* CUPTI 13.0 returns such records while another range profiler is at work. */
FAKE_TEST(a_record_without_a_duration_is_no_time)
{
    fake.has_times = 0;
    tells(times, "times,,CUPTI gave launches no time");
    is_missing("launches.csv");
}

FAKE_TEST(a_launch_that_was_not_seen_is_reported)
{
    fake.is_unknown = 1;
    tells(times, "times,,kernels were launched in a way that the library does not know\n");
    is_missing("launches.csv");
}

FAKE_TEST(kernels_can_be_timed_alone)
{
    watches("mode\ttimes\nalone\t1\n");
    is_missing("samples.csv");
    has("launches.csv", "\n0,0,1000,1100,0\n0,1,2000,2200,0\n0,2,3000,3300,0\n");
}

/* Launches that have ended by then are recorded. */
FAKE_TEST(a_kernel_that_runs_on_is_not_waited_for)
{
    fake.never_ends = 1;
    assert_int_equal(watch_program(times), 0);
    has("launches.csv", "\n0,0,1000,1100,0\n0,1,2000,2200,0\n");
    has("problems.csv", "times,,the program ended while the GPU still worked for it\n");
    has("samples.csv", "_Z3addPf,7,16,wait,");
    has("process.txt", "ended: exit\n");
    char *text = left("launches.csv"), *problems = left("problems.csv");
    lacks(text, "\n0,2,");
    lacks(problems, "no time");
    free(text);
    free(problems);
}

/* Like this one, the exit of CUPTI may wait for that kernel. */
FAKE_TEST(an_exit_that_waits_for_it_is_cut_short)
{
    fake.never_ends = fake.exit_hangs = 1;
    assert_int_equal(WEXITSTATUS(watch_program(times)), 7);
    has("process.txt", "ended: exit\n");
}

FAKE_TEST(a_full_buffer_of_samples_is_reported)
{
    fake.is_buffer_full = 1;
    tells(times, "samples,,the hardware's buffer for samples was full\n");
}

FAKE_TEST(a_damaged_plan_is_reported)
{
    tells("mode\n", "launches,,plan.txt is damaged\n");
}

RUN_TESTS(open_fake, fixture_close)

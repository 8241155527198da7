#include <errno.h>
#include <sys/wait.h>

#include "fake_cupti.h"
#include "fixture.h"

int InitializeInjection(void);

#define KERNEL "kernel\t0\t0\t_Z3addPf\t0\t132\t1\t1\t256\t1\t1\t0\t\n"

#define COUNTERS "mode\tcounters\npasses\t2\nmetrics\tfirst.sum\tsecond.sum\tthird.sum\n" KERNEL

static const char times[] = "mode\ttimes\nsamples\t1\nperiod\t12\n",
                  counters[] = COUNTERS "take\t0\t0\t1\n",
                  counts[] = "mode\tcounts\n" KERNEL "count\t0\t1\n";
static const char values[] =
    "\n0,passes,2\n0,first.sum,10.5\n0,second.sum,11.5\n0,third.sum,12.5\n";
enum { TABLES = 4 };

static const char *const modes[] = {times, counters, counts};
static const char *const table_name[TABLES] = {"launches.csv", "samples.csv", "counters.csv",
                                               "counts.csv"};

static void hang(void)
{
    while (fake.exit_hangs) pause();
}

/* Runs the program with the library in a process of its own, as the driver would start it; earlier
 * starts may have left images. */
static int watch_again(const char *plan)
{
    int status;
    directory_remove(place("watch"));
    make_directory("watch");
    write_text("watch/plan.txt", plan);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); /* a library that hangs is a failure */
        setenv("WHYFAST_WATCH", place("watch"), 1);
        watch.patience_s = watch.most_s = 1;
        atexit(hang);
        errno = 99;
        if (InitializeInjection() != 1 || errno != 99) _exit(1);
        fake_program();
        exit(errno != 99 ? 1 : fake.exit_hangs ? 7 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int watch_program(const char *plan)
{
    directory_remove(place("images"));
    make_directory("images");
    return watch_again(plan);
}

/* The file of the first process; NULL if it is missing. The caller frees it. */
static char *left(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "watch/0/%s", name);
    return text_read_file(place(path), NULL);
}

static void has(const char *name, const char *wanted)
{
    char *text = left(name);
    if (!text) fail_msg("%s is missing", name);
    if (!strstr(text, wanted)) fail_msg("%s lacks '%s': %s", name, wanted, text);
    free(text);
}

static void is_missing(const char *name)
{
    char *text = left(name);
    if (text) fail_msg("%s: %s", name, text);
}

static void launches_are_timed_and_sampled(void **state)
{
    (void)state;
    assert_int_equal(watch_program(times), 0);
    is_missing("problems.csv");
    has("kernels.csv", "\n0,_Z3addPf,0,132,1,1,256,1,1,0,24,24,24,24,8,");
    has("launches.csv", "\n0,0,1000,1100,0\n0,1,2000,2200,0\n0,2,3000,3300,0\n");
    has("samples.csv", "_Z3addPf,7,16,wait,");
    has("samples.csv", "_Z3addPf,7,32,wait,10,4\n");
    has("totals.csv", "period,4096\n");
    has("cubins/7.cubin", "code");
    has("process.txt", "chip: GH100\n");
    has("process.txt", "ended: exit\n");
}

static void launches_of_the_plan_are_profiled(void **state)
{
    (void)state;
    assert_int_equal(watch_program(counters), 0);
    is_missing("problems.csv");
    has("counters.csv", values);
    assert_false(exists("images/0")); /* which only later starts would need */
}

static const char one_launch[] = COUNTERS "take\t0\t0\t0\n";

static void has_only(const char *row)
{
    char *text = left("counters.csv");
    assert_non_null(text);
    assert_int_equal(strncmp(text, "kernel,metric,value\n", 20), 0);
    assert_string_equal(text + 20, row);
    free(text);
}

/* One of two passes has come, which gives no values. */
static void has_one_pass(void)
{
    has_only("0,passes,1\n");
}

static void passes_come_from_several_starts(void **state)
{
    (void)state;
    assert_int_equal(watch_program(one_launch), 0);
    is_missing("problems.csv");
    has_one_pass();
    assert_int_equal(watch_again(one_launch), 0);
    is_missing("problems.csv");
    has("counters.csv", values);
}

static void a_launch_that_does_not_come_is_made_up_for(void **state)
{
    (void)state;
    assert_int_equal(watch_program(COUNTERS "take\t0\t2\t7\n"), 0);
    is_missing("problems.csv");
    has_one_pass();
    assert_int_equal(watch_again(one_launch), 0);
    has("counters.csv", values);
    fake.launches_fail = 1;
    assert_int_equal(watch_program(counters), 0);
    fake.launches_fail = 0;
    is_missing("problems.csv");
    has_one_pass();
    fake.is_capturing = 1;
    assert_int_equal(watch_program(COUNTERS "take\t0\t0\t2\n"), 0); /* all but the second */
    fake.is_capturing = 0;
    has("counters.csv", values);
}

static void passes_that_were_damaged_are_not_used(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        assert_int_equal(watch_program(one_launch), 0);
        FILE *file = fopen(place("images/0"), "r+");
        assert_non_null(file);
        assert_int_equal(fseek(file, 50, SEEK_SET), 0);
        assert_int_equal(cut ? ftruncate(fileno(file), 50) : fputc('x', file) - 'x', 0);
        fclose(file);
        assert_int_equal(watch_again(one_launch), 0);
        has("problems.csv", "counters,0,the passes of earlier starts are damaged\n");
        has_one_pass();
    }
}

static void passes_of_other_counters_are_not_used(void **state)
{
    (void)state;
    assert_int_equal(watch_program(one_launch), 0);
    assert_int_equal(
        watch_again("mode\tcounters\npasses\t2\nmetrics\tother.sum\n" KERNEL "take\t0\t0\t0\n"), 0);
    has("problems.csv", "counters,0,the passes of earlier starts are damaged\n");
    has_one_pass();
}

static void passes_that_cannot_be_kept_are_reported(void **state)
{
    (void)state;
    directory_remove(place("images"));
    assert_int_equal(watch_again(one_launch), 0);
    has("problems.csv", "counters,0,the passes cannot be kept for the next start\n");
    is_missing("counters.csv");
    assert_int_equal(watch_again(counters), 0); /* all passes are here */
    is_missing("problems.csv");
    has("counters.csv", values);
}

static void a_cupti_with_other_passes_is_named(void **state)
{
    (void)state;
    fake.passes = 3;
    assert_int_equal(watch_program(counters), 0);
    fake.passes = 2;
    has("problems.csv", "counters,,the program's CUPTI divides the counters into other passes");
    is_missing("counters.csv");
}

#define OTHER_KERNEL "kernel\t1\t%d\t_Z3addPf\t0\t1\t1\t1\t256\t1\t1\t0\t\n"

/* One of two contexts holds the counters, and the other one does in the next start. */
static void contexts_take_turns(void **state)
{
    (void)state;
    fake.has_other_context = 1;
    assert_int_equal(watch_program(counters), 0);
    is_missing("problems.csv");
    has_one_pass();
    assert_int_equal(watch_again(COUNTERS "take\t0\t1\t2\n"), 0);
    fake.has_other_context = 0;
    is_missing("problems.csv");
    has("counters.csv", values);
}

static void kernels_of_other_processes_are_not_waited_for(void **state)
{
    char plan[512];
    (void)state;
    fake.launches = 5;
    for (int is_other = 0; is_other < 2; is_other++) {
        snprintf(plan, sizeof plan, COUNTERS OTHER_KERNEL "take\t1\t0\t0\ntake\t0\t0\t4\n",
                 is_other);
        assert_int_equal(watch_program(plan), 0);
        is_missing("problems.csv");
        has("counters.csv", values);
    }
    fake.launches = FAKE_LAUNCHES;
}

/* The passes come in turn: the first kernel has the first of two, and the other one the second.
 * Then the first kernel has the second. Few images are in memory. */
static void each_kernel_has_passes_of_its_own(void **state)
{
    char plan[512], rest[512];
    (void)state;
    fake.has_other_kernel = 1;
    snprintf(plan, sizeof plan, COUNTERS OTHER_KERNEL "take\t0\t0\t2\ntake\t1\t0\t0\n", 0);
    snprintf(rest, sizeof rest, COUNTERS OTHER_KERNEL "take\t1\t0\t0\n", 0);
    for (int most = 0; most < 2; most++) {
        watch.most_images = most;
        assert_int_equal(watch_program(plan), 0);
        is_missing("problems.csv");
        has("counters.csv", values);
        has("counters.csv", "\n1,passes,1\n");
        assert_int_equal(watch_again(rest), 0);
        is_missing("problems.csv");
        has_only("1,passes,2\n1,first.sum,10.5\n1,second.sum,11.5\n1,third.sum,12.5\n");
    }
    watch.most_images = 24;
    fake.passes = 1;
    assert_int_equal(watch_program("mode\tcounters\npasses\t1\nmetrics\tfirst.sum\n" KERNEL
                                   "kernel\t1\t0\t_Z3addPf\t0\t1\t1\t1\t256\t1\t1\t0\t\n"
                                   "take\t0\t0\t0\ntake\t1\t0\t0\n"),
                     0);
    fake.passes = 2;
    fake.has_other_kernel = 0;
    is_missing("problems.csv");
    has("counters.csv", "\n0,first.sum,10.5\n1,passes,1\n1,first.sum,10.5\n");
}

#define PLAN_OF(kernel, grid)                                                                      \
    "kernel\t" kernel "\t0\t_Z3addPf\t0\t" grid "\t1\t1\t256\t1\t1\t0\t\ntake\t" kernel "\t0\t99"  \
    "\n"
#define NINE_PASSES "mode\tcounters\npasses\t9\nmetrics\ta\tb\tc\td\te\tf\tg\th\ti\n"
#define NINE_VALUES(kernel)                                                                        \
    "\n" kernel ",passes,9\n" kernel ",a,10.5\n" kernel ",b,11.5\n" kernel ",c,12.5\n" kernel      \
    ",d,13.5\n" kernel ",e,14.5\n" kernel ",f,15.5\n" kernel ",g,16.5\n" kernel ",h,17.5\n" kernel \
    ",i,18.5\n"

/* Three kernels in turn would have every third of nine passes, again and again. */
static void kernels_in_turn_have_all_passes(void **state)
{
    (void)state;
    fake.passes = 9;
    fake.kernels = 3;
    fake.launches = 33;
    assert_int_equal(
        watch_program(NINE_PASSES PLAN_OF("0", "132") PLAN_OF("1", "1") PLAN_OF("2", "2")), 0);
    is_missing("problems.csv");
    has("counters.csv", NINE_VALUES("0"));
    has("counters.csv", NINE_VALUES("1"));
    has("counters.csv", NINE_VALUES("2"));
    fake.kernels = 1;
    fake.launches = FAKE_LAUNCHES;
    fake.passes = 2;
}

#define FOUR_PASSES "mode\tcounters\npasses\t4\nmetrics\ta\tb\tc\td\n" KERNEL "take\t0\t0\t99\n"

/* The first kernel has the first and the third of four passes, the other one has the second. In the
 * next start only the first kernel is launched, and has the second pass; of the third, which comes
 * next, only the other one has use, if it is planned. So it is waited for. */
static void a_launch_is_profiled_in_vain_to_move_on(void **state)
{
    static const char ends[] = "\n0,passes,4\n0,a,10.5\n0,b,11.5\n0,c,12.5\n0,d,13.5\n";
    char both[512];
    (void)state;
    snprintf(both, sizeof both, FOUR_PASSES OTHER_KERNEL "take\t1\t0\t99\n", 0);
    fake.passes = 4;
    for (int is_planned = 0; is_planned < 2; is_planned++)
        for (int lacks_one = 0; lacks_one < 2; lacks_one++) {
            fake.has_other_kernel = 1;
            fake.launches = FAKE_LAUNCHES;
            assert_int_equal(watch_program(both), 0);
            has_only("0,passes,2\n1,passes,1\n");
            fake.has_other_kernel = 0;
            fake.launches = (is_planned ? 7 : 3) - lacks_one;
            assert_int_equal(watch_again(is_planned ? both : FOUR_PASSES), 0);
            is_missing("problems.csv");
            has("counters.csv", lacks_one ? "\n0,passes,3\n" : ends);
        }
    fake.launches = FAKE_LAUNCHES;
    fake.passes = 2;
}

static void instructions_of_one_launch_are_counted(void **state)
{
    (void)state;
    assert_int_equal(watch_program(counts), 0);
    is_missing("problems.csv");
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
        char *text = left(table_name[t]);
        differs |= strcmp(text ? text : "", undisturbed[t] ? undisturbed[t] : "") != 0;
        if (strcmp(table_name[t], "samples.csv")) has_only_rows_of(text, undisturbed[t], what);
        free(text);
    }
    char *problems = left("problems.csv");
    if (differs && !problems) fail_msg("%s: rows are missing without a reason", what);
    if (!is_harmless(name) && !problems) fail_msg("%s: is not reported", what);
    free(problems);
}

/* In turn each function of CUPTI is refused, finds the hardware busy, a second subscriber, or no
 * memory. The program goes on, no row is wrong, and a reason is given for each that is missing. */
static void every_failure_has_a_reason(void **state)
{
    static const CUptiResult errors[] = {
        CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_HARDWARE_BUSY,
        CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, CUPTI_ERROR_OUT_OF_MEMORY};
    (void)state;
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
static void a_process_has_the_number_of_its_like(void **state)
{
    char own[4096] = "", plan[3 * sizeof own];
    (void)state;
    assert_true(readlink("/proc/self/exe", own, sizeof own - 1) > 0);
    snprintf(plan, sizeof plan,
             "starter\t%ld\nprocess\t0\t2\t%s\nprocess\t1\t1\t/bin/sh\nprocess\t2\t1\t%s\n%s",
             (long)getpid(), own, own, times);
    assert_int_equal(watch_program(plan), 0);
    assert_null(left("process.txt"));
    char *text = text_read_file(place("watch/2/process.txt"), NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "\ngeneration: 1\n"));
    free(text);
}

static void another_profiler_is_named(void **state)
{
    (void)state;
    fake.failing = "cuptiSubscribe";
    fake.error = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    assert_int_equal(watch_program(times), 0);
    fake.failing = NULL;
    has("problems.csv", "launches,,another profiler in the program uses CUPTI already\n");
    is_missing("launches.csv");
}

static void an_old_driver_is_named(void **state)
{
    (void)state;
    fake.has_driver = 0;
    assert_int_equal(watch_program(times), 0);
    fake.has_driver = 1;
    has("problems.csv", "launches,,the driver is too old: CUDA 13 is needed\n");
}

static void dropped_records_are_reported(void **state)
{
    (void)state;
    fake.dropped = 3;
    assert_int_equal(watch_program(times), 0);
    fake.dropped = 0;
    has("problems.csv", "times,,CUPTI dropped records of kernels\n");
}

/* CUPTI 13.0 returns such records while another range profiler is at work. */
static void a_record_without_a_duration_is_no_time(void **state)
{
    (void)state;
    fake.has_times = 0;
    assert_int_equal(watch_program(times), 0);
    fake.has_times = 1;
    has("problems.csv", "times,,CUPTI gave launches no time");
    is_missing("launches.csv");
}

static void a_launch_that_was_not_seen_is_reported(void **state)
{
    (void)state;
    fake.is_unknown = 1;
    assert_int_equal(watch_program(times), 0);
    fake.is_unknown = 0;
    has("problems.csv", "times,,kernels were launched in a way that the library does not know\n");
    is_missing("launches.csv");
}

static void kernels_can_be_timed_alone(void **state)
{
    (void)state;
    assert_int_equal(watch_program("mode\ttimes\nalone\t1\n"), 0);
    is_missing("problems.csv");
    is_missing("samples.csv");
    has("launches.csv", "\n0,0,1000,1100,0\n0,1,2000,2200,0\n0,2,3000,3300,0\n");
}

/* To wait for the GPU would spoil the graph. */
/* Launches that have ended by then are recorded. */
static void a_kernel_that_runs_on_is_not_waited_for(void **state)
{
    (void)state;
    fake.never_ends = 1;
    assert_int_equal(watch_program(times), 0);
    has("launches.csv", "\n0,0,1000,1100,0\n0,1,2000,2200,0\n");
    has("problems.csv", "times,,the program ended while the GPU still worked for it\n");
    has("samples.csv", "_Z3addPf,7,16,wait,");
    has("process.txt", "ended: exit\n");
    char *text = left("launches.csv"), *problems = left("problems.csv");
    assert_null(strstr(text, "\n0,2,"));
    assert_null(strstr(problems, "no time"));
    free(text);
    free(problems);
    fake.never_ends = 0;
}

/* Like this one, the exit of CUPTI may wait for that kernel. */
static void an_exit_that_waits_for_it_is_cut_short(void **state)
{
    (void)state;
    fake.never_ends = fake.exit_hangs = 1;
    assert_int_equal(WEXITSTATUS(watch_program(times)), 7);
    has("process.txt", "ended: exit\n");
    fake.never_ends = fake.exit_hangs = 0;
}

static void nothing_is_profiled_during_a_capture(void **state)
{
    (void)state;
    fake.is_capturing = 1;
    assert_int_equal(watch_program(counters), 0);
    has_one_pass();
    has("problems.csv", "counters,0,the program recorded a CUDA graph in another stream");
    assert_int_equal(watch_program(counts), 0);
    has("problems.csv", "counts,0,the program recorded a CUDA graph in another stream");
    is_missing("counts.csv");
    fake.is_capturing = 0;
}

static void a_launch_without_counters_is_reported(void **state)
{
    (void)state;
    fake.ranges = 0;
    assert_int_equal(watch_program(counters), 0);
    fake.ranges = 1;
    has("problems.csv", "counters,0,CUPTI returned no counters for a launch\n");
    has_only("0,passes,2\n");
}

static void a_full_buffer_of_samples_is_reported(void **state)
{
    (void)state;
    fake.is_buffer_full = 1;
    assert_int_equal(watch_program(times), 0);
    fake.is_buffer_full = 0;
    has("problems.csv", "samples,,the hardware's buffer for samples was full\n");
}

static void a_damaged_plan_is_reported(void **state)
{
    (void)state;
    assert_int_equal(watch_program("mode\n"), 0);
    has("problems.csv", "launches,,plan.txt is damaged\n");
}

static int open_fake(void **state)
{
    return fake_open() || fixture_open(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_timed_and_sampled),
        cmocka_unit_test(launches_of_the_plan_are_profiled),
        cmocka_unit_test(passes_come_from_several_starts),
        cmocka_unit_test(a_launch_that_does_not_come_is_made_up_for),
        cmocka_unit_test(passes_that_were_damaged_are_not_used),
        cmocka_unit_test(passes_of_other_counters_are_not_used),
        cmocka_unit_test(passes_that_cannot_be_kept_are_reported),
        cmocka_unit_test(a_cupti_with_other_passes_is_named),
        cmocka_unit_test(contexts_take_turns),
        cmocka_unit_test(kernels_of_other_processes_are_not_waited_for),
        cmocka_unit_test(kernels_in_turn_have_all_passes),
        cmocka_unit_test(a_launch_is_profiled_in_vain_to_move_on),
        cmocka_unit_test(each_kernel_has_passes_of_its_own),
        cmocka_unit_test(instructions_of_one_launch_are_counted),
        cmocka_unit_test(every_failure_has_a_reason),
        cmocka_unit_test(a_process_has_the_number_of_its_like),
        cmocka_unit_test(another_profiler_is_named),
        cmocka_unit_test(an_old_driver_is_named),
        cmocka_unit_test(dropped_records_are_reported),
        cmocka_unit_test(a_record_without_a_duration_is_no_time),
        cmocka_unit_test(a_launch_that_was_not_seen_is_reported),
        cmocka_unit_test(kernels_can_be_timed_alone),
        cmocka_unit_test(a_kernel_that_runs_on_is_not_waited_for),
        cmocka_unit_test(an_exit_that_waits_for_it_is_cut_short),
        cmocka_unit_test(nothing_is_profiled_during_a_capture),
        cmocka_unit_test(a_launch_without_counters_is_reported),
        cmocka_unit_test(a_full_buffer_of_samples_is_reported),
        cmocka_unit_test(a_damaged_plan_is_reported),
    };
    return cmocka_run_group_tests(tests, open_fake, fixture_close);
}

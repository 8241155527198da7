#include "injected/watched_program.h"

static const char values[] =
    "\n0,passes,2\n0,first.sum,10.5\n0,second.sum,11.5\n0,third.sum,12.5\n";

FAKE_TEST(launches_of_the_plan_are_profiled)
{
    watches(counters);
    has("counters.csv", values);
    assert_false(exists("images/0")); /* which only later starts would need */
}

#define OTHER_KERNEL "kernel\t1\t%d\t_Z3addPf\t0\t1\t1\t1\t256\t1\t1\t0\t\n"
#define REPLAY COUNTERS "replays\t1\ntake\t0\t1\t1\n"

/* All passes come of one launch, and nothing is kept for another start. */
FAKE_TEST(a_launch_is_replayed_in_all_passes)
{
    char both[512];
    watches(REPLAY);
    has_only(values + 1);
    assert_false(exists("images/0"));
    fake.has_other_kernel = 1;
    snprintf(both, sizeof both, COUNTERS OTHER_KERNEL "replays\t1\ntake\t0\t1\t1\ntake\t1\t0\t0\n",
             0);
    watches(both);
    has("counters.csv", values);
    has("counters.csv", "1,passes,2\n1,first.sum,10.5\n1,second.sum,11.5\n1,third.sum,12.5\n");
}

FAKE_TEST(what_cannot_be_replayed_is_told)
{
    fake.is_cooperative = 1;
    tells(REPLAY, "counters,0,a cooperative launch is not replayed\n");
    is_missing("counters.csv");
    watches(counters);
    has("counters.csv", values);
    fake.is_cooperative = 0;
    fake.lacks_a_pass = 1;
    tells(REPLAY, "counters,0,CUPTI did not replay the launch in all passes\n");
    is_missing("counters.csv");
    fake.lacks_a_pass = 0;
    fake.failing = "cuptiRangeProfilerDecodeData";
    fake.error = CUPTI_ERROR_UNKNOWN;
    tells(REPLAY, "cuptiRangeProfilerDecodeData");
    is_missing("counters.csv");
    fake.failing = "cuptiRangeProfilerSetConfig";
    tells(REPLAY, "cuptiRangeProfilerSetConfig");
    is_missing("counters.csv");
}

static const char one_launch[] = COUNTERS "take\t0\t0\t0\n";

/* One of two passes has come, which gives no values. */
static void has_one_pass(void)
{
    has_only("0,passes,1\n");
}

FAKE_TEST(passes_come_from_several_starts)
{
    watches(one_launch);
    has_one_pass();
    watches_again(one_launch);
    has("counters.csv", values);
}

FAKE_TEST(a_launch_that_does_not_come_is_made_up_for)
{
    watches(COUNTERS "take\t0\t2\t7\n");
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
    has("counters.csv", values);
}

FAKE_TEST(passes_that_were_damaged_are_not_used)
{
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

FAKE_TEST(passes_of_other_counters_are_not_used)
{
    assert_int_equal(watch_program(one_launch), 0);
    WORKS(watch_again("mode\tcounters\npasses\t2\nmetrics\tother.sum\n" KERNEL "take\t0\t0\t0\n"));
    has("problems.csv", "counters,0,the passes of earlier starts are damaged\n");
    has_one_pass();
}

FAKE_TEST(passes_that_cannot_be_kept_are_reported)
{
    directory_remove(place("images"));
    assert_int_equal(watch_again(one_launch), 0);
    has("problems.csv", "counters,0,the passes cannot be kept for the next start\n");
    is_missing("counters.csv");
    assert_int_equal(watch_again(counters), 0); /* all passes are here */
    is_missing("problems.csv");
    has("counters.csv", values);
}

FAKE_TEST(a_cupti_with_other_passes_is_named)
{
    fake.passes = 3;
    tells(counters, "counters,,the program's CUPTI divides the counters into other passes");
    is_missing("counters.csv");
}

/* One of two contexts holds the counters, and the other one does in the next start. */
FAKE_TEST(contexts_take_turns)
{
    fake.has_other_context = 1;
    watches(counters);
    has_one_pass();
    watches_again(COUNTERS "take\t0\t1\t2\n");
    has("counters.csv", values);
}

FAKE_TEST(kernels_of_other_processes_are_not_waited_for)
{
    char plan[512];
    fake.launches = 5;
    for (int is_other = 0; is_other < 2; is_other++) {
        snprintf(plan, sizeof plan, COUNTERS OTHER_KERNEL "take\t1\t0\t0\ntake\t0\t0\t4\n",
                 is_other);
        watches(plan);
        has("counters.csv", values);
    }
}

/* The passes come in turn: the first kernel has the first of two, and the other one the second.
 * Then the first kernel has the second. Few images are in memory. */
FAKE_TEST(each_kernel_has_passes_of_its_own)
{
    char plan[512], rest[512];
    fake.has_other_kernel = 1;
    snprintf(plan, sizeof plan, COUNTERS OTHER_KERNEL "take\t0\t0\t2\ntake\t1\t0\t0\n", 0);
    snprintf(rest, sizeof rest, COUNTERS OTHER_KERNEL "take\t1\t0\t0\n", 0);
    for (int most = 0; most < 2; most++) {
        watch.most_images = most;
        watches(plan);
        has("counters.csv", values);
        has("counters.csv", "\n1,passes,1\n");
        watches_again(rest);
        has_only("1,passes,2\n1,first.sum,10.5\n1,second.sum,11.5\n1,third.sum,12.5\n");
    }
    watch.most_images = 24;
    fake.passes = 1;
    WORKS(watch_program("mode\tcounters\npasses\t1\nmetrics\tfirst.sum\n" KERNEL
                        "kernel\t1\t0\t_Z3addPf\t0\t1\t1\t1\t256\t1\t1\t0\t\n"
                        "take\t0\t0\t0\ntake\t1\t0\t0\n"));
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
FAKE_TEST(kernels_in_turn_have_all_passes)
{
    fake.passes = 9;
    fake.kernels = 3;
    fake.launches = 33;
    watches(NINE_PASSES PLAN_OF("0", "132") PLAN_OF("1", "1") PLAN_OF("2", "2"));
    has("counters.csv", NINE_VALUES("0"));
    has("counters.csv", NINE_VALUES("1"));
    has("counters.csv", NINE_VALUES("2"));
}

#define FOUR_PASSES "mode\tcounters\npasses\t4\nmetrics\ta\tb\tc\td\n" KERNEL "take\t0\t0\t99\n"

/* The first kernel has the first and the third of four passes, the other one has the second. In the
 * next start only the first kernel is launched, and has the second pass; of the third, which comes
 * next, only the other one has use, if it is planned. So it is waited for. */
FAKE_TEST(a_launch_is_profiled_in_vain_to_move_on)
{
    static const char ends[] = "\n0,passes,4\n0,a,10.5\n0,b,11.5\n0,c,12.5\n0,d,13.5\n";
    char both[512];
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
            watches_again(is_planned ? both : FOUR_PASSES);
            has("counters.csv", lacks_one ? "\n0,passes,3\n" : ends);
        }
}

/* To wait for the GPU would spoil the graph. */
FAKE_TEST(nothing_is_profiled_during_a_capture)
{
    fake.is_capturing = 1;
    assert_int_equal(watch_program(counters), 0);
    has_one_pass();
    has("problems.csv", "counters,0,the program recorded a CUDA graph in another stream");
    tells(counts, "counts,0,the program recorded a CUDA graph in another stream");
    is_missing("counts.csv");
}

FAKE_TEST(a_launch_without_counters_is_reported)
{
    fake.ranges = 0;
    tells(counters, "counters,0,CUPTI returned no counters for a launch\n");
    has_only("0,passes,2\n");
}

RUN_TESTS(open_fake, fixture_close)

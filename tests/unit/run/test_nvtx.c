/*
 * Tests the announcements to a tool, word for word: the recorder of tests/nvtx is linked into this
 * test and writes them down.
 */
#include "fixture.h"

#include <math.h>

#include "run/nvtx.h"
#include "measure/gpu_timer.h"

static double useful_bytes(const struct shape *shape)
{
    return 4.0 * (double)shape->dim[0];
}

static void host(const struct work *work)
{
}

static const struct family family = {.name = "reduce", .rank = 1, .useful_bytes = useful_bytes};
static const struct variant rung = {.family = "reduce", .name = "03_sequential"},
                            cpu = {.family = "reduce", .name = "91_cpu", .host = host};
static const struct selected selected = {&family, &rung, {{1, {4194304}}, 256, 0, 0}};
static const struct launch launch = {
    .grid = {64, 2, 1}, .block = {32, 8, 1}, .dynamic_shared = 1024};

/* Returns the lines that were written since the last call, without the process number. */
static const char *announced(void)
{
    static char *text;
    static size_t seen;
    struct text lines = {0};
    size_t length = 0;
    char *all = text_read_file(place("events"), &length);
    assert_non_null(all);
    for (const char *line = all + seen; *line; line = strchr(line, '\n') + 1) {
        const char *event = strchr(line, '\t') + 1;
        text_append_bytes(&lines, event, (size_t)(strchr(event, '\n') + 1 - event));
    }
    seen = length;
    free(all);
    free(text);
    text = lines.data;
    return text ? text : "";
}

static int start(void **state)
{
    const int result = fixture_open(state);
    setenv("NVTX_RECORDER", place("events"), 1);
    unsetenv("NVTX_INJECTION64_PATH"); /* a tool from outside would replace it */
    return result;
}

TEST(ranges_nest_and_name_what_they_are_about)
{
    assert_true(nvtx_listening());
    nvtx_run("measure");
    nvtx_stage("measure", NULL, NULL);
    nvtx_stage("measure", &family, &selected.point.shape);
    nvtx_variant(&selected, 7, 1);
    nvtx_launch(&rung, 0, &launch);
    for (int i = 0; i < 5; i++) nvtx_end();
    assert_string_equal(
        announced(), "push\t0\twhyfast\trun\t-\twhyfast measure\t-\n"
                     "push\t1\twhyfast\trun/measure\t-\tmeasure\t-\n"
                     "push\t2\twhyfast\treduce/measure\t-\treduce 4194304\tsize: n=4194304\n"
                     "push\t3\twhyfast\treduce/measure\tff009e73\treduce/03_sequential\t"
                     "variant: n=4194304 rung=3 block=256 useful_bytes=16777216 sample=7 cold=1\n"
                     "push\t4\twhyfast\treduce/measure\tff009e73\tlaunch 0\tlaunch: launch=0 "
                     "grid_blocks=128 block_threads=256 dynamic_shared_bytes=1024\n"
                     "pop\t4\twhyfast\t-\t-\tlaunch 0\t-\n"
                     "pop\t3\twhyfast\t-\t-\treduce/03_sequential\t-\n"
                     "pop\t2\twhyfast\t-\t-\treduce 4194304\t-\n"
                     "pop\t1\twhyfast\t-\t-\tmeasure\t-\n"
                     "pop\t0\twhyfast\t-\t-\twhyfast measure\t-\n");
}

/* Unknown values are not in the payload, so they are not in its schema. */
TEST(what_is_not_known_is_left_out)
{
    const struct selected product = {NULL, &cpu, {{3, {16, 32, 64}}, 0, 4, 0}};
    nvtx_stage("collect", NULL, NULL);
    nvtx_variant(&product, -1, 0);
    nvtx_launch(&cpu, 1, NULL);
    nvtx_end();
    nvtx_end();
    nvtx_end();
    assert_string_equal(announced(),
                        "push\t0\twhyfast\trun/collect\t-\tcollect\t-\n"
                        "push\t1\twhyfast\treduce/collect\tffcccccc\treduce/91_cpu\tvariant: m=16 "
                        "n=32 k=64 rung=91 sweep=4\n"
                        "push\t2\twhyfast\treduce/collect\tffcccccc\tlaunch 1\tlaunch: launch=1\n"
                        "pop\t2\twhyfast\t-\t-\tlaunch 1\t-\n"
                        "pop\t1\twhyfast\t-\t-\treduce/91_cpu\t-\n"
                        "pop\t0\twhyfast\t-\t-\tcollect\t-\n");
}

TEST(marks_stand_in_the_stage_around_them)
{
    const struct nvtx_point point = nvtx_point(&selected);
    nvtx_stage("measure", NULL, NULL);
    nvtx_result(&point, &(struct nvtx_result){1500.5, 11181.084, NAN, NAN});
    nvtx_result(&point, &(struct nvtx_result){NAN, NAN, NAN, 288});
    nvtx_throttled(&selected, 3, 0, 2000, 1410);
    nvtx_trouble("skipped", &rung, "the device has no\nclusters");
    nvtx_trouble("counters refused", NULL, "ERR_NVGPUCTRPERM");
    nvtx_end();
    nvtx_trouble("wrong result", &cpu, "element 0 is 1; expected 2");
    const char *said = announced();
    holds(said, "mark\t1\twhyfast\treduce/measure\tff009e73\tresult reduce/03_sequential\t"
                "result: n=4194304 rung=3 block=256 useful_bytes=16777216 time_ns=1500.5 "
                "effective_gbs=11181.084\n");
    holds(said, "\tresult reduce/03_sequential\tresult: n=4194304 rung=3 "
                "block=256 useful_bytes=16777216 bank_conflicts_hw=288\n");
    holds(said, "mark\t1\twhyfast\treduce/measure\tff009e73\tthrottled reduce/03_sequential\t"
                "throttled: n=4194304 rung=3 block=256 useful_bytes=16777216 sample=3 cold=0 "
                "time_ns=2000 sm_clock_mhz=1410\n");
    holds(said, "mark\t1\twhyfast\treduce/measure\tff009e73\tskipped "
                "reduce/03_sequential: the device has no clusters\t-\n");
    holds(said, "mark\t1\twhyfast\trun/measure\t-\tcounters refused: ERR_NVGPUCTRPERM\t-\n");
    holds(said, "mark\t0\twhyfast\treduce\tffcccccc\twrong result reduce/91_cpu: "
                "element 0 is 1; expected 2\t-\n");
}

TEST(counters_have_units_and_batches_their_own_times)
{
    const uint64_t time_ns[] = {1700000000000000000u, 1700000000000002000u};
    const double value[] = {0, 4800.25};
    nvtx_sample(1234.5, 1980);
    nvtx_sample(99, NAN);
    assert_int_equal(nvtx_counter_batch("dram_read", "GB/s", "reduce", time_ns, value, 2), 0);
    assert_int_equal(nvtx_counter_batch("dram_read", "GB/s", "reduce", time_ns, value, 0), 0);
    assert_string_equal(announced(),
                        "sample\t0\twhyfast\t-\t-\tsample time [ns]\t1234.5\n"
                        "sample\t0\twhyfast\t-\t-\tSM clock [MHz]\t1980\n"
                        "sample\t0\twhyfast\t-\t-\tsample time [ns]\t99\n"
                        /* 12 is CLOCK_REALTIME */
                        "batch\t0\twhyfast\t-\t-\treduce/dram_read [GB/s]\t"
                        "clock 12: 1700000000000000000=0 1700000000000002000=4800.25\n");
}

/* Only samples that are kept are numbered, not those that warm up; each is followed by its time. */
TEST(samples_of_the_cpu_are_announced)
{
    static struct sample a_sample[4], b_sample[4];
    static const struct selected on_cpu = {&family, &cpu, {{1, {64}}, 0, 0, 0}};
    const struct device device = {0};
    const struct workbench bench = {.device = &device, .family = &family};
    struct series a = {.selected = &on_cpu, .l2 = L2_WARM, .capacity = 4, .sample = a_sample};
    struct series b = {.selected = &on_cpu, .l2 = L2_WARM, .capacity = 4, .sample = b_sample};
    int pushed = 0, popped = 0, timed = 0;
    assert_int_equal(timer_cpu_samples(&bench, &a, &b, 1e9), 0);
    const char *said = announced();
    assert_ptr_equal(said, strstr(said, "push\t0\twhyfast\treduce\tffcccccc\treduce/"
                                        "91_cpu\tvariant: n=64 rung=91 useful_bytes=256\npop\t"));
    for (const char *p = said;
         (p = strstr(p, " cold=0\nsample\t1\twhyfast\t-\t-\tsample time [ns]\t")); p++)
        timed++;
    for (const char *p = said; (p = strstr(p, "push\t0\t")); p++) pushed++;
    for (const char *p = said; (p = strstr(p, "pop\t0\t")); p++) popped++;
    assert_int_equal(timed, 8);
    assert_int_equal(pushed, 9);
    assert_int_equal(popped, 9);
    holds(said, " sample=3 cold=0\n");
}

RUN_TESTS(start, fixture_close)

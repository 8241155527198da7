#include "fixture.h"

#include "fleet/merge_runs.h"
#include "run/merged_run.h"

#define OF_F "f,01_a,1024,128,0"

/* Makes a run of the device with this UUID, and further facts. */
static void make(const char *name, const char *uuid, const char *facts)
{
    OWNED_BY(text_free) struct text text = {0};
    char file[128];
    make_run(name);
    text_format(&text, "%sgit_revision: abc\nseed: 20\ndevice_uuid: %s\n%s", run_facts, uuid,
                facts);
    snprintf(file, sizeof file, "%s/run.txt", name);
    write_text(file, text_string(&text));
}

/* Merges two runs of the scratch directory, or one if `second` is NULL. */
static int merge(const char *first, const char *second, const char *output)
{
    char path[3][512];
    snprintf(path[0], sizeof path[0], "%s", place(first));
    snprintf(path[1], sizeof path[1], "%s", second ? place(second) : "");
    snprintf(path[2], sizeof path[2], "%s", place(output));
    const char *const paths[] = {path[0], path[1]};
    return merge_runs(
        &(struct merge_options){.path = paths, .count = second ? 2 : 1, .output = path[2]});
}

/* Expects that the runs are refused with these words, and that nothing is left. */
static void refused(const char *first, const char *second, enum failure failure, const char *words)
{
    FAILS(merge(first, second, "refused"), failure, words);
    assert_false(exists("refused*"));
}

TEST(devices_stay_apart)
{
    struct merged_run merged;
    make("a", "aaaa-1", "host: north\n");
    make("b", "bbbb-2", "device_power_limit_w: 600\n");
    write_table("a", TABLE_POINTS, OF_F ",ok\n");
    write_table("b", TABLE_POINTS, OF_F ",failed\n");
    SUCCEEDS(merge("a", "b", "two"), "2 devices");
    cells_are("two/devices/0/points.csv", "f", "status=ok");
    cells_are("two/devices/1/points.csv", "f", "status=failed");
    cells_are("two/devices.csv", "0", "host=north");
    assert_string_equal(cell("two/devices.csv", "1", "host"), "absent: not recorded in this run");
    cells_are("two/devices.csv", "1", "power_limit_w=600 label=test-gpu-1");
    assert_true(merged_run_is_at(place("two")));
    assert_false(merged_run_is_at(place("a")));
    assert_int_equal(merged_run_open(&merged, place("two")), 0);
    assert_int_equal(merged.count, 2);
    assert_int_equal(merged_run_find(&merged, "1"), 1);
    assert_int_equal(merged_run_find(&merged, "TEST-GPU-0"), 0);
    assert_int_equal(merged_run_find(&merged, "bbbb"), 1);
    assert_int_equal(merged_run_find(&merged, "GPU-aaaa-1"), 0);
    FAILS(merged_run_find(&merged, "2"), FAIL_USAGE, "its devices are 0 (test-gpu-0, Test GPU), 1");
    FAILS(merged_run_find(&merged, "b"), FAIL_USAGE, "has no device 'b'");
    merged_run_close(&merged);
    /* A merged run can be merged again. */
    make("c", "cccc-3", "");
    SUCCEEDS(merge("two", "c", "three"), "3 devices");
    cells_are("three/devices.csv", "2", "uuid=cccc-3");
}

/* A run of the first half, and one of the second, which was measured a second later. */
static void make_halves(void)
{
    make("half1", "aaaa", "date2: x\nepoch_ns: 1000\nselection: first\ncounters: absent: none\n");
    make("half2", "aaaa",
         "date2: x\nepoch_ns: 1000001000\nselection: second\ncounters: collected\n");
    write_table("half1", TABLE_POINTS, "f,01_a,1024,128,0,ok\nf,02_b,1024,128,0,ok\n");
    write_table("half2", TABLE_POINTS, "f,02_b,1024,128,0,ok\nf,03_c,1024,128,0,ok\n");
    write_table("half1", TABLE_SOURCES, "0,one.cu,1,ok\n1,both.cu,2,ok\n");
    write_table("half2", TABLE_SOURCES, "0,both.cu,2,ok\n5,two.cu,3,ok\n");
    write_table("half1", TABLE_SOURCE_FILES, "0,text one\n");
    write_table("half2", TABLE_SOURCE_FILES, "5,text two\n");
    write_table("half1", TABLE_KERNELS, "0,f,01_a,1024,128,0,0,sym,a,ok,ok,1,1,1,0,0,ok,ok\n");
    write_table("half2", TABLE_KERNELS, "0,f,03_c,1024,128,0,0,sym,c,ok,ok,1,1,1,0,0,ok,ok\n");
    write_table("half1", TABLE_LINES, "0,16,1,7,0:3\n");
    write_table("half2", TABLE_LINES, "0,16,0,8,5:3 0:4\n0,32\n");
    write_table("half1", TABLE_STAGES, "measure,f,1024,5,6\n");
    write_table("half2", TABLE_STAGES, "measure,f,1024,5,6\n");
    write_table("half1", TABLE_CEILINGS, "read_gbs,T,GB/s,100,99,101,5,1000,ok\n");
    write_table("half2", TABLE_CEILINGS, "read_gbs,T,GB/s,104,103,105,5,1000,ok\n");
}

static const char *body(const char *file)
{
    return strchr(read_text(file), '\n') + 1;
}

TEST(parts_of_one_device_become_one)
{
    struct merged_run merged;
    make_halves();
    SUCCEEDS(merge("half2", "half1", "whole"), "1 device in");
    holds(body("whole/devices/0/points.csv"), "f,01_a,");
    holds(body("whole/devices/0/points.csv"), "f,03_c,");
    lacks(strstr(body("whole/devices/0/points.csv"), "f,02_b,") + 1, "f,02_b,");
    assert_string_equal(body("whole/devices/0/sources.csv"),
                        "0,both.cu,2,ok\n1,two.cu,3,ok\n2,one.cu,1,ok\n");
    assert_string_equal(body("whole/devices/0/source_files.csv"), "1,text two\n2,text one\n");
    cells_are("whole/devices/0/kernels.csv", "1", "variant=01_a");
    assert_string_equal(cell("whole/devices/0/lines.csv", "0,16", "inlined_at"), "1:3 0:4");
    cells_are("whole/devices/0/lines.csv", "0,16", "source=0");
    cells_are("whole/devices/0/lines.csv", "0,32", "source=");
    cells_are("whole/devices/0/lines.csv", "1,16", "inlined_at=2:3 source=0");
    assert_string_equal(body("whole/devices/0/stages.csv"),
                        "measure,f,1024,1000000005,1000000006\nmeasure,f,1024,5,6\n");
    cells_are("whole/devices/0/ceilings.csv", "read_gbs", "value=104");
    cells_are("whole/devices.csv", "0", "runs=2");
    assert_int_equal(merged_run_open(&merged, place("whole")), 0);
    merged_run_close(&merged);
    const char *facts = read_text("whole/devices/0/run.txt");
    holds(facts, "\nselection: second; first\n");
    holds(facts, "\ncounters: collected\n");
    holds(facts, "\nmerged_runs: 2\n");
}

/* Kernels are numbered anew, and so are the references to their code. */
TEST(merged_kernels_refer_to_code)
{
#define COUNTS ",1,32,32,,,,,,,,,,,"
    make_halves();
    write_table("half1", TABLE_KERNELS,
                "4,f,01_a,1024,128,0,0,sym,a,ok,ok,1,1,1,0,0,ok,ok\n"
                "5,f,01_a,2048,128,0,0,sym,a,ok,ok,1,1,1,0,0,ok,ok\n");
    write_table("half2", TABLE_KERNELS,
                "3,f,03_c,1024,128,0,0,sym,c,ok,ok,1,1,1,0,0,ok,ok\n"
                "8,f,03_c,2048,128,0,0,sym,c,ok,ok,1,1,1,0,0,ok,ok\n");
    write_table("half1", TABLE_LINES,
                "4,16,1,7,,EXIT" COUNTS "\n5,16,,,," COUNTS "4\n5,32,0,2,,NOP" COUNTS "\n");
    write_table("half2", TABLE_LINES,
                "3,16,0,7,,EXIT" COUNTS "\n3,32,5,2,,NOP" COUNTS "\n8,16,,,," COUNTS
                "3\n8,32,,,," COUNTS "3\n");
    SUCCEEDS(merge("half2", "half1", "references"), "1 device in");
    assert_string_equal(body("references/devices/0/lines.csv"),
                        "0,16,0,7,,EXIT" COUNTS "\n0,32,1,2,,NOP" COUNTS "\n1,16,,,," COUNTS
                        "0\n1,32,,,," COUNTS "0\n2,16,,,," COUNTS "0\n3,16,,,," COUNTS
                        "0\n3,32,2,2,,NOP" COUNTS "\n");
    write_table("half2", TABLE_LINES, "3,16,,,," COUNTS "8\n8,16,0,7,,EXIT" COUNTS "\n");
    refused("half1", "half2", FAIL_INPUT, "half2/lines.csv:2: column 'code_of': no row");
#undef COUNTS
}

/* Each contradiction is planted alone, and taken back. */
TEST(contradictions_are_refused)
{
    make_halves();
    write_table("half2", TABLE_POINTS, "f,02_b,1024,128,0,failed\n");
    refused("half1", "half2", FAIL_INPUT, "half2/points.csv:2: contradicts ");
    refused("half1", "half2", FAIL_INPUT,
            "the row f,02_b,1024,128,0 has status 'failed', not 'ok'");
    make_halves();
    write_table("half2", TABLE_SOURCES, "0,both.cu,9,ok\n5,two.cu,3,ok\n");
    refused("half1", "half2", FAIL_INPUT, "the row both.cu has hash '9', not '2'");
    make_halves();
    write_table("half2", TABLE_CEILINGS, "read_gbs,T,GB/s,110,109,111,5,1000,ok\n");
    refused("half1", "half2", FAIL_INPUT, "the row read_gbs has value '110', not '100'");
    make_halves();
    write_table("half2", TABLE_LINES, "0,16,3,8,\n");
    refused("half1", "half2", FAIL_INPUT,
            "half2/lines.csv:2: column 'source': there is no source 3");
    write_table("half2", TABLE_LINES, "0,16,0,8,3:1\n");
    refused("half1", "half2", FAIL_INPUT, "column 'inlined_at': there is no source 3:1");
    make_halves();
    write_table("half2", TABLE_POINTS, "f,03_c,1024,128,0,ok\nf,03_c,1024,128,0,ok\n");
    refused("half1", "half2", FAIL_INPUT, "half2/points.csv:3: the row of line 2 once more");
    make("half2", "aaaa", "driver: 2\n");
    make("half1", "aaaa", "driver: 1\n");
    refused("half1", "half2", FAIL_INPUT, "driver is '2', not '1'; such runs cannot be merged");
    make("half2", "aaaa", "own_families: x\n");
    make("half1", "bbbb", "own_families: y\n");
    refused("half1", "half2", FAIL_INPUT, "own_families is 'x', not 'y'");
}

TEST(other_machine_code_is_refused)
{
    static const char format[] = "f,01_a,1,t,,,,,,,,f.cu,%s,sm_%d,kernel\n";
    char row[2][80];
    for (int second = 90; second <= 100; second += 10) {
        make("a", "aaaa", "");
        make("b", "bbbb", "");
        snprintf(row[0], sizeof row[0], format, "11", 90);
        snprintf(row[1], sizeof row[1], format, "22", second);
        write_table("a", TABLE_VARIANTS, row[0]);
        write_table("b", TABLE_VARIANTS, row[1]);
        if (second == 90)
            refused("a", "b", FAIL_INPUT,
                    "the machine code of f/01_a for sm_90 has the hash 22, not 11");
        else
            SUCCEEDS(merge("a", "b", "two architectures"), "2 devices");
    }
}

TEST(hostile_inputs_are_refused)
{
    make("a", "aaaa", "");
    make("b", "bbbb", "");
    make_directory("nothing");
    refused("a", "nothing", FAIL_INPUT, "nothing has no run.txt; expected a run directory");
    refused("a", "a", FAIL_USAGE, "the same run twice");
    char target[512];
    snprintf(target, sizeof target, "%s", place("a"));
    assert_int_equal(symlink(target, place("link")), 0);
    refused("a", "link", FAIL_USAGE, "the same run twice");
    make("copy", "aaaa", "");
    refused("a", "copy", FAIL_INPUT, "copy: is a copy of ");
    write_text("b/points.csv", "family,variant\nf,01");
    refused("a", "b", FAIL_INPUT, "b/points.csv: the last line is not complete");
    write_text("b/families.csv", "family,title,problem,useful_bytes_text\nf,\"t\n");
    refused("a", "b", FAIL_INPUT, "b/families.csv:2");
    assert_int_equal(symlink("loop.csv", place("b/loop.csv")), 0);
    refused("a", "b", FAIL_INPUT, "b/loop.csv: is a symbolic link");
    assert_int_equal(unlink(place("b/loop.csv")), 0);
    make("c", "cccc", "");
    SUCCEEDS(merge("a", "c", "good"), "2 devices");
    FAILS(merge("a", "c", "good"), FAIL_OUTPUT, "good: exists");
    FAILS(merge("good", NULL, "good/devices/2"), FAIL_USAGE, "lies inside of the run");
    FAILS(merge("a", "c", "a/out/"), FAIL_USAGE, "a/out/: lies inside of the run");
    FAILS(merge("a", "c", "no/where"), FAIL_OUTPUT, "no/where: cannot write");
    assert_false(exists("a/out*"));
    /* Damaged merged runs. */
    snprintf(target, sizeof target, "%s", place("good/devices/1"));
    assert_int_equal(directory_remove(target), 0);
    refused("good", NULL, FAIL_INPUT, "good/devices/1: No such file");
    assert_int_equal(symlink("..", target), 0);
    refused("good", NULL, FAIL_INPUT, "good/devices/1: is not a directory");
    write_text("good/run.txt", "whyfast run 1\nstatus: complete\nmerged_devices: 1\n");
    refused("good", NULL, FAIL_INPUT, "good/devices/1: is not a directory");
    assert_int_equal(unlink(target), 0);
    make_directory("good/devices/1");
    refused("good", NULL, FAIL_INPUT, "counts 1");
    struct run run;
    FAILS(run_open(&run, place("good")), FAIL_INPUT, "is a merged run; name one of its devices");
    struct merged_run merged;
    FAILS(merged_run_open(&merged, place("a")), FAIL_INPUT, "is a run of one device");
}

/* What an interrupted run has finished, and the rest of it from another run. */
TEST(interrupted_runs_are_completed)
{
    make("rest", "aaaa", "epoch_ns: 5\n");
    write_table("rest", TABLE_POINTS, "f,02_b,1024,128,0,ok\n");
    make("cut.part", "aaaa", "epoch_ns: 1\n");
    write_table("cut.part", TABLE_POINTS, "f,01_a,1024,128,0,ok\n");
    const size_t length = strlen(read_text("cut.part/points.csv"));
    OWNED char *points = strdup(read_text("cut.part/points.csv"));
    OWNED_BY(text_free) struct text text = {0};
    text_format(&text, "%sf,02_b,1024,128,0,fai", points);
    write_text("cut.part/points.csv", text_string(&text));
    text.length = 0;
    text_format(&text, "ready describe\ndone measure f\n  points %zu\nfacts\n", length);
    const char *facts = strchr(read_text("cut.part/run.txt"), '\n') + 1;
    text_append(&text, facts);
    write_text("cut.part/journal.txt", text_string(&text));
    write_text("cut.part/run.txt", "whyfast run 1\nstatus: unfinished\n");
    SUCCEEDS(merge("cut.part", "rest", "mended"), "cut.part: this run was interrupted");
    cells_are("mended/devices/0/points.csv", "f,02_b", "status=ok");
    cells_are("mended/devices/0/points.csv", "f,01_a", "status=ok");
    holds(read_text("mended/devices/0/run.txt"), "\ninterrupted_runs: 1\n");
    holds(read_text("mended/devices/0/run.txt"), "\nstatus: complete\n");
    SUCCEEDS(merge("cut.part", NULL, "part alone"), "1 device in");
    assert_true(exists("part alone/devices/0/counters.csv"));
    assert_string_equal(body("part alone/devices/0/counters.csv"), "");
    write_text("cut.part/journal.txt", "facts\n");
    refused("rest", "cut.part", FAIL_INPUT, "nothing of this run was finished");
}

TEST(serials_are_withheld)
{
    char path[2][512], output[512];
    const char *const paths[] = {path[0], path[1]};
    make("a", "aaaa", "host: north\n");
    make("b", "bbbb", "host: south\n");
    snprintf(path[0], sizeof path[0], "%s", place("a"));
    snprintf(path[1], sizeof path[1], "%s", place("b"));
    snprintf(output, sizeof output, "%s", place("nameless"));
    SUCCEEDS(merge_runs(&(struct merge_options){paths, 2, output, 1}), "2 devices");
    cells_are("nameless/devices.csv", "1", "uuid=withheld host=withheld");
    lacks(read_text("nameless/devices/0/run.txt"), "aaaa");
    lacks(read_text("nameless/devices/0/run.txt"), "north");
    /* Devices without names are never the same. */
    write_text("nameless/devices/0/run.txt",
               "whyfast run 1\nstatus: complete\ndevice_uuid: withheld\nx: 1\n");
    SUCCEEDS(merge("nameless", NULL, "again"), "2 devices");
}

RUN_TESTS(fixture_open, fixture_close)

/* Tests the stage that runs probes, with a script in place of the program: which probes it starts,
 * and how it uses their answers. */
#include "fixture.h"

#include "collect/collect_counters.h"
#include "machine_code/probe_tables.h"
#include "measure/measure_run.h"
#include "run/table_rows.h"

/* Makes a program that answers as probes do and notes how it was called. `counts` is its answer to
 * "probe counts". */
static const char *make_program(const char *samples, const char *counts)
{
    struct text script = {0};
    write_text("samples", samples);
    text_format(&script,
                "#!/bin/sh\ncd '%s'\necho \"$@\" >>called\ncase $2 in\nsamples) cat samples "
                ";;\ncounts) %s ;;\nesac\n",
                scratch, counts);
    write_text("program", text_string(&script));
    text_free(&script);
    assert_int_equal(chmod(place("program"), 0700), 0);
    unlink(place("called"));
    static char path[512];
    snprintf(path, sizeof path, "%s", place("program"));
    return path;
}

#define SAMPLES                                                                                    \
    "family,variant,size,block,sweep,device,launch,symbol,name,pc,reason,samples,not_issued,"      \
    "status\n"
#define COUNTS                                                                                     \
    "symbol,pc,executed,threads,threads_on,branches_uniform,branches_divergent,shared_wavefronts," \
    "shared_ideal,global_sectors,global_ideal,local_sectors\n"
#define TOTALS(key)                                                                                \
    key ",,launches,2,,ok\n" key ",,period,256,,ok\n" key ",,total,20,,ok\n" key                   \
        ",,dropped,1,,ok\n" key ",,elsewhere,4,,ok\n"

static void make_points(void)
{
    message_level_set(MESSAGE_NORMAL);
    setenv("WHYFAST_DATA", root(), 1);
    make_run("from");
    write_table("from", TABLE_FAMILIES, "f,F,p,b,bytes,8\ng,G,p,b,bytes,\n");
    write_variants(
        "from",
        "f,01_x,1,X,,kernel\nf,02_y,2,Y,01_x,kernel\nf,91_c,91,C,,cpu\ng,01_z,1,Z,,kernel\n");
    write_table("from", TABLE_POINTS,
                "f,01_x,8,64,0,ok,,32\nf,02_y,8,64,1,ok,,32\nf,02_y,8,64,2,ok,,32\nf,91_c,8,64,0,"
                "ok,,32\nf,01_x,16,64,0,ok,,64\nf,02_y,16,64,1,failed,,64\n"
                "g,01_z,5,0,0,ok,,20\ng,01_z,6,0,0,ok,,24\n");
    write_table("from", TABLE_SAMPLES,
                "f,01_x,8,64,0,cold,end_to_end,a,0,5,1000,ok\nf,02_y,8,64,1,cold,end_to_end,a,0,9,"
                "1000,ok\nf,02_y,8,64,2,cold,end_to_end,a,0,3,1000,ok\n"
                "f,02_y,8,64,1,warm,end_to_end,a,0,1,1000,ok\n");
}

static char fact[256]; /* what the last run of the stage says of itself */

/* Runs the stage on a run that continues the hand-made one. */
static int go(const char *program)
{
    make_points();
    struct run from, run;
    char path[512];
    snprintf(path, sizeof path, "%s", place("from"));
    assert_int_equal(run_open(&from, path), 0);
    snprintf(path, sizeof path, "%s", place("to"));
    directory_remove(path);
    assert_int_equal(run_begin(&run, path, 0), 0);
    WORKS(run_copy_raw(&run, &from,
                       1u << TABLE_SOURCES | 1u << TABLE_SOURCE_FILES | 1u << TABLE_KERNELS |
                           1u << TABLE_LINES));
    int result = lines_run(&run, 7, 0, program);
    const char *said = run_fact(&run, "counters_lines");
    snprintf(fact, sizeof fact, "%s", said ? said : "");
    if (!result) result = run_commit(&run);
    run_close(&run);
    run_close(&from);
    return result;
}

/* Runs the stage with a program that answers so. */
static void probe(const char *samples, const char *counts)
{
    assert_int_equal(go(make_program(samples, counts)), 0);
}

#define SAMPLES_OF_SYM                                                                             \
    SAMPLES TOTALS("f,01_x,8,64,0,0,0,sym,name") "f,01_x,8,64,0,0,0,sym,name,16,wait,10,4,ok\n"    \
                                                 "f,01_x,8,64,0,0,0,sym,name,16,barrier,5,5,ok\n"  \
                                                 "f,01_x,8,64,0,0,0,sym,name,48,wait,1,0,ok\n"
#define COUNTS_OF_SYM "printf '" COUNTS "sym,0,8,256,256,,,,,,,\\nsym,16,8,256,128,,,32,8,,,\\n'"

TEST(every_size_is_sampled_in_the_fastest_setting)
{
    probe(SAMPLES_OF_SYM, COUNTS_OF_SYM);
    const char *called = read_text("called");
    holds(called, "probe samples --size 8 --seed 7 --block 64 f/01_x f/02_y@2\n");
    holds(called, "probe samples --size 16 --seed 7 --block 64 f/01_x\n");
    holds(called, "probe samples --size 5 --seed 7 g/01_z\n");
    holds(called, "probe samples --size 6 --seed 7 g/01_z\n");
    holds(called, "probe counts --size 8 --seed 7 --block 64 --launch 0 f/01_x\n");
    lacks(called, "91_c");
    /* The script says the same for all sizes: further kernels count as those of the same launch. */
    holds(fact, "4 kernels, 1 counted, 4 sampled");
}

TEST(counts_and_samples_meet_at_their_pc)
{
    probe(SAMPLES_OF_SYM, COUNTS_OF_SYM);
    cells_are("to/kernels.csv", "0",
              "samples_total=20 samples_dropped=1 samples_elsewhere=4 period_cycles=256 "
              "counts_status=ok");
    assert_memory_equal(cell("to/kernels.csv", "0", "lines_status"),
                        "absent: ", 8); /* this executable has no kernel "sym" */
    cells_are("to/lines.csv", "0,0", "executed=8 samples=0");
    cells_are("to/lines.csv", "0,0", "shared_wavefronts="); /* does not apply */
    cells_are("to/lines.csv", "0,16",
              "shared_wavefronts=32 shared_ideal=8 samples=15 not_issued=9");
    assert_string_equal(cell("to/lines.csv", "0,16", "stalls"), "wait=10/4 barrier=5/5");
    cells_are(
        "to/lines.csv", "0,48",
        "executed=0"); /* sampled, not counted: CUPTI has no record of a kernel that never ran */
    cells_are("to/lines.csv", "0,32", "pc=-");
}

TEST(what_a_probe_could_not_do_is_absent_with_its_words)
{
    probe(SAMPLES "f,01_x,8,64,0,0,0,sym,name,,absent,,,counters are held\n",
          "echo 'whyfast: first' >&2; echo 'whyfast: CUPTI is busy' >&2; exit 3");
    assert_string_equal(cell("to/kernels.csv", "0", "samples_status"), "absent: counters are held");
    assert_string_equal(cell("to/kernels.csv", "0", "counts_status"), "absent: CUPTI is busy");
    cells_are("to/kernels.csv", "0", "samples_total=");
    assert_string_equal(fact, "absent: CUPTI is busy");
}

TEST(a_probe_that_fails_beside_others_is_tried_alone)
{
    probe(SAMPLES TOTALS("f,01_x,8,64,0,0,0,sym,name") TOTALS("f,02_y,8,64,2,0,0,sym,name"),
          "all=$*; point=${all##*/}; [ -e tried-$point ] && printf '" COUNTS
          "sym,0,8,256,256,,,,,,,\\n' || { : >tried-$point; exit 3; }");
    const int alone =
        sysconf(_SC_NPROCESSORS_ONLN) < 4; /* if none runs beside it, failing is final */
    assert_string_equal(cell("to/kernels.csv", "1", "counts_status"),
                        alone ? "absent: the process ended with status 3" : "ok");
}

TEST(of_a_call_the_first_kernel_is_counted)
{
    probe(SAMPLES TOTALS("f,01_x,8,64,0,0,0,sym,name") TOTALS("f,01_x,8,64,0,0,0,second,name"),
          "printf '" COUNTS "sym,0,8,256,256,,,,,,,\\n'");
    cells_are("to/kernels.csv", "0", "counts_status=ok");
    assert_string_equal(cell("to/kernels.csv", "1", "counts_status"),
                        "absent: CUPTI counts the first kernel of a library's call only");
    cells_are("to/kernels.csv", "1", "samples_status=ok");
}

TEST(a_probe_that_cannot_sample_at_all_leaves_the_run_without_lines)
{
    const char *program = make_program("", "");
    write_text("program", "#!/bin/sh\necho 'whyfast: no GPU here' >&2\nexit 3\n");
    SUCCEEDS(go(program), "f: nothing is known of its instructions: no GPU here");
    assert_string_equal(fact, "absent: no kernel could be probed");
}

TEST(an_answer_that_is_none_is_refused)
{
    FAILS(go(make_program(SAMPLES "f,01_x\n", "exit 3")), FAIL_INPUT,
          "unexpected output of a probe");
    FAILS(go(make_program(SAMPLES TOTALS("f,01_x,8,64,0,0,0,sym,name"), "printf 'a\\nb\\n'")),
          FAIL_INPUT, "unexpected output of a probe");
}

static char *no_source(struct source_place from, const char *path, char hash[17], char status[])
{
    *hash = 0;
    strcpy(status, "absent: none");
    return NULL;
}

/* Kernel 1 has the code of kernel 0, of which the code of kernels 2 and 3 differs in one row. */
static void write_four_kernels(const char *path)
{
    static const char *const key[] = {"f", "01_x", "8", "64", "0", "0"};
    static const struct source_location inner[] = {{"a.cu", 7}, {"b.cu", 3}, {"a.cu", 9}};
    struct listing_instruction one[] = {{0, 3, inner, (char[]){"LDG R1, [R2]"}},
                                        {16, 0, NULL, (char[]){"EXIT"}},
                                        {32, 0, NULL, NULL}},
                               other[] = {one[0], {16, 1, inner, (char[]){"EXIT"}}, one[2]};
    struct listing listing[] = {{.count = 3, .instruction = one},
                                {.count = 3, .instruction = one},
                                {.count = 3, .instruction = other},
                                {.count = 3, .instruction = other}};
    OWNED_BY(probe_results_free) struct probe_results kernels = {0};
    OWNED_BY(run_close) struct run run;
    for (int i = 0; i < 4; i++) assert_non_null(probe_results_new(&kernels, key, "sym", "name"));
    assert_int_equal(run_begin(&run, path, 0), 0);
    assert_int_equal(probe_tables_write(&run, &kernels, listing, no_source, 0), 0);
    assert_int_equal(run_commit(&run), 0);
}

TEST(code_is_written_once_and_read_with_each_kernel)
{
    static const struct {
        const char *key, *code_of, *inlined_at, *sass;
    } rows[] = {{"0,0", "", "1:3 0:9", "LDG R1, [R2]"},
                {"0,16", "", "", "EXIT"},
                {"0,32", "", "", ""},
                {"1,0", "0", "", ""},
                {"1,16", "0", "", ""},
                {"1,32", "", "", ""},
                {"2,0", "0", "", ""},
                {"2,16", "", "", "EXIT"},
                {"2,32", "", "", ""},
                {"3,0", "0", "", ""},
                {"3,16", "2", "", ""},
                {"3,32", "", "", ""}};
    static const char *const read[] = {
        "0,7,1:3 0:9,LDG R1, [R2],", ",,,EXIT,",   ",,,,", /* of the first two kernels */
        "0,7,1:3 0:9,LDG R1, [R2],", "0,7,,EXIT,", ",,,,"};
    char path[512];
    OWNED_BY(run_close) struct run run;
    struct table_rows lines;
    setenv("WHYFAST_DATA", root(), 1);
    snprintf(path, sizeof path, "%s", place("code"));
    write_four_kernels(path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(cell("code/lines.csv", rows[i].key, "code_of"), rows[i].code_of);
        assert_string_equal(cell("code/lines.csv", rows[i].key, "inlined_at"), rows[i].inlined_at);
        assert_string_equal(cell("code/lines.csv", rows[i].key, "sass"), rows[i].sass);
    }
    assert_int_equal(run_open(&run, path), 0);
    assert_int_equal(table_rows_open(&lines, &run, TABLE_LINES), 0);
    for (int i = 0; i < 12; i++) {
        char joined[64];
        assert_int_equal(table_rows_next(&lines), 1);
        char *const *row = lines.reader.cell;
        snprintf(joined, sizeof joined, "%s,%s,%s,%s,%s", row[2], row[3], row[4], row[5],
                 row[lines.code_column]);
        assert_string_equal(joined, read[i / 6 * 3 + i % 3]);
    }
    assert_int_equal(table_rows_next(&lines), 0);
    table_rows_close(&lines);
}

/* How far a loop reads ahead is written with its kernel, or why that is not known. */
TEST(distances_stand_beside_the_kernel)
{
    static const char *const key[] = {"f", "01_x", "8", "64", "0", "0"};
    struct listing_instruction loop[] = {{.sass = (char[]){"LDS R1, [R2]"}},
                                         {.sass = (char[]){"FFMA R3, R3, R3, R3"}},
                                         {.sass = (char[]){"FADD R4, R1, R4"}},
                                         {.sass = (char[]){"@P0 BRA 0x0"}},
                                         {.sass = (char[]){"EXIT"}}},
                               none[5] = {{0}};
    struct listing listing[] = {
        {.count = 5, .instruction = loop, .sass_status = "ok"},
        {.count = 1, .instruction = loop, .sass_status = "ok"},
        {.count = 5, .instruction = none, .sass_status = "absent: no tool"}};
    struct probe_results kernels = {0};
    struct run run;
    char path[512];
    setenv("WHYFAST_DATA", root(), 1);
    snprintf(path, sizeof path, "%s", place("distances"));
    for (unsigned i = 0; i < 5; i++) loop[i].pc = none[i].pc = 16 * i;
    for (int i = 0; i < 3; i++) assert_non_null(probe_results_new(&kernels, key, "sym", "name"));
    assert_int_equal(run_begin(&run, path, 0), 0);
    assert_int_equal(probe_tables_write(&run, &kernels, listing, no_source, 0), 0);
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    probe_results_free(&kernels);
    cells_are("distances/kernels.csv", "0", "sass_read_distance=1 sass_copy_distance=");
    cells_are("distances/kernels.csv", "0", "distance_status=ok");
    cells_are("distances/kernels.csv", "1", "sass_read_distance=");
    assert_string_equal(cell("distances/kernels.csv", "1", "distance_status"),
                        "absent: no loop with arithmetic reads shared memory or waits for copies");
    assert_string_equal(cell("distances/kernels.csv", "2", "distance_status"), "absent: no tool");
}

RUN_TESTS(fixture_open, fixture_close)

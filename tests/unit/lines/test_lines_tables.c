/*
 * Tests the tables about lines: sums, sources, and damaged runs.
 */
#include "lines_load.h"

/* ---- sums ------------------------------------------------------------------------------------ */

TEST(stalls_are_a_table)
{
    load_lines(NULL);
    row_is("stalls", "count(*)=12");
    row_is("stalls WHERE kernel = 0 AND pc = 32 AND reason = 'mio_throttle'",
           "samples||'/'||not_issued=5.0/5.0");
    row_is("stalls WHERE kernel = 0", "sum(samples)=100");
}

TEST(instructions_are_charged_to_the_project)
{
    load_lines(NULL);
    /* An instruction inlined from a function of the project is charged to that function; one from a
     * toolkit header is charged to its caller. */
    finds("SELECT source || ':' || line || ' ' || depth FROM instructions "
          "WHERE kernel = 0 AND pc = 32",
          "1:3 0");
    finds("SELECT source || ':' || line || ' ' || depth FROM instructions "
          "WHERE kernel = 0 AND pc = 48",
          "1:3 1");
    row_is("instructions WHERE kernel = 0 AND pc = 48", "own_source||':'||own_line=2.0:99.0");
    line_is(1, 3, "instructions=2");
    row_is("line_sums WHERE kernel = 0", "count(*)=4");
    row_is("line_sums WHERE kernel = 0 AND source IS NULL AND line IS NULL AND path IS NULL",
           "instructions=1");
    /* If no place of the chain is in the project, the innermost is charged. */
    write_table("l", TABLE_LINES,
                "0,0,2,99,2:98 2:97,FMUL,1,32,32\n0,16,2,99,2:98 1:1 0:1,FMUL,1,32,32\n");
    SUCCEEDS(load(), "");
    finds("SELECT source || ':' || line || ' ' || depth FROM instructions WHERE pc = 0", "2:99 0");
    finds("SELECT source || ':' || line || ' ' || depth FROM instructions WHERE pc = 16", "1:1 2");
}

TEST(lines_have_sums_and_shares)
{
    load_lines(NULL);
    line_is(0, 7,
            "path=kernels/f/01_a.cu executed=200 lanes=32 excess=0 ways=1 global_excess=400 "
            "samples=60 sample_pct=60 reason=long_scoreboard");
    line_is(0, 7, "round(not_issued_pct,3)=63.492"); /* 40 of 63 */
    line_is(0, 7, "round(reason_pct,3)=66.667");     /* 40 of 60 */
    line_is(1, 3, "lanes=16 shared_wavefronts=200 excess=100 ways=2 pipe_pct=1");
    line_is(0, 9, "branches=100 branches_divergent=10");
    line_is(1, 3, "reason=short_scoreboard waiting_pct=25");
}

/* Absent values stay absent, also in sums; a value of 0 stays 0. */
TEST(what_is_absent_is_null)
{
    load_lines(NULL);
    line_is(0, 9, "excess= ways=");
    line_is(0, 7, "branches= local_sectors= cost=");
    row_is("line_sums WHERE kernel = 0 AND source IS NULL", "lanes= samples=0 reason=");
    row_is("line_sums WHERE kernel = 3", "sample_pct= waiting_pct=");
    kernel_is(2, "executed= instructions=");
}

/* A warp that issued did not wait. */
TEST(selected_is_no_reason)
{
    load_lines("0,0,0,7,,FADD,1,32,32,,,,,,,,100,5,selected=90/0 wait=5/5 "
               "barrier=5/0\n0,16,0,9,,FADD,1,32,32,,,,,,,,4,0,selected=4/0\n");
    line_is(0, 7, "reason=barrier"); /* equal numbers: by name */
    line_is(0, 7, "reason_pct=5");
    row_is("instructions WHERE pc = 0", "reason=barrier");
    line_is(0, 9, "reason=");
    row_is("instructions WHERE pc = 16", "reason=");
}

TEST(kernels_have_sums)
{
    load_lines(NULL);
    row_is("kernel_sums", "count(*)=4");
    assert_string_equal(KERNEL("family || variant || name", 0), "f01_aa");
    kernel_is(0, "instructions=6 executed=500 shared_wavefronts=300 excess=100 ways=1.5 "
                 "pipe_cycles=10000 pipe_used_pct=3 conflict_lines=1 conflict_sample_pct=38 "
                 "waiting_pct=25 reason=long_scoreboard reason_pct=40");
}

/* Lanes share words: the read needs 20 wavefronts, though the ideal of its width is 40. */
TEST(less_than_the_ideal_is_no_conflict)
{
    load_lines(NULL);
    kernel_is(1, "shared_ideal=40 excess=0 ways=1 conflict_lines=0");
    assert_string_equal(
        KERNEL("cost", 1),
        "The kernel has no bank conflicts: its 20 shared-memory wavefronts are no more than the "
        "accesses need.");
    /* It does not offset conflicts elsewhere, on the same line or not. */
    write_table("l", TABLE_LINES,
                "1,0,3,2,,LDS.128,10,320,320,,,20,40\n1,16,3,2,,LDS,10,320,320,,,30,10\n");
    SUCCEEDS(load(), "");
    kernel_is(1, "excess=20");
    row_is("line_sums WHERE kernel = 1", "excess=20");
    row_is("line_sums WHERE kernel = 1", "round(ways,3)=1.667"); /* 50 of 30 */
}

/* Counts that contradict each other are left empty; unrelated ones stay. */
TEST(what_contradicts_itself_is_left_empty)
{
    static const struct {
        const char *row, *words, *empty, *stays;
    } cases[] = {
        {"1,0,3,2,,LDS,10,321,320,,,30,10,,,,,,\n",
         "f/02_b, size 1024: impossible counts at 1 of its instructions: threads <= 32 * executed "
         "does not hold. A warp has 32 lanes. These counts are left empty. The first instruction "
         "is LDS",
         "executed", "excess"},
        {"1,0,3,2,,LDS,10,300,320,,,30,10,,,,,,\n", "threads_on <= threads does not hold",
         "threads_on", "executed"},
        {"1,0,3,2,,LDS,10,320,320,,,30,10,,,,7,8,wait=7/8\n", "not_issued <= samples does not hold",
         "samples", "executed"},
        {"1,0,3,2,,BRA,10,320,320,8,3,,,,,,,,\n",
         "branches_uniform + branches_divergent <= executed does not hold", "branches_uniform",
         "threads"},
        {"1,0,3,2,,BRA,10,,,8,3,,,,,,,,\n",
         "branches_uniform + branches_divergent <= executed does not hold", "branches_uniform",
         "instructions"},
        {"1,0,3,2,,BRA,10,12,12,8,5,,,,,,,,\n",
         "branches_uniform + branches_divergent <= threads does not hold", "branches_uniform",
         "executed"},
        {"1,0,3,2,,LDS,10,320,320,,,-30,10,,,,,,\n",
         "No count is below 0. These counts are left empty", "shared_wavefronts", "instructions"},
    };
    int count;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_lines_run();
        write_table("l", TABLE_LINES, cases[i].row);
        SUCCEEDS(load(), "");
        SUCCEEDS(lines_tables_impossible(&query, &count), cases[i].words);
        assert_int_equal(count, 1);
        assert_string_equal(KERNEL(cases[i].empty, 1), "NULL");
        assert_string_not_equal(KERNEL(cases[i].stays, 1), "NULL");
    }
    load_lines(NULL);
    SUCCEEDS(lines_tables_impossible(&query, &count), "");
    assert_int_equal(count, 0);
}

/* ---- sources --------------------------------------------------------------------------------- */

TEST(sources_have_text_where_they_are_the_same)
{
    make_lines_run();
    write_sources("/* changed */\n");
    SUCCEEDS(load(), "");
    finds("SELECT group_concat(state, ' ') FROM (SELECT state FROM source_state ORDER BY source)",
          "same missing foreign same");
    finds("SELECT text FROM source_text WHERE source = 0 AND line = 7", "\ts[threadIdx.x] = x[0];");
    row_is("source_text WHERE source = 0", "count(*)=13");
    row_is("source_text WHERE source = 1", "count(*)=0");
    holds(ask("SELECT message FROM source_state WHERE source = 1"),
          "kernels/f/shared.h is not in the run");
    row_is("source_state WHERE source = 0", "message=");
    line_is(1, 3, "excess=100"); /* the numbers stay */
}

/* ---- code of another kernel ------------------------------------------------------------------ */

#define NO_COUNTS ",,,,,,,,,,,,,"

TEST(code_of_another_kernel_is_found)
{
    static const char code[] = "SELECT group_concat(pc || ' ' || source || ':' || line || ' ' || "
                               "ifnull(inlined_at, '-') || ' ' || sass || ' ' || executed) FROM "
                               "(SELECT * FROM lines WHERE kernel = 1 AND pc < 32 ORDER BY pc)",
                      expected[] = "0 0.0:7.0 - LDG R1, [R2] 5.0,16 1.0:3.0 0:8 EXIT 6.0";
    load_lines("0,0,0,7,,\"LDG R1, [R2]\"\n0,16,1,3,0:8,EXIT\n0,32\n1,0,,,,,5" NO_COUNTS
               "0\n1,16,,,,,6" NO_COUNTS "0\n1,32,3,2,,NOP\n");
    finds(code, expected);
    row_is("lines WHERE kernel = 1 AND pc = 32", "sass=NOP");
    row_is("line_sums WHERE kernel = 1 AND source = 1", "executed=6");
    /* Also if that kernel is not loaded. */
    assert_int_equal(ask_run("l"), 0);
    SUCCEEDS(lines_tables_load_rows(&query, "SELECT 1 AS kernel"), "");
    row_is("lines", "count(*)=3");
    finds(code, expected);
}

/* A run may lack the column code_of. */
TEST(a_run_may_have_all_code_in_place)
{
    make_lines_run();
    write_text("l/lines.csv",
               "kernel,pc,source,line,inlined_at,sass,executed,threads,threads_on,"
               "branches_uniform,branches_divergent,shared_wavefronts,shared_ideal,global_sectors,"
               "global_ideal,local_sectors,samples,not_issued,stalls\n"
               "0,0,0,7,,EXIT,5,,,,,,,,,,,,\n1,0,0,7,,EXIT,6,,,,,,,,,,,,\n");
    SUCCEEDS(load(), "");
    row_is("lines WHERE kernel = 1", "sass||executed=EXIT6.0");
    row_is("lines", "count(code_of)=0");
}

/* ---- damaged runs ---------------------------------------------------------------------------- */

TEST(a_run_may_have_no_lines)
{
    make_lines_run();
    unlink(place("l/sources.csv"));
    unlink(place("l/kernels.csv"));
    unlink(place("l/lines.csv"));
    SUCCEEDS(load(), "");
    row_is("kernel_sums", "count(*)=0");
    row_is("line_sums", "count(*)=0");
}

TEST(damaged_cells_are_refused)
{
    static const struct {
        const char *rows, *says;
    } cases[] = {
        {"0,16,0,7,,FADD,1,32,32,,,,,,,,3,0,wait\n",
         "lines.csv: kernel 0, pc 16: stalls 'wait'; expected reason=samples/not_issued ..."},
        {"0,16,0,7,0-7,FADD\n",
         "lines.csv: kernel 0, pc 16: inlined_at '0-7'; expected source:line source:line ..."},
        {"0,16,0,7,0:1 1:2 x,FADD\n", "inlined_at '0:1 1:2 x'"},
        {"0,16,9,7,,FADD\n", "kernel 0, pc 16: source 9 is not in sources.csv"},
        {"0,16,0,7,0:1 77:2,FADD\n", "kernel 0, pc 16: source 77 is not in sources.csv"},
        {"0,16,0.5,7,,FADD\n", "kernel 0, pc 16: source 0.5, line 7; expected whole numbers"},
        {"0,16,0,-7,,FADD\n", "expected whole numbers"},
        {"0,16,1e30,7,,FADD\n", "expected whole numbers"},
        {"0,16,0,7,,FADD\n8,0,0,7,,FADD\n", "lines.csv: kernel 8 is not in kernels.csv"},
        {"0,16,0,7,,FADD\n0,16,0,8,,FADD\n", "lines.csv: kernel 0, pc 16 is there twice"},
        {"0,16,0,7,,FADD,many\n",
         "lines.csv:2: column 'executed': expected a number or nothing, found 'many'"},
        {"0,16,,,,," NO_COUNTS "7\n",
         "lines.csv:2: column 'code_of': no row above has code of this pc of kernel 7"},
        {"0,16,,,,," NO_COUNTS "0\n", "of this pc of kernel 0"},
        {"0,16,,,,," NO_COUNTS "1\n1,16,0,7,,FADD\n", "lines.csv:2: column 'code_of': no row"},
        {"0,16,0,7,,FADD\n1,32,,,,," NO_COUNTS "0\n", "lines.csv:3: column 'code_of': no row"},
        {"0,16\n1,16,,,,," NO_COUNTS "0\n", "lines.csv:3: column 'code_of': no row"},
        {"0,16,0,7,,FADD\n1,16,,,,," NO_COUNTS "0\n3,16,,,,," NO_COUNTS "1\n",
         "lines.csv:4: column 'code_of': no row above has code of this pc of kernel 1"},
        {"0,16,0,7,,FADD\n1,16,,,,FADD," NO_COUNTS "0\n",
         "lines.csv:3: column 'code_of': the row has code, and refers to kernel 0"},
    };
    make_lines_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_table("l", TABLE_LINES, cases[i].rows);
        FAILS(load(), FAIL_INPUT, cases[i].says);
    }
    make_lines_run();
    write_table("l", TABLE_SOURCES, "123456789,kernels/f/01_a.cu,,ok\n");
    FAILS(load(), FAIL_INPUT, "lines.csv: kernel 0, pc 0: source 0 is not in sources.csv");
    make_lines_run();
    write_table(
        "l", TABLE_KERNELS,
        "0,f,01_a,1024,32,0,0,s,a,ok,ok,,,,,,ok,ok\n0,f,01_a,1024,32,0,1,s,a,ok,ok,,,,,,ok,ok\n");
    FAILS(load(), FAIL_INPUT, "UNIQUE");
}

/* The report has already loaded most of the tables. */
TEST(tables_that_are_loaded_stay)
{
    make_lines_run();
    assert_int_equal(ask_run("l"), 0);
    assert_int_equal(query_load(&query, TABLE_LAUNCHES), 0);
    assert_int_equal(query_load(&query, TABLE_METRICS), 0);
    assert_int_equal(query_load(&query, TABLE_LINES), 0);
    SUCCEEDS(lines_tables_load(&query, NULL), "");
    kernel_is(0, "excess=100");
}

RUN_TESTS(fixture_open, asked_close)

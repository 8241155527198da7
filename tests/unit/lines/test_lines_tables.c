/*
 * Tests the tables about lines: sums, sources, and damaged runs.
 */
#include "lines_load.h"

/* ---- sums ------------------------------------------------------------------------------------ */

TEST(stalls_are_a_table)
{
    make_lines_run();
    SUCCEEDS(load(), "");
    assert_string_equal(first("SELECT count(*) FROM stalls"), "12");
    assert_string_equal(first("SELECT samples || '/' || not_issued FROM stalls WHERE kernel = 0 "
                              "AND pc = 32 AND reason = 'mio_throttle'"),
                        "5.0/5.0");
    assert_string_equal(first("SELECT sum(samples) FROM stalls WHERE kernel = 0"), "100.0");
    unload();
}

TEST(instructions_are_charged_to_the_project)
{
    make_lines_run();
    SUCCEEDS(load(), "");
    /* An instruction inlined from a function of the project is charged to that function; one from a
     * toolkit header is charged to its caller. */
    assert_string_equal(first("SELECT source || ':' || line || ' ' || depth FROM instructions "
                              "WHERE kernel = 0 AND pc = 32"),
                        "1:3 0");
    assert_string_equal(first("SELECT source || ':' || line || ' ' || depth FROM instructions "
                              "WHERE kernel = 0 AND pc = 48"),
                        "1:3 1");
    assert_string_equal(
        first(
            "SELECT own_source || ':' || own_line FROM instructions WHERE kernel = 0 AND pc = 48"),
        "2.0:99.0");
    assert_string_equal(LINE("instructions", 1, 3), "2");
    assert_string_equal(first("SELECT count(*) FROM line_sums WHERE kernel = 0"), "4");
    assert_string_equal(first("SELECT instructions FROM line_sums WHERE kernel = 0 AND source IS "
                              "NULL AND line IS NULL AND path IS NULL"),
                        "1");
    unload();
    /* If no place of the chain is in the project, the innermost is charged. */
    write_table("l", TABLE_LINES,
                "0,0,2,99,2:98 2:97,FMUL,1,32,32\n0,16,2,99,2:98 1:1 0:1,FMUL,1,32,32\n");
    SUCCEEDS(load(), "");
    assert_string_equal(
        first("SELECT source || ':' || line || ' ' || depth FROM instructions WHERE pc = 0"),
        "2:99 0");
    assert_string_equal(
        first("SELECT source || ':' || line || ' ' || depth FROM instructions WHERE pc = 16"),
        "1:1 2");
    unload();
}

TEST(lines_have_sums_and_shares)
{
    make_lines_run();
    SUCCEEDS(load(), "");
    assert_string_equal(LINE("path", 0, 7), "kernels/f/01_a.cu");
    assert_string_equal(LINE("executed", 0, 7), "200.0");
    assert_string_equal(LINE("lanes", 0, 7), "32.0");
    assert_string_equal(LINE("lanes", 1, 3), "16.0");
    assert_string_equal(LINE("excess", 0, 7), "0.0");
    assert_string_equal(LINE("ways", 0, 7), "1.0");
    assert_string_equal(LINE("shared_wavefronts", 1, 3), "200.0");
    assert_string_equal(LINE("excess", 1, 3), "100.0");
    assert_string_equal(LINE("ways", 1, 3), "2.0");
    assert_string_equal(LINE("pipe_pct", 1, 3), "1.0");
    assert_string_equal(LINE("global_excess", 0, 7), "400.0");
    assert_string_equal(LINE("branches", 0, 9), "100.0");
    assert_string_equal(LINE("branches_divergent", 0, 9), "10.0");
    assert_string_equal(LINE("samples", 0, 7), "60.0");
    assert_string_equal(LINE("sample_pct", 0, 7), "60.0");
    assert_string_equal(LINE("round(not_issued_pct, 3)", 0, 7), "63.492"); /* 40 of 63 */
    assert_string_equal(LINE("reason", 0, 7), "long_scoreboard");
    assert_string_equal(LINE("round(reason_pct, 3)", 0, 7), "66.667"); /* 40 of 60 */
    assert_string_equal(LINE("reason", 1, 3), "short_scoreboard");
    assert_string_equal(LINE("waiting_pct", 1, 3), "25.0");
    unload();
}

/* Absent values stay absent, also in sums; a value of 0 stays 0. */
TEST(what_is_absent_is_null)
{
    make_lines_run();
    SUCCEEDS(load(), "");
    assert_string_equal(LINE("excess", 0, 9), "NULL");
    assert_string_equal(LINE("ways", 0, 9), "NULL");
    assert_string_equal(LINE("branches", 0, 7), "NULL");
    assert_string_equal(LINE("local_sectors", 0, 7), "NULL");
    assert_string_equal(LINE("cost", 0, 7), "NULL");
    assert_string_equal(first("SELECT lanes FROM line_sums WHERE kernel = 0 AND source IS NULL"),
                        "NULL");
    assert_string_equal(first("SELECT samples FROM line_sums WHERE kernel = 0 AND source IS NULL"),
                        "0.0");
    assert_string_equal(first("SELECT reason FROM line_sums WHERE kernel = 0 AND source IS NULL"),
                        "NULL");
    assert_string_equal(first("SELECT sample_pct FROM line_sums WHERE kernel = 3"), "NULL");
    assert_string_equal(first("SELECT waiting_pct FROM line_sums WHERE kernel = 3"), "NULL");
    assert_string_equal(KERNEL("executed", 2), "NULL");
    assert_string_equal(KERNEL("instructions", 2), "NULL");
    unload();
}

/* A warp that issued did not wait. */
TEST(selected_is_no_reason)
{
    make_lines_run();
    write_table("l", TABLE_LINES,
                "0,0,0,7,,FADD,1,32,32,,,,,,,,100,5,selected=90/0 wait=5/5 "
                "barrier=5/0\n0,16,0,9,,FADD,1,32,32,,,,,,,,4,0,selected=4/0\n");
    SUCCEEDS(load(), "");
    assert_string_equal(LINE("reason", 0, 7), "barrier"); /* equal numbers: by name */
    assert_string_equal(LINE("reason_pct", 0, 7), "5.0");
    assert_string_equal(first("SELECT reason FROM instructions WHERE pc = 0"), "barrier");
    assert_string_equal(LINE("reason", 0, 9), "NULL");
    assert_string_equal(first("SELECT reason FROM instructions WHERE pc = 16"), "NULL");
    unload();
}

TEST(kernels_have_sums)
{
    make_lines_run();
    SUCCEEDS(load(), "");
    assert_string_equal(first("SELECT count(*) FROM kernel_sums"), "4");
    assert_string_equal(KERNEL("family || variant || name", 0), "f01_aa");
    assert_string_equal(KERNEL("instructions", 0), "6");
    assert_string_equal(KERNEL("executed", 0), "500.0");
    assert_string_equal(KERNEL("shared_wavefronts", 0), "300.0");
    assert_string_equal(KERNEL("excess", 0), "100.0");
    assert_string_equal(KERNEL("ways", 0), "1.5");
    assert_string_equal(KERNEL("pipe_cycles", 0), "10000.0");
    assert_string_equal(KERNEL("pipe_used_pct", 0), "3.0");
    assert_string_equal(KERNEL("conflict_lines", 0), "1");
    assert_string_equal(KERNEL("conflict_sample_pct", 0), "38.0");
    assert_string_equal(KERNEL("waiting_pct", 0), "25.0");
    assert_string_equal(KERNEL("reason", 0), "long_scoreboard");
    assert_string_equal(KERNEL("reason_pct", 0), "40.0");
    unload();
}

/* Lanes share words: the read needs 20 wavefronts, though the ideal of its width is 40. */
TEST(less_than_the_ideal_is_no_conflict)
{
    make_lines_run();
    SUCCEEDS(load(), "");
    assert_string_equal(KERNEL("shared_ideal", 1), "40.0");
    assert_string_equal(KERNEL("excess", 1), "0.0");
    assert_string_equal(KERNEL("ways", 1), "1.0");
    assert_string_equal(KERNEL("conflict_lines", 1), "0");
    assert_string_equal(
        KERNEL("cost", 1),
        "The kernel has no bank conflicts: its 20 shared-memory wavefronts are no more than the "
        "accesses need.");
    unload();
    /* It does not offset conflicts elsewhere, on the same line or not. */
    write_table("l", TABLE_LINES,
                "1,0,3,2,,LDS.128,10,320,320,,,20,40\n1,16,3,2,,LDS,10,320,320,,,30,10\n");
    SUCCEEDS(load(), "");
    assert_string_equal(KERNEL("excess", 1), "20.0");
    assert_string_equal(first("SELECT excess FROM line_sums WHERE kernel = 1"), "20.0");
    assert_string_equal(first("SELECT round(ways, 3) FROM line_sums WHERE kernel = 1"),
                        "1.667"); /* 50 of 30 */
    unload();
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
        unload();
    }
    make_lines_run();
    SUCCEEDS(load(), "");
    SUCCEEDS(lines_tables_impossible(&query, &count), "");
    assert_int_equal(count, 0);
    unload();
}

/* ---- sources --------------------------------------------------------------------------------- */

TEST(sources_have_text_where_they_are_the_same)
{
    make_lines_run();
    write_text("data/kernels/f/shared.h", "/* changed */\n");
    SUCCEEDS(load(), "");
    assert_string_equal(first("SELECT group_concat(state, ' ') FROM (SELECT state FROM "
                              "source_state ORDER BY source)"),
                        "same differs foreign same");
    assert_string_equal(first("SELECT text FROM source_text WHERE source = 0 AND line = 7"),
                        "\ts[threadIdx.x] = x[0];");
    assert_string_equal(first("SELECT count(*) FROM source_text WHERE source = 0"), "13");
    assert_string_equal(first("SELECT count(*) FROM source_text WHERE source = 1"), "0");
    assert_non_null(strstr(first("SELECT message FROM source_state WHERE source = 1"),
                           "kernels/f/shared.h differs from what was measured"));
    assert_string_equal(first("SELECT message FROM source_state WHERE source = 0"), "NULL");
    assert_string_equal(LINE("excess", 1, 3), "100.0"); /* the numbers stay */
    unload();
}

/* ---- code of another kernel ------------------------------------------------------------------ */

#define NO_COUNTS ",,,,,,,,,,,,,"

TEST(code_of_another_kernel_is_found)
{
    static const char code[] = "SELECT group_concat(pc || ' ' || source || ':' || line || ' ' || "
                               "ifnull(inlined_at, '-') || ' ' || sass || ' ' || executed) FROM "
                               "(SELECT * FROM lines WHERE kernel = 1 AND pc < 32 ORDER BY pc)",
                      expected[] = "0 0.0:7.0 - LDG R1, [R2] 5.0,16 1.0:3.0 0:8 EXIT 6.0";
    make_lines_run();
    write_table("l", TABLE_LINES,
                "0,0,0,7,,\"LDG R1, [R2]\"\n0,16,1,3,0:8,EXIT\n0,32\n1,0,,,,,5" NO_COUNTS
                "0\n1,16,,,,,6" NO_COUNTS "0\n1,32,3,2,,NOP\n");
    SUCCEEDS(load(), "");
    assert_string_equal(first(code), expected);
    assert_string_equal(first("SELECT sass FROM lines WHERE kernel = 1 AND pc = 32"), "NOP");
    assert_string_equal(first("SELECT executed FROM line_sums WHERE kernel = 1 AND source = 1"),
                        "6.0");
    unload();
    /* Also if that kernel is not loaded. */
    assert_int_equal(run_open(&run, place("l")), 0);
    assert_int_equal(query_open(&query, &run), 0);
    SUCCEEDS(lines_tables_load_rows(&query, "SELECT 1 AS kernel"), "");
    assert_string_equal(first("SELECT count(*) FROM lines"), "3");
    assert_string_equal(first(code), expected);
    unload();
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
    assert_string_equal(first("SELECT sass || executed FROM lines WHERE kernel = 1"), "EXIT6.0");
    assert_string_equal(first("SELECT count(code_of) FROM lines"), "0");
    unload();
}

/* ---- damaged runs ---------------------------------------------------------------------------- */

TEST(a_run_may_have_no_lines)
{
    make_lines_run();
    unlink(place("l/sources.csv"));
    unlink(place("l/kernels.csv"));
    unlink(place("l/lines.csv"));
    SUCCEEDS(load(), "");
    assert_string_equal(first("SELECT count(*) FROM kernel_sums"), "0");
    assert_string_equal(first("SELECT count(*) FROM line_sums"), "0");
    unload();
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
        unload();
    }
    make_lines_run();
    write_table("l", TABLE_SOURCES, "123456789,kernels/f/01_a.cu,,ok\n");
    FAILS(load(), FAIL_INPUT, "lines.csv: kernel 0, pc 0: source 0 is not in sources.csv");
    unload();
    make_lines_run();
    write_table(
        "l", TABLE_KERNELS,
        "0,f,01_a,1024,32,0,0,s,a,ok,ok,,,,,,ok,ok\n0,f,01_a,1024,32,0,1,s,a,ok,ok,,,,,,ok,ok\n");
    FAILS(load(), FAIL_INPUT, "UNIQUE");
    unload();
}

/* The report has already loaded most of the tables. */
TEST(tables_that_are_loaded_stay)
{
    make_lines_run();
    assert_int_equal(run_open(&run, place("l")), 0);
    assert_int_equal(query_open(&query, &run), 0);
    assert_int_equal(query_load(&query, TABLE_LAUNCHES), 0);
    assert_int_equal(query_load(&query, TABLE_METRICS), 0);
    assert_int_equal(query_load(&query, TABLE_LINES), 0);
    SUCCEEDS(lines_tables_load(&query, NULL), "");
    assert_string_equal(KERNEL("excess", 0), "100.0");
    unload();
}

RUN_TESTS(fixture_open, fixture_close)

#include "lines_run.h"

#include "lines/lines_tables.h"

static struct run run;
static struct query query;

/* Loads the run l/. */
static int load(void)
{
    assert_int_equal(run_open(&run, place("l")), 0);
    assert_int_equal(query_open(&query, &run), 0);
    return lines_tables_load(&query, NULL);
}

static void unload(void)
{
    query_close(&query);
    run_close(&run);
}

/* Returns the first value of a statement; "NULL" if it is NULL. */
static const char *first(const char *format, ...)
{
    static char value[1024];
    char sql[512], *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sql, sizeof sql, format, arguments);
    va_end(arguments);
    assert_int_equal(query_text(&query, "here:1", sql, NULL, &text), 0);
    snprintf(value, sizeof value, "%s", text ? text : "NULL");
    free(text);
    return value;
}

#define LINE(column, source, line)                                                                 \
    first("SELECT %s FROM line_sums WHERE kernel = 0 AND source = %d AND line = %d", column,       \
          source, line)
#define KERNEL(column, kernel) first("SELECT %s FROM kernel_sums WHERE kernel = %d", column, kernel)

/* ---- sums ------------------------------------------------------------------------------------ */

static void stalls_are_a_table(void **state)
{
    (void)state;
    make_lines_run();
    SUCCEEDS(load(), "");
    assert_string_equal(first("SELECT count(*) FROM stalls"), "12");
    assert_string_equal(first("SELECT samples || '/' || not_issued FROM stalls WHERE kernel = 0 "
                              "AND pc = 32 AND reason = 'mio_throttle'"),
                        "5.0/5.0");
    assert_string_equal(first("SELECT sum(samples) FROM stalls WHERE kernel = 0"), "100.0");
    unload();
}

static void instructions_are_charged_to_the_project(void **state)
{
    (void)state;
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

static void lines_have_sums_and_shares(void **state)
{
    (void)state;
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
static void what_is_absent_is_null(void **state)
{
    (void)state;
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
static void selected_is_no_reason(void **state)
{
    (void)state;
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

static void kernels_have_sums(void **state)
{
    (void)state;
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
static void less_than_the_ideal_is_no_conflict(void **state)
{
    (void)state;
    make_lines_run();
    SUCCEEDS(load(), "");
    assert_string_equal(KERNEL("shared_ideal", 1), "40.0");
    assert_string_equal(KERNEL("excess", 1), "0.0");
    assert_string_equal(KERNEL("ways", 1), "1.0");
    assert_string_equal(KERNEL("conflict_lines", 1), "0");
    assert_string_equal(
        KERNEL("cost", 1),
        "No bank conflicts: its 20 shared-memory wavefronts are no more than the accesses need.");
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
static void what_contradicts_itself_is_left_empty(void **state)
{
    static const struct {
        const char *row, *words, *empty, *stays;
    } cases[] = {
        {"1,0,3,2,,LDS,10,321,320,,,30,10,,,,,,\n",
         "f/02_b, size 1024: impossible counts at 1 of its instructions: threads <= 32 * executed "
         "does not hold. A warp has 32 lanes. These counts are left empty",
         "executed", "excess"},
        {"1,0,3,2,,LDS,10,300,320,,,30,10,,,,,,\n", "threads_on <= threads does not hold",
         "threads_on", "executed"},
        {"1,0,3,2,,LDS,10,320,320,,,30,10,,,,7,8,wait=7/8\n", "not_issued <= samples does not hold",
         "samples", "executed"},
        {"1,0,3,2,,BRA,10,320,320,8,3,,,,,,,,\n",
         "branches_uniform + branches_divergent <= executed does not hold", "branches_uniform",
         "threads"},
        {"1,0,3,2,,LDS,10,320,320,,,-30,10,,,,,,\n",
         "No count is below 0. These counts are left empty", "shared_wavefronts", "instructions"},
    };
    int count;
    (void)state;
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

/* ---- what conflicts cost --------------------------------------------------------------------- */

static void conflicts_have_a_cost(void **state)
{
    (void)state;
    make_lines_run();
    SUCCEEDS(load(), "");
    assert_string_equal(KERNEL("cost", 0),
                        "100 excess wavefronts take 1.0 % of the cycles of the shared-memory pipe; "
                        "38.0 % of the stall samples are on the "
                        "line with conflicts, 25.0 % waiting for shared memory.");
    assert_string_equal(LINE("cost", 1, 3),
                        "100 excess wavefronts take 1.0 % of the cycles of the shared-memory pipe; "
                        "38.0 % of the kernel's stall samples are "
                        "here, 25.0 % waiting for shared memory.");
    assert_string_equal(KERNEL("cost", 2), "The cost of bank conflicts is unknown: refused.");
    assert_string_equal(KERNEL("cost", 3),
                        "5 excess wavefronts take 0.05 % of the cycles of the shared-memory pipe; "
                        "where warps wait for them is unknown: nothing came.");
    unload();
}

/* Both below 1 %: 90 of 10000 cycles, and 9 of 1000 samples. One hundredth more of either is a
 * cost. */
static void a_conflict_may_cost_nothing(void **state)
{
    static const struct {
        int wavefronts, waiting, is_free;
    } cases[] = {{99, 9, 1}, {100, 9, 0}, {99, 10, 0}, {99, 0, 1}};
    (void)state;
    make_lines_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rows[256];
        snprintf(rows, sizeof rows,
                 "0,0,0,7,,LDS,10,320,320,,,%d,0,,,,500,0,wait=%d/0 "
                 "mio_throttle=%d/0\n0,16,0,9,,FADD,10,320,320,,,,,,,,500,0,wait=500/0\n",
                 cases[i].wavefronts, 500 - cases[i].waiting, cases[i].waiting);
        write_table("l", TABLE_LINES, rows);
        SUCCEEDS(load(), "");
        assert_int_equal(strstr(KERNEL("cost", 0), "no visible cost: both are below 1 %.") != NULL,
                         cases[i].is_free);
        assert_int_equal(strstr(LINE("cost", 0, 7), "no visible cost: both are below 1 %.") != NULL,
                         cases[i].is_free);
        unload();
    }
}

static void without_a_clean_time_no_share_of_the_pipe(void **state)
{
    (void)state;
    make_lines_run();
    unlink(place("l/metrics.csv"));
    unlink(place("l/kernel_counters.csv"));
    SUCCEEDS(load(), "");
    assert_string_equal(KERNEL("pipe_pct", 0), "NULL");
    assert_string_equal(KERNEL("cost", 0),
                        "100 excess wavefronts, an unknown share of the cycles of the "
                        "shared-memory pipe: the run has "
                        "no clean time of the point; "
                        "38.0 % of the stall samples are on the line with conflicts, 25.0 % "
                        "waiting for shared memory.");
    assert_string_equal(
        KERNEL("views", 0),
        "hardware counter unknown, by instruction 100, closed form 100: they agree.");
    unload();
    write_text(
        "l/metrics.csv",
        "family,variant,size,block,sweep,best\nf,01_a,1024,32,0,1\n"); /* metrics of another kind */
    SUCCEEDS(load(), "");
    assert_string_equal(KERNEL("pipe_pct", 0), "NULL");
    assert_string_equal(KERNEL("excess", 0), "100.0");
    unload();
}

static void a_kernel_without_shared_memory_says_so(void **state)
{
    (void)state;
    make_lines_run();
    write_table("l", TABLE_LINES, "0,0,0,7,,FADD,10,320,320\n");
    SUCCEEDS(load(), "");
    assert_string_equal(KERNEL("cost", 0), "No instruction accesses shared memory.");
    assert_string_equal(KERNEL("views", 0), "NULL");
    assert_string_equal(KERNEL("views_agree", 0), "NULL");
    unload();
}

/* ---- three views of conflicts ---------------------------------------------------------------- */

/* Writes the hardware counters and the closed form of kernel 0; its instructions have 100 excess of
 * 300 wavefronts. */
static void write_views(const char *hardware, const char *arbitration, const char *copies,
                        const char *form)
{
    char rows[256];
    snprintf(rows, sizeof rows,
             "kernel,shared_conflicts_load,shared_conflicts_store,shared_arbitration,shared_async_"
             "instructions\n0,%s,%s,%s,%s\n",
             hardware, *hardware ? "0" : "", arbitration, copies);
    write_text("l/kernel_counters.csv", rows);
    snprintf(rows, sizeof rows, "f,01_a,1024,32,0,0,1,32,8,0,0,0,1,50,warps,%s\n", form);
    write_table("l", TABLE_LAUNCHES, rows);
}

static void views_of_conflicts_are_compared(void **state)
{
    static const struct {
        const char *hardware, *arbitration, *form, *agree, *says;
    } cases[] = {
        {"104", "", "100", "1",
         "hardware counter 104, by instruction 100, closed form 100: they agree; the hardware "
         "counter is higher by 1.3 % of the "
         "wavefronts, which is arbitration."},
        {"100", "", "100", "1",
         "hardware counter 100, by instruction 100, closed form 100: they agree."},
        {"145", "", "", "1",
         "closed form none: they agree; the hardware counter is higher by 15.0 % of the "
         "wavefronts, which is arbitration."},
        {"146", "", "100", "0",
         ": they DISAGREE; the hardware counter is higher by 15.3 % of the wavefronts, more than "
         "arbitration takes (15.0 %)."},
        {"146", "46", "100", "1",
         "the hardware counter is higher by 15.3 % of the "
         "wavefronts, which is arbitration."},
        {"104", "3", "100", "0",
         ": they DISAGREE; the hardware counter is higher by 1.3 % of the wavefronts, more than "
         "arbitration takes (1.1 %)."},
        {"99", "", "100", "0",
         ": they DISAGREE; the hardware counter is below what the addresses need"},
        {"104", "", "101", "0",
         ": they DISAGREE; the closed form differs from the count by instruction."},
        {"", "", "", "NULL",
         "hardware counter unknown, by instruction 100, closed form none: there is nothing to "
         "compare it with."},
    };
    (void)state;
    make_lines_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_views(cases[i].hardware, cases[i].arbitration, "0", cases[i].form);
        SUCCEEDS(load(), "");
        assert_string_equal(KERNEL("views_agree", 0), cases[i].agree);
        const char *said = KERNEL("views", 0);
        if (!strstr(said, cases[i].says)) fail_msg("'%s' instead of '%s'", said, cases[i].says);
        unload();
    }
}

/* Neither the counter of loads and stores nor the closed form covers copies that bypass the
 * registers. */
static void copies_are_told_from_loads_and_stores(void **state)
{
    (void)state;
    make_lines_run();
    write_views("100", "", "10", "100");
    write_table("l", TABLE_LINES,
                "0,0,0,7,,LDS R1,10,320,320,,,200,100\n0,16,0,8,,\"LDGSTS.E [R2], "
                "desc[UR4][R4.64]\",10,320,320,,,40,10\n");
    SUCCEEDS(load(), "");
    assert_string_equal(KERNEL("excess", 0), "130.0");
    assert_string_equal(KERNEL("copy_excess", 0), "30.0");
    assert_string_equal(KERNEL("views", 0),
                        "hardware counter 100, by instruction 100, closed form 100: they agree. In "
                        "addition, copies past the registers "
                        "(LDGSTS) have 30 excess wavefronts.");
    unload();
    write_table(
        "l", TABLE_LINES,
        "0,0,0,7,,,10,320,320,,,200,100\n0,16,0,8,,,10,320,320,,,40,10\n"); /* nothing could
                                                                               disassemble it */
    SUCCEEDS(load(), "");
    assert_string_equal(KERNEL("views_agree", 0), "NULL");
    assert_non_null(strstr(
        KERNEL("views", 0),
        "by instruction 130 (including copies past the registers, which cannot be told "
        "apart without the machine code), closed form 100: there is nothing to compare it with."));
    unload();
    write_views("130", "", "0", "130"); /* the counters show that there are no copies */
    SUCCEEDS(load(), "");
    assert_string_equal(KERNEL("views_agree", 0), "1");
    unload();
}

/* The clean time is of all launches. */
static void a_cost_is_of_all_launches(void **state)
{
    (void)state;
    make_lines_run();
    write_text("l/metrics.csv", "family,variant,size,block,sweep,best,time_kernels_ns,sm_clock_mhz,"
                                "launches\nf,01_a,1024,32,0,1,1000,1000,2\n");
    SUCCEEDS(load(), "");
    assert_non_null(strstr(KERNEL("cost", 0), "of the shared-memory pipe in all 2 launches;"));
    unload();
}

/* ---- sources --------------------------------------------------------------------------------- */

static void sources_have_text_where_they_are_the_same(void **state)
{
    (void)state;
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

/* ---- what is wrong with a run ---------------------------------------------------------------- */

static void a_run_may_have_no_lines(void **state)
{
    (void)state;
    make_lines_run();
    unlink(place("l/sources.csv"));
    unlink(place("l/kernels.csv"));
    unlink(place("l/lines.csv"));
    SUCCEEDS(load(), "");
    assert_string_equal(first("SELECT count(*) FROM kernel_sums"), "0");
    assert_string_equal(first("SELECT count(*) FROM line_sums"), "0");
    unload();
}

static void damaged_cells_are_refused(void **state)
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
    };
    (void)state;
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
static void tables_that_are_loaded_stay(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stalls_are_a_table),
        cmocka_unit_test(instructions_are_charged_to_the_project),
        cmocka_unit_test(lines_have_sums_and_shares),
        cmocka_unit_test(what_is_absent_is_null),
        cmocka_unit_test(selected_is_no_reason),
        cmocka_unit_test(kernels_have_sums),
        cmocka_unit_test(less_than_the_ideal_is_no_conflict),
        cmocka_unit_test(what_contradicts_itself_is_left_empty),
        cmocka_unit_test(conflicts_have_a_cost),
        cmocka_unit_test(a_conflict_may_cost_nothing),
        cmocka_unit_test(without_a_clean_time_no_share_of_the_pipe),
        cmocka_unit_test(a_kernel_without_shared_memory_says_so),
        cmocka_unit_test(views_of_conflicts_are_compared),
        cmocka_unit_test(copies_are_told_from_loads_and_stores),
        cmocka_unit_test(a_cost_is_of_all_launches),
        cmocka_unit_test(sources_have_text_where_they_are_the_same),
        cmocka_unit_test(a_run_may_have_no_lines),
        cmocka_unit_test(damaged_cells_are_refused),
        cmocka_unit_test(tables_that_are_loaded_stay),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

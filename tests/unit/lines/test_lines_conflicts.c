/*
 * Tests the cost of bank conflicts and the three views of them in the tables about lines.
 */
#include "lines_load.h"

/* ---- the cost of conflicts ---------------------------------------------------------------------
 */

TEST(conflicts_have_a_cost)
{
    load_lines(NULL);
    assert_string_equal(KERNEL("cost", 0),
                        "100 excess wavefronts take 1.0 % of the cycles of the shared-memory pipe; "
                        "of the kernel's stall samples, 38.0 % are on the line with conflicts, "
                        "and 25.0 % wait there for shared memory.");
    assert_string_equal(LINE("cost", 1, 3),
                        "100 excess wavefronts take 1.0 % of the cycles of the shared-memory pipe; "
                        "of the kernel's stall samples, 38.0 % are here, and 25.0 % wait here "
                        "for shared memory.");
    assert_string_equal(KERNEL("cost", 2), "The cost of bank conflicts is unknown: refused.");
    assert_string_equal(KERNEL("cost", 3),
                        "5 excess wavefronts take 0.05 % of the cycles of the shared-memory pipe; "
                        "the waits for them are unknown: nothing came.");
}

/* Both below 1 %: 90 of 10000 cycles, and 9 of 1000 samples. One hundredth more of either is a
 * cost. */
TEST(a_conflict_may_cost_nothing)
{
    static const char free_words[] =
        "no visible cost: their cycles and their waits are each below 1 %.";
    static const struct {
        int wavefronts, waiting, is_free;
    } cases[] = {{99, 9, 1}, {100, 9, 0}, {99, 10, 0}, {99, 0, 1}};
    make_lines_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rows[256];
        snprintf(rows, sizeof rows,
                 "0,0,0,7,,LDS,10,320,320,,,%d,0,,,,500,0,wait=%d/0 "
                 "mio_throttle=%d/0\n0,16,0,9,,FADD,10,320,320,,,,,,,,500,0,wait=500/0\n",
                 cases[i].wavefronts, 500 - cases[i].waiting, cases[i].waiting);
        write_table("l", TABLE_LINES, rows);
        SUCCEEDS(load(), "");
        assert_int_equal(strstr(KERNEL("cost", 0), free_words) != NULL, cases[i].is_free);
        assert_int_equal(strstr(LINE("cost", 0, 7), free_words) != NULL, cases[i].is_free);
    }
}

TEST(without_a_clean_time_no_share_of_the_pipe)
{
    make_lines_run();
    unlink(place("l/metrics.csv"));
    unlink(place("l/kernel_counters.csv"));
    SUCCEEDS(load(), "");
    kernel_is(0, "pipe_pct=");
    assert_string_equal(KERNEL("cost", 0),
                        "100 excess wavefronts, an unknown share of the cycles of the "
                        "shared-memory pipe: the run has no clean time of the point; of the "
                        "kernel's stall samples, 38.0 % are on the line with conflicts, and 25.0 % "
                        "wait there for shared memory.");
    assert_string_equal(
        KERNEL("views", 0),
        "hardware counter unknown, by instruction 100, closed form 100: they agree.");
    write_text(
        "l/metrics.csv",
        "family,variant,size,block,sweep,best\nf,01_a,1024,32,0,1\n"); /* metrics of another kind */
    SUCCEEDS(load(), "");
    kernel_is(0, "pipe_pct= excess=100");
}

TEST(a_kernel_without_shared_memory_says_so)
{
    load_lines("0,0,0,7,,FADD,10,320,320\n");
    assert_string_equal(KERNEL("cost", 0), "No instruction accesses shared memory.");
    kernel_is(0, "views= views_agree=");
}

/* ---- three views of conflicts ---------------------------------------------------------------- */

/* Writes the hardware counters and the closed form of kernel 0; its instructions have 100 excess of
 * 300 wavefronts. */
static void write_views(const char *hardware, const char *arbitration, const char *form)
{
    char rows[256];
    snprintf(rows, sizeof rows, "kernel,shared_conflicts_all,shared_arbitration\n0,%s,%s\n",
             hardware, arbitration);
    write_text("l/kernel_counters.csv", rows);
    snprintf(rows, sizeof rows, "f,01_a,1024,32,0,0,1,32,8,0,0,0,1,50,warps,%s\n", form);
    write_table("l", TABLE_LAUNCHES, rows);
}

TEST(views_of_conflicts_are_compared)
{
    static const struct {
        const char *hardware, *arbitration, *form, *agree, *says;
    } cases[] = {
        {"104", "", "100", "1",
         "hardware counter 104, by instruction 100, closed form 100: they agree but for "
         "arbitration, which the hardware counter alone includes: 1.3 % of the wavefronts."},
        {"100", "", "100", "1",
         "hardware counter 100, by instruction 100, closed form 100: they agree."},
        {"145", "", "", "1",
         "closed form none: they agree but for arbitration, which the hardware counter alone "
         "includes: 15.0 % of the wavefronts."},
        {"146", "", "100", "0",
         ": they DISAGREE; the hardware counter is higher by 15.3 % of the wavefronts, more than "
         "arbitration takes (15.0 %)."},
        {"146", "46", "100", "1",
         "they agree but for arbitration, which the hardware counter alone includes: 15.3 % of "
         "the wavefronts."},
        {"104", "3", "100", "1",
         "they agree but for arbitration, which the hardware counter alone includes: 1.3 % of the "
         "wavefronts."},
        {"120", "3", "100", "0",
         ": they DISAGREE; the hardware counter is higher by 6.7 % of the wavefronts, more than "
         "arbitration takes (5.9 %)."},
        {"99", "", "100", "0",
         ": they DISAGREE; the hardware counter is below what the addresses need"},
        {"104", "", "101", "0",
         ": they DISAGREE; the closed form differs from the count by instruction."},
        {"", "", "", "NULL",
         "hardware counter unknown, by instruction 100, closed form none: there is nothing to "
         "compare it with."},
    };
    make_lines_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_views(cases[i].hardware, cases[i].arbitration, cases[i].form);
        SUCCEEDS(load(), "");
        assert_string_equal(KERNEL("views_agree", 0), cases[i].agree);
        const char *said = KERNEL("views", 0);
        if (!strstr(said, cases[i].says)) fail_msg("'%s' instead of '%s'", said, cases[i].says);
    }
}

/* The closed form covers loads and stores alone. */
TEST(other_accesses_are_told_from_loads_and_stores)
{
    make_lines_run();
    write_views("160", "", "100");
    write_table("l", TABLE_LINES,
                "0,0,0,7,,LDS R1,10,320,320,,,200,100\n0,16,0,8,,\"LDGSTS.E [R2], "
                "desc[UR4][R4.64]\",10,320,320,,,40,10\n0,32,0,8,,\"LDGSTS.E.BYPASS.128 [R2], "
                "desc[UR4][R4.64]\",10,320,320,,,320,40\n0,48,0,8,,\"ATOMS.ADD RZ, [R2], "
                "R3\",10,320,320,,,40,10\n");
    SUCCEEDS(load(), "");
    kernel_is(0, "excess=160 other_excess=60 atomic_excess=30 views_agree=1");
    assert_string_equal(
        KERNEL("views", 0),
        "hardware counter 160, by instruction 160, closed form of loads and stores 100: they "
        "agree. Instructions other than loads and stores have 60 of these. Atomics have 30: "
        "their lanes also wait for one another at one word, which is not a bank conflict "
        "(same_word_wavefronts). Asynchronous copies have 30: their words also wait for those of "
        "other cache lines, which is not a bank conflict (line_wavefronts).");
    /* Nothing could disassemble it: the closed form covers an unknown part. */
    write_views("", "", "100");
    write_table("l", TABLE_LINES,
                "0,0,0,7,,,10,320,320,,,200,100\n0,16,0,8,,,10,320,320,,,40,10\n");
    SUCCEEDS(load(), "");
    kernel_is(0, "views_agree=");
    assert_string_equal(KERNEL("views", 0),
                        "hardware counter unknown, by instruction 130, closed form 100: there is "
                        "nothing to compare it with.");
}

/* The hardware counts what the words of a copy need as they arrive. Without the machine code nobody
 * knows which instructions copy. */
TEST(copies_depend_on_when_their_words_arrive)
{
    static const struct {
        const char *hardware, *agree, *says;
    } cases[] = {
        {"45000", "1",
         "they agree; the hardware counter is higher by 30.0 % of the wavefronts, because"},
        {"15000", "1",
         "they agree; the hardware counter is lower by 30.0 % of the wavefronts, because"},
        {"60000", "0", "they DISAGREE; the hardware counter is higher by 60.0 % of the wavefronts"},
        {"5000", "0", "they DISAGREE; the hardware counter is below"},
    };
    make_lines_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_views(cases[i].hardware, "0", "0");
        write_table("l", TABLE_LINES,
                    "0,0,0,7,,\"LDGSTS.E [R2], desc[UR4][R4.64]\",10,320,320,,,50000,20000\n");
        SUCCEEDS(load(), "");
        kernel_is(0, "async_excess=30000");
        const char *said = KERNEL("views", 0);
        if (!strstr(said, cases[i].says)) fail_msg("'%s' instead of '%s'", said, cases[i].says);
        assert_string_equal(KERNEL("views_agree", 0), cases[i].agree);
    }
    write_views("45000", "0", "");
    write_table("l", TABLE_LINES, "0,0,0,7,,,10,320,320,,,50000,20000\n");
    SUCCEEDS(load(), "");
    holds(KERNEL("views", 0), "they cannot be compared");
    kernel_is(0, "views_agree=");
}

/* The clean time is of all launches. */
TEST(a_cost_is_of_all_launches)
{
    make_lines_run();
    write_text("l/metrics.csv", "family,variant,size,block,sweep,best,time_kernels_ns,sm_clock_mhz,"
                                "launches\nf,01_a,1024,32,0,1,1000,1000,2\n");
    SUCCEEDS(load(), "");
    holds(KERNEL("cost", 0), "of the shared-memory pipe over all 2 launches;");
}

RUN_TESTS(fixture_open, asked_close)

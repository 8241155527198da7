#include "lines_show.h"

#include "catalog/registry.h"

/* ---- one kernel ------------------------------------------------------------------------------ */

LINES_TEST(the_source_stands_beside_its_numbers)
{
    static const char golden[] =
        "f/01_a, size 2^10, block 32, launch 0 of 1\n"
        "kernel     a (6 instructions)\n"
        "counts     500 warp instructions, 25.6 of 32 lanes on; 300 shared-memory wavefronts, 100 "
        "of them\n"
        "           excess (1.50 times the ideal)\n"
        "samples    100 stall samples at its instructions, from 2 launches, one every 1000 cycles; "
        "2\n"
        "           elsewhere, 1 dropped; most frequent reason: long scoreboard (40.0 % of the "
        "samples)\n"
        "distance   5.50 arithmetic instructions between a read of shared memory and its first "
        "use; 12\n"
        "           between an asynchronous copy and the wait for it (median of the main loop)\n"
        "conflicts  hardware counter 104, by instruction 100, closed form 100: they agree but for\n"
        "           arbitration, which the hardware counter alone includes: 1.3 % of the "
        "wavefronts.\n"
        "excess     100 excess wavefronts take 1.0 % of the cycles of the shared-memory pipe; of "
        "the kernel's\n"
        "           stall samples, 38.0 % are on the line with conflicts, and 25.0 % wait there "
        "for shared\n"
        "           memory.\n"
        "\n"
        "ways: wavefronts per ideal wavefront, over all accesses of the line; excess: "
        "shared-memory\n"
        "wavefronts beyond the ideal; stall %: % of the kernel's stall samples; main reason: the "
        "stall reason\n"
        "with most samples; executed: warp instructions; lanes: of 32, active and not predicated "
        "off.\n"
        "Not shown for lack of room: uncoalesced.\n"
        "\n"
        "line  ways  excess  stall %  main reason       executed  lanes  kernels/f/01_a.cu\n"
        "   5                                                            {\n"
        "   6                                                                __shared__ float "
        "s[64];\n"
        "   7  1.00       0     60.0  long scoreboard        200   32.0          s[threadIdx.x] = "
        "x[0];\n"
        "   8                                                                x[0] = twice(s);\n"
        "   9                    2.0  wait                   100   32.0  }\n"
        "  10\n"
        "  11                                                            /* What follows has no "
        "instructions\xE2\x80\xA6\n"
        "\n"
        "line  ways  excess  stall %  main reason       executed  lanes  kernels/f/shared.h\n"
        "   1                                                            static __device__ float "
        "twice(const\xE2\x80\xA6\n"
        "   2                                                            {\n"
        "   3  2.00     100     38.0  short scoreboard       200   16.0      return 2 * "
        "s[threadIdx.x * 2];\n"
        "   4                                                            }\n"
        "\n"
        "line  ways  excess  stall %  main reason       executed  lanes  instructions without a "
        "source line\n"
        "                        0.0                           0         (source line unknown)\n";
    SUCCEEDS(show_variant("f/01_a", 100), "");
    assert_memory_equal(printed, "Run ", 4);
    holds(printed, "2026-01-02T03:04:05Z)\n\nf/01_a");
    assert_string_equal(from("f/01_a"), golden);
    lacks(printed, "\033");
}

LINES_TEST(gaps_are_marked)
{
    write_table("l", TABLE_LINES, "0,0,0,2,,FADD,1,32,32\n0,16,0,11,,FADD,1,32,32\n");
    SUCCEEDS(show_variant("f/01_a", 100), "");
    assert_string_equal(from("line"),
                        "line  executed  lanes  kernels/f/01_a.cu\n"
                        "   1                   /* A story of conflicts. */\n"
                        "   2         1   32.0  #include \"shared.h\"\n"
                        "   3\n"
                        "   4                   static __global__ void a(float *x)\n"
                        "   \xE2\x80\xA6\n"
                        "   9                   }\n"
                        "  10\n"
                        "  11         1   32.0  /* What follows has no instructions. */\n"
                        "  12                   VARIANT_DEFINITION = {\n"
                        "  13                   };\n");
    /* A gap of one line would take as much space as its mark. */
    write_table("l", TABLE_LINES, "0,0,0,2,,FADD,1,32,32\n0,16,0,8,,FADD,1,32,32\n");
    SUCCEEDS(show_variant("f/01_a", 100), "");
    lacks(printed, "   \xE2\x80\xA6\n");
    holds(printed, "\n   5                   {\n");
}

LINES_TEST(instructions_stand_below_their_lines)
{
    struct lines_options options = options_for("f/01_a");
    static const char *const metrics[] = {"ways", "samples"};
    options.sass = 1;
    options.metrics = metrics;
    options.metric_count = 2;
    SUCCEEDS(show(&options, 80, 0), "");
    assert_string_equal(from("line"),
                        "line  ways  stall %  kernels/f/01_a.cu\n"
                        "   5                 {\n"
                        "   6                     __shared__ float s[64];\n"
                        "   7  1.00     60.0          s[threadIdx.x] = x[0];\n"
                        "               50.0    0000  LDG R1, [R2]\n"
                        "      1.00     10.0    0010  STS [R3], R1\n"
                        "   8                     x[0] = twice(s);\n"
                        "   9            2.0  }\n"
                        "                2.0    0040  EXIT\n"
                        "  10\n"
                        "  11                 /* What follows has no instructions. */\n"
                        "\n"
                        "line  ways  stall %  kernels/f/shared.h\n"
                        "   1                 static __device__ float twice(const float *s)\n"
                        "   2                 {\n"
                        "   3  2.00     38.0      return 2 * s[threadIdx.x * 2];\n"
                        "      inlined at 01_a.cu:8\n"
                        "      2.00     30.0    0020  LDS R4, [R5]\n"
                        "      of product.h:99, inlined at 01_a.cu:8\n"
                        "                8.0    0030  FMUL R4, R4, 2\n"
                        "   4                 }\n"
                        "\n"
                        "line  ways  stall %  instructions without a source line\n"
                        "                0.0  (source line unknown)\n"
                        "                0.0    0050  NOP\n");
}

LINES_TEST(lines_are_sorted_by_a_metric)
{
    struct lines_options options = options_for("f/01_a");
    options.sort = "excess";
    SUCCEEDS(show(&options, 100, 0), "");
    assert_string_equal(from("line"),
                        "line        ways  excess  stall %  main reason       executed  lanes\n"
                        "shared.h:3  2.00     100     38.0  short scoreboard       200   16.0  "
                        "return 2 * s[threadIdx.x * 2];\n"
                        "01_a.cu:7   1.00       0     60.0  long scoreboard        200   32.0  "
                        "s[threadIdx.x] = x[0];\n"
                        "01_a.cu:9                     2.0  wait                   100   32.0  }\n"
                        "                              0.0                           0         "
                        "(source line unknown)\n");
    options.sort = "not_issued"; /* not one of the columns: it becomes the first */
    SUCCEEDS(show(&options, 100, 0), "");
    holds(printed, "line        idle %  ways  excess");
    holds(printed, "\n01_a.cu:7     63.5  1.00");
}

LINES_TEST(metrics_are_chosen_by_name)
{
    static const char *const metrics[] = {"local_sectors", "branches", "divergent", "branches"},
                             *const unknown[] = {"exces"}, *const nonsense[] = {"xyzzy"};
    struct lines_options options = options_for("f/01_a");
    options.metrics = metrics;
    options.metric_count = 4;
    SUCCEEDS(show(&options, 100, 0), "");
    holds(printed, "\nline  local  branches  divergent  kernels/f/01_a.cu\n"); /* requested: shown
                                                                           once, without a value */
    holds(printed, "\n   9              100         10  }\n");
    options.metrics = unknown;
    options.metric_count = 1;
    FAILS(show(&options, 100, 0), FAIL_USAGE,
          "lines have no metric 'exces'; did you mean 'excess'?");
    assert_string_equal(printed, "");
    options.metrics = nonsense;
    FAILS(show(&options, 100, 0), FAIL_USAGE,
          "lines have no metric 'xyzzy'; they have ways, excess, wavefronts, ");
    options.metric_count = 0;
    options.sort = "sample";
    FAILS(show(&options, 100, 0), FAIL_USAGE, "did you mean 'samples'?");
}
/* ---- the screen ------------------------------------------------------------------------------ */
static void check_widths(int columns)
{
    for (const char *line = printed; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        OWNED char *copy = strndup(line, strcspn(line, "\n"));
        const int width = terminal_width(copy), length = (int)strlen(copy);
        if (width > columns) fail_msg("%d columns instead of %d: %s", width, columns, copy);
        if (length > 0 && copy[length - 1] == ' ' && !strstr(copy, "\xE2\x94\x82"))
            fail_msg("blanks at the end: '%s'", copy);
    }
}
LINES_TEST(no_line_is_wider_than_the_screen)
{
    const char *const variants[] = {"f/01_a", "f/02_b"};
    for (int columns = SCREEN_LEAST; columns < 240; columns += columns < 110 ? 1 : 13) {
        struct lines_options options = options_of(variants, 1 + columns % 2);
        options.sass = columns % 3 == 0;
        options.sort = columns % 5 == 0 ? "excess" : NULL;
        SUCCEEDS(show(&options, columns, 0), "");
        check_widths(columns);
        SUCCEEDS(show(&options, columns, 1), "");
        check_widths(columns);
    }
}

/* 28 columns are for the text: unused sectors are dropped first, then lanes, and so on to the left.
 */
LINES_TEST(narrow_screens_lose_columns_from_the_right)
{
    SUCCEEDS(show_variant("f/01_a", 105), "");
    holds(printed, "executed  lanes  uncoalesced  kernels");
    lacks(printed, "Not shown for lack of room");
    SUCCEEDS(show_variant("f/01_a", 92), "");
    holds(printed, "\nline  ways  excess  stall %  main reason       executed  lanes  kernels");
    holds(printed, "Not shown for lack of room: uncoalesced.");
    SUCCEEDS(show_variant("f/01_a", 91), "");
    holds(printed, "\nline  ways  excess  stall %  main reason       executed  kernels");
    holds(printed, "Not shown for lack of room: lanes, uncoalesced.");
    SUCCEEDS(show_variant("f/01_a", 60), "");
    holds(printed, "\nline  ways  excess  stall %  kernels/f/01_a.cu\n");
    holds(printed, "Not shown for lack of room");
    SUCCEEDS(show_variant("f/01_a", SCREEN_LEAST), "");
    holds(printed, "\nline  ways  kernels/f/01_a.cu\n");
}
LINES_TEST(heat_needs_a_screen_with_colours)
{
    struct lines_options options = options_for("f/01_a");
    SUCCEEDS(show(&options, 100, 1), "");
    holds(printed,
          "\n\033[1;31m   7  1.00       0     60.0  long scoreboard        200   32.0\033[0m     "
          "     s[threadIdx.x] = x[0];\n");
    holds(printed,
          "\n   9                    2.0  wait                   100   32.0  }\n"); /* 2 % is not
                                                                                warm */
    holds(printed,
          "\n   8                                                            \033[2m    x[0] = "
          "twice(s);\033[0m\n");
    holds(printed, "\n\033[1mf/01_a, size 2^10, block 32, launch 0 of 1\033[0m\nkernel ");
    holds(printed, "Yellow: from 3 % of the kernel's samples; red: from 10 %.");
    options.sort = "executed"; /* 200, 200 and 100 of 500 */
    SUCCEEDS(show(&options, 100, 1), "");
    holds(printed, "\033[1;31m01_a.cu:9 ");
}
/* A run from elsewhere may hold any text, and so may a source. */
LINES_TEST(nothing_gives_orders_to_the_terminal)
{
    struct lines_options options = options_for("f/02_b");
    options.sass = 1;
    write_table(
        "l", TABLE_KERNELS,
        "1,f,02_b,1024,32,0,0,s,\"b\033]0;title\a\",ok,\"absent: \033[2J\",2,1000,40,0,0,ok,ok\n");
    write_table("l", TABLE_LINES,
                "1,0,3,2,,\"LDS \033[5m R4\r\",10,320,320,,,20,40,,,,30,10,wait=30/10\n");
    SUCCEEDS(show(&options, 120, 0), "");
    lacks(printed, "\033");
    lacks(printed, "\r");
    lacks(printed, "\a");
    holds(printed, "x[0] = 1; /* \xC3\xA9t\xC3\xA9 \xEF\xBF\xBD[31m */\n");
    holds(printed, "LDS \xEF\xBF\xBD[5m R4\xEF\xBF\xBD\n");
}

/* ---- missing names and data ------------------------------------------------------------------ */

LINES_TEST(a_kernel_without_numbers_says_why)
{
    struct lines_options options = options_for("f/02_b");
    options.choice.launch = 1;
    SUCCEEDS(show(&options, 100, 0), "");
    assert_string_equal(from("f/02_b"),
                        "f/02_b, size 2^10, block 32, launch 1 of 2\n"
                        "kernel     b\n"
                        "counts     absent: refused\n"
                        "samples    absent: nothing came\n"
                        "lines      absent: no line table\n"
                        "SASS       absent: no disassembler\n"
                        "excess     The cost of bank conflicts is unknown: refused.\n");
}
TEST(a_variant_of_the_program_can_be_measured)
{
    make_lines_run();
    FAILS(show_variant("gemm/13*", 100), FAIL_USAGE,
          "has no variant 'gemm/13*'; to measure it: whyfast report 'gemm/13*'");
}
LINES_TEST(variants_are_found_by_what_is_typed)
{
    static const struct {
        const char *word, *found;
    } good[] = {{"f/01_a", "f/01_a"}, {"01_a", "f/01_a"}, {"f/02", "f/02_b"},
                {"03", "f/03_c"},     {"*_b", "f/02_b"},  {"f/*1*", "f/01_a"}};
    static const struct {
        const char *word, *says;
        int failure;
    } bad[] = {
        {"f/0", "'f/0' matches several variants: f/01_a, f/02_b, f/03_c; name one", FAIL_USAGE},
        {"*", "matches several variants", FAIL_USAGE},
        {"f/02_a", "has no variant 'f/02_a'; did you mean 'f/0", FAIL_USAGE},
        {"xyzzy", "has no variant of this name; it has f/01_a, f/02_b, f/03_c, f/04_d", FAIL_USAGE},
        {"f/99", "has no variant 'f/99'; it has f/01_a, f/02_b, f/03_c, f/04_d", FAIL_USAGE},
        {"f/04", "has no per-line data of f/04_d; it has that of f/01_a, f/02_b, f/03_c",
         FAIL_INPUT}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char expected[64];
        SUCCEEDS(show_variant(good[i].word, 100), "");
        snprintf(expected, sizeof expected, "\n%s, size 2^10", good[i].found);
        holds(printed, expected);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FAILS(show_variant(bad[i].word, 100), bad[i].failure, bad[i].says);
        assert_string_equal(printed, "");
    }
}

LINES_TEST(points_are_chosen)
{
    const char *const variants[] = {"f/02_b", "f/01_a"};
    struct lines_options options = options_of(variants, 1);
    write_table("l", TABLE_KERNELS,
                "0,f,01_a,1024,32,0,0,s,a,ok,ok,,,,,,ok,ok\n5,f,01_a,65536,64,0,0,s,a,ok,ok,,,,,,"
                "ok,ok\n1,f,02_b,1024,32,0,0,s,b,ok,ok,,,,,,ok,ok\n"
                "2,f,02_b,4096,32,2,0,s,b,ok,ok,,,,,,ok,ok\n3,f,02_b,4096,32,4,0,s,b,ok,ok,,,,,,ok,"
                "ok\n4,f,02_b,4096,32,4,1,s,b,ok,ok,,,,,,ok,"
                "ok\n");
    write_text("l/metrics.csv",
               "family,variant,size,block,sweep,best\nf,02_b,4096,32,2,0\nf,02_b,4096,32,4,1\n");
    SUCCEEDS(show(&options, 100, 0), "");
    holds(printed,
          "f/02_b, size 2^12, block 32, sweep 4, launch 0\n"); /* the largest size, its best
                                                           setting, the first launch */
    options.choice.launch = 1;
    SUCCEEDS(show(&options, 100, 0), "");
    holds(printed, "sweep 4, launch 1\n");
    options.choice.launch = -1;
    options.choice.sweep = 2;
    SUCCEEDS(show(&options, 100, 0), "");
    holds(printed, "size 2^12, block 32, sweep 2, launch 0\n");
    options.choice.sweep = 0;
    options.choice.size = "2^10";
    SUCCEEDS(show(&options, 100, 0), "");
    holds(printed, "f/02_b, size 2^10, block 32, launch 0\n");
    options.variant_count =
        2; /* the second is chosen like the first, though it has a larger size */
    options.choice.size = NULL;
    options.choice.block = 32;
    options.variants = (const char *const[]){"f/02_b", "f/01_a"};
    SUCCEEDS(show(&options, 100, 0), "");
    holds(printed, "\nf/01_a, size 2^10, block 32, launch 0\n");
    options.variant_count = 1;
    options.choice.launch = 7;
    FAILS(show(&options, 100, 0), FAIL_USAGE,
          "has no such per-line data of f/02_b; it has size 4096, block 32, sweep 2, launch 0; "
          "size 4096, block 32, sweep 4, launch 0, 1; size 1024, block 32, launch 0");
    options.choice.size = "12y";
    FAILS(show(&options, 100, 0), FAIL_USAGE, "size '12y'");
}

LINES_TEST(a_run_without_lines_says_how_to_get_them)
{
    char expected[700];
    unlink(place("l/kernels.csv"));
    unlink(place("l/lines.csv"));
    snprintf(expected, sizeof expected,
             "l has no per-line data; 'whyfast collect %s --sets lines' adds them on a machine "
             "with a GPU",
             place("l"));
    FAILS(show_variant("f/01_a", 100), FAIL_INPUT, expected);
    assert_string_equal(printed, "");
}

/* Numbers beside the wrong lines would be worse than no text. */
LINES_TEST(a_source_that_is_not_in_the_run_has_numbers_without_text)
{
    for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
        write_sources(is_damaged ? "\n\nsomething else\n" : NULL);
        SUCCEEDS(show_variant("f/01_a", 100),
                 "warning: kernels/f/shared.h is not in the run; its lines are shown without text");
        holds(printed, "\nline  ways  excess  stall %  main reason       executed  lanes  "
                       "kernels/f/shared.h\n"
                       "      (text not shown: the run does not have the file)\n"
                       "   3  2.00     100     38.0  short scoreboard       200   16.0\n\n");
        lacks(printed, "something else");
        holds(printed, "s[threadIdx.x] = x[0];");
    }
    SUCCEEDS(show_variant("f/02_b", 100), ""); /* has no line of that file */
}

LINES_TEST(disagreement_is_seen)
{
    const struct lines_options options = options_for("f/01_a");
    write_table("l", TABLE_LAUNCHES, "f,01_a,1024,32,0,0,1,32,8,0,0,0,1,50,warps,50\n");
    SUCCEEDS(show(&options, 200, 1), "");
    holds(printed,
          "\033[1;31mconflicts  hardware counter 104, by instruction 100, closed form 50: they "
          "DISAGREE;");
}

RUN_TESTS(fixture_open, forget)

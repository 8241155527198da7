/* Tests the other forms of lines: two kernels side by side, bank maps, CSV. */
#include "lines_show.h"

/* ---- two kernels ----------------------------------------------------------------------------- */

LINES_TEST(two_stand_side_by_side_where_there_is_room)
{
    const char *const variants[] = {"f/01_a", "f/02_b"};
    const struct lines_options options = options_of(variants, 2);
    SUCCEEDS(show(&options, 2 * LINES_LEAST_HALF + 3, 0), "");
    holds(printed,
          "f/01_a, size 2^10, block 32, launch 0 of 1                                       "
          "\xE2\x94\x82 f/02_b, size 2^10, block 32, launch 0 of 2\n");
    holds(printed, "main reason       kernels/f/01_a.cu");
    SUCCEEDS(show(&options, 2 * LINES_LEAST_HALF + 2, 0), "");
    lacks(printed, "\xE2\x94\x82");
    holds(printed,
          "\n\nf/02_b, size 2^10, block 32, launch 0 of 2\nkernel     b (2 instructions)\n");
}

LINES_TEST(what_differs_is_told_first)
{
    const char *const variants[] = {"f/01_a", "f/02_b"};
    const struct lines_options options = options_of(variants, 2);
    SUCCEEDS(show(&options, 100, 0), "");
    assert_true(from("A  ") < from("f/01_a, size"));
    holds(printed,
          "A  f/01_a, size 2^10, block 32, launch 0\n"
          "B  f/02_b, size 2^10, block 32, launch 0\n"
          "\n"
          "                                       A           B       B / A\n"
          "SASS instructions                      6           2       0.333\n"
          "warp instructions                    500          20        0.04\n"
          "thread instructions on             12800         640        0.05\n"
          "divergent targets                     10\n"
          "shared wavefronts                    300          20      0.0667\n"
          "excess wavefronts                    100           0           0\n"
          "global sectors                       800          40        0.05\n"
          "global excess sectors                400           0           0\n"
          "read distance                        5.5\n"
          "\n"
          "sampled cycles of a launch             A           B       B / A\n"
          "all                                50000       20000         0.4\n"
          "long scoreboard                    20000           0           0\n"
          "short scoreboard                   13000        7500       0.577\n"
          "selected                            7500        5000       0.667\n"
          "wait                                7000        7500        1.07\n"
          "mio throttle                        2500           0           0\n"
          "Sampled cycles are samples times the sampling period: the warp cycles that the samples "
          "stand for.\n");
    /* If one of them has no period, shares are shown. */
    write_table("l", TABLE_KERNELS,
                "0,f,01_a,1024,32,0,0,_Z1aPf,a,ok,ok,2,1000,103,1,2,ok,ok\n1,f,02_b,1024,32,0,0,_"
                "Z1bPf,b,ok,ok,,,40,0,0,ok,ok\n");
    write_text("l/lines.csv", "");
    write_table("l", TABLE_LINES,
                "0,0,0,7,,FADD,1,32,32,,,,,,,,50,35,wait=40/35 "
                "selected=10/0\n1,0,3,2,,FADD,1,32,32,,,,,,,,10,0,wait=5/0 selected=5/0\n");
    SUCCEEDS(show(&options, 100, 0), "");
    holds(printed, "% of stall samples                     A           B       B - A\n"
                   "all                                100.0       100.0        +0.0\n"
                   "wait                                80.0        50.0       -30.0\n"
                   "selected                            20.0        50.0       +30.0\n");
}

LINES_TEST(without_samples_of_both_no_reasons)
{
    const char *const variants[] = {"f/01_a", "f/03_c"};
    const struct lines_options options = options_of(variants, 2);
    SUCCEEDS(show(&options, 100, 0), "");
    lacks(printed, "sampled cycles of a launch");
    holds(printed, "\nexcess wavefronts                    100           5        0.05\n");
    holds(printed, "samples    absent: nothing came\n");
}

/* ---- bank maps ------------------------------------------------------------------------------- */

LINES_TEST(bank_maps_stand_in_place_of_the_source)
{
    struct lines_options options = options_for("f/01_a");
    struct text rows = {0};
    options.banks = 1;
    text_append(&rows, "f,01_a,1024,32,0,0,0,free reads,load,4,7,1,1,");
    for (int lane = 0; lane < 32; lane++) text_format(&rows, "%s%d", lane ? " " : "", 4 * lane);
    text_append(&rows, "\nf,01_a,1024,32,0,0,1,strided reads,load,4,10,2,1,");
    for (int lane = 0; lane < 32; lane++) text_format(&rows, "%s%d", lane ? " " : "", 8 * lane);
    text_append(&rows, "\nf,01_a,1024,32,0,0,2,rows of matrices,ldmatrix,16,2,8,4,");
    for (int lane = 0; lane < 32; lane++) text_format(&rows, "%s%d", lane ? " " : "", 32 * lane);
    text_append(&rows, "\nf,01_a,1024,32,0,0,3,halves,load,2,5,1,1,");
    for (int lane = 0; lane < 32; lane++) text_format(&rows, "%s%d", lane ? " " : "", 2 * lane);
    text_append(&rows, "\nf,02_b,1024,32,0,0,0,of another,load,4,10,1,1,0\n");
    write_table("l", TABLE_ACCESSES, text_string(&rows));
    text_free(&rows);
    SUCCEEDS(show(&options, 100, 0), "");
    const char *first = strstr(
        printed, "f/01_a, size 2^10, launch 0:\n10 executions, 10 excess wavefronts in all\n");
    const char *second =
        strstr(printed, "f/01_a, size 2^10, launch 0:\n7 executions, 0 excess wavefronts in all\n");
    holds(printed, "\nat kernels/f/shared.h:3\nstrided reads\n");
    holds(printed, "\nfree reads\n");
    holds(printed, "\n2 executions, 8 excess wavefronts in all\nrows of matrices\n"
                   "ldmatrix, 16 bytes per lane: 8 wavefronts, ideal 4, 2-way conflict\n");
    holds(printed, "\nlane  0  0 0 0 0 . . . . ");
    holds(printed, "\nlane  4  1 1 1 1 . . . . ");
    holds(printed, "\nload, 2 bytes per lane: 1 wavefront, ideal 1, no conflict\n");
    assert_true(first && second && first < second); /* the most costly first */
    lacks(printed, "of another");
    options.csv = 1;
    SUCCEEDS(show(&options, 100, 0), "");
    holds(printed,
          "family,variant,size,block,sweep,device,launch,access,name,kind,width_bytes,lines,"
          "executions,wavefronts,ideal,lane,address,bank,wavefront\n"
          "f,01_a,1024,32,0,0,0,1,strided reads,load,4,");
    holds(printed, ",10,2,1,31,248,30,1\n");
    options.csv = 0;
    lacks(printed, "__global__");
    write_table("l", TABLE_ACCESSES, "");
    FAILS(show(&options, 100, 0), FAIL_INPUT,
          "the variant does not describe its accesses to shared memory, so it has no bank map");
    write_table("l", TABLE_ACCESSES, "f,01_a,1024,32,0,0,0,odd,load,4,7,1,1,0 4 8\n");
    FAILS(show(&options, 100, 0), FAIL_INPUT,
          "accesses.csv: 'odd': expected a load or store of 2, 4, 8 or 16 bytes by 32 "
          "lanes, or ldmatrix of 16");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

LINES_TEST(csv_has_all_digits)
{
    const char *const variants[] = {"f/01_a", "f/02_b"};
    static const char *const metrics[] = {"excess", "samples", "reason"};
    struct lines_options options = options_of(variants, 2);
    options.csv = 1;
    options.metrics = metrics;
    options.metric_count = 3;
    SUCCEEDS(show(&options, 100, 1), "");
    assert_string_equal(
        printed,
        "family,variant,size,block,sweep,device,launch,name,path,line,excess,sample_pct,reason\n"
        "f,01_a,1024,32,0,0,0,a,kernels/f/01_a.cu,7,0,60,long_scoreboard\n"
        "f,01_a,1024,32,0,0,0,a,kernels/f/01_a.cu,9,,2,wait\n"
        "f,01_a,1024,32,0,0,0,a,kernels/f/shared.h,3,100,38,short_scoreboard\n"
        "f,01_a,1024,32,0,0,0,a,,,,0,\n"
        "f,02_b,1024,32,0,0,0,b,kernels/f/02_b.cu,2,0,100,short_scoreboard\n");
    options.variant_count = 1;
    options.sort = "excess";
    options.sass = 1;
    options.metric_count = 1;
    SUCCEEDS(show(&options, 100, 1), "");
    assert_string_equal(
        printed, "family,variant,size,block,sweep,device,launch,name,path,line,pc,sass,excess\n"
                 "f,01_a,1024,32,0,0,0,a,kernels/f/shared.h,3,32,\"LDS R4, [R5]\",100\n"
                 "f,01_a,1024,32,0,0,0,a,kernels/f/01_a.cu,7,16,\"STS [R3], R1\",0\n"
                 "f,01_a,1024,32,0,0,0,a,kernels/f/01_a.cu,7,0,\"LDG R1, [R2]\",\n"
                 "f,01_a,1024,32,0,0,0,a,kernels/f/01_a.cu,9,64,EXIT,\n"
                 "f,01_a,1024,32,0,0,0,a,kernels/f/shared.h,3,48,\"FMUL R4, R4, 2\",\n"
                 "f,01_a,1024,32,0,0,0,a,,,80,NOP,\n");
}

RUN_TESTS(fixture_open, forget)

/* Tests what 'whyfast run' prints of a program's kernels. */
#include "fixture.h"

#include "report/program_print.h"

/* Two kernels, the second of which takes most of the time and waits for global memory. */
TEST(the_first_kernel_has_advice)
{
    struct run run;
    make_run("r");
    write_variants("r", "p,one,1,One,,kernel\np,two,2,Two,,kernel\n");
    write_table("r", TABLE_SAMPLES,
                "p,one,as_run,0,0,as_run,activity,a,0,1000,1000,ok\n"
                "p,two,as_run,0,0,as_run,activity,a,0,9000,1000,ok\n");
    write_table("r", TABLE_DEMANDS,
                "p,one,as_run,0,0,shared,300,30,1\np,one,as_run,0,0,l1,310,31,1\n"
                "p,two,as_run,0,0,dram,4000,44,1\n");
    write_table("r", TABLE_CONFLICTS, "");
    write_table("r", TABLE_REMAINS,
                "p,one,as_run,0,0,1,barriers,at most,500,50\n"
                "p,two,as_run,0,0,2,fetch,at most,90,1\n"
                "p,two,as_run,0,0,1,global_latency,at most,4500,50\n");
    assert_int_equal(run_open(&run, place("r")), 0);
    setenv("WHYFAST_DATA", root(), 1);
    setenv("COLUMNS", "10000", 1);
    listen_to_stderr();
    const int result = program_print(&run, PRINT_SCREEN);
    const char *said = heard();
    assert_int_equal(result, 0);
    /* No unit is busy for most of the time of the other one. */
    assert_non_null(strstr(said, "latency                      p/Two"));
    assert_non_null(strstr(said, "L1 cache with shared memory  p/One"));
    assert_non_null(strstr(said, "still to be gained from p/two: exposed global-load latency, at"));
    assert_non_null(strstr(said, "most 4.500 \u00b5s (50.0 %). Load less, by"));
    assert_null(strstr(said, "Let fewer threads wait")); /* of the other kernel */
    run_close(&run);

    write_table("r", TABLE_REMAINS, "");
    assert_int_equal(run_open(&run, place("r")), 0);
    listen_to_stderr();
    assert_int_equal(program_print(&run, PRINT_SCREEN), 0);
    assert_null(strstr(heard(), "still to be gained"));
    run_close(&run);
}

RUN_TESTS(fixture_open, fixture_close)

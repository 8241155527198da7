#include "features_run.h"

static void tensor_cores_are_a_resource(void **state)
{
    (void)state;
    make_features("tensor_cycles=60000 stall_gmma=2");
    is_near(feature("tensor", "tensor_pipe"), 60000);
    is_near(feature("long_queue", "tensor_waits"), 80000);
    ledger_close();
    make_features(""); /* an older run */
    assert_string_equal(feature("tensor", "tensor_pipe"), "(absent)");
    assert_string_equal(feature("long_queue", "tensor_waits"), "(absent)");
    ledger_close();
}

/* The operands that wgmma reads are traffic of shared memory, whichever counter sees them. */
static void operands_pass_through_the_data_stage(void **state)
{
    static const char *const seen[] = {
        "l1_wavefronts=5000 wgmma_wavefronts_hw=3000 wgmma_wavefronts_sass=0 "
        "shared_wavefronts=1000",
        "l1_wavefronts=5000 wgmma_wavefronts_hw=0 wgmma_wavefronts_sass=3000 "
        "shared_wavefronts=4000",
        "l1_wavefronts=5000 wgmma_wavefronts_hw=3000 wgmma_wavefronts_sass=3000 "
        "shared_wavefronts=4000"};
    (void)state;
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        make_features(seen[i]);
        is_near(feature("data", "shared_traffic"), 400);
        is_near(feature("data", "global_traffic"), 100);
        ledger_close();
    }
}

/* The clock of a variant more than 3 % below the others' is lowered by its own load. */
static void a_low_clock_is_its_own_cause(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", "sm_clock_mhz=1000"}, {"02_b", "sm_clock_mhz=900"},
              {"03_c", "sm_clock_mhz=980"});
    open_point();
    SUCCEEDS(causes_features(&ledger_query), "");
    is_near(feature("ghz", "clock"), 1);
    assert_string_equal(feature("ghz", "throttling"), "(absent)");
    is_near(first("SELECT value FROM features WHERE variant = '02_b' AND cause = 'clock'"), 1);
    is_near(first("SELECT value FROM features WHERE variant = '02_b' AND cause = 'throttling'"),
            0.9);
    is_near(first("SELECT value FROM features WHERE variant = '03_c' AND cause = 'clock'"), 0.98);
    assert_string_equal(
        first("SELECT value FROM features WHERE variant = '03_c' AND cause = 'throttling'"),
        "(absent)");
    ledger_close();
    /* Kernels of a program do not take turns. */
    WRITE_RUN({"01_a", "sm_clock_mhz=1000"}, {"02_b", "sm_clock_mhz=900"});
    open_point();
    set_metrics("is_as_run=1");
    SUCCEEDS(causes_features(&ledger_query), "");
    is_near(first("SELECT value FROM features WHERE variant = '02_b' AND cause = 'clock'"), 0.9);
    ledger_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensor_cores_are_a_resource),
        cmocka_unit_test(operands_pass_through_the_data_stage),
        cmocka_unit_test(a_low_clock_is_its_own_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

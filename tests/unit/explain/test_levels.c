#include "causes_run.h"

TEST(terms_lead_to_their_causes)
{
    WRITE_RUN({"01_a", ""});
    make_levels();
    is_near(CYCLES("work"), 10000);
    is_near(CYCLES("overhead"), 20000);
    is_near(CYCLES("shared_memory"), 5000 + 10000); /* instructions and waiting */
    is_near(CYCLES("global_memory"), 5000 + 30000);
    is_near(first("SELECT cycles FROM ledger_cause WHERE cause = 'global_memory' AND issued"),
            5000);
    is_near(first("SELECT cycles FROM ledger_cause WHERE cause = 'global_memory' AND NOT issued"),
            30000);
    is_near(first("SELECT sum(cycles) FROM ledger_cause WHERE issued"), 40000);
    is_near(CYCLES("imbalance"), 5000);
    is_near(CYCLES("launches"), 4000);
    is_near(CYCLES("residual"), 1000);
    is_near(CYCLES("divergence"), 0);
    is_near(CYCLES("bank_conflicts"), 0);
    ledger_close();
}

/* Inactive lanes took 8000 of 40000 cycles, and predicated-off lanes 16000; the 30000 cycles that
 * are not work give them up in proportion. */
TEST(idle_lanes_are_taken_from_all_but_the_work)
{
    WRITE_RUN({"01_a", "warp_execution_efficiency_pct=80 predicated_on_pct=50"});
    make_levels();
    is_near(CYCLES("divergence"), 8000);
    is_near(CYCLES("predication"), 16000);
    is_near(CYCLES("work"), 10000);
    is_near(CYCLES("overhead"), 4000);
    is_near(CYCLES("shared_memory"), 1000 + 10000);
    ledger_close();
}

TEST(idle_lanes_leave_the_work_alone)
{
    WRITE_RUN({"01_a", "warp_execution_efficiency_pct=10 predicated_on_pct=50"},
              {"02_b", "warp_execution_efficiency_pct=50 predicated_on_pct=10"},
              {"03_c", "warp_execution_efficiency_pct=100.01 predicated_on_pct=100.01"},
              {"04_d", "warp_execution_efficiency_pct= predicated_on_pct="},
              {"05_e", "warp_execution_efficiency_pct=50 useful_operations=1e12"});
    make_levels();
    is_near(CYCLES("divergence"), 30000);
    is_near(CYCLES("predication"), 0);
    is_near(CYCLES("overhead"), 0);
    is_near(CYCLES("work"), 10000);
    is_near(LEVEL("cycles", "02_b", "divergence"), 20000);
    is_near(LEVEL("cycles", "02_b", "predication"), 10000); /* of 18000 */
    is_near(LEVEL("cycles", "03_c", "divergence"), 0);      /* never below 0 */
    is_near(LEVEL("cycles", "03_c", "predication"), 0);
    is_near(LEVEL("cycles", "04_d", "divergence"), 0); /* unknown counts distinguish nothing */
    is_near(LEVEL("cycles", "05_e", "work"), 30000);   /* all arithmetic and all the rest */
    is_near(LEVEL("cycles", "05_e", "divergence"), 10000);
    ledger_close();
}

TEST(conflicts_have_their_share_of_the_waiting)
{
    WRITE_RUN({"01_a", "shared_excess_wavefronts=250"}, {"02_b", "shared_excess_wavefronts=2000"},
              {"03_c", "shared_excess_wavefronts=-5"}, {"04_d", "shared_wavefronts=0"},
              {"05_e", "shared_excess_wavefronts="});
    make_levels();
    is_near(CYCLES("bank_conflicts"), 2500);
    is_near(CYCLES("shared_memory"), 5000 + 7500);
    is_near(LEVEL("cycles", "02_b", "bank_conflicts"), 10000); /* all of it, and no more */
    is_near(LEVEL("cycles", "03_c", "bank_conflicts"), 0);
    is_near(LEVEL("cycles", "04_d", "bank_conflicts"), 0);
    is_near(LEVEL("cycles", "05_e", "bank_conflicts"), 0);
    ledger_close();
}

TEST(sectors_share_the_waiting_for_global_memory)
{
    WRITE_RUN({"01_a", "global_excess_sectors=500 local_sectors=1000 local_instructions=40000"},
              {"02_b", "global_excess_sectors=1000 local_sectors=250"},
              {"03_c", "global_excess_sectors=9000 local_sectors=1000"},
              {"04_d", "global_read_sectors=0 local_sectors=0"},
              {"05_e", "global_excess_sectors=500 local_sectors="});
    make_levels();
    is_near(CYCLES("uncoalesced"), 7500);
    is_near(CYCLES("spills"), 1000 + 15000); /* instructions, too */
    is_near(CYCLES("global_memory"), 5000 + 7500);
    is_near(LEVEL("cycles", "02_b", "uncoalesced"), 24000);
    is_near(LEVEL("cycles", "02_b", "spills"), 6000);
    is_near(LEVEL("cycles", "03_c", "uncoalesced"), 30000);
    is_near(LEVEL("cycles", "03_c", "spills"), 0); /* together no more than all */
    is_near(LEVEL("cycles", "04_d", "global_memory"), 35000);
    is_near(LEVEL("cycles", "05_e", "global_memory"), 35000);
    ledger_close();
}

TEST(what_is_not_told_apart_is_a_cause)
{
    WRITE_RUN({"01_a", "fp32_add= stall_wait= warp_execution_efficiency_pct=75"});
    make_levels();
    is_near(CYCLES("issued"), 30000);
    is_near(CYCLES("divergence"), 10000);
    is_near(CYCLES("stalled"), 50000);
    ledger_close();
}

TEST(parts_have_their_part_of_the_interval)
{
    WRITE_RUN({"01_a", "shared_excess_wavefronts=250 warp_instructions_sass=1616000 "
                       "warp_execution_efficiency_pct=85"},
              {"02_b", "noise_scheduler_cycles_issued= warp_instructions_sass= "
                       "warp_execution_efficiency_pct=85"});
    make_levels();
    is_near(LEVEL("half", "01_a", "bank_conflicts"), 25);
    is_near(LEVEL("half", "01_a", "divergence"),
            60); /* 1 % of 6000: all instructions are equally uncertain */
    is_near(LEVEL("half", "01_a", "overhead"), 160); /* 1 % of the rest of 20000 */
    is_near(first("SELECT (high_ns - low_ns) / 2 FROM levels WHERE variant = '01_a' AND cause = "
                  "'shared_memory'"),
            sqrt(75 * 75 + 40 * 40)); /* waiting and instructions */
    assert_string_equal(LEVEL("half", "02_b", "divergence"), "(absent)");
    assert_string_equal(first("SELECT high_ns FROM levels WHERE variant = '02_b' AND cause = "
                              "'shared_memory'"),
                        "(absent)"); /* including the instructions */
    is_near(LEVEL("half", "02_b", "dependencies"), 100);
    ledger_close();
}

TEST(a_cause_without_a_record_is_refused)
{
    WRITE_RUN({"01_a", ""});
    make_data("term wait\n    part stalled\n    title W\n    cause weather\n    means m\n", "");
    FAILS(levels_open(), FAIL_INPUT, "test.metric:4: no cause is called 'weather'");
    ledger_close();
}

RUN_TESTS(fixture_open, fixture_close)

#include "causes_run.h"

/* Makes the levels of a run of these points. Those of every point sum to the elapsed cycles. */
#define LEVELS_OF(...)                                                                             \
    do {                                                                                           \
        WRITE_RUN(__VA_ARGS__);                                                                    \
        use_project_records();                                                                     \
        SUCCEEDS(levels_open(), "");                                                               \
        finds(not_complete, "0");                                                                  \
    } while (0)
static const char not_complete[] =
    "SELECT count(*) FROM ledger l LEFT JOIN (SELECT variant, sum(cycles) AS cycles FROM "
    "ledger_cause GROUP BY variant) c USING (variant) WHERE l.term = 'elapsed' AND NOT "
    "coalesce(abs(l.cycles - c.cycles) <= 1e-6, 0)";

/* Assert that causes of a point have these values, "cause=value". */
#define levels_are(column, variant, words)                                                         \
    values_are("SELECT sum(" column ") FROM ledger_cause WHERE variant = '" variant                \
               "' AND cause = '%s'",                                                               \
               words)
#define cycles_are(words) levels_are("cycles", "01_a", words)

TEST(terms_lead_to_their_causes)
{
    LEVELS_OF({"01_a", ""});
    cycles_are("work=10000 overhead=20000 global_memory=35000");
    cycles_are("shared_memory=15000"); /* instructions and waiting */
    row_is("ledger_cause WHERE cause = 'global_memory' AND issued", "cycles=5000");
    row_is("ledger_cause WHERE cause = 'global_memory' AND NOT issued", "cycles=30000");
    row_is("ledger_cause WHERE issued", "sum(cycles)=40000");
    cycles_are("imbalance=5000 launches=4000 residual=1000 divergence=0 bank_conflicts=0");
}

/* Inactive lanes took 8000 of 40000 cycles, and predicated-off lanes 16000; the 30000 cycles that
 * are not work give them up in proportion. */
TEST(idle_lanes_are_taken_from_all_but_the_work)
{
    LEVELS_OF({"01_a", "warp_execution_efficiency_pct=80 predicated_on_pct=50"});
    cycles_are("divergence=8000 predication=16000 work=10000 overhead=4000 shared_memory=11000");
}

TEST(idle_lanes_leave_the_work_alone)
{
    LEVELS_OF({"01_a", "warp_execution_efficiency_pct=10 predicated_on_pct=50"},
              {"02_b", "warp_execution_efficiency_pct=50 predicated_on_pct=10"},
              {"03_c", "warp_execution_efficiency_pct=100.01 predicated_on_pct=100.01"},
              {"04_d", "warp_execution_efficiency_pct= predicated_on_pct="},
              {"05_e", "warp_execution_efficiency_pct=50 useful_operations=1e12"});
    cycles_are("divergence=30000 predication=0 overhead=0 work=10000");
    levels_are("cycles", "02_b", "divergence=20000");
    levels_are("cycles", "02_b", "predication=10000"); /* of 18000 */
    levels_are("cycles", "03_c", "divergence=0");      /* never below 0 */
    levels_are("cycles", "03_c", "predication=0");
    levels_are("cycles", "04_d", "divergence=0"); /* unknown counts distinguish nothing */
    levels_are("cycles", "05_e", "work=30000");   /* all arithmetic and all the rest */
    levels_are("cycles", "05_e", "divergence=10000");
}

TEST(conflicts_have_their_share_of_the_waiting)
{
    LEVELS_OF({"01_a", "shared_excess_wavefronts=250"}, {"02_b", "shared_excess_wavefronts=2000"},
              {"03_c", "shared_excess_wavefronts=-5"}, {"04_d", "shared_wavefronts=0"},
              {"05_e", "shared_excess_wavefronts="});
    cycles_are("bank_conflicts=2500 shared_memory=12500");
    levels_are("cycles", "02_b", "bank_conflicts=10000"); /* all of it, and no more */
    levels_are("cycles", "03_c", "bank_conflicts=0");
    levels_are("cycles", "04_d", "bank_conflicts=0");
    levels_are("cycles", "05_e", "bank_conflicts=0");
}

TEST(sectors_share_the_waiting_for_global_memory)
{
    LEVELS_OF({"01_a", "global_excess_sectors=500 local_sectors=1000 local_instructions=40000"},
              {"02_b", "global_excess_sectors=1000 local_sectors=250"},
              {"03_c", "global_excess_sectors=9000 local_sectors=1000"},
              {"04_d", "global_read_sectors=0 local_sectors=0"},
              {"05_e", "global_excess_sectors=500 local_sectors="});
    cycles_are("uncoalesced=7500 global_memory=12500");
    cycles_are("spills=16000"); /* instructions, too */
    levels_are("cycles", "02_b", "uncoalesced=24000 spills=6000");
    levels_are("cycles", "03_c", "uncoalesced=30000");
    levels_are("cycles", "03_c", "spills=0"); /* together no more than all */
    levels_are("cycles", "04_d", "global_memory=35000");
    levels_are("cycles", "05_e", "global_memory=35000");
}

/* The tensor pipe is busy for 60000 of the 90000 cycles in which warps are there; their own
 * instructions take 10000. The other 80000 become 30000; half of the operations are padding. */
TEST(work_starts_from_the_busy_pipe)
{
#define TENSOR "tensor_instructions=400000 fp32_fma=0 "
    LEVELS_OF({"01_a", TENSOR "tensor_operations=25600000 demand_tensor_ns=60000"},
              {"02_b", TENSOR "tensor_operations=51200000 demand_tensor_ns=60000"},
              {"03_c", TENSOR "tensor_operations=25600000 demand_tensor_ns=99000"},
              {"04_d", TENSOR "tensor_operations=25600000 demand_tensor_ns=9000"},
              {"05_e", TENSOR "tensor_operations=0 demand_tensor_ns=60000"},
              {"06_f", TENSOR "tensor_operations=25600000 demand_tensor_ns=60000 "
                              "warp_execution_efficiency_pct=85"});
    cycles_are("work=60000 overhead=7500 global_memory=13125 shared_memory=5625");
    cycles_are("imbalance=5000 launches=4000 residual=1000");
    levels_are("cycles", "02_b", "work=30000 products=30000 global_memory=13125");
    levels_are("cycles", "03_c", "work=90000"); /* never more than the SMs have warps */
    levels_are("cycles", "04_d", "work=10000 global_memory=35000"); /* their issue slots are more */
    levels_are("cycles", "05_e", "global_memory=35000");            /* a pipe without matrices */
    levels_are("cycles", "06_f", "work=60000");
}

/* Device memory needs 75500 of the 88000 cycles after the launch: 35000 were those of accesses to
 * global memory. The 45000 others but the useful work become 4500. */
TEST(global_memory_has_the_time_that_dram_needs_at_its_limit)
{
#define SHORT "time_ns=92000 "
    LEVELS_OF({"01_a", SHORT "demand_dram_ns=75500"}, {"02_b", SHORT "demand_dram_ns=74700"},
              {"03_c", SHORT "demand_dram_ns=91000"}, {"04_d", SHORT "demand_dram_ns="},
              {"05_e", SHORT "demand_dram_ns=75500 global_excess_sectors=500"},
              {"06_f", TENSOR "tensor_operations=25600000 demand_tensor_ns=60000 "
                              "demand_dram_ns=85000"});
    cycles_are("work=10000 global_memory=75500 overhead=2000 shared_memory=1500 dependencies=1000");
    cycles_are("imbalance=5000 launches=4000 residual=-7000");
    row_is("levels WHERE variant = '01_a' AND cause = 'global_memory'", "high_ns=");
    levels_are("cycles", "02_b", "work=10000 global_memory=35000"); /* below its limit */
    levels_are("cycles", "03_c", "work=10000 global_memory=80000"); /* never more than there is */
    levels_are("cycles", "04_d", "global_memory=35000");
    levels_are("cycles", "05_e", "global_memory=60500 uncoalesced=15000");
    levels_are("cycles", "06_f", "work=60000 global_memory=30000 overhead=0");
}

/* A family of tensor cores counts operations of its own instructions; lanes do a multiply-add. */
TEST(multiply_adds_are_work_in_a_family_of_tensor_cores)
{
    WRITE_RUN({"01_a", ""});
    write_table("r", TABLE_FAMILIES, "f,F,problem,bytes,operations,,4096,,tensor_bf16\n");
    use_project_records();
    SUCCEEDS(levels_open(), "");
    cycles_are("work=10000");
}

TEST(what_is_not_told_apart_is_a_cause)
{
    LEVELS_OF({"01_a", "fp32_add= stall_wait= warp_execution_efficiency_pct=75"});
    cycles_are("issued=30000 divergence=10000 stalled=50000");
}

TEST(parts_have_their_part_of_the_interval)
{
    LEVELS_OF({"01_a", "shared_excess_wavefronts=250 warp_instructions_sass=1616000 "
                       "warp_execution_efficiency_pct=85"},
              {"02_b", "noise_scheduler_cycles_issued= warp_instructions_sass= "
                       "warp_execution_efficiency_pct=85"});
    levels_are("half", "01_a", "bank_conflicts=25");
    levels_are("half", "01_a",
               "divergence=60"); /* 1 % of 6000: all instructions are equally uncertain */
    levels_are("half", "01_a", "overhead=160"); /* 1 % of the rest of 20000 */
    is_near(ask("SELECT (high_ns - low_ns) / 2 FROM levels WHERE variant = '01_a' AND cause = "
                "'shared_memory'"),
            sqrt(75 * 75 + 40 * 40)); /* waiting and instructions */
    levels_are("half", "02_b", "divergence=");
    row_is("levels WHERE variant = '02_b' AND cause = 'shared_memory'",
           "high_ns="); /* including the instructions */
    levels_are("half", "02_b", "dependencies=100");
}

TEST(a_cause_without_a_record_is_refused)
{
    WRITE_RUN({"01_a", ""});
    make_data("term wait\n    part stalled\n    title W\n    cause weather\n    means m\n");
    FAILS(levels_open(), FAIL_INPUT, "test.metric:4: no cause is called 'weather'");
}

RUN_TESTS(fixture_open, asked_close)

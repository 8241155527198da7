#include "features_run.h"

#include "catalog/point_key.h"

static const char waits[] = "'fixed', 'short', 'short_queue', 'long', 'long_queue'";

/* ---- points ---------------------------------------------------------------------------------- */

static void every_input_is_known_and_every_cause(void **state)
{
    (void)state;
    make_features("demand_fma_ns=6000 demand_l2_ns=8000 demand_dram_ns=9000 l1_wavefronts=100000 "
                  "stall_barrier=1 stall_dispatch_stall=1 l2_atomic_cycles_busiest=10 launches=2");
    char known[2048] = "";
    for (int i = 0; i < FEATURE_INPUTS; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "'%s', ",
                 time_input_names[i]);
    assert_string_equal(first("SELECT input FROM features WHERE input NOT IN (%s'time_ns')", known),
                        "(absent)");
    assert_string_equal(first("SELECT input || ' ' || coalesce(cause, '') FROM features WHERE "
                              "input <> 'time_ns' AND cause NOT IN (SELECT cause FROM cause)"),
                        "(absent)");
    assert_string_equal(first("SELECT count(*) FROM (SELECT 1 FROM features GROUP BY variant, "
                              "input, cause HAVING count(*) > 1)"),
                        "0");
    is_near(first("SELECT value FROM features WHERE input = 'time_ns'"), 100000);
    is_near(feature("ghz", "clock"), 1);
    ledger_close();
}

/* Without the states of warps, there is no model of the time, nor without the counts of accesses,
 * which a launch that takes too long for instrumented code lacks. */
static void points_without_counters_have_none(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "scheduler_cycles_issued="}, {"03_c", ""}, {"04_d", "best=0"},
              {"05_e", "global_load_instructions="});
    open_point();
    assert_int_equal(
        query_write(&ledger_query, "UPDATE metrics SET stall_total = NULL WHERE variant = '03_c'"),
        0);
    SUCCEEDS(causes_features(&ledger_query), "");
    assert_string_equal(first("SELECT group_concat(DISTINCT variant) FROM features"), "01_a");
    assert_string_equal(first("SELECT DISTINCT family || ' ' || size || ' ' || block || ' ' || "
                              "sweep || ' ' || device FROM features"),
                        "f 1024 32 0 0");
    ledger_close();
}

/* ---- issue slots ----------------------------------------------------------------------------- */

static void issue_slots_are_all_instructions(void **state)
{
    (void)state;
    make_features("");
    is_near(feature("issue", "work"), 10000);
    is_near(feature("issue", "overhead"), 20000);
    is_near(feature("issue", "shared_memory"), 5000);
    is_near(feature("issue", "global_memory"), 5000);
    is_near(sum_of("'issue'"), 40000);
    ledger_close();
    WRITE_RUN({"01_a", "warp_execution_efficiency_pct=80 predicated_on_pct=50 "
                       "scheduler_cycles_issued=1500000 scheduler_cycles_idle=2100000"});
    open_point();
    SUCCEEDS(causes_features(&ledger_query), "");
    is_near(sum_of("'issue'"), 40000); /* those that were executed, however many cycles it took */
    is_near(feature("issue", "divergence"), 8000);
    is_near(feature("issue", "predication"), 16000);
    ledger_close();
}

/* One of four warps that could issue was held back: a quarter of a slot for each instruction. */
static void lost_slots_are_of_multiply_adds_first(void **state)
{
    (void)state;
    make_features("stall_dispatch_stall=0.5 stall_not_selected=1 demand_fma_ns=6000 "
                  "demand_alu_ns=3000");
    is_near(feature("issue", "register_banks"), 6000);
    is_near(feature("issue", "dispatch"), 4000);
    is_near(feature("fma", "pipes"), 6000);
    is_near(feature("alu", "pipes"), 3000);
    ledger_close();
    make_features("stall_dispatch_stall=0.5 stall_not_selected=1 demand_fma_ns=60000");
    is_near(feature("issue", "register_banks"), 10000);
    assert_string_equal(feature("issue", "dispatch"), "(absent)");
    assert_string_equal(feature("alu", "pipes"), "(absent)");
    ledger_close();
    make_features("stall_dispatch_stall=0.5 sm_clock_mhz=1000");
    is_near(feature("issue", "dispatch"), 20000);
    assert_string_equal(feature("issue", "register_banks"), "(absent)");
    ledger_close();
}

/* ---- caches and memory ----------------------------------------------------------------------- */

/* 50000 wavefronts of shared memory; of 50000 others, 30000 for 120000 sectors. Of 160000 sectors a
 * quarter is of local memory, a quarter exceeds the loads, and an eighth the stores. */
#define DATA_STAGE                                                                                 \
    "l1_wavefronts=100000 shared_wavefronts=60000 shared_bypass_wavefronts=10000 "                 \
    "shared_excess_wavefronts=20000 same_word_wavefronts=5000 global_instructions=10000 "          \
    "global_load_sectors=80000 global_store_sectors=40000 local_sectors=40000 "                    \
    "global_excess_sectors=40000 store_excess_sectors=20000 demand_l2_ns=8000 "                    \
    "shared_load_instructions_hw=25000 shared_store_instructions_hw=15000 "                        \
    "shared_load_instructions=12000 shared_store_instructions=8000 "

static void wavefronts_of_the_data_stage(void **state)
{
    (void)state;
    make_features(DATA_STAGE "global_load_instructions=30000");
    is_near(feature("data", "bank_conflicts"), 2000);
    is_near(feature("data", "same_word"), 500);
    is_near(feature("data", "shared_traffic"), 2500);
    is_near(feature("data", "idle_accesses"), 2000);
    is_near(feature("data", "spills"), 750);
    is_near(feature("data", "uncoalesced"), 750);
    is_near(feature("data", "uncoalesced_writes"), 375);
    is_near(feature("data", "global_traffic"), 1125);
    is_near(sum_of("'data'"), 10000); /* of each of 10 SMs */
    ledger_close();
}

static void wavefronts_without_shared_memory(void **state)
{
    (void)state;
    make_features(DATA_STAGE "shared_wavefronts=0 shared_bypass_wavefronts=0 "
                             "shared_excess_wavefronts=0 same_word_wavefronts=0 local_sectors=0 "
                             "global_excess_sectors=0 store_excess_sectors=0 "
                             "shared_load_instructions_hw=12000 shared_store_instructions_hw=8000");
    is_near(feature("data", "global_traffic"), 10000); /* without any, no access can be idle */
    is_near(sum_of("'data'"), 10000);
    is_near(feature("l2_ns", "l2"), 8000);
    ledger_close();
    make_features("l1_wavefronts=100000 shared_wavefronts=100000 shared_excess_wavefronts=0 "
                  "global_instructions=0 global_load_sectors=0 global_excess_sectors=0");
    is_near(feature("data", "shared_traffic"), 10000);
    is_near(sum_of("'data'"), 10000);
    ledger_close();
}

static void misaligned_loads_are_told_from_uncoalesced_ones(void **state)
{
    (void)state;
    make_features(DATA_STAGE "global_load_instructions=40000"); /* one sector more for each */
    is_near(feature("data", "misaligned"), 750);
    is_near(feature("l2_ns", "misaligned"), 2000);
    assert_string_equal(feature("data", "uncoalesced"), "(absent)");
    ledger_close();
    make_features(DATA_STAGE "global_load_instructions=10000 shared_async_instructions=30000");
    is_near(feature("data", "misaligned"), 750);
    ledger_close();
    make_features(DATA_STAGE "global_load_instructions=39000");
    is_near(feature("data", "uncoalesced"), 750);
    ledger_close();
}

static void caches_and_memory_by_useful_bytes(void **state)
{
    (void)state;
    make_features(DATA_STAGE "demand_dram_ns=10000 useful_bytes=3000 dram_read_bytes=3000 "
                             "dram_write_bytes=1000");
    is_near(feature("l2_ns", "spills"), 2000);
    is_near(feature("l2_ns", "uncoalesced"), 2000);
    is_near(feature("l2_ns", "uncoalesced_writes"), 1000);
    is_near(feature("l2_ns", "l2"), 3000);
    is_near(feature("dram_ns", "dram_bytes"), 7500);
    is_near(feature("dram_ns", "reread"), 2500);
    ledger_close();
    make_features("demand_dram_ns=10000 useful_bytes=9000 dram_read_bytes=3000 "
                  "dram_write_bytes=1000"); /* caches held a part */
    is_near(feature("dram_ns", "dram_bytes"), 10000);
    assert_string_equal(feature("dram_ns", "reread"), "(absent)");
    ledger_close();
    make_features("demand_dram_ns=10000");
    is_near(feature("dram_ns", "dram_bytes"), 10000); /* no useful bytes are known */
    ledger_close();
}

/* ---- waits ----------------------------------------------------------------------------------- */

static void states_of_warps_are_waits(void **state)
{
    (void)state;
    make_features("stall_no_instruction=0.1 stall_branch_resolving=0.2 stall_other=0.3 "
                  "stall_mio_throttle=0.15 stall_math_pipe_throttle=0.5 stall_barrier=0.6 "
                  "stall_lg_throttle=0.7");
    is_near(feature("fixed", "dependencies"), 40000);
    is_near(feature("fixed", "fetch"), 24000);
    is_near(feature("short", "shared_waits"), 46000); /* at most 10 for each access: 50000 */
    is_near(feature("short_queue", "pipes"), 20000);
    is_near(feature("long", "global_latency"), 120000);
    is_near(feature("long", "barriers"), 24000);
    is_near(feature("long_queue", "global_queue"), 28000);
    is_near(sum_of(waits), 40000 * (3 + 1 + 1 + 0.1 + 0.2 + 0.3 + 0.15 + 0.5 + 0.6 + 0.7));
    ledger_close();
}

/* An access of k wavefronts holds up the others for k / 2 on average. */
static void queues_of_shared_memory(void **state)
{
    (void)state;
    make_features("shared_instructions=100000"); /* 2500 accesses, and 40000 cycles of waits */
    is_near(feature("short", "shared_waits"), 25000);
    is_near(feature("short_queue", "shared_waits"), 15000);
    assert_string_equal(feature("short_queue", "bank_conflicts"), "(absent)");
    ledger_close();
    make_features("shared_instructions=100000 shared_wavefronts_load=40000 "
                  "shared_load_instructions=10000 load_excess_wavefronts=30000"); /* 4 for 1 */
    is_near(feature("short", "shared_waits"), 25000);
    is_near(feature("short_queue", "bank_conflicts"), 15000 * 15.0 / 16);
    is_near(feature("short_queue", "shared_waits"), 15000 / 16.0);
    ledger_close();
    make_features("shared_instructions=100000 shared_atomic_wavefronts=40000 "
                  "shared_atomic_instructions=10000 atomic_excess_wavefronts=30000 "
                  "same_word_wavefronts=20000");
    is_near(feature("short_queue", "bank_conflicts"), 15000 * 15.0 / 16 / 3);
    is_near(feature("short_queue", "same_word"), 15000 * 15.0 / 16 * 2 / 3);
    is_near(feature("short_queue", "shared_waits"), 15000 / 16.0);
    is_near(sum_of(waits), 40000 * 5);
    ledger_close();
}

/* If it is unknown how many wavefronts a kind of access needs, none of them counts as excess. */
static void unknown_conflicts_hold_nobody_up(void **state)
{
    (void)state;
    make_features("shared_instructions=100000 shared_wavefronts_load=40000 "
                  "shared_load_instructions=10000 load_excess_wavefronts=30000 "
                  "shared_wavefronts_store=40000 shared_store_instructions=10000");
    is_near(feature("short_queue", "bank_conflicts"), 15000 * 15.0 / 32);
    is_near(feature("short_queue", "shared_waits"), 15000 * 17.0 / 32);
    ledger_close();
}

/* The instructions of ledger_run.h: 200000 loads from global memory, and 100000 barriers in
 * 1600000. Samples of waits are charged to them by hand. */
static void open_instructions(const char *charges)
{
    WRITE_RUN({"01_a", ""});
    write_lines();
    open_point();
    assert_int_equal(query_write(&ledger_query,
                                 "DELETE FROM wait_charges; DELETE FROM charged_kernel; INSERT "
                                 "INTO charged_kernel VALUES(0); INSERT INTO wait_charges(kernel, "
                                 "pc, reason, class, role, samples, not_issued) VALUES %s",
                                 charges),
                     0);
}

static void samples_divide_the_waits(void **state)
{
    (void)state;
    open_instructions("(0, 0, 'long_scoreboard', 'global_load', NULL, 30, 30),"
                      "(0, 32, 'long_scoreboard', 'shared_load', NULL, 10, 10),"
                      "(0, 48, 'long_scoreboard', 'local_load', NULL, 20, 20),"
                      "(0, 64, 'long_scoreboard', 'global_load', 'producer', 60, 60)");
    set_metrics("shared_instructions=400000");
    SUCCEEDS(causes_features(&ledger_query), "");
    /* Half of 120000 cycles is of warps that hold nobody up. */
    is_near(feature("short", "shared_waits"), 40000 + 10000);
    is_near(feature("long", "spills"), 20000);
    is_near(sum_of("'long', 'long_queue'"), 30000 + 20000);
    is_near(feature("fixed", "dependencies"), 40000); /* as the samples of the reason say */
    ledger_close();
}

/* 200000 loads are waited for by 400000 instructions: on average each wait takes 12 cycles, and
 * 100 bytes are under way. */
static void waits_for_memory_have_bytes(void **state)
{
    static const char charges[] = "(0, 0, 'long_scoreboard', 'global_load', NULL, 40, 40),"
                                  "(0, 32, 'long_scoreboard', 'global_load', NULL, 5, 5)";
    (void)state;
    open_instructions(charges); /* those that wait a short time do not count */
    set_metrics("global_load_instructions=200000 global_load_bytes=4e7");
    SUCCEEDS(causes_features(&ledger_query), "");
    is_near(feature("loaded_bytes", "global_latency"), 1e6);
    is_near(feature("bytes_per_wait", "bytes_in_flight"), 100);
    is_near(feature("wait_cycles", "global_latency"), 12);
    assert_string_equal(feature("long", "global_latency"), "(absent)");
    assert_string_equal(feature("long_queue", "global_queue"), "(absent)");
    ledger_close();
    open_instructions(charges); /* 1200 cycles each, more than a round trip and what is usual */
    set_metrics("global_load_instructions=200000 global_load_bytes=4e7 stall_long_scoreboard=300 "
                "ceiling_memory_latency_ns=500");
    SUCCEEDS(causes_features(&ledger_query), "");
    is_near(feature("wait_cycles", "global_latency"), 1.3 * 500);
    is_near(feature("long_queue", "global_queue"), (1200 - 1.3 * 500) * 10000);
    is_near(feature("round_trip_ns", "latency"), 500);
    ledger_close();
    open_instructions("(0, 0, 'long_scoreboard', 'global_load', NULL, 40, 40),"
                      "(0, 32, 'long_scoreboard', 'global_load', NULL, 7, 7)");
    set_metrics("global_load_instructions=200000 global_load_bytes=4e7");
    SUCCEEDS(causes_features(&ledger_query), "");
    is_near(feature("bytes_per_wait", "bytes_in_flight"), 1e6 / 15000); /* one more for each load */
    ledger_close();
    open_instructions(charges);
    SUCCEEDS(causes_features(&ledger_query), "");
    is_near(feature("long", "global_latency"), 120000); /* without the bytes there are only waits */
    assert_string_equal(feature("bytes_per_wait", "bytes_in_flight"), "(absent)");
    assert_string_equal(feature("wait_cycles", "global_latency"), "(absent)");
    is_near(feature("round_trip_ns", "latency"), 351); /* of an H200, as it was not measured */
    ledger_close();
}

static void queues_of_memory_go_by_sectors(void **state)
{
    (void)state;
    make_features(DATA_STAGE "stall_lg_throttle=1 l2_atomic_cycles_busiest=10000 "
                             "ceiling_atomic_ns=2");
    is_near(feature("long_queue", "uncoalesced"), 10000);
    is_near(feature("long_queue", "uncoalesced_writes"), 5000);
    is_near(feature("long_queue", "spills"), 10000);
    is_near(feature("long_queue", "atomics"), 15000 * 0.2); /* busy for 20000 of 100000 ns */
    is_near(feature("long_queue", "global_queue"), 15000 * 0.8);
    is_near(feature("atomic_ns", "atomics"), 20000);
    ledger_close();
    make_features("stall_lg_throttle=1 l2_atomic_cycles_busiest=1e6");
    is_near(feature("atomic_ns", "atomics"), 730000); /* at the rate of an H200 */
    is_near(feature("long_queue", "atomics"), 40000);
    assert_string_equal(feature("long_queue", "global_queue"), "(absent)");
    ledger_close();
    make_features("stall_lg_throttle=1");
    is_near(feature("long_queue", "global_queue"), 40000);
    assert_string_equal(feature("atomic_ns", "atomics"), "(absent)");
    ledger_close();
}

/* 2500 barriers of at most four times 14.8 ns. */
static void long_waits_at_barriers_are_of_stragglers(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""});
    write_lines();
    open_point();
    set_metrics("stall_barrier=10");
    SUCCEEDS(causes_features(&ledger_query), "");
    is_near(feature("long", "barriers"), 148000);
    is_near(feature("long_queue", "barriers"), 252000);
    ledger_close();
    WRITE_RUN({"01_a", ""});
    write_lines();
    open_point();
    set_metrics("stall_barrier=10 ceiling_barrier_ns=50");
    SUCCEEDS(causes_features(&ledger_query), "");
    is_near(feature("long", "barriers"), 400000);
    assert_string_equal(feature("long_queue", "barriers"), "(absent)");
    ledger_close();
    make_features("stall_barrier=10");
    is_near(feature("long", "barriers"), 400000); /* nobody counted them */
    ledger_close();
}

/* ---- warps and SMs --------------------------------------------------------------------------- */

/* Four blocks of 8 warps on an SM of 4 schedulers. */
static void slots_of_warps(void **state)
{
    (void)state;
    make_features("");
    is_near(feature("warps", "residency"), 8);
    is_near(feature("group", "residency"), 0.25); /* each warp waits for itself */
    /* 5 warps are there on average; each of the 8 is missed for 0.7 round trips */
    is_near(feature("turnover", "residency"), 8 * 0.7 * 351);
    ledger_close();
    make_features("grid_blocks=20 stall_barrier=1");
    is_near(feature("warps", "residency"), 5); /* room for 4, but 5 were counted */
    is_near(feature("group", "residency"), 2);
    assert_string_equal(feature("turnover", "residency"), "(absent)");
    ledger_close();
    make_features("stall_total=19.1996 blocks=400");
    is_near(feature("turnover", "residency"), 8 * 96000 - 40000 * 19.1996);
    ledger_close();
    make_features("grid_blocks=1 stall_total=240");
    is_near(feature("warps", "residency"), 16); /* more cannot be on a scheduler */
    ledger_close();
}

static void uneven_work_by_its_blocks(void **state)
{
    (void)state;
    make_features("grid_blocks=44 sm_coverage_pct=80"); /* 5 blocks instead of 4.4 */
    is_near(feature("uneven", "last_wave"), 50 / 44.0);
    is_near(feature("uneven", "unequal_blocks"), 1.25 * 44 / 50);
    ledger_close();
    make_features("grid_blocks=15 sm_coverage_pct=80"); /* 2 instead of 1.5, but it took 1.25 */
    is_near(feature("uneven", "last_wave"), 1.25);
    is_near(feature("uneven", "unequal_blocks"), 1);
    ledger_close();
    make_features("sm_coverage_pct=100.5");
    is_near(feature("uneven", "last_wave"), 1);
    is_near(feature("uneven", "unequal_blocks"), 1);
    ledger_close();
}

static void launches_and_their_ends(void **state)
{
    (void)state;
    make_features("");
    is_near(feature("launch_ns", "launches"), 4000);
    assert_string_equal(feature("end", "launches"), "(absent)");
    ledger_close();
    WRITE_RUN({"01_a", "launches=3 sm_clock_mhz=2000"});
    open_point();
    SUCCEEDS(causes_features(&ledger_query), "");
    is_near(feature("launch_ns", "launches"), 4000 + 2 * 1000);
    is_near(feature("end", "launches"), 2 * 3 * 351 * 2);
    is_near(feature("ghz", "clock"), 2);
    ledger_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_input_is_known_and_every_cause),
        cmocka_unit_test(points_without_counters_have_none),
        cmocka_unit_test(issue_slots_are_all_instructions),
        cmocka_unit_test(lost_slots_are_of_multiply_adds_first),
        cmocka_unit_test(wavefronts_of_the_data_stage),
        cmocka_unit_test(wavefronts_without_shared_memory),
        cmocka_unit_test(misaligned_loads_are_told_from_uncoalesced_ones),
        cmocka_unit_test(caches_and_memory_by_useful_bytes),
        cmocka_unit_test(states_of_warps_are_waits),
        cmocka_unit_test(queues_of_shared_memory),
        cmocka_unit_test(unknown_conflicts_hold_nobody_up),
        cmocka_unit_test(samples_divide_the_waits),
        cmocka_unit_test(waits_for_memory_have_bytes),
        cmocka_unit_test(queues_of_memory_go_by_sectors),
        cmocka_unit_test(long_waits_at_barriers_are_of_stragglers),
        cmocka_unit_test(slots_of_warps),
        cmocka_unit_test(uneven_work_by_its_blocks),
        cmocka_unit_test(launches_and_their_ends),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

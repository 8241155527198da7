/*
 * Tests how the samples of single instructions are charged.
 */
#include "lines_load.h"

#include "lines/wait_charges.h"

/* Loads the run l/ with these rows of lines, and charges its samples. */
static void charge_rows(const char *rows)
{
    load_lines(rows);
    SUCCEEDS(wait_charges_make(&query), "");
}

#define ALL(order)                                                                                 \
    ask("SELECT group_concat(pc || ' ' || reason || ' ' || coalesce(class, '-') || ' ' || kind "   \
        "|| ' ' || coalesce(producer_pc, '-') || ' ' || samples || '/' || not_issued, ', ') "      \
        "FROM (SELECT * FROM wait_charges ORDER BY " order ")")

TEST(samples_go_to_the_producers)
{
    charge_rows("0,0,,,,\"LDG.E R1, [R2]\",100,,,,,,,,,,,,\n"
                "0,16,,,,\"STS [R3], R1\",100,,,,,,,,,,15,9,long_scoreboard=9/6 "
                "mio_throttle=4/3 wait=2/0\n"
                "0,32,,,,\"FADD R3, R1, R1\",100,,,,,,,,,,8,4,short_scoreboard=8/4\n"
                "0,48,,,,EXIT,100,,,,,,,,,,3,3,short_scoreboard=3/3\n");
    assert_string_equal(ALL("pc, reason"), "16 long_scoreboard global_load result 0 9.0/6.0, "
                                           "16 mio_throttle shared_store queue 16 4.0/3.0, "
                                           "32 short_scoreboard shared_store operands 16 8.0/4.0, "
                                           "48 short_scoreboard - unknown - 3.0/3.0");
}

TEST(producers_share_by_executions)
{
    charge_rows("0,0,,,,@P0 BRA 0x30,100,,,,,,,,,,,,\n"
                "0,16,,,,\"LDL R1, [R2]\",30,,,,,,,,,,,,\n"
                "0,32,,,,BRA 0x40,30,,,,,,,,,,,,\n"
                "0,48,,,,\"LDG.E R1, [R4]\",90,,,,,,,,,,,,\n"
                "0,64,,,,\"FADD R3, R1, R1\",100,,,,,,,,,,8,4,long_scoreboard=8/4\n");
    assert_string_equal(ALL("producer_pc"), "64 long_scoreboard local_load result 16 2.0/1.0, "
                                            "64 long_scoreboard global_load result 48 6.0/3.0");
    /* Nothing is known of how often they were executed. */
    charge_rows("0,0,,,,\"LDG.E R1, [R2]\",,,,,,,,,,,,,\n"
                "0,16,,,,\"LDG.E R4, [R2]\",,,,,,,,,,,,,\n"
                "0,32,,,,\"FADD R3, R1, R4\",,,,,,,,,,,8,4,long_scoreboard=8/4\n");
    assert_string_equal(ALL("producer_pc"), "32 long_scoreboard global_load result 0 4.0/2.0, "
                                            "32 long_scoreboard global_load result 16 4.0/2.0");
}

TEST(accesses_that_never_happen_belong_to_the_copy)
{
    charge_rows("0,0,,,,\"@!PT LDS RZ, [RZ]\",100,,,,,,,,,,4,4,mio_throttle=4/4\n"
                "0,16,,,,\"LDGSTS.E [R1], [R2.64]\",100,,,,,,,,,,,,\n"
                "0,32,,,,BAR.SYNC 0x0,100,,,,,,,,,,1,1,mio_throttle=1/1\n");
    assert_string_equal(ALL("pc"), "0 mio_throttle async_copy queue 16 4.0/4.0, "
                                   "32 mio_throttle - queue - 1.0/1.0");
}

/* Products of a warpgroup are waited for, which the sampler calls a barrier, too; those of a warp
 * wait for the pipe. */
TEST(waits_for_tensor_cores_are_told_apart)
{
    charge_rows("0,0,,,,\"HGMMA.64x64x16.F32.BF16 R24, gdesc[UR8], R24, gsb0\",100,,,,,,,,,,,,\n"
                "0,16,,,,\"WARPGROUP.DEPBAR.LE gsb0, 0x0\",100,,,,,,,,,,5,4,"
                "warpgroup_arrive=5/4 barrier=2/1\n"
                "0,32,,,,\"HMMA.16816.F32.BF16 R4, R8, R12, R4\",100,,,,,,,,,,7,6,"
                "math_pipe_throttle=7/6\n"
                "0,48,,,,\"FFMA R2, R2, R2, R2\",100,,,,,,,,,,3,2,math_pipe_throttle=3/2 "
                "barrier=1/1\n");
    assert_string_equal(ALL("pc"), "16 warpgroup_arrive tensor result 0 5.0/4.0, 16 barrier tensor "
                                   "result 0 2.0/1.0, 32 math_pipe_throttle tensor queue 32 "
                                   "7.0/6.0, 48 math_pipe_throttle - queue - 3.0/2.0, 48 barrier - "
                                   "unknown - 1.0/1.0");
    /* A kernel without products keeps both reasons for its arithmetic pipes and barriers. */
    charge_rows("0,0,,,,\"FFMA R2, R2, R2, R2\",100,,,,,,,,,,3,2,math_pipe_throttle=3/2 "
                "barrier=1/1\n");
    row_is("wait_charges", "count(*)=0");
}

TEST(code_that_is_not_whole_is_not_analysed)
{
    static const char *const pcs[] = {"32", "16"};
    static const char *const rows[] = {
        "0,0,,,,\"LDG.E R1, [R2]\",1\n0,32,,,,\"FADD R3, R1, "
        "R1\",1,,,,,,,,,,8,4,long_scoreboard=8/4\n",
        "0,0,,,,,1\n0,16,,,,\"FADD R3, R1, R1\",1,,,,,,,,,,8,4,long_scoreboard=8/4\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        charge_rows(rows[i]);
        finds("SELECT kind || ' ' || samples || coalesce(class, '') || "
              "coalesce(producer_pc, '') FROM wait_charges",
              "unknown 8.0");
        finds("SELECT pc FROM wait_charges", pcs[i]);
    }
    /* Where many samples show what was not counted, the rest does not matter. */
    charge_rows("0,0,,,,\"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R4\",,,,,,,,,,,2,2,wait=2/2\n"
                "0,32,,,,@!P0 BRA 0x0,,,,,,,,,,,90,80,long_scoreboard=90/80\n");
    assert_string_equal(ALL("pc"), "32 long_scoreboard mbarrier result 0 90.0/80.0");
    /* But a wait of a warpgroup is one for products by itself, and a busy pipe at a product. */
    charge_rows("0,16,,,,\"WARPGROUP.DEPBAR.LE gsb0, 0x0\",100,,,,,,,,,,2,1,barrier=2/1\n"
                "0,64,,,,\"HGMMA.64x128x16.F32.BF16 R24, gdesc[UR8], R24\",100,,,,,,,,,,4,3,"
                "math_pipe_throttle=4/3\n"
                "0,96,,,,BAR.SYNC 0x0,100,,,,,,,,,,1,1,barrier=1/1\n");
    assert_string_equal(ALL("pc"), "16 barrier tensor unknown - 2.0/1.0, 64 math_pipe_throttle "
                                   "tensor queue - 4.0/3.0, 96 barrier - unknown - 1.0/1.0");
}

TEST(idioms_and_roles_are_named)
{
    charge_rows("0,0,,,,\"MUFU.RSQ R5, R0\",1,,,,,,,,,,,,\n"
                "0,16,,,,\"@P0 CALL.REL.NOINC 0x60\",1,,,,,,,,,,,,\n"
                "0,32,,,,\"FMUL R5, R5, R5\",1,,,,,,,,,,2,2,short_scoreboard=2/2\n"
                "0,48,,,,\"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR6], R4\",1,,,,,,,,,,,,\n"
                "0,64,,,,@!P0 BRA 0x30,1,,,,,,,,,,9,9,long_scoreboard=9/9\n"
                "0,80,,,,\"@P1 LDS R7, [R8]\",1,,,,,,,,,,,,\n"
                "0,96,,,,RET.REL.NODEC R9 0x0,1,,,,,,,,,,,,\n");
    finds("SELECT name || ' ' || count(*) FROM code_idioms", "square root in single precision 3");
    row_is("wait_charges WHERE pc = 32", "idiom||class=0special_function");
    finds("SELECT class || ' ' || role FROM wait_charges WHERE pc = 64", "mbarrier consumer");
}

RUN_TESTS(fixture_open, asked_close)

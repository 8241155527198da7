/*
 * Makes a run with the counters of the ledger, r/, for the tests about it; its sums can be done in
 * the head. The records are the project's, unless a test makes others.
 *
 * A usual point, at 1 cycle per ns on 40 schedulers, in cycles per scheduler: elapsed 100000 =
 * issued 40000 + stalled 50000 + imbalance 5000 + launch 4000 + residual 1000; its least work is
 * 10000. An instruction that was executed 40 times takes 1 cycle.
 */
#ifndef TESTS_UNIT_LEDGER_RUN_H
#define TESTS_UNIT_LEDGER_RUN_H

#include "asked.h"
#include "project_columns.h"

#include <math.h>

#include "explain/causes.h"
#include "explain/cycle_ledger.h"
#include "lines/lines_tables.h"
#include "lines/wait_charges.h"

/* ---- its tables ------------------------------------------------------------------------------ */

/* The columns of the usual point, with their values. */
static const char usual_metrics[] =
    "best=1 time_ns=100000 time_low_ns=99900 time_high_ns=100100 time_warm_ns= sm_clock_mhz=1000 "
    "floor_pct=0.5 "
    "launches=1 useful_operations=25600000 scheduler_count=40 scheduler_cycles_active=3600000 "
    "scheduler_cycles_issued=1600000 scheduler_cycles_idle=2000000 sm_cycles_active_busiest=95000 "
    "warp_instructions_hw=1600000 warp_instructions_sass=1600000 warp_execution_efficiency_pct=100 "
    "predicated_on_pct=100 shared_wavefronts=1000 shared_excess_wavefronts=0 "
    "global_load_instructions=0 global_read_sectors=1000 global_excess_sectors=0 local_sectors=0 "
    "warps_active_pct=50 shared_instructions=200000 global_instructions=200000 "
    "local_instructions=0 fp32_add=0 fp32_mul=0 fp32_fma=12800000 tensor_operations= "
    "demand_tensor_ns= demand_dram_ns= tensor_instructions= wgmma_instructions= stall_gmma= "
    "stall_long_scoreboard=3 stall_lg_throttle=0 stall_short_scoreboard=1 stall_mio_throttle=0 "
    "stall_barrier=0 stall_wait=1 stall_math_pipe_throttle=0 stall_dispatch_stall=0 "
    "stall_no_instruction=0 stall_branch_resolving=0 stall_other=0";

static const char usual_noise[] =
    "scheduler_cycles_active=36000 scheduler_cycles_issued=0 sm_cycles_active_busiest=300";

/* A point: its variant, and its unusual values: "name=value name= ...", with nothing after the '='
 * for an empty cell. */
struct unusual {
    const char *variant, *words;
};

static void write_points(const char *file, const char *usual, const struct unusual *points,
                         int count)
{
    OWNED_BY(text_free) struct text text = {0};
    struct word column, word;
    text_append(&text, "family,variant,size,block,sweep");
    for (const char *at = usual; next_word(&at, &column);) text_format(&text, ",%s", column.name);
    for (int p = 0; p < count; p++) {
        text_format(&text, "\nf,%s,1024,32,0", points[p].variant);
        for (const char *at = usual; next_word(&at, &column);) {
            const int is_unusual = find_word(points[p].words, column.name, &word);
            text_format(&text, ",%s", is_unusual ? word.value : column.value);
        }
    }
    write_metrics(file, text_string(&text));
}

enum { MOST_POINTS = 8 };

/* Makes the run r/ with these points at size 1024, block 32, with families, variants and ceilings;
 * values for noise have names that begin with "noise_". */
static void write_run(const struct unusual *points, int count)
{
    struct text variants = {0}, noise[MOST_POINTS] = {{0}};
    struct unusual noises[MOST_POINTS];
    assert_in_range(count, 1, MOST_POINTS);
    make_run("r");
    for (int i = 0; i < count; i++) {
        text_format(&variants, "f,%s,%d,Title,%s,kernel\n", points[i].variant, i + 1,
                    i ? points[i - 1].variant : "");
        for (const char *word = strstr(points[i].words, "noise_"); word;
             word = strstr(word + 1, "noise_"))
            text_format(&noise[i], "%.*s ", (int)strcspn(word + 6, " "), word + 6);
        noises[i] = (struct unusual){points[i].variant, text_string(&noise[i])};
    }
    write_variants("r", text_string(&variants));
    write_table("r", TABLE_FAMILIES, "f,F,problem,bytes,operations,,2\n");
    write_table("r", TABLE_CEILINGS,
                "launch_ns,One "
                "launch,ns,4000,3900,4100,50,1000,ok\nnext_launch_ns,Another,ns,1000,970,1030,50,"
                "1000,ok\n");
    write_points("r/metrics.csv", usual_metrics, points, count);
    write_points("r/noise.csv", usual_noise, noises, count);
    for (int i = 0; i < count; i++) text_free(&noise[i]);
    text_free(&variants);
}

#define WRITE_RUN(...)                                                                             \
    write_run((const struct unusual[]){__VA_ARGS__},                                               \
              (int)(sizeof((struct unusual[]){__VA_ARGS__}) / sizeof(struct unusual)))

/* Kernel 0, of the point 01_a: 1600000 instructions, 400000 of them arithmetic; 60 samples in which
 * nothing was issued. */
UNUSED_IS_FINE static void write_lines(void)
{
    write_table("r", TABLE_KERNELS, "0,f,01_a,1024,32,0,0,_Z1a,a,ok,ok,2,1000,100,0,0,ok,ok\n");
    write_table(
        "r", TABLE_LINES,
        "0,0,,,,\"FFMA R1, R2, R3, R1\",400000,,,,,,,,,,40,30,wait=20/15 long_scoreboard=20/15\n"
        "0,16,,,,\"IADD3 R1, R2, R3, R1\",400000,,,,,,,,,,0,0,\n"
        "0,32,,,,\"LDS.128 R4, [R5]\",200000,,,,,,,,,,30,20,short_scoreboard=25/15 "
        "mio_throttle=5/5\n"
        "0,48,,,,\"@!P0 LDG.E.128.CONSTANT R4, "
        "desc[UR4][R2.64]\",200000,,,,,,,,,,20,10,long_scoreboard=10/5 a_new_reason=5/5 "
        "selected=5/0\n"
        "0,64,,,,\"BAR.SYNC.DEFER_BLOCKING 0x0\",100000,,,,,,,,,,0,0,\n"
        "0,80,,,,\"@P1 SHFL.BFLY PT, R6, R4, 0x10, 0x1f\",100000,,,,,,,,,,0,0,\n"
        "0,96,,,,\"HFMA2.MMA R7, -RZ, RZ, 0, 0\",100000,,,,,,,,,,0,0,\n"
        "0,112,,,,\"XYZZY R1\",100000,,,,,,,,,,0,0,\n"
        "0,128,,,,\"@P0 EXIT\",0,,,,,,,,,,0,0,\n");
}

/* ---- its ledger ------------------------------------------------------------------------------ */

/* Computes the table ledger of the run r/ by the records that WHYFAST_DATA names. */
static int ledger_open(void)
{
    int result = ask_run("r");
    if (!result) result = records_read_own(&records);
    if (!result)
        result =
            LOAD_TABLES(TABLE_FAMILIES, TABLE_VARIANTS, TABLE_METRICS, TABLE_NOISE, TABLE_CEILINGS);
    if (!result) result = lines_tables_sum_opcodes(&query, NULL);
    if (!result) result = wait_charges_make(&query);
    return result ? result : ledger_make(&query, &records);
}

/* From now on the records are the project's. */
UNUSED_IS_FINE static void use_project_records(void)
{
    setenv("WHYFAST_DATA", root(), 1);
}

/* Asserts that the text is this number. */
UNUSED_IS_FINE static void is_near(const char *text, double expected)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("'%s' instead of %.12g", text, expected);
}

#endif

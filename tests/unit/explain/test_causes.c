#include "causes_run.h"

/* Tests the causes of a step as a table (explain/causes.h) and as words (explain/said.sql). */

/* Makes the causes of a step to such a point, whose points wait like this. */
static void make_step(const char *unusual, const char *before, const char *after,
                      const char *evidence)
{
    WRITE_RUN({"01_a", ""}, {"02_b", unusual});
    open_points(before, after);
    make_causes(evidence);
}

static void make_faster(const char *before, const char *after)
{
    make_step(FASTER, before, after, "faster");
}

static void says(const char *sentence)
{
    assert_string_equal(headline("02_b"), TITLED(sentence));
}

#define CAUSE(column, cause)                                                                       \
    ask("SELECT " column " FROM causes WHERE variant = '02_b' AND cause = '" cause "'")
#define cause_is(cause, words)                                                                     \
    row_is("causes WHERE variant = '02_b' AND cause = '" cause "'", words)

TEST(a_change_has_causes)
{
    make_faster(USUAL, FASTER_BY);
    cause_is("global_latency",
             "saved_ns=30000 gross_ns=30000 share_pct=75 status=resolved named=1");
    is_near(CAUSE("low_ns", "global_latency"), 30000 - usual_half());
    is_near(CAUSE("high_ns", "global_latency"), 30000 + usual_half());
    cause_is("barriers", "saved_ns=10000 named=2 witness=warp_cycles "
                         "line_before=kernels/f/01_a.cu:7 line_after=");
    row_is("causes", "count(*)=2"); /* the others saved nothing */
    finds("SELECT DISTINCT after || ' ' || size || ' ' || block || ' ' || "
          "sweep || ' ' || device FROM causes",
          "01_a 1024 32 0 0");
    says("1.67× faster, 40.00 µs saved: 75 % from {global_latency} (waits −75 %), 25 % from "
         "{barriers} (waits −50 %).");
    WRITE_RUN({"01_a", FASTER}, {"02_b", ""});
    open_points(FASTER_BY, USUAL);
    make_causes("slower");
    cause_is("barriers", "share_pct=25");
    says("1.67× slower, 40.00 µs lost: 75 % to {global_latency} (waits +300 %), 25 % to {barriers} "
         "(waits +100 %).");
}

/* Waits take the place of each other: the tables keep what each changed alone. */
TEST(waits_are_set_off)
{
    make_faster("selected=40000 global=60000", "selected=40000 barriers=20000");
    cause_is("global_latency", "saved_ns=40000 gross_ns=60000");
    cause_is("barriers", "saved_ns=0 gross_ns=-20000 status=unresolved");
    says("1.67× faster, 40.00 µs saved: 100 % from {global_latency} (waits 60 k → 0).");
}

/* Work that costs is no wait: if a cause exceeds the change, the words are times. */
TEST(causes_may_oppose_each_other)
{
    make_faster("selected=40000 global=60000", "selected=60000");
    cause_is("instructions", "saved_ns=-20000");
    says("1.67× faster, 40.00 µs saved: {global_latency} "
         "(waits 60 k → 0) saved 60.00 µs, {instructions} (+50 %) cost 20.00 µs.");
    make_faster("selected=50000 global=28000 barriers=22000", "selected=60000");
    says("1.67× faster, 40.00 µs saved: 70 % from {global_latency} (waits 28 k → 0), "
         "55 % from {barriers} (waits 22 k → 0); partly offset by {instructions} (+20 %), which "
         "cost 10.00 µs.");
}

/* A sentence names the three largest of five causes, if they make a tenth or more. */
TEST(three_causes_are_named)
{
    make_faster("selected=60000 global=16000 barriers=10000 fetch=8000 shuffles=6000",
                "selected=60000");
    says("1.67× faster, 40.00 µs saved: 40 % from {global_latency} (waits 16 k → 0), 25 % "
         "from {barriers} (waits 10 k → 0), 20 % from {fetch} (waits 8 k → 0).");
    cause_is("exchange", "status=resolved named=0");
    make_faster("selected=60000 global=34000 barriers=3900 fetch=2100", "selected=60000");
    says("1.67× faster, 40.00 µs saved: 85 % from {global_latency} (waits 34 k → 0).");
}

/* Sets numbers of a point: "name=value;name=value". */
static void add_numbers(const char *variant, const char *words)
{
    struct side_key key = {variant, 32};
    while (*words) {
        char name[64];
        const int length = (int)strcspn(words, "=");
        snprintf(name, sizeof name, "%.*s", length, words);
        WORKS(query_write(&query, "DELETE FROM sides WHERE variant = %Q AND name = %Q", variant,
                          name));
        insert_number(&key, "", name, strtod(words + length + 1, NULL));
        words += strcspn(words, ";");
        words += *words == ';';
    }
}

/* Makes a faster step between points that wait like this and have these numbers more; its causes
 * are to follow, or follow. */
static void prepare(const char *before, const char *after, const char *of_before,
                    const char *of_after)
{
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(before, after);
    add_numbers("01_a", of_before);
    add_numbers("02_b", of_after);
}

static void compare(const char *before, const char *after, const char *of_before,
                    const char *of_after)
{
    prepare(before, after, of_before, of_after);
    make_causes("faster");
}

static void change(const char *sql)
{
    assert_int_equal(query_write(&query, "%s", sql), 0);
}

/* Makes so many times as many warps of the second point resident. */
static void more_warps(double times)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "UPDATE sides SET value = value * %g WHERE variant = '02_b' AND (name = 'resident' OR "
             "name LIKE 'wait\\_%%' ESCAPE '\\')",
             times);
    change(sql);
}

/* Makes a point launch blocks: so many, so many of them on an SM, of so many threads. */
static void launch_of(const char *variant, double grid, double per_sm, double block)
{
    struct side_key key = {variant, 32};
    insert_number(&key, "kernel", "grid", grid);
    insert_number(&key, "kernel", "per_sm", per_sm);
    insert_number(&key, "kernel", "block", block);
}

/* The sentence of waits for global memory and at barriers that became shorter, with these numbers.
 */
static void is_said(const char *before, const char *after, const char *sentence)
{
    compare(USUAL, FASTER_BY, before, after);
    says(sentence);
}

#define WAITS_SAID                                                                                 \
    "1.67× faster, 40.00 µs saved: 75 % from {global_latency} (waits −75 %), 25 % from "       \
    "{barriers} "                                                                                  \
    "(waits −50 %)."

TEST(a_change_that_a_warm_cache_turns_round_says_so)
{
    for (int is_round = 0; is_round < 2; is_round++) {
        WRITE_RUN({"01_a", "time_warm_ns=50000 "},
                  {"02_b", is_round ? FASTER "time_warm_ns=60000 " : FASTER "time_warm_ns=50500 "});
        open_points("selected=40000 global=60000", "selected=40000 global=20000");
        make_causes("faster");
        says(is_round ? "1.67× faster, 40.00 µs saved: 100 % from {global_latency} (waits −67 %). "
                        "With the data in the L2 cache it is 1.20× slower."
                      : "1.67× faster, 40.00 µs saved: 100 % from {global_latency} (waits −67 %).");
    }
}

/* Where the data stage of L1 is far busier than issue slots, fewer instructions save nothing. */
TEST(instructions_matter_where_slots_are_used)
{
    for (int busy = 0; busy < 2; busy++) {
        compare("selected=2000 not_selected=30000 global=68000",
                "selected=1800 not_selected=5000 global=53200",
                busy ? "demand_shared_ns=80000;demand_conflicts_ns=0;demand_l1_ns=0"
                     : "demand_shared_ns=100;demand_conflicts_ns=0;demand_l1_ns=0",
                busy ? "demand_shared_ns=50000;demand_conflicts_ns=0;demand_l1_ns=0"
                     : "demand_shared_ns=100;demand_conflicts_ns=0;demand_l1_ns=0");
        row_is("causes WHERE cause = 'instructions' AND saved_ns > 0",
               busy ? "count(*)=0" : "count(*)=1");
    }
}

/* A copy from several cache lines costs what all loads do; that of the copy engine is at most what
 * warps wait for it. */
TEST(copies_cost_what_loads_do)
{
    static const struct {
        const char *before, *after, *sentence;
    } cases[] = {
        {"measured_loads_ns=40000;measured_bank_conflicts_ns=10000",
         "measured_loads_ns=5000;measured_bank_conflicts_ns=0",
         "88 % from {copied_lines} (all loads and copies: measured 40.00 µs → 5.000 µs), 12 % from "
         "{barriers} (waits 5 k "
         "→ 0)."},
        {"measured_loads_ns=40000;measured_bank_conflicts_ns=10000", "waited_loads_ns=5000",
         "88 % from {copied_lines} (by knock-outs and waits for the copy engine 40.00 µs → 5.000 "
         "µs), 12 % from {barriers} (waits 5 k → 0)."},
        {"measured_loads_ns=40000;measured_bank_conflicts_ns=10000", "measured_bank_conflicts_ns=0",
         "64 % from {global_latency} (waits −60 %), 25 % from {copied_lines} (measured 10.00 µs → "
         "0 ns), 11 % from {barriers} (waits 5 k → 0)."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sentence[256];
        prepare("selected=40000 shared=5000 barriers=5000 global=50000",
                "selected=40000 global=20000", "line_wavefronts=600;conflict_wavefronts=0",
                "line_wavefronts=0;conflict_wavefronts=0");
        add_numbers("01_a", cases[i].before);
        add_numbers("02_b", cases[i].after);
        make_causes("faster");
        snprintf(sentence, sizeof sentence, "1.67× faster, 40.00 µs saved: %s", cases[i].sentence);
        assert_string_equal(headline("02_b"), TITLED(sentence));
    }
}

/* A unit that needed longer than the faster point takes saved the difference, as far as its demand
 * moved. What was measured keeps its time. */
TEST(units_saved_at_least_what_they_needed)
{
    static const struct {
        const char *before, *after, *sentence;
    } cases[] = {
        {"demand_conflicts_ns=60000", "demand_conflicts_ns=0",
         "75 % from {global_latency} (waits −58 %), 25 % from {bank_conflicts} (600 → 0)."},
        {"demand_conflicts_ns=90000", "demand_conflicts_ns=0",
         "75 % from {bank_conflicts} (600 → 0), 25 % from {global_latency} (waits −58 %)."},
        {"demand_conflicts_ns=90000", "demand_conflicts_ns=70000",
         "50 % from {global_latency} (waits −58 %), 50 % from {bank_conflicts} (600 → 0)."},
        {"demand_conflicts_ns=90000;measured_bank_conflicts_ns=10000",
         "demand_conflicts_ns=0;measured_bank_conflicts_ns=0",
         "75 % from {global_latency} (waits −58 %), 25 % from {bank_conflicts} (measured 10.00 µs "
         "→ 0 ns)."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sentence[256];
        prepare("selected=38000 shared=10000 global=52000", "selected=38000 global=22000",
                "conflict_wavefronts=600;conflicts=600;demand_shared_ns=0;"
                "demand_l1_ns=0",
                "conflict_wavefronts=0;conflicts=0;demand_shared_ns=0;demand_l1_ns=0");
        add_numbers("01_a", cases[i].before);
        add_numbers("02_b", cases[i].after);
        make_causes("faster");
        snprintf(sentence, sizeof sentence, "1.67× faster, 40.00 µs saved: %s", cases[i].sentence);
        assert_string_equal(headline("02_b"), TITLED(sentence));
    }
}

/* A part of what a unit needs may grow and cost time, though the whole fell. */
TEST(parts_of_a_unit_may_oppose_each_other)
{
    compare("selected=47000 shared=53000", "selected=30000 global=30000",
            "conflict_wavefronts=600;conflicts=600;demand_conflicts_ns=90000;demand_shared_ns=0;"
            "demand_l1_ns=5000;global_wavefronts=100;global_wavefronts_ns=5000",
            "conflict_wavefronts=0;conflicts=0;demand_conflicts_ns=0;demand_shared_ns=0;"
            "demand_l1_ns=45000;global_wavefronts=900;global_wavefronts_ns=45000");
    says("1.67× faster, 40.00 µs saved: {bank_conflicts} (600 → 0) saved 65.00 µs, {instructions} "
         "(−36 %) saved 5.000 µs, {global_traffic} (+800 %) cost 30.00 µs.");
}

/* Blocks at a barrier of the grid only wait for others: as many of them at any time cost nothing.
 */
TEST(barriers_of_the_grid_cost_what_is_left)
{
    make_faster("selected=20000 global=40000 at_grid=40000",
                "selected=20000 global=16000 at_grid=24000");
    says("1.67× faster, 40.00 µs saved: 100 % from {global_latency} (waits −60 %).");
    make_faster("selected=20000 global=20000 at_grid=60000",
                "selected=20000 global=20000 at_grid=20000");
    says("1.67× faster, 40.00 µs saved: 100 % from {barriers} (waits −67 %).");
}

/* Kernels that have no name in common are compared by the largest of each side, if that takes
 * nearly all of the time. */
TEST(the_largest_kernels_are_compared)
{
    static const int other_ns[] = {6000, 30000};
    static const char *const names[] = {"wait_selected", "instructions", "issued",
                                        "active",        "elapsed",      "resident"};
    for (int i = 0; i < 2; i++) {
        struct side_key key = {"02_b", 32};
        WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
        open_points(USUAL, FASTER_BY);
        change("UPDATE sides SET function = 'product' WHERE variant = '02_b' AND "
               "function = 'kernel'");
        for (int j = 0; j < 6; j++) insert_number(&key, "convert", names[j], other_ns[i]);
        add_numbers("01_a", "load_distance=2"); /* of both kernels */
        add_numbers("02_b", "load_distance=200");
        make_causes("faster");
        row_is("causes WHERE cause = 'global_latency'",
               i ? "witness=load_distance" : "witness=warp_cycles");
        row_is("causes WHERE cause = 'other_launches' AND saved_ns < -5000",
               i ? "count(*)=0" : "count(*)=1");
    }
}

/* A cause that was measured is named as a fourth one. */
TEST(what_was_measured_is_named)
{
    for (int is_measured = 0; is_measured < 2; is_measured++) {
        WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
        open_points("selected=50000 global=20000 fetch=14000 shuffles=10000 barriers=6000",
                    "selected=50000 global=4000 fetch=3000 shuffles=2000 barriers=1000");
        if (is_measured) {
            add_numbers("01_a", "measured_barriers_ns=6000");
            add_numbers("02_b", "measured_barriers_ns=1000");
        }
        make_causes("faster");
        assert_int_equal(strstr(headline("02_b"), "barriers") != NULL, is_measured);
    }
}

/* Blocks take time to start and end where their number moved. */
TEST(blocks_start_where_their_number_moved)
{
    for (int blocks = 1; blocks <= 2; blocks++) {
        WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
        open_points("selected=38000 start=12000 global=50000", "selected=38000 global=22000");
        launch_of("01_a", 1000, 1, 32);
        launch_of("02_b", 1000.0 / blocks, 1, 32);
        add_numbers("01_a", "grid_blocks=1000");
        add_numbers("02_b", blocks == 2 ? "grid_blocks=500" : "grid_blocks=1000");
        make_causes("faster");
        says(blocks == 2 ? "1.67× faster, 40.00 µs saved: 70 % from {global_latency} (waits −56 "
                           "%), 30 % from {turnover} (blocks −50 %)."
                         : "1.67× faster, 40.00 µs saved: 100 % from {global_latency} (waits −56 "
                           "%).");
    }
}

/* Warps that only wait for an issue slot save nothing. */
TEST(warps_that_wait_for_a_slot_save_nothing)
{
    for (int slots = 0; slots < 2; slots++) {
        WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
        open_points("selected=40000 dispatch=60000",
                    slots ? "selected=32000 not_selected=16000 dispatch=12000"
                          : "selected=32000 dispatch=28000");
        more_warps(1.25);
        launch_of("01_a", 1000, 1, 32);
        launch_of("02_b", 1000, 1, 40);
        make_causes("faster");
        row_is("causes WHERE cause = 'residency' AND saved_ns > 10000",
               slots ? "count(*)=0" : "count(*)=1");
    }
}

/* Waits grow with resident warps, so they take nothing from the instructions that are gone. */
TEST(waits_grow_with_the_warps)
{
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("selected=40000 global=60000", "selected=10000 global=50000");
    assert_int_equal(query_write(&query, "UPDATE sides SET value = value * 2 WHERE variant = "
                                         "'02_b' AND (name = 'resident' OR name LIKE "
                                         "'wait\\_%%' ESCAPE '\\')"),
                     0);
    for (int i = 0; i < 2; i++) {
        struct side_key key = {i ? "02_b" : "01_a", 32};
        insert_number(&key, "kernel", "grid", 1000);
        insert_number(&key, "kernel", "per_sm", 1);
        insert_number(&key, "kernel", "block", i ? 64 : 32);
    }
    make_causes("faster");
    says("1.67× faster, 40.00 µs saved: 53 % from {residency} (resident warps +100 %), 47 % from "
         "{instructions} (−75 %).");
}

/* Warps that are gone before the others of their block are missing by as much, but no more than are
 * missing. */
TEST(warps_leave_early)
{
    static const struct {
        const char *before, *after, *said;
    } cases[] = {
        {"left_warps_pct=0", "left_warps_pct=0",
         "1.67× faster, 40.00 µs saved: 100 % from {global_latency} (waits −58 %)."},
        {"left_warps_pct=20", "left_warps_pct=0",
         "1.67× faster, 40.00 µs saved: 80 % from {global_latency} (waits −58 %), 20 % from "
         "{early_exits} (of those that could run 20 → 0 %)."},
        {"left_warps_pct=0", "left_warps_pct=20",
         "1.67× faster, 40.00 µs saved: 100 % from {global_latency} (waits −58 %)."},
        {"left_warps_pct=20", "", /* not counted is not 0 */
         "1.67× faster, 40.00 µs saved: 100 % from {global_latency} (waits −58 %)."}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        prepare("selected=40000 global=60000", "selected=40000 global=20000", cases[i].before,
                cases[i].after);
        more_warps(1.25);
        make_causes("faster");
        says(cases[i].said);
    }
}

/* The count that moved with a cause stands beside it; others that moved follow. */
TEST(counts_are_said)
{
    is_said("load_distance=4;barriers=10", "load_distance=100;barriers=5",
            "1.67× faster, 40.00 µs saved: 75 % from {global_latency} (instructions between "
            "load and use 4 → 100), 25 % from {barriers} (executed −50 %).");
    /* Instructions are those of all four schedulers. */
    is_said("barriers=10", "barriers=0",
            "1.67× faster, 40.00 µs saved: 75 % from {global_latency} (waits −75 %), 25 % from "
            "{barriers} (executed 40 → 0).");
    /* Those that moved the other way say nothing, nor those that moved too little for the time. */
    is_said("load_distance=100;barriers=5", "load_distance=4;barriers=10", WAITS_SAID);
    is_said("load_distance=100;barriers=10", "load_distance=112;barriers=9.5", WAITS_SAID);
    is_said("barrier_wait_cycles=1000", "barrier_wait_cycles=500", WAITS_SAID);
    is_said("barrier_wait_cycles=20000;global_wait_cycles=500",
            "barrier_wait_cycles=9000;global_wait_cycles=600",
            "1.67× faster, 40.00 µs saved: 75 % from {global_latency} (waits −75 %), 25 % from "
            "{barriers} (stall barrier −55 %).");
    /* A count that is the reason, and one of a unit that is used. */
    is_said("loaded_by_used=8;unused_load_part=0.9;global_excess_sectors=700;"
            "demand_dram_ns=20000;dram_bytes=1000",
            "loaded_by_used=1;unused_load_part=0;global_excess_sectors=0;"
            "demand_dram_ns=10000;dram_bytes=500",
            "1.67× faster, 40.00 µs saved: 75 % from {uncoalesced} (700 → 0), 25 % from "
            "{barriers} (waits −50 %). Also changed: {dram_bytes} (−50 %).");
    /* Sectors that became more took no time, though they are a smaller part. */
    is_said("loaded_by_used=2;unused_load_part=0.5;global_excess_sectors=500",
            "loaded_by_used=1.5;unused_load_part=0.4;global_excess_sectors=600", WAITS_SAID);
    /* Nor are they the reason if the loads moved much further. */
    is_said("loaded_by_used=2;unused_load_part=0.5;global_excess_sectors=500;load_bytes=64;"
            "global_load_instructions=1000",
            "loaded_by_used=1;unused_load_part=0;global_excess_sectors=0;load_bytes=128;"
            "global_load_instructions=50",
            WAITS_SAID);
}

/* Wavefronts without conflicts are said if all of shared memory moved with them. */
TEST(wavefronts_are_those_of_all_of_shared_memory)
{
#define AND_SAID(words)                                                                            \
    "1.67× faster, 40.00 µs saved: 75 % from {global_latency} (waits −75 %), 25 % from "       \
    "{barriers} (waits −50 %). Also changed: " words
    is_said("demand_shared_ns=20000;needed_wavefronts=200;other_wavefronts=200;"
            "conflict_wavefronts=500",
            "demand_shared_ns=9000;needed_wavefronts=90;other_wavefronts=90;"
            "conflict_wavefronts=550",
            AND_SAID("{shared_traffic} (without conflicts −55 %)."));
    is_said("demand_shared_ns=20000;needed_wavefronts=200;other_wavefronts=200;"
            "conflict_wavefronts=500",
            "demand_shared_ns=9000;needed_wavefronts=90;other_wavefronts=90;"
            "conflict_wavefronts=560",
            WAITS_SAID);
    is_said("sm_count=1;demand_shared_ns=9000;needed_wavefronts=90;off_wavefronts=20000;"
            "other_wavefronts=20090",
            "sm_count=1;demand_shared_ns=20000;needed_wavefronts=200;off_wavefronts=0;"
            "other_wavefronts=200",
            AND_SAID("{lanes_off} (20 k → 0)."));
}

/* Misses that are a smaller part of more requests, but as many, took no time. */
TEST(misses_are_counted)
{
    is_said("l2_miss_ratio=0.5;dram_bytes=1000", "l2_miss_ratio=0.3;dram_bytes=980", WAITS_SAID);
    is_said("l2_miss_ratio=0.5;dram_bytes=1000", "l2_miss_ratio=0.2;dram_bytes=400",
            "1.67× faster, 40.00 µs saved: 75 % from {l2_misses} (−60 %), 25 % from {barriers} "
            "(waits −50 %).");
    /* Fewer loads miss less often: they are the reason. */
    is_said("l1_miss_ratio=0.8;l2_bytes=1000;global_load_instructions=100",
            "l1_miss_ratio=0.28;l2_bytes=300;global_load_instructions=100",
            "1.67× faster, 40.00 µs saved: 75 % from {l1_misses} (−65 %), 25 % from {barriers} "
            "(waits −50 %).");
    is_said("l1_miss_ratio=0.8;l2_bytes=1000;global_load_instructions=100",
            "l1_miss_ratio=0.28;l2_bytes=300;global_load_instructions=25", WAITS_SAID);
    /* Warps that only wait in the queue miss no data. */
    compare("selected=40000 queue=60000", "selected=40000 queue=20000",
            "l1_miss_ratio=0.8;l2_bytes=1000;global_load_instructions=100",
            "l1_miss_ratio=0.28;l2_bytes=300;global_load_instructions=100");
    says("1.67× faster, 40.00 µs saved: 100 % from {global_latency} (waits −67 %).");
}

/* Makes a step at the limit of device memory, whose points wait like this and have these numbers
 * more. */
static void rate_is_said(const char *waits, const char *before, const char *after,
                         const char *sentence)
{
    static const char bytes[] = "dram_bytes=98000;global_load_instructions=1000;dram_peak_gbs=2";
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(waits, "selected=10000 global=50000");
    change("DELETE FROM sides WHERE name = 'global_load_instructions'");
    add_numbers("01_a", "demand_dram_ns=98000;dram_gbs=1");
    add_numbers("02_b", "demand_dram_ns=58000;dram_gbs=1.6");
    for (int i = 0; i < 2; i++) {
        add_numbers(i ? "02_b" : "01_a", bytes);
        add_numbers(i ? "02_b" : "01_a", i ? after : before);
    }
    make_causes("faster");
    says(sentence);
}

/* At its limit device memory reaches another rate because of what asks for its bytes. */
TEST(a_rate_of_device_memory_has_a_reason)
{
    static const char waits[] = "selected=20000 global=80000",
                      unexplained[] = "1.67× faster, 40.00 µs saved: 100 % from {dram_rate} (GB/s "
                                      "+60 %).";
    rate_is_said(
        waits, "load_bytes=128;loads_per_wait=4", "load_bytes=512;loads_per_wait=2",
        "1.67× faster, 40.00 µs saved: 100 % from {bytes_in_flight} (for each wait +100 %, "
        "DRAM at 49.0 → 81.7 % of its peak).");
    rate_is_said(waits, "load_bytes=128", "load_bytes=512",
                 "1.67× faster, 40.00 µs saved: 100 % from {bytes_in_flight} (bytes of a load "
                 "+300 %, DRAM at 49.0 → 81.7 % of its peak).");
    /* Other things than loads of threads move the bytes. */
    rate_is_said(waits, "load_bytes=12", "load_bytes=48", unexplained);
    /* As many bytes are in flight. */
    rate_is_said(waits, "load_bytes=128;loads_per_wait=4", "load_bytes=512;loads_per_wait=1",
                 unexplained);
    rate_is_said(waits, "load_bytes=512", "load_bytes=128", unexplained);
    rate_is_said("selected=40000 global=60000", "load_bytes=128", "load_bytes=128",
                 "1.67× faster, 40.00 µs saved: 100 % from {instructions} (−75 %, DRAM at 49.0 → "
                 "81.7 % of its peak).");
}

/* Sectors of stores are waited for in the queue alone. */
TEST(stores_fill_the_queue)
{
    static const char before[] = "stored_by_used=8;unused_store_part=0.9;store_excess_sectors=700",
                      after[] = "stored_by_used=1;unused_store_part=0;store_excess_sectors=0";
    is_said(before, after, WAITS_SAID);
    compare("selected=40000 queue=60000", "selected=40000 queue=20000", before, after);
    says("1.67× faster, 40.00 µs saved: 100 % from {uncoalesced_writes} (700 → 0).");
}

/* Waits at stores are in the same queue; where no count explains them, that is their name. */
TEST(waits_at_stores_are_no_latency)
{
    for (int counts = 0; counts < 2; counts++) {
        compare("selected=40000 stores=40000 global=20000",
                "selected=40000 stores=10000 global=10000",
                counts ? "stored_by_used=8;unused_store_part=0.9;store_excess_sectors=7"
                       : "stored_by_used=1",
                counts ? "stored_by_used=1;unused_store_part=0;store_excess_sectors=0"
                       : "stored_by_used=1");
        says(counts ? "1.67× faster, 40.00 µs saved: 100 % from {uncoalesced_writes} (7 → 0)."
                    : "1.67× faster, 40.00 µs saved: 75 % from {stores} (waits −75 %), 25 % from "
                      "{global_latency} (waits −50 %).");
    }
}

/* Loads and stores that are scattered alike share a term by their sectors. */
TEST(stores_share_the_sectors_of_loads)
{
    is_said("loaded_by_used=8;unused_load_part=0.9;global_excess_sectors=1000;stored_by_used=8;"
            "unused_store_part=0.9;store_excess_sectors=500",
            "loaded_by_used=1;unused_load_part=0;global_excess_sectors=0;stored_by_used=1;"
            "unused_store_part=0;store_excess_sectors=0",
            "1.67× faster, 40.00 µs saved: 50 % from {uncoalesced} (1 k → 0), 25 % from "
            "{uncoalesced_writes} (500 → 0), 25 % from {barriers} (waits −50 %).");
    is_said("loaded_by_used=8;unused_load_part=0.9;global_excess_sectors=1000;stored_by_used=2;"
            "unused_store_part=0.5;store_excess_sectors=500",
            "loaded_by_used=1;unused_load_part=0;global_excess_sectors=0;stored_by_used=1.8;"
            "unused_store_part=0.4;store_excess_sectors=400",
            "1.67× faster, 40.00 µs saved: 75 % from {uncoalesced} (1 k → 0), 25 % from "
            "{barriers} (waits −50 %).");
}

/* A unit stands for causes only if its demand changed by a tenth of the change. */
TEST(a_unit_stands_for_causes)
{
    static const char many[] =
        "selected=60000 global=3636 barriers=3636 fetch=3636 shuffles=3636 conversions=3636 "
        "pipe=3636 dispatch=3636 atomics=3636 division=3636 fp64=3636 local=3640";
    compare(many, "selected=60000", "demand_dram_ns=9000", "demand_dram_ns=4000");
    says("1.67× faster; no cause stands out: of all units, the demand for {dram_bytes} (9.000 µs → "
         "4.000 µs) changed most.");
    compare(many, "selected=60000", "demand_dram_ns=9000", "demand_dram_ns=5500");
    says("1.67× faster; no cause stands out.");
}

/* The same of causes that no number shows at work, of kernels that wait for loads alone. */
static void loads_say(const char *before, const char *after, const char *sentence)
{
    compare("selected=40000 global=60000", "selected=40000 global=20000", before, after);
    says(sentence);
}

TEST(a_unit_stands_for_causes_that_no_number_shows)
{
    /* as many wavefronts */
    loads_say(
        "measured_loads_ns=2000;demand_alu_ns=30000;demand_shared_ns=60000;"
        "other_wavefronts=1000",
        "measured_loads_ns=8000;demand_alu_ns=10000;demand_shared_ns=20000;"
        "other_wavefronts=1000",
        "1.67× faster; no cause stands out: of all units, the demand for {pipes} (30.00 µs → 10.00 "
        "µs) changed most.");
    loads_say("measured_loads_ns=2000;demand_alu_ns=30000",
              "measured_loads_ns=8000;demand_alu_ns=10000",
              "1.67× faster; no cause stands out: of all units, the demand for {pipes} (30.00 µs → "
              "10.00 µs) changed most.");
}

/* What was measured on both sides is the part of the cause, and the rest makes the others. The
 * count of shared memory without the conflicts is the name of what is left of its waits. */
TEST(measured_costs_are_parts)
{
    is_said("measured_barriers_ns=31000", "measured_barriers_ns=5000",
            "1.67× faster, 40.00 µs saved: 65 % from {barriers} (measured 31.00 µs → 5.000 µs), "
            "35 % from {global_latency} (waits −75 %).");
    cause_is("barriers", "saved_ns=26000 gross_ns=26000 inferred_ns=10000 "
                         "witness=measured_barriers_ns");
    cause_is("global_latency", "saved_ns=14000");
    assert_string_equal(CAUSE("inferred_ns", "global_latency"), "NULL");
    finds("SELECT group_concat(id) FROM said WHERE note = 'measured'", "barriers");
    compare("selected=40000 shared=60000", "selected=40000 shared=20000",
            "measured_bank_conflicts_ns=35000;conflict_wavefronts=500;"
            "other_wavefronts=500;needed_wavefronts=500",
            "measured_bank_conflicts_ns=0;conflict_wavefronts=0;other_wavefronts=400;"
            "needed_wavefronts=400");
    cause_is("bank_conflicts", "saved_ns=35000 inferred_ns=33333.3333333333");
    cause_is("shared_traffic", "saved_ns=5000");
    /* Conflicts of copies are among the measured ones: waits for global memory have other names. */
    is_said("measured_bank_conflicts_ns=12000;async_excess_wavefronts=100;copies_ns=90000",
            "measured_bank_conflicts_ns=0;async_excess_wavefronts=0;copies_ns=20000",
            "1.67× faster, 40.00 µs saved: 54 % from {global_latency} (waits −75 %), 30 % from "
            "{bank_conflicts} (measured 12.00 µs → 0 ns), 16 % from {barriers} (waits −50 %).");
    cause_is("bank_conflicts", "saved_ns=12000");
    /* A cost that is measured on one side alone changes nothing, and neither does one that leaves
     * nothing to the rest. */
    is_said("measured_barriers_ns=30000", "", WAITS_SAID);
    finds("SELECT group_concat(id) FROM said WHERE note = 'inferred'", "barriers");
    is_said("measured_barriers_ns=100000", "measured_barriers_ns=60000", WAITS_SAID);
}

/* Barriers and conflicts are one cause if what they share moves, here from 0 to 2000 ns. They are
 * two if it moves by less than the noise. */
TEST(costs_that_share_are_one_cause)
{
    is_said("measured_barriers_ns=20000;measured_bank_conflicts_ns=10000;"
            "measured_barriers_conflicts_ns=30000",
            "measured_barriers_ns=10000;measured_bank_conflicts_ns=4000;"
            "measured_barriers_conflicts_ns=12000",
            "1.67× faster, 40.00 µs saved: 55 % from {global_latency} (waits −75 %), 45 % from "
            "{barriers_conflicts} (measured 30.00 µs → 12.00 µs).");
    cause_is("barriers_conflicts", "saved_ns=18000 inferred_ns=10000 "
                                   "witness=measured_barriers_conflicts_ns");
    cause_is("barriers", "saved_ns=0 inferred_ns=10000");
    is_said("measured_barriers_ns=20000;measured_bank_conflicts_ns=10000;"
            "measured_barriers_conflicts_ns=30000",
            "measured_barriers_ns=10000;measured_bank_conflicts_ns=2000;"
            "measured_barriers_conflicts_ns=11500",
            "1.67× faster, 40.00 µs saved: 55 % from {global_latency} (waits −75 %), 25 % from "
            "{barriers} (measured 20.00 µs → 10.00 µs), 20 % from {bank_conflicts} (measured "
            "10.00 µs → 2.000 µs).");
}

/* If only one of the two moved with what they cost at once, that is its cause. */
TEST(a_joint_cost_has_the_name_of_what_moved)
{
    static const char before[] = "measured_barriers_ns=20000;measured_bank_conflicts_ns=10000;"
                                 "measured_barriers_conflicts_ns=25000";
    is_said(before,
            "measured_barriers_ns=5000;measured_bank_conflicts_ns=11000;"
            "measured_barriers_conflicts_ns=13000",
            "1.67× faster, 40.00 µs saved: 70 % from {global_latency} (waits −75 %), 30 % from "
            "{barriers} (measured with bank conflicts 25.00 µs → 13.00 µs).");
    cause_is("barriers", "saved_ns=12000 inferred_ns=10000 witness=measured_barriers_conflicts_ns");
    is_said(before,
            "measured_barriers_ns=19500;measured_bank_conflicts_ns=0;"
            "measured_barriers_conflicts_ns=13000",
            "1.67× faster, 40.00 µs saved: 70 % from {global_latency} (waits −75 %), 30 % from "
            "{bank_conflicts} (measured with barriers 25.00 µs → 13.00 µs).");
    finds("SELECT note FROM said WHERE id = 'bank_conflicts'", "measured with barriers");
}

/* The cost of conflicts is that of conflicts alone if the rest is about what barriers cost: here
 * 2000 of the 3000 ns that barriers cost alone. */
TEST(a_joint_cost_has_two_owners_if_both_are_known)
{
    is_said("measured_barriers_ns=3000;measured_bank_conflicts_ns=20000;"
            "measured_barriers_conflicts_ns=22000",
            "measured_barriers_ns=0;measured_bank_conflicts_ns=0;measured_barriers_conflicts_ns=0",
            "1.67× faster, 40.00 µs saved: 50 % from {bank_conflicts} (measured 20.00 µs → 0 ns), "
            "45 % from {global_latency} (waits −75 %).");
    cause_is("bank_conflicts", "saved_ns=20000 witness=measured_bank_conflicts_ns");
    cause_is("barriers", "saved_ns=2000 witness=measured_barriers_ns");
    finds("SELECT counted FROM said WHERE id = 'barriers'", "measured alone 3.000 µs → 0 ns");
    finds("SELECT counted FROM said WHERE id = 'bank_conflicts'", "measured 20.00 µs → 0 ns");
}

/* Half of the products saved the first point 5000 ns: a third of them saved no more. The
 * rest would be instructions, but these did not move as far. */
TEST(products_save_no_more_than_half_of_them_cost)
{
    for (int is_measured = 0; is_measured < 2; is_measured++) {
        prepare("selected=60000 tensor=40000", "selected=40000 tensor=20000", "tensor_cycles=30",
                "tensor_cycles=20");
        if (is_measured) add_numbers("01_a", "measured_half_tensor_ns=5000");
        make_causes("faster");
        cause_is("tensor_pipe",
                 is_measured ? "saved_ns=5000 witness=tensor_cycles" : "saved_ns=20000");
        if (is_measured) cause_is("residual", "saved_ns=15000");
    }
}

/* Where as many barriers cost less because loads do, or where waits for loads moved further than
 * those at barriers, their cost is that of loads. */
TEST(barriers_wait_for_loads)
{
    static const struct {
        const char *executed, *after, *said;
    } cases[] = {
        {"barriers=100", FASTER_BY,
         "1.67× faster, 40.00 µs saved: 100 % from {global_latency} (instructions between load and "
         "use 4 → 100)."},
        {"barriers=50", FASTER_BY,
         "1.67× faster, 40.00 µs saved: 100 % from {global_latency} (instructions between load and "
         "use 4 → 100)."},
        {"barriers=50", "selected=40000 global=18000 barriers=2000",
         "1.67× faster, 40.00 µs saved: 75 % from {global_latency} (instructions between load and "
         "use 4 → 100), 25 % from {barriers} (measured 20.00 µs → 10.00 µs)."}};
    for (int i = 0; i < 3; i++) {
        prepare(USUAL, cases[i].after,
                "load_distance=4;measured_barriers_ns=20000;measured_loads_ns=90000;"
                "barriers=100",
                "load_distance=100;measured_barriers_ns=10000;measured_loads_ns=1000");
        add_numbers("02_b", cases[i].executed);
        launch_of("01_a", 1000, 1, 32);
        launch_of("02_b", 1000, 1, 32);
        make_causes("faster");
        says(cases[i].said);
    }
}

/* Conflicts of copies are measured with the copies from several cache lines, which may be what
 * moved. */
TEST(measured_conflicts_have_the_name_of_what_moved)
{
    is_said("measured_bank_conflicts_ns=12000;line_wavefronts=900;conflict_wavefronts=100",
            "measured_bank_conflicts_ns=0;line_wavefronts=0;conflict_wavefronts=90",
            "1.67× faster, 40.00 µs saved: 54 % from {global_latency} (waits −75 %), 30 % from "
            "{copied_lines} (measured 12.00 µs → 0 ns), 16 % from {barriers} (waits −50 %).");
    cause_is("copied_lines", "saved_ns=12000 witness=measured_bank_conflicts_ns");
}

/* Without its loads the first point takes 8000 ns less, and the second 2000: loads did not save
 * more than 6000 of the 30000 ns of their waits. The barriers, which moved as well, have the rest.
 */
TEST(loads_save_no_more_than_they_cost)
{
    is_said("measured_loads_ns=8000", "measured_loads_ns=2000",
            "1.67× faster, 40.00 µs saved: 25 % from {barriers} (waits −50 %), 15 % from "
            "{global_latency} (waits −75 %), 60 % from {residual}.");
    cause_is("global_latency", "saved_ns=6000");
    cause_is("residual", "saved_ns=24000");
    is_said("measured_loads_ns=90000", "measured_loads_ns=2000", WAITS_SAID);
    /* One kernel's loads bound the change, too; what none of the others had is unexplained. */
    is_said("measured_loads_ns=8000", "",
            "1.67× faster, 40.00 µs saved: 25 % from {barriers} (waits −50 %), 20 % from "
            "{global_latency} (waits −75 %), 55 % from {residual}.");
    is_said("", "measured_loads_ns=8000", WAITS_SAID);
    is_said("measured_loads_ns=29500", "", WAITS_SAID);
    is_said("measured_barriers_ns=2000", "",
            "1.67× faster, 40.00 µs saved: 75 % from {global_latency} (waits −75 %).");
    cause_is("barriers", "saved_ns=2000");
    cause_is("residual", "saved_ns=8000");
    is_said("measured_loads_ns=2000", "measured_loads_ns=8000",
            "1.67× faster, 40.00 µs saved: 25 % from {barriers} (waits −50 %), 75 % from "
            "{residual}.");
    cause_is("residual", "saved_ns=30000");
    /* At the limit of device memory loads keep what no other cause had. */
    is_said("measured_loads_ns=8000;demand_dram_ns=10000",
            "measured_loads_ns=2000;demand_dram_ns=59000", WAITS_SAID);
    /* The terms that are known without them take nothing of what is beyond. */
    is_said("measured_loads_ns=8000;launch_ns=11600", "measured_loads_ns=2000;launch_ns=6000",
            "1.67× faster, 40.00 µs saved: 22 % from {barriers} (waits −50 %), 15 % from "
            "{global_latency} (waits −75 %), 14 % from launches (11.60 µs → 6.000 µs), 49 % from "
            "{residual}.");
    cause_is("launches", "saved_ns=5600");
}

/* At a size without knock-outs those at another one bound what a cause saved, here 10000 ns. */
TEST(costs_at_another_size_are_bounds)
{
    static const struct {
        const char *before, *after, *said, *barriers;
    } cases[] = {
        {"scaled_barriers_least_ns=10000;scaled_barriers_most_ns=12000",
         "scaled_barriers_least_ns=0;scaled_barriers_most_ns=1000", WAITS_SAID,
         "saved_ns=10000 witness=warp_cycles"},
        {"scaled_barriers_least_ns=30000;scaled_barriers_most_ns=32000",
         "scaled_barriers_least_ns=5000;scaled_barriers_most_ns=6000",
         "1.67× faster, 40.00 µs saved: 60 % from {barriers} (at least, by knock-outs at another "
         "size), 40 % from {global_latency} (waits −75 %).",
         "saved_ns=24000 inferred_ns=10000 witness=scaled_cost_ns"},
        {"scaled_barriers_least_ns=4000;scaled_barriers_most_ns=5000",
         "scaled_barriers_least_ns=1000;scaled_barriers_most_ns=2000",
         "1.67× faster, 40.00 µs saved: 90 % from {global_latency} (waits −75 %), 10 % from "
         "{barriers} (at most, by knock-outs at another size).",
         "saved_ns=4000 witness_before=5000 witness_after=1000"},
        /* It may have cost time: nothing is said of it. */
        {"scaled_barriers_least_ns=4000;scaled_barriers_most_ns=9000",
         "scaled_barriers_least_ns=2000;scaled_barriers_most_ns=6000",
         "1.67× faster, 40.00 µs saved: 83 % from {global_latency} (waits −75 %).",
         "saved_ns=7000 witness=scaled_cost_ns status=unresolved named=0"},
        /* It is known of one side alone. */
        {"scaled_barriers_least_ns=30000;scaled_barriers_most_ns=32000", "", WAITS_SAID,
         "saved_ns=10000"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        is_said(cases[i].before, cases[i].after, cases[i].said);
        cause_is("barriers", cases[i].barriers);
    }
    finds("SELECT count(*) FROM said WHERE note LIKE 'measured%'", "0");
    is_said(cases[1].before, cases[1].after, cases[1].said);
    finds("SELECT group_concat(id) FROM said WHERE note = 'bounded at another size' AND aside "
          "LIKE 'Bounded by %'",
          "barriers");
    is_said("scaled_loads_least_ns=7000;scaled_loads_most_ns=8000",
            "scaled_loads_least_ns=2000;scaled_loads_most_ns=3000",
            "1.67× faster, 40.00 µs saved: 25 % from {barriers} (waits −50 %), 15 % from "
            "{global_latency} (waits −75 %), 60 % from {residual}.");
}

/* The work of a unit that no count shows is unexplained. */
TEST(work_without_a_count_is_unexplained)
{
    compare("selected=5000 not_selected=5000 global=90000",
            "selected=10000 not_selected=10000 global=40000", "demand_l2_ns=98000;l2_bytes=1000",
            "demand_l2_ns=52000;l2_bytes=990");
    finds("SELECT round(saved_ns) FROM causes WHERE cause = 'instructions'", "-700.0");
    finds("SELECT round(saved_ns) FROM causes WHERE cause = 'residual'", "40700.0");
}

/* Warps that wait to fetch are no resident ones: more of those beside them is no occupancy. */
TEST(producers_are_told_from_occupancy)
{
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    for (int has = 0; has < 2; has++) {
        open_points("selected=40000 barriers=60000", "selected=40000 barriers=20000");
        add_numbers("01_a", "sm_count=100");
        add_numbers("02_b", "sm_count=100");
        struct side_key after = {"02_b", 32};
        more_warps(2);
        launch_of("01_a", 1000, 1, 32);
        launch_of("02_b", 1000, 1, 64);
        if (has) insert_number(&after, "kernel", "harmless", 20000);
        make_causes("faster");
        row_is("causes WHERE cause = 'residency' AND saved_ns > 0",
               has ? "count(*)=0" : "count(*)=1");
        row_is("causes WHERE cause = 'producer_warps'", has ? "count(*)=1" : "count(*)=0");
    }
}

/* Twice the resident warps save no more than another setting of a kernel gained or lost by them. */
TEST(warps_save_no_more_than_other_settings_say)
{
    static const struct {
        const char *before, *after, *saved;
    } cases[] = {{"", "", "19060"},
                 {"lost_at_200_pct_of_warps=3000", "", "0"},
                 {"lost_at_200_pct_of_warps=-5000", "", "5000"},
                 {"lost_at_150_pct_of_warps=-5000", "", "8548"},
                 {"lost_at_110_pct_of_warps=3000;lost_at_50_pct_of_warps=3000", "", "19060"},
                 {"", "lost_at_50_pct_of_warps=4000", "4000"},
                 {"", "lost_at_50_pct_of_warps=90000;lost_at_25_pct_of_warps=6000", "6000"}};
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_points("selected=40000 barriers=60000", "selected=40000 barriers=20000");
        add_numbers("01_a", "sm_count=100");
        add_numbers("02_b", "sm_count=100");
        add_numbers("01_a", cases[i].before);
        add_numbers("02_b", cases[i].after);
        more_warps(2);
        launch_of("01_a", 1000, 1, 32);
        launch_of("02_b", 1000, 1, 64);
        make_causes("faster");
        finds("SELECT printf('%.0f', coalesce(sum(saved_ns), 0)) FROM causes WHERE cause = "
              "'residency'",
              cases[i].saved);
    }
}

/* Accesses whose lanes are all off take the data stage as those with lanes on do. */
TEST(accesses_with_all_lanes_off)
{
    static const char before[] = "other_wavefronts=1000;needed_wavefronts=200;off_wavefronts=800";
    compare("selected=40000 shared=60000", "selected=40000 shared=20000", before,
            "other_wavefronts=440;needed_wavefronts=240;off_wavefronts=200");
    says("1.67× faster, 40.00 µs saved: 100 % from {lanes_off} (−75 %).");
    open_points("selected=40000 shared=60000", "selected=40000 shared=20000");
    add_numbers("01_a", before);
    add_numbers("02_b", "other_wavefronts=850;needed_wavefronts=50;off_wavefronts=800");
    make_causes("faster");
    says("1.67× faster, 40.00 µs saved: 100 % from {shared_traffic} (without conflicts −75 %).");
}

/* Lanes that were off are the reason of instructions whose number moved. */
TEST(instructions_of_lanes_that_are_off)
{
    compare("selected=100000", "selected=60000", "lanes_on=0.6;predicated_on_pct=60",
            "lanes_on=1;predicated_on_pct=100");
    says("1.67× faster, 40.00 µs saved: 100 % from {predication} (predicated on 60 → 100 %).");
    compare("selected=66000 global=34000", "selected=60000", "lanes_on=0.91;predicated_on_pct=91",
            "lanes_on=1;predicated_on_pct=100");
    says("1.67× faster, 40.00 µs saved: 85 % from {global_latency} (waits 34 k → 0), 15 % from "
         "{instructions} (−9 %).");
}

/* Makes a step to twice the resident warps, whose points have these numbers more, and expects this
 * detail of the occupancy. */
static void occupancy_moved_by(const char *before, const char *after, const char *detail)
{
    static const char room[] = "sm_count=1;theoretical_occupancy_pct=";
    char numbers[2][400];
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("selected=40000 global=60000", "selected=40000 global=60000");
    snprintf(numbers[0], sizeof numbers[0], "%s12.5;%s", room, before);
    snprintf(numbers[1], sizeof numbers[1], "%s25;%s", room, after);
    add_numbers("01_a", numbers[0]);
    add_numbers("02_b", numbers[1]);
    /* Two warps at a time need half of the cycles. */
    change(
        "UPDATE sides SET value = 60000 WHERE variant = '02_b' AND name IN ('time_ns', 'active', "
        "'elapsed', 'sm_mean', 'sm_most')");
    launch_of("01_a", 64, 1, 32);
    launch_of("02_b", 128, 2, 64);
    make_causes("faster");
    finds("SELECT coalesce(detail, '') FROM causes WHERE cause = 'residency'", detail);
}

/* The occupancy moved by what limits the side with fewer warps, as far as that moved. */
TEST(what_moved_the_occupancy_is_said)
{
#define NEEDS(registers, bytes, grid, room, threads)                                               \
    "registers=" #registers ";static_shared_bytes=1024;dynamic_shared_bytes=" #bytes               \
    ";grid_blocks=" #grid ";blocks_per_sm=" #room ";block_threads=" #threads
    occupancy_moved_by("limited by registers=1;" NEEDS(142, 1024, 64, 1, 256),
                       "limited by shared memory=1;" NEEDS(127, 8192, 64, 2, 256),
                       "registers per thread 142 → 127");
    says("1.67× faster, 40.00 µs saved: 100 % from {residency} (12.5 → 25 %, registers per thread "
         "142 → 127).");
    occupancy_moved_by("limited by registers and shared memory=1;" NEEDS(90, 65536, 64, 1, 256),
                       "limited by warps=1;" NEEDS(64, 32768, 64, 2, 256),
                       "registers per thread 90 → 64, shared memory per block 65 → 33 KiB");
    occupancy_moved_by("limited by shared memory=1;" NEEDS(90, 65536, 64, 1, 256),
                       "limited by registers=1;" NEEDS(64, 32768, 64, 2, 256),
                       "shared memory per block 65 → 33 KiB");
    /* Registers of a thread that did not move, and a limit of warps, leave the size of a block. */
    occupancy_moved_by("limited by registers=1;" NEEDS(90, 0, 64, 1, 512),
                       "limited by registers=1;" NEEDS(90, 0, 64, 4, 256),
                       "threads per block 512 → 256");
    occupancy_moved_by("limited by warps=1;" NEEDS(32, 0, 64, 1, 768),
                       "limited by warps=1;" NEEDS(32, 0, 64, 4, 512),
                       "threads per block 768 → 512");
    /* Too few blocks. */
    occupancy_moved_by("limited by registers=1;" NEEDS(90, 0, 4, 8, 256),
                       "limited by warps=1;" NEEDS(32, 0, 64, 8, 256), "blocks 4 → 64");
    /* Nothing is said of what is not known. */
    occupancy_moved_by("limited by registers=1", "limited by warps=1", "");
}

/* The reason of a clock is that of the slower point, if it was read. */
TEST(a_lower_clock_has_its_reason)
{
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("selected=40000 global=60000", "selected=24000 global=36000");
    change("DELETE FROM sides WHERE name = 'sm_clock_mhz';"
           "UPDATE sides SET value = value / 0.6 WHERE variant = '02_b' AND function <> ''");
    add_numbers("01_a", "sm_clock_mhz=600;slowed by power cap=1");
    add_numbers("02_b", "sm_clock_mhz=1000");
    make_causes("faster");
    assert_string_equal(CAUSE("detail", "clock"), "power cap");
}

/* Makes a step to 10000 ns, with twice the room for blocks and so many times the resident warps. */
static void make_room(double warps)
{
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=10000 time_low_ns=9990 time_high_ns=10010 "});
    open_points("selected=8000 global=92000", "selected=8000 global=2000");
    add_numbers("01_a", "theoretical_occupancy_pct=12.5");
    add_numbers("02_b", "theoretical_occupancy_pct=25");
    more_warps(warps);
    launch_of("01_a", 64, 1, 32);
    launch_of("02_b", 64, 2, 32);
    make_causes("faster");
}

/* Room for more warps is said where more of them are resident. */
TEST(room_is_said_if_it_is_filled)
{
    make_room(1);
    says("10.0× faster, 90.00 µs saved: 100 % from {global_latency} (waits 92 k → 2 k).");
    make_room(1.15);
    says("10.0× faster, 90.00 µs saved: 96 % from {global_latency} (waits 92 k → 2.3 k). Also "
         "changed: {residency} (12.5 → 25 %).");
}

TEST(small_changes)
{
    make_step("time_ns=98500", "selected=60000 global=40000", "selected=60000 global=38500",
              "faster");
    says("1.5 % faster; the main cause is {global_latency}.");
    make_step("time_ns=99000", "selected=60000 global=40000", "selected=60000 global=39000",
              "faster");
    cause_is("global_latency", "status=unresolved"); /* below 1 % */
    says("1.0 % faster; the likeliest cause, {global_latency} (waits −3 %), is not significant.");
    finds("SELECT note = 'likeliest cause: ' || (SELECT title FROM cause WHERE cause = "
          "'global_latency') || ' (waits −3 %), not significant' FROM said WHERE place = 0",
          "1");
    /* Unexplained time is no main cause, but hides none that is sure. */
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=98500"});
    open_points("selected=60000 global=40000", "selected=60000 global=38500");
    assert_int_equal(query_write(&query, "DELETE FROM sides WHERE name = 'sm_clock_mhz'"), 0);
    add_numbers("01_a", "sm_clock_mhz=1000;demand_l2_ns=98000;l2_bytes=1000");
    add_numbers("02_b", "sm_clock_mhz=900;demand_l2_ns=88000;l2_bytes=990");
    make_causes("faster");
    says("1.5 % faster, 1.500 µs saved: {clock} (−10 %) cost 10.33 µs, {residual} saved 11.83 µs.");
    /* A cause of more than the change is not said without what offset it. */
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=98500"});
    open_points("selected=60000 global=40000", "selected=60000 global=38500");
    add_numbers("01_a", "launch_ns=9000");
    add_numbers("02_b", "launch_ns=1000");
    make_causes("faster");
    says("1.5 % faster, 1.500 µs saved: launches (9.000 µs → 1.000 µs) saved 8.000 µs, unexplained "
         "time cost 6.500 µs.");
}

/* Below three tenths of the change no cause is the main one, and no counter or line proves it. */
TEST(a_main_cause_has_three_tenths)
{
    make_faster("selected=60000 global=11000 barriers=10000 fetch=10000 dispatch=9000",
                "selected=60000");
    finds("SELECT sum(is_main) || sum(proves) FROM said", "00");
    finds("SELECT note = 'largest cause: ' || (SELECT title FROM cause WHERE cause = "
          "'global_latency') || ', 28 % of the change' FROM said WHERE place = 0",
          "1");
    finds("SELECT count(*) FROM said WHERE direction <> 0 AND place > 0", "4");
    make_faster("selected=60000 global=13000 barriers=10000 fetch=10000 dispatch=7000",
                "selected=60000");
    finds("SELECT group_concat(id) FROM said WHERE is_main AND proves", "global_latency");
    finds("SELECT sum(is_main) || sum(proves) FROM said", "11");
    make_step("time_ns=98500", "selected=60000 global=13000 barriers=13000 fetch=14000",
              "selected=60000 global=12550 barriers=12550 fetch=13400", "faster");
    says("1.5 % faster; the likeliest cause, {fetch} (waits −4 %), is not significant.");
}

TEST(changes_without_causes)
{
    make_step("time_ns=99800 time_low_ns=99600 time_high_ns=100000", "selected=50000 global=50000",
              "selected=50000 global=49800", "no evidence");
    says("No evidence of a change: +0.2 % in speed, 95 % interval −0.1 to +0.5 %, noise floor "
         "0.50 %.");
    assert_string_equal(CAUSE("status", "global_latency"), "no evidence");
    cause_is("global_latency", "named=0");
    make_step(FASTER, USUAL, FASTER_BY, "not measured");
    says("1.67× faster, from too few samples for an interval.");
    make_faster(USUAL, "");
    says("1.67× faster; the counters that would explain it are missing.");
    row_is("causes", "count(*)=0");
    /* Of ten causes none makes a tenth. */
    make_faster("selected=60000 global=3636 barriers=3636 fetch=3636 shuffles=3636 "
                "conversions=3636 pipe=3636 dispatch=3636 atomics=3636 division=3636 fp64=3636 "
                "local=3640",
                "selected=60000");
    says("1.67× faster; no cause stands out.");
}

/* Adds the rows of a file again at block 64, as those of the other variant. */
static void add_other_block(const char *file)
{
    OWNED char *rows = strdup(read_text(file));
    OWNED_BY(text_free) struct text text = {0};
    assert_non_null(rows);
    text_append(&text, rows);
    for (const char *row = rows + strcspn(rows, "\n") + 1; *row; row += strcspn(row, "\n") + 1) {
        const char *cells = row + strlen("f,01_a,1024,32,0");
        text_format(&text, "f,%s,1024,64,0%.*s\n", row[3] == '1' ? "02_b" : "01_a",
                    (int)strcspn(cells, "\n"), cells);
    }
    write_text(file, text_string(&text));
}

TEST(blocks_have_causes_of_their_own)
{
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    add_other_block("r/metrics.csv");
    add_other_block("r/noise.csv");
    open_points(USUAL, FASTER_BY);
    add_side("01_a", 64, FASTER_BY);
    add_side("02_b", 64, USUAL);
    make_causes("faster");
    row_is("said WHERE place = 0", "count(*)=2");
    row_is("causes WHERE block = 64", "sum(saved_ns)=-40000");
    row_is("causes WHERE block = 64 AND cause = 'global_latency'", "saved_ns=-30000");
}

RUN_TESTS(fixture_open, asked_close)

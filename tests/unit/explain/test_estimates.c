/*
 * Tests what a point may still gain: the cost of bank conflicts and the bound of waits for global
 * memory against what the 80 pairs of tests/truth/twins.csv measured, which differ in one factor;
 * and that no estimate is more than the busiest unit leaves.
 */
#include "queried.h"

#include "../../truth/read_sides.h"
#include "base/csv.h"
#include "explain/account_sentence.h"
#include "explain/causes.h"
#include "explain/estimates.sql.h"
#include "explain/sides.h"

#define POINT "family TEXT, variant TEXT, size TEXT, block INTEGER, sweep INTEGER, device INTEGER"

static void take_side_number(const char *key, const char *function, const char *name, double value)
{
    char cell[160], *rest = cell, *part[5];
    snprintf(cell, sizeof cell, "%s", key);
    for (int i = 0; i < 5; i++) part[i] = strsep(&rest, ",");
    WORKS(query_write(&query,
                      "INSERT INTO sides VALUES(%Q, %Q, %Q, %Q, %Q, 0, nullif(%Q, ''), %Q, %.17g)",
                      part[0], part[1], part[2], part[3], part[4], function, name, value));
}

/* With rows of the table measured: VALUES or another statement of two columns. */
static void make_estimates_with(const char *measured)
{
    WORKS(query_write(&query,
                      "CREATE TABLE measured(" POINT ", cause, saved_ns REAL,"
                      "  low_ns REAL, high_ns REAL, share_pct REAL);"
                      "INSERT INTO measured SELECT 'a', '01', '1', 1, 0, 0, column1,"
                      "  column2, column2 - 100, column2 + 100, column2 / 100.0"
                      "  FROM (%s)",
                      measured));
    WORKS(query_write(&query,
                      "CREATE TABLE causes(" POINT ", cause, status, saved_ns REAL, witness);"
                      "CREATE TABLE knockout_kinds AS SELECT 'register_banks' AS "
                      "knockout, 'one bank' AS title;"
                      "CREATE TABLE knocked_out AS SELECT 'a' AS family, '01' AS "
                      "variant, iif('scaled_register_banks_most_ns' IN (SELECT name FROM "
                      "sides), '2', '1') AS size, 1 AS block, 0 AS sweep, 0 AS device,"
                      " 'register_banks' AS knockout, 250.0 AS saved_ns;"
                      "CREATE TABLE variants(family, variant, after, rung);"
                      "CREATE INDEX sides_key ON sides(family, variant, size, block)"));
    assert_int_equal(sides_name_waits(&query), 0);
    assert_int_equal(query_write(&query, "%s", estimates_sql), 0);
}

static void make_estimates(void)
{
    make_estimates_with("SELECT 1 AS column1, 2 AS column2 LIMIT 0");
}

static void make_sides(void)
{
    WORKS(query_write(&query, "CREATE TABLE sides(" POINT ", function TEXT, name TEXT, "
                              "value REAL); BEGIN"));
}

static void make_all(void)
{
    make_sides();
    assert_int_equal(read_sides(root(), take_side_number), 0);
    assert_int_equal(query_write(&query, "COMMIT"), 0);
    make_estimates();
}

/* Makes the table twin(cause, change_ns, estimate_ns, low_ns, high_ns): what the pairs saved, and
 * what was estimated, less what the second one has left. */
static void make_twins(void)
{
    struct csv_reader reader;
    char path[1024];
    make_all();
    snprintf(path, sizeof path, "%s/tests/truth/twins.csv", root());
    assert_int_equal(csv_open(&reader, path), 0);
    assert_int_equal(csv_next(&reader), 1);
    WORKS(query_write(&query, "CREATE TABLE pair(family, after, size, before, cause)"));
    while (csv_next(&reader) > 0)
        WORKS(query_write(&query, "INSERT INTO pair VALUES(%Q, %Q, %Q, %Q, %Q)", reader.cell[0],
                          reader.cell[1], reader.cell[2], reader.cell[3], reader.cell[8]));
    csv_close(&reader);
    WORKS(query_write(
        &query, "CREATE TABLE time AS SELECT family, variant, size, value FROM sides WHERE "
                "name = 'time_ns'; CREATE TABLE twin AS SELECT p.*, b.value - a.value AS "
                "change_ns, b.value AS time_ns, e.saved_ns - f.saved_ns AS estimate_ns, "
                "e.low_ns - f.low_ns AS low_ns, e.high_ns - f.high_ns AS high_ns, e.saved_ns "
                "AS bound_ns FROM pair p JOIN time b ON (b.family, b.variant, b.size) = "
                "(p.family, p.before, p.size) JOIN time a ON (a.family, a.variant, a.size) = "
                "(p.family, p.after, p.size) JOIN estimate e ON (e.family, e.variant, e.size, "
                "e.cause) = (p.family, p.before, p.size, p.cause) JOIN estimate f ON "
                "(f.family, f.variant, f.size, f.cause) = (p.family, p.after, p.size, "
                "p.cause)"));
}

static int count(const char *what)
{
    char sql[400];
    snprintf(sql, sizeof sql, "(SELECT count(*) FROM twin WHERE %s)", what);
    return atoi(value_of(sql));
}

static int print_twin(void *context, const struct scope *row)
{
    print_message("# %s\n", row->value[0]);
    return 0;
}

QUERY_TEST(conflicts_cost_what_their_removal_saved)
{
    make_twins();
    WORKS(query_each(&query, NULL,
                     "SELECT printf('%-21s %-34s %4.4s: %5.1f %% of the time measured, %5.1f %% "
                     "estimated, %.2f', family, before, size, 100 * change_ns / time_ns, 100 * "
                     "estimate_ns / time_ns, estimate_ns / change_ns) FROM twin WHERE cause = "
                     "'bank_conflicts' ORDER BY estimate_ns / change_ns",
                     NULL, print_twin, NULL));
    assert_int_equal(count("cause = 'bank_conflicts'"), 40);
    assert_true(count("cause = 'bank_conflicts' AND abs(estimate_ns / change_ns - 1) <= 0.25") >=
                36);
    assert_true(count("cause = 'bank_conflicts' AND change_ns BETWEEN low_ns AND high_ns AND "
                      "high_ns <= 2 * low_ns") >= 36);
}

QUERY_TEST(waits_bound_what_hiding_them_saves)
{
    make_twins();
    assert_int_equal(count("cause = 'global_latency'"), 40);
    assert_true(count("cause = 'global_latency' AND change_ns <= bound_ns") >= 39);
}

/* Ten microseconds on the GPU; warps wait for shared memory alone. */
static void make_numbers(const char *more)
{
    make_sides();
    WORKS(query_write(&query,
                      "COMMIT; CREATE TABLE number(function, name, value); INSERT INTO number "
                      "VALUES(NULL, 'time_ns', 12000), (NULL, 'launch_ns', 2000), (NULL, "
                      "'demand_conflicts_ns', 4000), (NULL, 'demand_shared_ns', 4000), ('f', "
                      "'wait_selected', 20), ('f', 'wait_shared', 60), ('f', 'issued', 20), ('f', "
                      "'active', 100), ('f', 'sm_mean', 1), ('f', 'sm_most', 1); %s; INSERT INTO "
                      "sides SELECT 'a', '01', '1', 1, 0, 0, function, name, value FROM number",
                      more));
}

static void make_point(const char *more)
{
    make_numbers(more);
    make_estimates();
}

QUERY_TEST(estimates_follow_their_formulas)
{
    make_point("SELECT 1");
    /* 4 us of cycles; half of the waits in 8 us without an issue. */
    gives("(SELECT saved_ns || ' ' || low_ns || ' ' || bound FROM estimate "
          "WHERE cause = 'bank_conflicts')",
          "4000.0 3200.0 estimated");
    /* The data stage is busy for 8 of 10 us. */
    gives("(SELECT saved_ns || ' ' || bound FROM estimate WHERE cause = 'shared_waits')",
          "2000.0 at most");
}

/* Two blocks on an SM. Of 12 cycles in which warps wait or issue, one is at barriers, and three are
 * for global loads, of which there are twice as many as barriers. */
QUERY_TEST(barriers_make_blocks_wait_together)
{
    make_point("INSERT INTO number VALUES('f', 'wait_barriers', 10), ('f', 'wait_global', 30), "
               "('f', 'instructions', 100), (NULL, 'warp_instructions', 800), (NULL, 'barriers', "
               "2), (NULL, 'global_load_instructions', 64), (NULL, 'loads_per_wait', 2), ('f', "
               "'per_sm', 4), ('f', 'grid', 264), (NULL, 'sm_count', 132)");
    gives("(SELECT printf('%.1f ', saved_ns) || bound FROM estimate WHERE cause = 'barriers')",
          "1041.7 estimated");
}

QUERY_TEST(no_estimate_is_more_than_a_unit_leaves)
{
    make_point("INSERT INTO number VALUES(NULL, 'demand_dram_ns', 9000)");
    gives("(SELECT group_concat(saved_ns) FROM estimate WHERE cause IN "
          "('bank_conflicts', 'shared_waits'))",
          "1000.0,1000.0");
}

/* A copy without loads bounds the waits for them. */
QUERY_TEST(waits_for_loads_save_no_more_than_the_loads)
{
    make_point("INSERT INTO number VALUES('f', 'wait_global', 50), (NULL, 'measured_loads_ns', "
               "700)");
    gives("(SELECT printf('%.0f %s', saved_ns, bound) FROM estimate WHERE cause = "
          "'global_latency')",
          "700 at most");
}

QUERY_TEST(loads_are_a_bound_at_another_size)
{
    make_point("INSERT INTO number VALUES('f', 'wait_global', 50), (NULL, "
               "'scaled_loads_least_ns', 500), (NULL, 'scaled_loads_most_ns', 600)");
    gives("(SELECT printf('%.0f %s', saved_ns, bound) FROM estimate WHERE cause = "
          "'global_latency')",
          "600 at most");
}

/* 4000 ns of conflicts are estimated, from 3200 to 5333. */
QUERY_TEST(knock_outs_at_another_size_bound_estimates)
{
    static const struct {
        double least, most, copied_lines;
        const char *said;
    } cases[] = {{500, 9000, 0, "4000 of 3200 to 5333"},
                 {3900, 4500, 0, "4000 of 3900 to 4500"},
                 {500, 3500, 0, "3500 of 500 to 3500"},
                 {4100, 9000, 0, "4100 of 4100 to 9000"},
                 {500, 3500, 100, "4000 of 3200 to 5333"}};
    const int count = sizeof cases / sizeof *cases;
    make_numbers("SELECT 1");
    for (int i = 0; i < count; i++)
        assert_int_equal(
            query_write(&query,
                        "INSERT INTO sides SELECT family, variant, 10 + %d, block, sweep, device, "
                        "function, name, value FROM sides WHERE size = '1' UNION ALL SELECT 'a', "
                        "'01', 10 + %d, 1, 0, 0, NULL, column1, column2 FROM (VALUES("
                        "'scaled_bank_conflicts_least_ns', %g), ('scaled_bank_conflicts_most_ns', "
                        "%g), ('line_wavefronts', %g))",
                        i, i, cases[i].least, cases[i].most, cases[i].copied_lines),
            0);
    make_estimates();
    for (int i = 0; i < count; i++) {
        assert_string_equal(ask("SELECT printf('%%.0f of %%.0f to %%.0f', saved_ns, low_ns, "
                                "high_ns) FROM estimate WHERE cause = 'bank_conflicts' AND size = "
                                "'%d'",
                                10 + i),
                            cases[i].said);
    }
}

QUERY_TEST(loads_that_cost_more_bound_nothing)
{
    make_point("INSERT INTO number VALUES('f', 'wait_global', 50), (NULL, 'measured_loads_ns', "
               "90000)");
    gives("(SELECT saved_ns BETWEEN 701 AND 89999 FROM estimate WHERE cause = 'global_latency')",
          "1");
}

/* Loads are three quarters of the waits, and seven eighths of their sectors are unused; the data
 * stage, which serves these loads for 8 of 10 us, would not be busy without them. */
QUERY_TEST(unused_sectors_are_a_bound)
{
    static const char *const loads =
        "UPDATE number SET value = 0 WHERE name LIKE 'demand%%'; UPDATE number SET value = 10 "
        "WHERE name = 'wait_shared'; INSERT INTO number VALUES('f', 'wait_global', 60), ('f', "
        "'wait_queue', 30), (NULL, 'demand_l1_ns', 8000), (NULL, 'global_wavefronts_ns', 8000), "
        "(NULL, 'unused_load_part', 0.875)";
    make_point(loads);
    gives("(SELECT printf('%.1f %s', saved_ns, bound) FROM estimate WHERE cause = 'uncoalesced')",
          "6562.5 at most");
    gives("(SELECT saved_ns FROM estimate WHERE cause = 'global_latency')", "2000.0");
    gives("(SELECT cause FROM remains WHERE place = 1)", "uncoalesced");
}

QUERY_TEST(few_unused_sectors_are_no_bound)
{
    make_point("INSERT INTO number VALUES('f', 'wait_global', 50), (NULL, 'unused_load_part', "
               "0.25)");
    gives("(SELECT count(*) FROM estimate WHERE cause = 'uncoalesced')", "0");
}

/* There is room for one of two waits that can save what the unit leaves only together. */
QUERY_TEST(what_has_no_other_beside_it_is_not_together)
{
    make_numbers(
        "INSERT INTO number VALUES(NULL, 'demand_dram_ns', 9000), ('f', 'wait_global', 50)");
    make_estimates_with("VALUES('bank_conflicts', 3000), ('barriers', 5000)");
    gives("(SELECT printf('%.0f %s', saved_ns, bound) FROM remains WHERE place = 3)",
          "1000 at most");
}

/* Two waits that can save what the unit leaves only together are two rows of data, and one item. */
QUERY_TEST(what_saves_only_together_is_one_item)
{
    struct records words;
    make_point("INSERT INTO number VALUES(NULL, 'demand_dram_ns', 9000), ('f', 'wait_global', 50)");
    WORKS(query_write(&query, "UPDATE remains SET later = '07_b', later_saved_ns = 600 "
                              "WHERE cause = 'shared_waits'"));
    gives("(SELECT count(*) FROM remains WHERE bound = 'at most together')", "2");
    assert_int_equal(records_read(&words, root()), 0);
    assert_int_equal(causes_names(&query, &words), 0);
    records_free(&words);
    gives("(SELECT count(*) FROM advised)", "3");
    gives("(SELECT group_concat(place || ' ' || cause || ': ' || amount || coalesce(', ' || aside, "
          "''), '; ') FROM (SELECT * FROM advice ORDER BY place))",
          "1 bank_conflicts: estimated 1.000 µs (8.3 %); 2 global_latency shared_waits: at most "
          "together 1.000 µs (8.3 %), 07_b saved 600.0 ns");
    gives("(SELECT title = (SELECT title FROM cause WHERE cause = 'global_latency') || ' and ' || "
          "(SELECT title FROM cause WHERE cause = 'shared_waits') FROM advice WHERE place = 2)",
          "1");
    gives("(SELECT area IS NULL AND length(try) > (SELECT length(try) FROM cause WHERE cause = "
          "'shared_waits') + 1 FROM advice WHERE place = 2)",
          "1");
}

/* The measured rate of device memory is no limit: its bus is. */
QUERY_TEST(device_memory_leaves_what_its_bus_leaves)
{
    make_point("INSERT INTO number VALUES(NULL, 'demand_dram_ns', 9000), (NULL, 'dram_bytes', "
               "16000), (NULL, 'dram_peak_gbs', 2)");
    gives("(SELECT saved_ns FROM estimate WHERE cause = 'shared_waits')", "2000.0");
}

QUERY_TEST(idle_sms_are_a_bound)
{
    make_point("UPDATE number SET value = 4 WHERE name = 'sm_most'");
    gives("(SELECT saved_ns FROM estimate WHERE cause = 'idle_sms')", "7500.0");
    gives("(SELECT cause || ' ' || bound FROM remains WHERE place = 1)", "idle_sms at most");
}

/* Half of the instructions divide; 30 of 80 cycles are waits for divisions, and 10 are issued. */
QUERY_TEST(divisions_have_their_part_of_waits)
{
    make_point(
        "UPDATE number SET value = 10 WHERE name IN ('wait_shared', 'wait_selected'); "
        "UPDATE number SET value = 0 WHERE name LIKE 'demand%'; "
        "INSERT INTO number VALUES('f', 'wait_division', 30), ('f', 'wait_fixed', 30), "
        "(NULL, 'division', 50), ('f', 'instructions', 100), (NULL, 'demand_issue_ns', 4000)");
    gives("(SELECT printf('%.0f ', saved_ns) || bound FROM estimate WHERE cause = 'division')",
          "6250 at most");
}

/* Nine of ten cycles are spent at a barrier of the grid, by blocks without work. */
QUERY_TEST(blocks_that_wait_for_the_grid_leave_their_sms_idle)
{
    make_point("INSERT INTO number SELECT 'f', 'wait_at_grid', 9 * sum(value) FROM number WHERE "
               "name LIKE 'wait\\_%' ESCAPE '\\'");
    gives("(SELECT printf('%.0f ', saved_ns) || bound FROM estimate WHERE cause = 'idle_sms')",
          "9000 at most");
    gives("(SELECT count(*) FROM estimate WHERE cause = 'barriers' AND saved_ns > 1000)", "0");
}

/* Dispatch stalls are a bound of more than shared memory's, but what was measured of them is less:
 * it places them, and gives the advice, unless it is less than 1 % of the time. */
QUERY_TEST(a_part_of_dispatch_stalls_is_measured)
{
    make_point("INSERT INTO number VALUES('f', 'wait_dispatch', 800)");
    gives("(SELECT group_concat(cause || ' ' || coalesce(part || ' ' || part_ns, '-') || ' ' || "
          "is_advised) FROM (SELECT * FROM remains ORDER BY place))",
          "shared_waits - 1,bank_conflicts - 1,dispatch one bank 250.0 1");
    gives("(SELECT saved_ns > (SELECT saved_ns FROM remains WHERE cause = 'shared_waits') FROM "
          "remains WHERE cause = 'dispatch')",
          "1");
}

QUERY_TEST(a_small_part_of_dispatch_stalls_gives_no_advice)
{
    make_point("INSERT INTO number VALUES('f', 'wait_dispatch', 80); UPDATE number SET value = "
               "30000 WHERE name = 'time_ns'");
    gives("(SELECT is_advised FROM remains WHERE cause = 'dispatch')", "0");
}

/* Knock-outs of the size 2 say that the banks of registers cost 10 ns at this one. */
QUERY_TEST(dispatch_stalls_are_measured_at_another_size)
{
    make_point("INSERT INTO number VALUES('f', 'wait_dispatch', 800), (NULL, "
               "'scaled_register_banks_most_ns', 10)");
    gives("(SELECT place || ' ' || coalesce(part, '-') || ' ' || is_advised FROM remains WHERE "
          "cause = 'dispatch')",
          "3 - 0");
}

QUERY_TEST(measured_costs_take_the_place_of_estimates)
{
    make_numbers("SELECT 1");
    make_estimates_with("VALUES('bank_conflicts', 3000), ('barriers', 500)");
    gives("(SELECT group_concat(cause || ' ' || saved_ns || ' ' || low_ns || ' ' || high_ns || ' ' "
          "|| share_pct) FROM (SELECT * FROM estimate WHERE bound = 'measured' ORDER BY cause))",
          "bank_conflicts 3000.0 2900.0 3100.0 30.0,barriers 500.0 400.0 600.0 5.0");
    gives("(SELECT count(*) FROM estimate WHERE cause = 'bank_conflicts')", "1");
}

QUERY_TEST(copies_from_several_lines_have_the_measured_cost_of_conflicts)
{
    make_numbers("INSERT INTO number VALUES(NULL, 'line_wavefronts', 2), (NULL, "
                 "'conflict_wavefronts', 1)");
    make_estimates_with("VALUES('bank_conflicts', 3000)");
    gives("(SELECT group_concat(cause || ' ' || saved_ns) FROM estimate WHERE bound = 'measured')",
          "copied_lines 3000.0");
    gives("(SELECT count(*) FROM estimate WHERE cause = 'bank_conflicts')", "0");
}

RUN_TESTS(fixture_open, fixture_close)

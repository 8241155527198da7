/*
 * Tests to what the stalls of the run are charged: nearly all waits of the
 * project's own kernels find a producer, the modulo of reduce/01 is named, and waits at mbarriers
 * have the role of their warp. At sizes where only samples were taken, instructions without any are
 * unknown, so that the code has gaps, and no wait has a producer.
 */
#include "asked.h"

#include "machine_code/wait_producers.h"
#include "lines/lines_tables.h"
#include "lines/wait_charges.h"

#define KERNEL(family, variant)                                                                    \
    "(SELECT min(kernel) FROM kernels WHERE counts_status = 'ok' AND family = '" family            \
    "' AND variant = '" variant "')"
#define WAITS "reason IN ('long_scoreboard', 'short_scoreboard')"

static int open_all(void **state)
{
    if (ask_fixture_run(state) || LOAD_TABLES(TABLE_VARIANTS, TABLE_SOURCES) ||
        lines_tables_load_rows(&query, NULL))
        return -1;
    return wait_charges_make(&query);
}

/* Makes the table of the stall reason of each class. */
static void make_classes(void)
{
    assert_int_equal(query_write(&query, "CREATE TABLE wait_classes(class TEXT, reason TEXT)"), 0);
    for (int c = WAIT_NONE + 1; c < WAIT_CLASSES; c++)
        WORKS(query_write(&query, "INSERT INTO wait_classes VALUES(%Q, %Q)",
                          wait_class_name((enum wait_class)c),
                          wait_class_reason((enum wait_class)c)));
}

TEST(all_samples_are_charged_once)
{
    finds_nothing(
        6000,
        "SELECT l.kernel || ', pc ' || l.pc || ': ' || s.reason FROM line_stalls s JOIN lines l ON "
        "l.rowid = s.id JOIN (SELECT kernel, pc, reason, sum(samples) AS samples, sum(not_issued) "
        "AS not_issued FROM wait_charges GROUP BY kernel, pc, reason) c ON c.kernel = l.kernel AND "
        "c.pc = l.pc AND c.reason = s.reason WHERE wrong(abs(c.samples - s.samples) > 1e-6 * "
        "s.samples OR abs(c.not_issued - s.not_issued) > 1e-6 * s.not_issued)");
    finds_nothing(600,
                  "SELECT s.reason FROM line_stalls s JOIN lines l ON l.rowid = s.id WHERE " WAITS
                  " AND wrong(NOT EXISTS (SELECT 1 FROM wait_charges c WHERE c.kernel = l.kernel "
                  "AND c.pc = l.pc AND c.reason = s.reason))");
}

TEST(nearly_all_waits_have_a_producer)
{
    static const char own[] =
        "CREATE VIEW own AS SELECT k.family, c.* FROM wait_charges c JOIN kernels k USING "
        "(kernel) JOIN variants v USING (family, variant) WHERE v.kind = 'kernel' AND EXISTS "
        "(SELECT 1 FROM kernels w WHERE w.family = k.family AND w.variant = k.variant AND "
        "w.symbol = k.symbol AND w.counts_status = 'ok') AND " WAITS;
    assert_int_equal(query_write(&query, "%s", own), 0);
    finds_nothing(6, "SELECT family || ': ' || reason || printf(': a producer for %.2f %%', 100 * "
                     "sum(CASE WHEN class IS NOT NULL THEN not_issued ELSE 0 END) / "
                     "sum(not_issued)) FROM own GROUP BY family, reason HAVING wrong(sum(CASE WHEN "
                     "class IS NOT NULL THEN not_issued ELSE 0 END) < 0.95 * sum(not_issued))");
    finds_nothing(3, "SELECT family || ': ' || printf('only pending for %.2f %%', 100 * sum(CASE "
                     "WHEN kind = 'pending' THEN not_issued ELSE 0 END) / sum(not_issued)) FROM "
                     "own GROUP BY family HAVING wrong(sum(CASE WHEN kind = 'pending' THEN "
                     "not_issued ELSE 0 END) > 0.05 * sum(not_issued))");
    make_classes();
    finds_nothing(900, "SELECT 'kernel ' || kernel || ', pc ' || pc FROM own JOIN wait_classes w "
                       "USING (class) WHERE wrong(w.reason <> own.reason)");
    assert_true(number("SELECT count(DISTINCT kernel) FROM own") >= at_least(20, 60));
}

TEST(the_modulo_is_named_and_charged)
{
    finds("SELECT group_concat(DISTINCT name) FROM code_idioms WHERE kernel = " KERNEL(
              "reduce", "01_interleaved_modulo"),
          "modulo by a variable");
    /* I2F, MUFU, F2I and their IMAD up to the correction for 0 */
    assert_int_equal(number("SELECT count(*) FROM code_idioms WHERE kernel = " KERNEL(
                         "reduce", "01_interleaved_modulo")),
                     17);
    const double part =
        number("SELECT sum(CASE WHEN idiom IS NOT NULL THEN not_issued END) / "
               "sum(not_issued) FROM wait_charges WHERE reason = "
               "'short_scoreboard' AND kernel = " KERNEL("reduce", "01_interleaved_modulo"));
    if (part < 0.5 || part > 0.9) fail_msg("the modulo has %.2f of the waits", part);
    finds_nothing(170, "SELECT pc FROM code_idioms WHERE wrong(kernel = " KERNEL(
                           "reduce", "02_interleaved_strided") ")");
}

TEST(waits_at_mbarriers_are_told_apart)
{
    finds_nothing(9, "SELECT 'kernel ' || kernel || ', pc ' || pc || ' has no role' FROM "
                     "wait_charges WHERE class = 'mbarrier' AND wrong(role IS NULL)");
    assert_string_equal(ask("SELECT group_concat(DISTINCT role) FROM wait_charges WHERE class = "
                            "'mbarrier' AND kernel = " KERNEL("reduce", "14_bulk_copies")),
                        "consumer");
    /* Producers wait in the rung's own code, consumers in that of the ring. */
    finds("SELECT group_concat(x) FROM (SELECT DISTINCT role || ' in ' || path AS x FROM "
          "wait_charges c JOIN lines l USING (kernel, pc) JOIN sources USING (source) WHERE "
          "c.class = 'mbarrier' AND c.not_issued > 0 AND c.kernel = " KERNEL(
              "gemm", "16_producer_warps") " ORDER BY x)",
          "consumer in kernels/gemm/ring.h,producer in kernels/gemm/16_producer_warps.cu");
    assert_int_equal(
        number("SELECT count(DISTINCT producer_pc) FROM wait_charges WHERE class = "
               "'mbarrier' AND role = 'both' AND kernel = " KERNEL("gemm", "14_tma_stages")),
        1);
}

RUN_TESTS(open_all, asked_close)

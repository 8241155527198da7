/*
 * Tests the tables of bank conflicts on kernels made by hand: kinds and widths of instructions,
 * copies that bypass the L1 cache, described accesses, costs, and the reasons for what is unknown.
 */
#include "queried.h"

#include "explain/conflicts.h"
#include "explain/line_place.sql.h"

#define POINT "family TEXT, variant TEXT, size TEXT, block INTEGER, sweep INTEGER, device INTEGER"

/* One kernel of each variant; the excess of 01_a is 60 wavefronts by its counters. */
static void make(const char *more)
{
    WORKS(query_write(
        &query,
        "CREATE TABLE metrics(" POINT ", best, time_ns, useful_bytes, "
        "shared_excess_wavefronts, shared_excess_exact, load_excess_wavefronts, "
        "store_excess_wavefronts, matrix_excess_wavefronts, async_excess_wavefronts, "
        "atomic_excess_wavefronts, same_word_wavefronts, line_wavefronts, shared_conflict_ways);"
        "INSERT INTO metrics(family, variant, size, block, sweep, device, best, time_ns, "
        "useful_bytes, shared_excess_wavefronts, shared_excess_exact) VALUES('f', '01_a', '64', "
        "32, 0, 0, 1, 1000.0, 1, 60.0, 0),"
        "  ('f', '02_b', '64', 32, 0, 0, 1, 2000.0, 1, 0.0, 1),"
        "  ('f', '03_c', '64', 32, 0, 0, 1, 2000.0, 1, NULL, NULL),"
        "  ('f', '04_d', '64', 32, 0, 0, 1, 2000.0, 1, 9.0, NULL),"
        "  ('f', '05_cpu', '64', 0, 0, 0, 1, 9000.0, 1, NULL, NULL);"
        "CREATE TABLE variants(family, variant, kind);"
        "INSERT INTO variants VALUES('f', '01_a', 'kernel'), ('f', '02_b', 'kernel'),"
        "  ('f', '03_c', 'kernel'), ('f', '04_d', 'library'), ('f', '05_cpu', 'cpu');"
        "CREATE TABLE points(" POINT ", status, reason, trials, wrong_trials);"
        "CREATE TABLE sizes(family, size, place); INSERT INTO sizes VALUES('f', '64', 1);"
        "CREATE TABLE impossible(" POINT ", kind, name, numbers, empties, because);"
        "CREATE TABLE estimate(" POINT ", cause, bound, saved_ns, share_pct, low_ns, high_ns);"
        "INSERT INTO estimate VALUES('f', '01_a', '64', 32, 0, 0, 'bank_conflicts', "
        "'estimated', 120.0, 12.0, 96.0, 160.0);"
        "CREATE TABLE kernels(kernel INTEGER, " POINT ", launch, counts_status, lines_status);"
        "INSERT INTO kernels VALUES(0, 'f', '01_a', '64', 32, 0, 0, 0, 'ok', 'ok'),"
        "  (1, 'f', '04_d', '64', 32, 0, 0, 0, 'ok', 'absent: of a library');"
        "CREATE TABLE sources(source, path, status);"
        "INSERT INTO sources VALUES(0, 'k.cu', 'ok'), (1, 'toolkit.h', 'absent');"
        "CREATE TABLE source_files(source, text);"
        "INSERT INTO source_files VALUES(0, 'one' || char(10) || ' two' || char(10));"
        "CREATE TABLE accesses(" POINT
        ", launch, access, kind, width_bytes, wavefronts REAL, ideal REAL);"
        "CREATE TABLE lines(kernel, sass, executed REAL, shared_wavefronts REAL, shared_ideal "
        "REAL, global_sectors REAL, global_ideal REAL);"
        "CREATE TABLE line_chains(id INTEGER PRIMARY KEY, chain);"
        "INSERT INTO line_chains VALUES(1, 1), (2, 2);"
        "CREATE TABLE line_locations(chain, depth, source, line)"));
    assert_int_equal(query_write(&query, "%s; %s", more, line_place_sql), 0);
}

QUERY_TEST(kinds_and_widths_follow_from_the_opcode)
{
    static const struct {
        const char *sass, *expected;
    } rows[] = {
        {"LDS R1, [R2]", "load 4"},
        {"@!P0 LDS.128 R4, [R2]", "load 16"},
        {"LDS.U8 R1, [R2]", "load 1"},
        {"STS.64 [R2], R4", "store 8"},
        {"STS.U16 [R2], R4", "store 2"},
        {"LDSM.16.M88.4 R4, [R2]", "ldmatrix 16"},
        {"STSM.16.M88.2 [R2], R4", "stmatrix 8"},
        {"ATOMS.ADD R1, [R2], R3", "atomic 4"},
        {"LDGSTS.E [R1], desc[UR4][R2.64]", "asynchronous copy 4"},
        {"LDGSTS.E.BYPASS.128 [R1], [R2]", "NULL"}, /* does not pass through the data stage */
        {NULL, "access NULL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct query *q = &query;
        make("SELECT 1");
        WORKS(query_write(q,
                          "INSERT INTO lines(kernel, sass, executed, shared_wavefronts, "
                          "shared_ideal) VALUES(0, %Q, 2, 8, 2)",
                          rows[i].sass));
        assert_int_equal(conflicts_make(q), 0);
        gives("(SELECT kind || ' ' || coalesce(width_bytes, 'NULL') FROM conflict_lines)",
              rows[i].expected);
        assert_int_equal(open_query(NULL), 0);
    }
}

QUERY_TEST(lines_are_those_of_the_project)
{
    make("INSERT INTO lines(kernel, sass, executed, shared_wavefronts, shared_ideal) VALUES(0, "
         "'LDS R1, [R2]', 2, 8, 2), (0, 'LDS R1, [R3]', 2, 6, 2), "
         "(0, 'STS [R3], R1', 1, 1, 1);"
         "INSERT INTO line_locations VALUES(1, 0, 1, 7), (1, 1, 0, 2), (2, 0, 0, 2);"
         "INSERT INTO accesses VALUES('f', '01_a', '64', 32, 0, 0, 0, 0, 'load', 4, 4, 1), "
         "('f', '01_a', '64', 32, 0, 0, 0, 1, 'load', 4, 1, 1), "
         "('f', '01_a', '64', 32, 0, 0, 0, 2, 'store', 4, 4, 1)");
    assert_int_equal(conflicts_make(&query), 0);
    gives("(SELECT count(*) FROM conflict_lines)", "1");
    gives("(SELECT path || ':' || line || ' ' || text || printf(' %g of %g, %s, ', "
          "excess, wavefronts, words) || accesses FROM conflict_lines)",
          "k.cu:2 two 10 of 14, 3.5 times the ideal wavefronts, 0");
    gives("(SELECT path || ' ' || line_status || printf(' %g %g ', cost_ns, "
          "share_pct) || cost_text FROM conflicts WHERE variant = '01_a')",
          "k.cu ok 120 12 96.00–160.0 ns, estimated");
}

/* A copy of 32 words from 16 lines, 2 to each sector, takes 17 wavefronts; one is a conflict. */
QUERY_TEST(copies_from_several_lines_do_not_conflict)
{
    make("INSERT INTO lines VALUES(0, 'LDGSTS.E [R1], desc[UR4][R2.64]', 2, 34, 2, 32, 8);"
         "INSERT INTO line_locations VALUES(1, 0, 0, 2);"
         "UPDATE metrics SET line_wavefronts = 30");
    assert_int_equal(conflicts_make(&query), 0);
    gives("(SELECT printf('%g of %g', excess, wavefronts) FROM conflict_lines)", "2 of 34");
    gives("(SELECT copied_lines FROM conflicts WHERE variant = '01_a')", "30");
}

QUERY_TEST(unknown_numbers_have_reasons)
{
    make("INSERT INTO lines(kernel, sass, executed, shared_wavefronts, shared_ideal) VALUES(1, "
         "'LDS R1, [R2]', 2, 8, 2)");
    WORKS(query_write(&query,
                      "CREATE TABLE counters(" POINT ", counter, status); INSERT INTO "
                      "counters VALUES('f', '03_c', '64', 32, 0, 0, 'shared_x', 'absent: no "
                      "such counter')"));
    assert_int_equal(conflicts_make(&query), 0);
    gives("(SELECT group_concat(variant || ' ' || is_primary) FROM conflicts)",
          "01_a 1,02_b 1,03_c 1,04_d 1");
    gives("(SELECT printf('%g %g ', excess, cost_ns) || status FROM "
          "conflicts WHERE variant = '02_b')",
          "0 0 ok");
    gives("(SELECT group_concat(is_exact) FROM conflicts)", "0,1");
    gives("(SELECT status FROM conflicts WHERE variant = '03_c')", "absent: no such counter");
    gives("(SELECT line_status FROM conflicts WHERE variant = '04_d')", "absent: of a library");
    gives("(SELECT cost_ns FROM conflicts WHERE variant = '04_d')",
          "NULL"); /* it has no counters */
    gives("(SELECT line_status FROM conflicts WHERE variant = '01_a')",
          "absent: every instruction needs no more wavefronts than its width; the "
          "counters of whole launches give an upper bound");
}

RUN_TESTS(fixture_open, fixture_close)

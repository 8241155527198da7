#include "queried.h"

#include <math.h>

#include "base/stats.h"

/* The cells of a round are drawn together: their ratio is the same in all rounds. */
QUERY_TEST(intervals_of_rounds)
{
    WORKS(query_write(
        &query, "CREATE TABLE timed AS WITH RECURSIVE n(round) AS (SELECT 0 UNION ALL SELECT "
                "round + 1 FROM n WHERE round < 7) SELECT 0 AS cell, 1 AS weight, 40 + 4 * "
                "round AS ns, round FROM n UNION ALL SELECT 1, -1, 10 + round, round FROM n"));
    gives("round(resampled_low(cell, weight, ns, round), 9) FROM timed", "4.0");
    gives("round(resampled_high(cell, weight, ns, round), 9) FROM timed", "4.0");
    gives("resampled_low(0, 1, ns, round) < 55 AND resampled_high(0, 1, ns, "
          "round) > 53 FROM timed WHERE cell = 0",
          "1");
    gives("resampled_low(cell, weight, ns, round) FROM timed WHERE round < 5",
          "NULL"); /* five samples are too few */
    gives("resampled_low(cell, weight, ns, round) FROM timed WHERE 0", "NULL");
    char *none = NULL;
    FAILS(query_text(&query, "a.metric:7", "SELECT resampled_low(cell, weight, ns, -1) FROM timed",
                     NULL, &none),
          FAIL_INPUT, "a round is not from 0 to 65535");
}

QUERY_TEST(aggregates)
{
    WORKS(query_write(&query,
                      "CREATE TABLE generated AS WITH RECURSIVE n(value) AS (SELECT 21 UNION "
                      "ALL SELECT value - 1 FROM n WHERE value > 1) SELECT * FROM n"));
    gives("median(x) FROM (SELECT 3 AS x UNION ALL SELECT 1 UNION ALL SELECT 2)", "2.0");
    gives("median(x) FROM (SELECT 4 AS x UNION ALL SELECT 1 UNION ALL SELECT NULL)", "2.5");
    gives("median(x) FROM (SELECT NULL AS x)", "NULL");
    gives("median(1) FROM run WHERE 0", "NULL");
    gives("round(geometric_mean(x), 9) FROM (SELECT 2 AS x UNION ALL SELECT "
          "0.5 UNION ALL SELECT 8)",
          "2.0");
    gives("round(geometric_mean(x), 9) FROM (SELECT 4 AS x UNION ALL SELECT "
          "NULL UNION ALL SELECT 9)",
          "6.0");
    gives("geometric_mean(x) FROM (SELECT 4 AS x UNION ALL SELECT 0)", "NULL");
    gives("geometric_mean(x) FROM (SELECT 4 AS x UNION ALL SELECT -4)", "NULL");
    gives("geometric_mean(NULL)", "NULL");
    gives("geometric_mean(1) FROM run WHERE 0", "NULL");
}

/* The script of the pages writes numbers alike: the tests of the pages read the same file. */
QUERY_TEST(numbers_have_one_format)
{
    char *path = text_new("%s/tests/browser/formats.csv", root());
    struct csv_reader reader;
    int rows = 0;
    assert_int_equal(csv_open(&reader, path), 0);
    for (assert_int_equal(csv_next(&reader), 1); csv_next(&reader) > 0; rows++) {
        char expression[80];
        snprintf(expression, sizeof expression, "human(%s)", reader.cell[0]);
        assert_string_equal(value_of(expression), reader.cell[1]);
        snprintf(expression, sizeof expression, "time_text(%s)", reader.cell[0]);
        assert_string_equal(value_of(expression), reader.cell[2]);
        snprintf(expression, sizeof expression, "time_among(%s, 1234567, 12.3)", reader.cell[0]);
        assert_string_equal(value_of(expression), reader.cell[3]);
        snprintf(expression, sizeof expression, "part_among(%s, 1234567)", reader.cell[0]);
        assert_string_equal(value_of(expression), reader.cell[4]);
    }
    csv_close(&reader);
    free(path);
    assert_true(rows > 10);
}

QUERY_TEST(a_setting_is_said_in_words)
{
    gives("setting_text('loads', 'loads per thread', 1024)", "1024 loads");
    gives("setting_text('blocks per SM', 'blocks in the grid for each SM', 1)", "1 block per SM");
    gives("setting_text('threads', 'threads: 1024 or so', 1048576)", "1\u202f048\u202f576 threads");
    gives("setting_text('scan', 'order: 1 by rows, 2 by columns', 2)", "order: by columns");
    gives("setting_text('scan', 'order: 1 by rows, 2 by columns', 1)", "order: by rows");
    gives("setting_text('scan', 'order: 1 by rows, 2 by columns', 12)", "12 scan");
    gives("coalesce(setting_text(NULL, NULL, 2), setting_text('loads', 'loads', 0), 'none')",
          "none");
}

QUERY_TEST(functions)
{
    /* A speed-up and its inverse differ in a word. */
    gives("change_text(4.0)", "4.00\xC3\x97 faster");
    gives("change_text(0.25)", "4.00\xC3\x97 slower");
    gives("change_text(1.072)", "7.2 % faster");
    gives("change_text(1 / 1.072)", "7.2 % slower");
    gives("change_text(0.9999)", "equally fast");
    gives("human('text')", "text");
    gives("human(NULL)", "NULL");
    assert_true(strlen(value_of("human(1e300)")) > 10);
    static const char *const with_decimals[][2] = {
        {"426.846993, 2", "426.8"}, /* 426.85 would be 426.9 */
        {"-176.64875, 2", "-176.6"}, {"1234.496, 2", "1234"},
        {"12.3456, 2", "12.35"},     {"12.34, 1", "12.3"},
        {"2.004, 2", "2"},           {"99.996, 2", "100"},
        {"0.1234, 2", "0.12"},       {"0.996, 2", "1"},
        {"-0.004, 2", "0"},          {"2.5, 0", "3"},
        {"NULL, 2", "NULL"},         {"'text', 2", "text"},
    };
    for (size_t i = 0; i < sizeof with_decimals / sizeof *with_decimals; i++) {
        char expression[64];
        snprintf(expression, sizeof expression, "human(%s)", with_decimals[i][0]);
        assert_string_equal(value_of(expression), with_decimals[i][1]);
    }
    gives("time_text(NULL)", "NULL");
    gives("time_text(762400, 1126000)", "762.4\u20131126 \u00b5s");
    gives("time_among(NULL, 1)", "NULL");
    gives("saved_among(166500, 31570000)", "\u22120.1665 ms");
    gives("saved_among(-166500, 31570000)", "+0.1665 ms");
    gives("size_text('4194304')", "2^22");
    gives("size_text('1000')", "1000");
    gives("size_text('512')", "512");
    gives("size_text('1024x1000x4096')", "1024 x 1000 x 4096");
    gives("unit_text('tensor_bf16')", "bfloat16 tensor");
    gives("unit_text('tensor_tf32')", "TF32 tensor");
    gives("unit_text('fp32')", "FP32");
    gives("unit_text(NULL)", "FP32");
    gives("unit_text('abacus')", "unknown");
    gives("status_text('skipped', NULL, NULL)", "skipped");
    gives("status_text('wrong as expected', 200, 9)", "races: 4.5 % of launches wrong");
    gives("status_text('right by luck', 200, 0)", "racy, but every launch was right");
    gives("unit_text('tensor_tf32', 1, 2, 3)", "FP16 tensor");
    gives("unit_text('tensor_tf32', 2, 2, 1)", "bfloat16 tensor");
    gives("unit_text('tensor_bf16', 1, 4, 2)", "TF32 tensor");
    gives("unit_text('tensor_tf32', 0, 0, NULL)", "TF32 tensor"); /* no operations */
    gives("unit_text('fp32', 1, 0, 0)", "FP32");
    gives("size_text('')", "");
    gives("size_text('nonsense')", "");
    gives("ratio_low(0, 1)", "NULL"); /* no series yet */
    gives("ratio_low(NULL, 0)", "NULL");
    gives("ratio_high(-1, 99999999999)", "NULL");
}

QUERY_TEST(lines_of_a_text)
{
    static const char *const rows[][2] = {
        {"'a' || char(10) || char(9) || '  b c ' || char(13, 10) || 'd', 1", "a"},
        {"'a' || char(10) || char(9) || '  b c ' || char(13, 10) || 'd', 2", "b c"},
        {"'a' || char(10) || char(9) || '  b c ' || char(13, 10) || 'd', 3", "d"},
        {"'a' || char(10), 2", "NULL"},
        {"'a', 2", "NULL"},
        {"'a', 0", "NULL"},
        {"'a', NULL", "NULL"},
        {"NULL, 1", "NULL"},
        {"'  asm(\"ld\"' || char(10) || ' : \"=r\"(x)' || char(10) || ' : \"r\"(y));', 3",
         "asm(\"ld\""},
        {"'  x = f(' || char(10) || '    \"a\");', 2", "\"a\");"},
        {"': b', 1", ": b"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expression[128];
        snprintf(expression, sizeof expression, "text_line(%s)", rows[i][0]);
        assert_string_equal(value_of(expression), rows[i][1]);
    }
}

/* Lanes are 32 bytes apart, 16 bytes each; the last is idle. */
#define WIDE                                                                                       \
    "'0 32 64 96 128 160 192 224 256 288 320 352 384 416 448 480 512 544 576 608 640 672 704 736 " \
    "768 800 832 864 896 928 960 -'"
/* Lanes 4 words apart. */
#define STRIDED                                                                                    \
    "'0 16 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256 272 288 304 320 336 352 368 "    \
    "384 400 416 432 448 464 480 496'"

QUERY_TEST(lanes_of_an_access)
{
    static const char *const rows[][2] = {
        {"lane_address(" WIDE ", 0)", "0"},
        {"lane_address(" WIDE ", 30)", "960"},
        {"lane_address(" WIDE ", 31)", "NULL"}, /* idle */
        {"lane_turn('load', 16, " WIDE ", 0)", "0"},
        {"lane_turn('load', 16.0, " WIDE ", 8)", "1"}, /* in the format of the column */
        {"lane_turn('store', 16, " WIDE ", 30)", "3"},
        {"lane_turn('load', 16, " WIDE ", 31)", "NULL"},
        {"lane_wavefront('load', 16, " WIDE ", 3, 0)", "0"},
        {"lane_wavefront('load', 16, " WIDE ", 4, 0)", "1"},
        {"lane_wavefront('load', 16, " WIDE ", 12, 3)", "3"},
        {"lane_wavefront('load', 16, " WIDE ", 31, 0)", "NULL"},
        {"lane_delay('load', 16, " WIDE ", 8, 0)", "0"},
        {"lane_delay('load', 16, " WIDE ", 12, 3)", "1"},
        {"lane_delay('load', 16, " WIDE ", 31, 3)", "NULL"},
        {"lane_wavefront('store', 4, " STRIDED ", 31, 0)", "3"},
        {"lane_delay('store', 4, " STRIDED ", 31, 0)", "3"},
        {"lane_wavefront('store', 4, " STRIDED ", 31, 1)", "NULL"}, /* a lane has one word */
        {"lane_wavefront('load', 16, " STRIDED ", 31, 3)", "3"},
        {"lane_turn('load', 4, " STRIDED ", 31)", "0"},
        /* no such lane or word */
        {"lane_address(" WIDE ", 32)", "NULL"},
        {"lane_address(" WIDE ", -1)", "NULL"},
        {"lane_address(" WIDE ", 1.5)", "NULL"},
        {"lane_address(" WIDE ", NULL)", "NULL"},
        {"lane_turn('load', 16, " WIDE ", 32)", "NULL"},
        {"lane_wavefront('load', 16, " WIDE ", 0, 4)", "NULL"},
        {"lane_wavefront('load', 16, " WIDE ", 0, -1)", "NULL"},
        {"lane_wavefront('load', 16, " WIDE ", 0, NULL)", "NULL"},
        {"lane_wavefront('load', 16, " WIDE ", NULL, 0)", "NULL"},
        {"lane_delay('load', 16, " WIDE ", 1e300, 0)", "NULL"},
        /* damaged */
        {"lane_wavefront('loads', 16, " WIDE ", 0, 0)", "NULL"},
        {"lane_wavefront(NULL, 16, " WIDE ", 0, 0)", "NULL"},
        {"lane_wavefront('load', NULL, " WIDE ", 0, 0)", "NULL"},
        {"lane_wavefront('load', 4.5, " WIDE ", 0, 0)", "NULL"},
        {"lane_wavefront('load', 'wide', " WIDE ", 0, 0)", "NULL"},
        {"lane_wavefront('load', 12, " WIDE ", 0, 0)", "NULL"},
        {"lane_wavefront('load', 16, NULL, 0, 0)", "NULL"},
        {"lane_wavefront('load', 16, '', 0, 0)", "NULL"},
        {"lane_wavefront('load', 16, replace(" WIDE ", '32 ', '36 '), 0, 0)",
         "NULL"}, /* unaligned */
        {"lane_wavefront('load', 16, replace(" WIDE ", ' 32 ', ' -32 '), 0, 0)", "NULL"},
        {"lane_wavefront('load', 16, " WIDE " || ' 0', 0, 0)", "NULL"},
        {"lane_delay('load', 16, 'zero', 0, 0)", "NULL"},
        {"lane_turn('load', 16, '0 16', 0)", "NULL"},
        {"lane_address(replace(" WIDE ", ' 32 ', ' '), 0)", "NULL"},
        {"lane_address(replace(" WIDE ", ' 32 ', ' 33 '), 0)", "NULL"},
        {"lane_address(replace(" WIDE ", ' 32 ', ' x '), 0)", "NULL"},
        {"lane_address(NULL, 0)", "NULL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(value_of(rows[i][0]), rows[i][1]))
            fail_msg("%s is %s; expected %s", rows[i][0], value_of(rows[i][0]), rows[i][1]);
}

/* Adds a series to the query, by round; NAN for a missing or discarded sample. */
static void add_series(const double *by_round, int rounds)
{
    struct sample_series *series =
        realloc(query.series, (size_t)(query.series_count + 1) * sizeof *series);
    assert_non_null(series);
    query.series = series;
    series += query.series_count++;
    memset(series, 0, sizeof *series);
    series->by_round = malloc(((size_t)rounds + 1) * sizeof *series->by_round);
    series->sorted = malloc(((size_t)rounds + 1) * sizeof *series->sorted);
    assert_true(series->by_round && series->sorted);
    series->rounds = rounds;
    for (int i = 0; i < rounds; i++) {
        series->by_round[i] = by_round[i];
        if (by_round[i] == by_round[i]) series->sorted[series->count++] = by_round[i];
    }
    stats_sort(series->sorted, (size_t)series->count);
}

QUERY_TEST(units_that_words_name)
{
    gives("unit_beside('Throughput', 'TFLOP/s')", "TFLOP/s");
    gives("unit_beside('Throughput, % of the peak', '%')", "NULL");
    gives("unit_beside('Blocks of all launches', 'blocks')", "NULL");
    gives("unit_beside('Load instructions', 'warp instructions')", "NULL");
    gives("unit_beside('Registers per thread', 'registers/thread')", "NULL");
    gives("unit_beside('Transactions', 'ns')", "ns"); /* a word, not letters in one */
    gives("unit_beside('Error', '1')", "NULL");
    gives("unit_beside('Slower', '0 or 1')", "NULL");
    gives("unit_beside(NULL, 'ns')", "NULL");
    gives("unit_beside('Time', NULL)", "NULL");
}

QUERY_TEST(ratios_within_a_round)
{
    /* The machine drifts: each round is slower than the previous one. a takes twice as long as b in
     * all rounds but two. */
    static const double a[] = {20, 40, 60, 80, 100, 120, 700, 20},
                        b[] = {10, 20, 30, 40, 50, 60, 70, 80};
    static const double gaps[] = {NAN, 2, NAN, 4, 5, 6, 7, 8, 1e9}, five[] = {1, 1, 1, 1, 1},
                        never[] = {NAN, NAN}, zeros[] = {0, 0, 0, 0, 0, 0, 0, 0};
    gives("ratio_median(0, 0)", "NULL"); /* no series yet */
    add_series(a, 8);                    /* 0 */
    add_series(b, 8);                    /* 1 */
    add_series(gaps, 9);                 /* 2 */
    add_series(five, 5);                 /* 3 */
    add_series(never, 2);                /* 4 */
    add_series(zeros, 8);                /* 5 */
    add_series(NULL, 0);                 /* 6 */
    /* Eight ratios: 0.25, six times 2, 10. The medians by themselves are 70 and 45. */
    gives("ratio_median(0, 1)", "2.0");
    gives("ratio_median(1, 0)", "0.5");
    gives("ratio_median_low(0, 1)", "0.25"); /* of eight values, the extremes */
    gives("ratio_median_high(0, 1)", "10.0");
    gives("ratio_median(0, 0)", "1.0");
    /* Rounds 1, 3, 4, 5, 6, 7 are in both: 20, 20, 20, 20, 100, 2.5. */
    gives("ratio_median(0, 2)", "20.0");
    gives("ratio_median_low(0, 2)", "2.5");
    gives("ratio_median_high(0, 2)", "100.0");
    /* A round of the longer series alone does not count. */
    gives("ratio_median_high(2, 1)", "0.1");
    /* Five pairs have a median and no interval. */
    gives("ratio_median(1, 3)", "30.0");
    gives("ratio_median_low(1, 3)", "NULL");
    gives("ratio_median_high(1, 3)", "NULL");
    /* No pair, no time, no series, no argument. */
    gives("ratio_median(0, 4)", "NULL");
    gives("ratio_median(0, 5)", "NULL");
    gives("ratio_median(5, 0)", "NULL");
    gives("ratio_median(0, 6)", "NULL");
    gives("ratio_median(0, 7)", "NULL");
    gives("ratio_median(-1, 0)", "NULL");
    static const char *const functions[] = {"ratio_median", "ratio_median_low",
                                            "ratio_median_high"};
    for (int f = 0; f < 3; f++) {
        char expression[64];
        snprintf(expression, sizeof expression, "%s(NULL, 1)", functions[f]);
        assert_string_equal(value_of(expression), "NULL");
        snprintf(expression, sizeof expression, "%s(1, NULL)", functions[f]);
        assert_string_equal(value_of(expression), "NULL");
    }
}

RUN_TESTS(fixture_open, fixture_close)

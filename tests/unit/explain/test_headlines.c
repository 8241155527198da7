#include "causes_run.h"

static void headlines_of_what_is_faster_and_slower(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY);
    make_causes("faster");
    assert_string_equal(
        headline("02_b"),
        TITLED("1.67× faster, 40.00 µs saved: 75 % from {global_latency}, 25 % from {overhead}."));
    ledger_close();
    WRITE_RUN({"01_a", FASTER}, {"02_b", ""});
    open_points(FASTER_BY, USUAL);
    make_causes("slower");
    assert_string_equal(
        headline("02_b"),
        TITLED("40 % slower, 40.00 µs lost: 75 % to {global_latency}, 25 % to {overhead}."));
    ledger_close();
}

/* A headline names the three largest of five causes, if they make a tenth or more. */
static void headlines_name_three_causes(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("issue/work=60000 long/global_latency=16000 long/barriers=10000 "
                "fixed/fetch=8000 fixed/exchange=6000",
                "issue/work=60000");
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        TITLED("1.67× faster, 40.00 µs saved: 40 % from {global_latency}, 25 % "
                               "from {barriers}, 20 % from {fetch}."));
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("issue/work=60000 long/global_latency=34000 long/barriers=3900 fixed/fetch=2100",
                "issue/work=60000");
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        TITLED("1.67× faster, 40.00 µs saved: 85 % from {global_latency}."));
    ledger_close();
}

static void headlines_say_what_stood_against_it(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL "long/barriers=0",
                "issue/work=40000 issue/overhead=4000 long/global_latency=0 long/barriers=11000 "
                "fixed/fetch=5000");
    make_causes("faster");
    assert_string_equal(
        headline("02_b"),
        TITLED("1.67× faster, 40.00 µs saved: 100 % from {global_latency}, 40 % from {overhead}; "
               "partly offset by {barriers}, which cost 11.00 µs."));
    ledger_close();
    WRITE_RUN({"01_a", FASTER}, {"02_b", ""});
    open_points("issue/work=40000 long/barriers=20000", "issue/work=90000 long/barriers=10000");
    make_causes("slower");
    assert_string_equal(
        headline("02_b"),
        TITLED("40 % slower, 40.00 µs lost: {work} cost 50.00 µs, {barriers} saved 10.00 µs."));
    ledger_close();
}

/* A part gives its name to a cause if it saves as much alone; the amount is that of the cause. */
static void headlines_name_parts_that_save_as_much(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("issue/work=61000 issue/overhead=39000", "issue/work=60000");
    make_causes("faster");
    is_near(CAUSE("saved_ns", "instructions"), 40000);
    is_near(DETAIL("saved_ns", "overhead"), 39000);
    assert_string_equal(headline("02_b"),
                        TITLED("1.67× faster, 40.00 µs saved: 100 % from {overhead}."));
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("issue/work=64000 issue/overhead=36000", "issue/work=60000");
    make_causes("faster");
    assert_string_equal(
        headline("02_b"),
        TITLED("1.67× faster, 40.00 µs saved: 100 % from {instructions} (mostly {overhead})."));
    ledger_close();
}

/* Shares of more than 100 % are not given. */
static void headlines_of_causes_that_cancel(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=96000"});
    open_points(USUAL, "issue/work=40000 issue/overhead=54000 long/global_latency=2000");
    make_causes("faster");
    assert_string_equal(headline("02_b"), TITLED("4.2 % faster, 4.000 µs saved: {global_latency} "
                                                 "saved 38.00 µs, {overhead} cost 34.00 µs."));
    ledger_close();
    WRITE_RUN({"01_a", "time_ns=96000"}, {"02_b", ""});
    open_points("issue/work=40000 issue/overhead=54000 long/global_latency=2000", USUAL);
    make_causes("slower");
    assert_string_equal(headline("02_b"), TITLED("4.0 % slower, 4.000 µs lost: {global_latency} "
                                                 "cost 38.00 µs, {overhead} saved 34.00 µs."));
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points("issue/work=40000 long/global_latency=60000", "issue/work=60000");
    make_causes("faster");
    assert_string_equal(headline("02_b"), TITLED("1.67× faster, 40.00 µs saved: {global_latency} "
                                                 "saved 60.00 µs, {work} cost 20.00 µs."));
    ledger_close();
}

static void headlines_of_small_changes(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=98500"});
    open_points("issue/work=60000 long/global_latency=40000",
                "issue/work=60000 long/global_latency=38500");
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        TITLED("1.5 % faster; the main cause is {global_latency}."));
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=98500"}); /* two causes, of which none is the main */
    open_points("issue/work=60000 long/global_latency=40000",
                "issue/work=55500 long/global_latency=43000");
    make_causes("faster");
    assert_string_equal(headline("02_b"), "1.5 % faster.");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=99000"});
    open_points("issue/work=60000 long/global_latency=40000",
                "issue/work=60000 long/global_latency=39000");
    make_causes("faster");
    assert_string_equal(CAUSE("status", "latency"), "unresolved"); /* within the model's error */
    assert_string_equal(headline("02_b"), "1.0 % faster.");
    ledger_close();
}

static void headlines_of_what_is_not_explained(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=90000"});
    open_points("issue/work=100000", "issue/work=100000");
    make_causes("faster");
    is_near(CAUSE("saved_ns", "residual"), 10000);
    assert_string_equal(headline("02_b"),
                        "1.11× faster; the model does not explain most of this change.");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY);
    set_metric("01_a", "warp_instructions", 1000);
    set_metric("02_b", "warp_instructions", 1000);
    make_causes("faster"); /* neither is a cause named whose witness stood still */
    assert_string_equal(headline("02_b"),
                        TITLED("1.67× faster, 40.00 µs saved: 75 % from {global_latency}."));
    ledger_close();
}

static void headlines_without_causes(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", "time_ns=99800 time_low_ns=99600 time_high_ns=100000"});
    open_points("issue/work=100000", "issue/work=99800");
    make_causes("no evidence");
    assert_string_equal(
        headline("02_b"),
        "No evidence of a change: +0.2 % in speed, 95 % interval −0.1 to +0.5 %, noise floor "
        "0.50 %.");
    assert_string_equal(CAUSE("status", "instructions"), "no evidence");
    assert_string_equal(CAUSE("status", "residual"), "model");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    open_points(USUAL, FASTER_BY);
    make_causes("not measured");
    assert_string_equal(headline("02_b"), "Not measured.");
    assert_string_equal(CAUSE("status", "latency"), "not measured");
    ledger_close();
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER}, {"03_c", FASTER});
    open_points(USUAL, "");
    add_features("03_c", 32, USUAL);
    make_causes("faster");
    assert_string_equal(headline("02_b"),
                        "1.67× faster; the counters that would explain it are missing.");
    assert_string_equal(
        headline("03_c"),
        "equally fast; the counters that would explain it are missing."); /* of the previous one */
    assert_string_equal(first("SELECT count(*) FROM causes"), "0");
    assert_string_equal(first("SELECT count(*) FROM details"), "0");
    ledger_close();
}

/* Adds the rows of a file again at block 64, as those of the other variant. */
static void add_other_block(const char *file)
{
    char *rows = strdup(read_text(file));
    struct text text = {0};
    assert_non_null(rows);
    text_append(&text, rows);
    for (const char *row = rows + strcspn(rows, "\n") + 1; *row; row += strcspn(row, "\n") + 1) {
        const char *cells = row + strlen("f,01_a,1024,32,0");
        text_format(&text, "f,%s,1024,64,0%.*s\n", row[3] == '1' ? "02_b" : "01_a",
                    (int)strcspn(cells, "\n"), cells);
    }
    write_text(file, text_string(&text));
    text_free(&text);
    free(rows);
}

static void blocks_have_headlines_of_their_own(void **state)
{
    (void)state;
    WRITE_RUN({"01_a", ""}, {"02_b", FASTER});
    add_other_block("r/metrics.csv");
    add_other_block("r/noise.csv");
    open_points(USUAL, FASTER_BY);
    add_features("01_a", 64, FASTER_BY);
    add_features("02_b", 64, USUAL);
    make_causes("faster");
    assert_string_equal(first("SELECT count(*) FROM said WHERE place = 0"), "2");
    assert_string_equal(
        first("SELECT sentence FROM said WHERE place = 0 AND block = 32"),
        TITLED("1.67× faster, 40.00 µs saved: 75 % from {global_latency}, 25 % from {overhead}."));
    is_near(first("SELECT sum(saved_ns) FROM causes WHERE block = 64"), -40000);
    is_near(first("SELECT saved_ns FROM details WHERE block = 64 AND detail = 'global_latency'"),
            -30000);
    ledger_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headlines_of_what_is_faster_and_slower),
        cmocka_unit_test(headlines_name_three_causes),
        cmocka_unit_test(headlines_say_what_stood_against_it),
        cmocka_unit_test(headlines_name_parts_that_save_as_much),
        cmocka_unit_test(headlines_of_causes_that_cancel),
        cmocka_unit_test(headlines_of_small_changes),
        cmocka_unit_test(headlines_of_what_is_not_explained),
        cmocka_unit_test(headlines_without_causes),
        cmocka_unit_test(blocks_have_headlines_of_their_own),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

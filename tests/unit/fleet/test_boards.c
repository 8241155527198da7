#include "fixture.h"

#include "fleet/boards.h"
#include "fleet/merge_runs.h"

static struct merged_run merged;
static struct boards boards;

enum { MOST = 6 };

struct board {
    double read_gbs, noise_pct;
    const char *facts;
};

/* Merges runs of boards of one kind into "fleet" and compares them. */
static void compare(const struct board *board, int count)
{
    char path[MOST][512], file[64], output[512];
    const char *paths[MOST];
    directory_remove(place("fleet"));
    for (int i = 0; i < count; i++) {
        struct text text = {0};
        snprintf(path[i], sizeof path[i], "%s", place("boards"));
        snprintf(path[i] + strlen(path[i]), 16, "/%d", i);
        paths[i] = path[i];
        snprintf(file, sizeof file, "boards/%d", i);
        make_run(file);
        text_format(&text, "%sdevice_uuid: aaaa-%d\nhost: host%d\n%s", run_facts, i, i,
                    board[i].facts ? board[i].facts : "");
        snprintf(file, sizeof file, "boards/%d/run.txt", i);
        write_text(file, text_string(&text));
        text_free(&text);
        snprintf(file, sizeof file, "boards/%d", i);
        text_format(&text,
                    "read_gbs,T,GB/s,%g,%g,%g,5,1000,ok\nfma_tflops,T,T,60,60,60,5,1900,ok\n",
                    board[i].read_gbs, board[i].read_gbs - 1, board[i].read_gbs + 1);
        write_table(file, TABLE_CEILINGS, text_string(&text));
        text_free(&text);
        for (int round = 0; round < 6; round++)
            text_format(&text, "f,01_a,64,128,0,%s,end_to_end,%c,%d,%g,1000,ok\n",
                        round < 4 ? "cold" : "warm", 'a' + round % 2, round / 2,
                        1000 + (round % 2 ? 10 * board[i].noise_pct : 0) + (round < 4 ? 0 : 500));
        write_table(file, TABLE_SAMPLES, text_string(&text));
        text_free(&text);
    }
    snprintf(output, sizeof output, "%s", place("fleet"));
    message_level_set(MESSAGE_QUIET);
    assert_int_equal(merge_runs(&(struct merge_options){paths, count, output, 0}), 0);
    assert_int_equal(merged_run_open(&merged, output), 0);
    assert_int_equal(boards_open(&boards, &merged), 0);
}

static void done(void)
{
    boards_close(&boards);
    merged_run_close(&merged);
}

static const char *found(const char *sql)
{
    static char value[512];
    OWNED char *text = NULL;
    assert_int_equal(query_text(&boards.query, NULL, sql, NULL, &text), 0);
    snprintf(value, sizeof value, "%s", text ? text : "NULL");
    return value;
}

static const char *status(int device, const char *quantity)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT status FROM boards WHERE device = %d AND quantity = '%s'",
             device, quantity);
    return found(sql);
}

TEST(a_slow_board_is_named_with_what_differs)
{
    static const char usual[] = "device_power_limit_w: 700\ndevice_clock_event_reasons: 0x0\n",
                      slow[] = "device_power_limit_w: 500\ndevice_clock_event_reasons: 0x4\n";
    compare((struct board[]){{4000, 0.1, usual},
                             {4010, 0.1, usual},
                             {3700, 0.1, slow},
                             {3990, 0.1, usual},
                             {4005, 0.1, usual}},
            5);
    assert_string_equal(status(2, "read_gbs"), "lower");
    assert_string_equal(status(0, "read_gbs"), "typical");
    assert_string_equal(status(2, "fma_tflops"), "typical");
    assert_string_equal(status(2, "power_w"), "absent: not measured in this run");
    assert_string_equal(status(2, "selftest"), "absent: not recorded in this run");
    assert_string_equal(found("SELECT typical FROM boards WHERE quantity = 'read_gbs'"), "4000.0");
    assert_string_equal(found("SELECT round(value, 6) FROM boards WHERE quantity = 'noise_pct'"),
                        "0.1");
    assert_string_equal(found("SELECT sentence || ' ' || why FROM outlying"),
                        "test-gpu-2: DRAM read 3700 GB/s (3699 to 3701), 7.5 % lower than the "
                        "typical 4000 GB/s. It also differs in: power limit 500 W, not 700 W; "
                        "throttle reasons power cap, not none.");
    assert_string_equal(found("SELECT count(*) FROM outliers"), "1");
    done();
}

TEST(the_spread_of_boards_is_no_outlier)
{
    compare(
        (struct board[]){{4000, .1, NULL}, {4100, .1, NULL}, {3900, .1, NULL}, {3950, .1, NULL}},
        4);
    assert_string_equal(found("SELECT count(*) FROM outliers"), "0");
    done();
    /* Without reasons in the runs, that is said. */
    compare((struct board[]){{4000, .1, NULL}, {3900, .1, NULL}}, 2);
    assert_string_equal(status(0, "read_gbs"), "differs");
    assert_string_equal(status(1, "read_gbs"), "differs");
    assert_string_equal(found("SELECT differs FROM boards WHERE device = 1 AND status = 'differs'"),
                        "host host1, not host0");
    done();
}

static void print(int columns, int csv)
{
    const struct terminal screen = {.columns = columns};
    FILE *file = fopen(place("printed"), "w");
    assert_non_null(file);
    WORKS(csv ? boards_print_data(&boards, PRINT_AS_CSV, file)
              : boards_print(&boards, &screen, file));
    fclose(file);
}

TEST(neither_of_two_is_an_outlier)
{
    compare((struct board[]){{4000, .1, NULL}, {3900, .1, NULL}}, 2);
    assert_string_equal(found("SELECT count(*) FROM outliers"), "0");
    assert_string_equal(found("SELECT count(typical) FROM boards"), "0");
    assert_string_equal(found("SELECT round(difference_pct, 2) FROM boards WHERE device = 0 AND "
                              "quantity = 'read_gbs'"),
                        "2.56");
    print(200, 0);
    holds(read_text("printed"),
          "\n\ntest-gpu-0 and test-gpu-1 differ: DRAM read by 2.6 % (4000 and "
          "3900 GB/s). With two of a kind it cannot be said which is unusual.\n");
    holds(read_text("printed"), "They also differ in: host host0 and host1.\n");
    done();
    setenv("WHYFAST_DATA", root(), 1);
    assert_int_equal(boards_write(place("fleet")), 0);
    const char *page = read_text("fleet/index.html");
    holds(page, "test-gpu-0 and test-gpu-1 differ: DRAM read by 2.6&nbsp;%</h1>");
    holds(page, "it cannot be said which is unusual.");
    lacks(page, "How far each board is");
    /* Intervals that overlap are no difference. */
    compare((struct board[]){{4000, .1, NULL}, {3999, .1, NULL}}, 2);
    print(200, 0);
    holds(read_text("printed"), "\n\nNo board differs from the others of its kind.\n");
    done();
}

TEST(one_board_is_compared_with_none)
{
    compare((struct board[]){{4000, .1, NULL}}, 1);
    print(200, 0);
    holds(read_text("printed"), "\n\nThere is no other board to compare this one with.\n");
    done();
}

TEST(kinds_are_not_compared)
{
    compare((struct board[]){{4000, .1, NULL}, {3000, .1, "device_memory_bytes: 5\n"}}, 2);
    assert_string_equal(status(0, "read_gbs"), "alone");
    assert_string_equal(status(1, "read_gbs"), "alone");
    print(200, 0);
    holds(read_text("printed"), "\n\nThere are no two boards of a kind to compare.\n");
    done();
}

TEST(it_is_printed_and_written)
{
    compare((struct board[]){{3800, .1, NULL}, {4000, .1, NULL}, {4001, .1, NULL}}, 3);
    print(100, 0);
    const char *printed = read_text("printed");
    assert_int_equal(strncmp(printed, "device      DRAM GB/s  FP32 TFLOP/s ", 36), 0);
    assert_true(strstr(printed, "test-gpu-2       4001 ") <
                strstr(printed, "test-gpu-0     3800 ▼"));
    holds(printed, "One board differs from the others of its kind:");
    print(25, 0);
    assert_int_equal(strncmp(read_text("printed"), "device      DRAM GB/s\n", 22), 0);
    print(0, 1);
    cells_are("printed", "0,test-gpu-0,read_gbs", "value=3800");
    done();
    setenv("WHYFAST_DATA", root(), 1);
    assert_int_equal(boards_write(place("fleet")), 0);
    cells_are("fleet/boards.csv", "0,test-gpu-0,read_gbs", "status=lower");
    const char *page = read_text("fleet/index.html");
    holds(page, "test-gpu-0 is an outlier: DRAM read 5.0&nbsp;% lower than typical");
    lacks(page, "href=\"devices/0/index.html\"");
    write_text("fleet/devices/0/index.html", "");
    assert_int_equal(boards_write(place("fleet")), 0);
    holds(read_text("fleet/index.html"), "href=\"devices/0/index.html\"");
    assert_true(exists("fleet/whyfast.css"));
}

RUN_TESTS(fixture_open, fixture_close)

#include "fixture.h"

#include "run/run_journal.h"

/* Reads journal.txt in the scratch directory. */
static int read_journal(struct journal *journal, struct journal_state *state)
{
    return journal_read(journal, place("j"), state);
}

static void drop(struct journal *journal, struct journal_state *state)
{
    text_free(&state->facts);
    journal_close(journal);
}

static const char whole[] = "same GPU: one\nend\nready copy\n  points 7\n= a: 1\nend\ndone two\n  "
                            "points 20\n  samples 3\n= a: 2\n= b: x y\nend\n";

/* Cut off after any byte, it says what its whole entries say, and goes on behind them. */
static void any_cut_is_understood(void **state)
{
    const size_t first = strlen("same GPU: one\nend\n"),
                 second = (size_t)(strstr(whole, "done") - whole);
    (void)state;
    make_directory("j");
    for (size_t length = 0; length < sizeof whole; length++) {
        struct journal journal;
        struct journal_state last;
        write_bytes("j/journal.txt", whole, length);
        assert_int_equal(read_journal(&journal, &last), 0);
        const int units = length < second ? 0 : length < sizeof whole - 1 ? 1 : 2;
        assert_int_equal(journal.unit_count, units);
        assert_int_equal(journal.done_count, units == 2);
        assert_int_equal(journal_has(&journal, "copy"), units > 0);
        assert_int_equal(journal_has(&journal, "two"), units > 1);
        assert_string_equal(text_string(&journal.same), length < first ? "" : "GPU: one\n");
        assert_string_equal(text_string(&last.facts), units == 0   ? ""
                                                      : units == 1 ? "a: 1\n"
                                                                   : "a: 2\nb: x y\n");
        assert_int_equal(last.length[TABLE_POINTS], units == 0 ? -1 : units == 1 ? 7 : 20);
        assert_int_equal(last.length[TABLE_SAMPLES], units == 2 ? 3 : -1);
        assert_int_equal(journal_open(&journal, place("j")), 0);
        last.length[TABLE_POINTS] = 30;
        assert_int_equal(journal_finish(&journal, "three", 0, &last), 0);
        drop(&journal, &last);
        assert_int_equal(read_journal(&journal, &last), 0);
        assert_int_equal(journal.unit_count, units + 1);
        assert_int_equal(last.length[TABLE_POINTS], 30);
        assert_true(journal_has(&journal, "three"));
        drop(&journal, &last);
    }
}

static void damage_is_told(void **state)
{
    static const char *const rows[] = {"nonsense\n",
                                       "done\n",
                                       "  points\nend\n",
                                       "  points x\n",
                                       "  points 3 \n",
                                       "  points -3\n",
                                       "  points 99999999999999999999\n",
                                       "  metrics 3\n",
                                       " points 3\n",
                                       "\n"};
    struct journal journal;
    struct journal_state last;
    (void)state;
    make_directory("j");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_text("j/journal.txt", rows[i]);
        FAILS(read_journal(&journal, &last), FAIL_INPUT, "j/journal.txt:1: expected 'done <unit>'");
        drop(&journal, &last);
    }
    write_bytes("j/journal.txt", "done x\nend\n\0\0\0\0", 15); /* what a loss of power may leave */
    assert_int_equal(read_journal(&journal, &last), 0);
    assert_true(journal_has(&journal, "x"));
    assert_int_equal(journal.whole, 11);
    drop(&journal, &last);
}

static void a_full_disk_is_noticed(void **state)
{
    struct journal journal = {.file = NULL};
    const struct journal_state nothing = {.length = {0}};
    (void)state;
    if (access("/dev/full", W_OK)) SKIP("there is no /dev/full here");
    make_directory("full");
    assert_int_equal(journal_open(&journal, place("full")), 0);
    dup2(open("/dev/full", O_WRONLY), fileno(journal.file));
    FAILS(journal_finish(&journal, "one", 0, &nothing), FAIL_OUTPUT,
          "full/journal.txt: cannot write: No space left on device");
    assert_false(journal_has(&journal, "one"));
    journal_close(&journal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_cut_is_understood),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(a_full_disk_is_noticed),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

#include "fixture.h"

#include "run/run_journal.h"

static int read_journal(struct journal *journal, struct facts *facts)
{
    *facts = (struct facts){0, NULL};
    return journal_read(journal, facts, place("j"));
}

static void drop(struct journal *journal, struct facts *facts)
{
    journal_free(journal);
    facts_free(facts);
}

TEST(what_is_written_is_read)
{
    struct journal journal;
    struct facts facts;
    make_directory("j");
    write_text("j/journal.txt", "same GPU: one\nready copy\ndone two\n  points 20\n  samples 0\n"
                                "facts\na: 2\nb: x: y\n");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(read_journal(&journal, &facts), 0);
        assert_int_equal(journal.unit_count, 2 + i);
        assert_int_equal(journal.done_count, 1 + i);
        assert_true(journal_has(&journal, "copy"));
        assert_true(journal_has(&journal, "two"));
        assert_false(journal_has(&journal, "tw"));
        assert_int_equal(journal_has(&journal, "three"), i);
        assert_int_equal(facts.count, 2);
        assert_string_equal(facts_find(&facts, "b"), "x: y");
        assert_int_equal(journal.length[TABLE_POINTS], 20 + i);
        assert_int_equal(journal.length[TABLE_SAMPLES], 0);
        assert_int_equal(journal.length[TABLE_COUNTERS], -1);
        assert_int_equal(journal_same(&journal, "j", "GPU", "one"), 0);
        FAILS(journal_same(&journal, "j", "GPU", "on"), FAIL_USAGE,
              "j: this run was started with the GPU 'one', which is now 'on'");
        assert_int_equal(journal_add(&journal, "three", 0), 0);
        journal.length[TABLE_POINTS] = 21;
        assert_int_equal(journal_write(&journal, &facts, place("j")), 0);
        drop(&journal, &facts);
    }
    unlink(place("j/journal.txt"));
    FAILS(read_journal(&journal, &facts), FAIL_INPUT, "there is no interrupted run to resume");
    drop(&journal, &facts);
}

TEST(damage_is_told)
{
    static const char *const rows[] = {"nonsense\n",
                                       "done\n",
                                       "end\n",
                                       "  points\n",
                                       "  points x\n",
                                       "  points 3 \n",
                                       "  points -3\n",
                                       "  points 99999999999999999999\n",
                                       "  metrics 3\n",
                                       " points 3\n",
                                       "\n"};
    struct journal journal;
    struct facts facts;
    make_directory("j");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_text("j/journal.txt", rows[i]);
        FAILS(read_journal(&journal, &facts), FAIL_INPUT,
              "j/journal.txt:1: expected 'done <unit>'");
        drop(&journal, &facts);
    }
    write_text("j/journal.txt", "done x\nfacts\na\n");
    FAILS(read_journal(&journal, &facts), FAIL_INPUT, "j/journal.txt:3: expected 'key: value'");
    drop(&journal, &facts);
    write_text("j/journal.txt", "done x\ndone");
    FAILS(read_journal(&journal, &facts), FAIL_INPUT,
          "j/journal.txt:2: the last line is not complete");
    drop(&journal, &facts);
}

RUN_TESTS(fixture_open, fixture_close)

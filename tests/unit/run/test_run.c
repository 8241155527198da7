#include "fixture.h"

#include "run/run.h"

/* A row of the table `points`, so that its file grows. */
static void add_row(struct run *run, enum table_id id, const char *word)
{
    struct csv_writer *writer = run_writer(run, id);
    assert_non_null(writer);
    csv_text(writer, word);
    csv_end(writer);
}

static void begin(struct run *run, const char *name)
{
    assert_int_equal(run_begin(run, place(name), 0), 0);
    assert_int_equal(run_fact_set(run, "date", "2026-01-02"), 0);
}

TEST(a_run_takes_its_place_when_complete)
{
    struct run run;
    begin(&run, "a run");
    add_row(&run, TABLE_POINTS, "x");
    assert_false(exists("a run"));
    assert_true(exists("a run.part/run.txt"));
    assert_int_equal(run_fact_set(&run, "note", "two\nlines\r%d", 7), 0);
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    assert_false(exists("a run.part"));
    assert_false(exists("a run/journal.txt"));
    assert_int_equal(run_open(&run, place("a run/")), 0);
    assert_string_equal(run_fact(&run, "status"), "complete");
    assert_string_equal(run_fact(&run, "date"), "2026-01-02");
    assert_string_equal(run_fact(&run, "note"), "two lines 7");
    assert_null(run_fact(&run, "not there"));
    run_close(&run);
    const char *points = read_text("a run/points.csv");
    assert_string_equal(points + strlen(points) - 3, "\nx\n");
}

TEST(an_earlier_run_stays_until_then)
{
    struct run run;
    make_run("earlier");
    begin(&run, "earlier");
    add_row(&run, TABLE_SAMPLES, "x");
    assert_string_equal(read_text("earlier/run.txt"), run_facts);
    run_close(&run); /* abandoned */
    assert_string_equal(read_text("earlier/run.txt"), run_facts);
    assert_true(exists("earlier.part/samples.csv"));
    begin(&run, "earlier"); /* started again: the abandoned rows are gone */
    assert_false(exists("earlier.part/samples.csv"));
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    assert_false(exists("earlier.old"));
    assert_false(exists("earlier/samples.csv"));
    assert_string_not_equal(read_text("earlier/run.txt"), run_facts);
}

TEST(foreign_places_are_left_alone)
{
    struct run run;
    make_directory("foreign");
    write_text("foreign/thesis.tex", "years of work");
    FAILS(run_begin(&run, place("foreign"), 0), FAIL_OUTPUT,
          "foreign: contains files that do not belong to a run of whyfast");
    assert_string_equal(read_text("foreign/thesis.tex"), "years of work");
    assert_false(exists("foreign.part"));
    write_text("file", "a file");
    FAILS(run_begin(&run, place("file"), 0), FAIL_OUTPUT, "file: exists and is not a directory");
    assert_string_equal(read_text("file"), "a file");
    make_directory("fresh.part");
    write_text("fresh.part/thesis.tex", "years of work");
    FAILS(run_begin(&run, place("fresh"), 0), FAIL_OUTPUT,
          "fresh.part: contains files that do not belong to a run");
    assert_string_equal(read_text("fresh.part/thesis.tex"), "years of work");
    make_directory("empty");
    begin(&run, "empty");
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    assert_true(exists("empty/run.txt"));
    FAILS(run_begin(&run, place("file/below"), 0), FAIL_OUTPUT, "file");
}

/* Two units are finished, and a third is interrupted in the middle of its rows: resuming continues
 * after the second. */
TEST(interrupted_work_is_cut_back)
{
    struct run run;
    begin(&run, "long");
    assert_int_equal(run_fact_set(&run, "seed", "3"), 0);
    add_row(&run, TABLE_POINTS, "one");
    assert_int_equal(run_unit_finish(&run, "unit one"), 0);
    add_row(&run, TABLE_POINTS, "two");
    add_row(&run, TABLE_SAMPLES, "two");
    assert_int_equal(run_write_facts(&run), 0);
    assert_int_equal(run_unit_finish(&run, "unit two"), 0);
    add_row(&run, TABLE_POINTS, "three");
    add_row(&run, TABLE_COUNTERS, "three");
    run_close(&run);

    assert_int_equal(run_begin(&run, place("long"), 1), 0);
    assert_true(run_unit_done(&run, "unit one"));
    assert_true(run_unit_done(&run, "unit two"));
    assert_false(run_unit_done(&run, "unit three"));
    assert_false(run_unit_done(&run, "unit"));
    assert_false(run_unit_done(&run, ""));
    assert_string_equal(run_fact(&run, "seed"), "3");
    assert_false(exists("long.part/counters.csv")); /* nothing of it was finished */
    add_row(&run, TABLE_POINTS, "three again");
    assert_int_equal(run_unit_finish(&run, "unit three"), 0);
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    const char *points = strchr(read_text("long/points.csv"), '\n');
    assert_string_equal(points, "\none\ntwo\nthree again\n");
    assert_string_equal(strchr(read_text("long/samples.csv"), '\n'), "\ntwo\n");
}

TEST(a_second_interruption_after_resuming)
{
    struct run run;
    begin(&run, "twice");
    add_row(&run, TABLE_POINTS, "one");
    assert_int_equal(run_unit_finish(&run, "one"), 0);
    add_row(&run, TABLE_POINTS, "lost");
    run_close(&run);
    assert_int_equal(run_begin(&run, place("twice"), 1), 0);
    add_row(&run, TABLE_POINTS, "two");
    assert_int_equal(run_unit_finish(&run, "two"), 0);
    add_row(&run, TABLE_POINTS, "lost again");
    run_close(&run);
    assert_int_equal(run_begin(&run, place("twice"), 1), 0);
    assert_true(run_unit_done(&run, "one"));
    assert_true(run_unit_done(&run, "two"));
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    assert_string_equal(strchr(read_text("twice/points.csv"), '\n'), "\none\ntwo\n");
}

TEST(what_cannot_be_resumed)
{
    struct run run;
    FAILS(run_begin(&run, place("never began"), 1), FAIL_INPUT,
          "never began.part: does not exist: there is no interrupted run to resume");
    assert_false(exists("never began.part"));
    begin(&run, "short");
    add_row(&run, TABLE_POINTS, "one");
    assert_int_equal(run_unit_finish(&run, "one"), 0);
    run_close(&run);
    write_text("short.part/points.csv", "fam");
    FAILS(run_begin(&run, place("short"), 1), FAIL_INPUT,
          "points.csv: is shorter than its length in the journal");
    write_text("short.part/journal.txt", "nonsense\n");
    FAILS(run_begin(&run, place("short"), 1), FAIL_INPUT, "journal.txt:1: expected 'done <unit>'");
    unlink(place("short.part/journal.txt"));
    FAILS(run_begin(&run, place("short"), 1), FAIL_INPUT, "there is no interrupted run to resume");
}

/* Facts from a unit that was not finished are forgotten with its rows: doing it again must not
 * count them twice. */
TEST(facts_are_those_of_the_last_unit)
{
    struct run run;
    begin(&run, "facts");
    add_row(&run, TABLE_POINTS, "one");
    assert_int_equal(run_fact_set(&run, "wrong_results", "1"), 0);
    assert_int_equal(run_unit_finish(&run, "one"), 0);
    assert_int_equal(run_fact_set(&run, "wrong_results", "2"), 0);
    assert_int_equal(run_fact_set(&run, "chip", "T"), 0);
    assert_int_equal(run_write_facts(&run), 0);
    write_text("facts.part/points.csv.123-0.tmp", "half");
    write_text("facts.part/notes.123-0.tmp", "the user's");
    make_directory("facts.part/charts.part");
    run_close(&run);
    assert_int_equal(run_begin(&run, place("facts"), 1), 0);
    assert_string_equal(run_fact(&run, "wrong_results"), "1");
    assert_string_equal(run_fact(&run, "date"), "2026-01-02");
    assert_null(run_fact(&run, "chip"));
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    assert_false(exists("facts/points.csv.123-0.tmp"));
    assert_false(exists("facts/charts.part"));
    assert_string_equal(read_text("facts/notes.123-0.tmp"), "the user's");
}

TEST(work_is_not_thrown_away)
{
    struct run run;
    begin(&run, "worth");
    assert_int_equal(run_unit_ready(&run, "describe"), 0);
    assert_false(run_is_worth_keeping(&run));
    run_close(&run);
    begin(&run, "worth"); /* started again without a message */
    assert_false(run_unit_done(&run, "describe"));
    add_row(&run, TABLE_POINTS, "one");
    assert_int_equal(run_unit_finish(&run, "one"), 0);
    assert_true(run_is_worth_keeping(&run));
    run_close(&run);
    FAILS(run_begin(&run, place("worth"), 0), FAIL_OUTPUT,
          "worth.part: contains an interrupted run; continue it with --resume, or remove it to "
          "start again");
    assert_int_equal(run_begin(&run, place("worth"), 1), 0);
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    FAILS(run_begin(&run, place("worth"), 1), FAIL_INPUT, "there is no interrupted run to resume");
    begin(&run, "nothing");
    run_close(&run);
    FAILS(run_begin(&run, place("nothing"), 1), FAIL_INPUT,
          "nothing.part: nothing of this run was finished; start again");
    begin(&run, "nothing");
    run_abandon(&run);
    run_close(&run);
    assert_false(exists("nothing.part"));
}

TEST(what_was_begun_otherwise_is_not_resumed)
{
    struct run run;
    begin(&run, "same");
    assert_int_equal(run_same(&run, "GPU", "one\nof these"), 0);
    assert_int_equal(run_unit_finish(&run, "one"), 0);
    run_close(&run);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run_begin(&run, place("same"), 1), 0);
        assert_int_equal(run_same(&run, "GPU", "one of these"), 0);
        assert_int_equal(run_same(&run, "later", "x"), 0);
        FAILS(run_same(&run, "GPU", "one"), FAIL_USAGE,
              "same.part: this run was started with the GPU 'one of these', which is now 'one'");
        FAILS(run_same(&run, "later", "y"), FAIL_USAGE, "this run was started with the later 'x'");
        run_close(&run);
    }
}

TEST(one_program_writes_at_a_time)
{
    struct run run, other;
    begin(&run, "locked");
    assert_int_equal(run_unit_finish(&run, "one"), 0);
    for (int resume = 0; resume < 2; resume++)
        FAILS(run_begin(&other, place("locked"), resume), FAIL_OUTPUT,
              "locked.part: another whyfast is writing there");
    assert_true(exists("locked.part/journal.txt"));
    assert_int_equal(run_commit(&run), 0);
    assert_int_equal(run_open(&other, place("locked")), 0);
    FAILS(run_lock(&other), FAIL_OUTPUT,
          "locked: another whyfast is writing there"); /* until it is closed */
    run_close(&run);
    assert_int_equal(run_lock(&other), 0);
    assert_int_equal(symlink("locked", place("link to it")), 0);
    assert_int_equal(run_open(&run, place("link to it")), 0);
    FAILS(run_lock(&run), FAIL_OUTPUT, "link to it: another whyfast is writing there");
    run_close(&other);
    assert_int_equal(run_lock(&run), 0);
    run_close(&run);
}

TEST(a_place_may_end_in_a_dot)
{
    struct run run;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    make_run("here");
    assert_int_equal(run_begin(&run, place("here/."), 0), 0);
    assert_true(exists("here.part"));
    assert_int_equal(run_commit(&run), 0);
    run_close(&run);
    assert_string_not_equal(read_text("here/run.txt"), run_facts);
    assert_false(exists("here/..part"));
    assert_int_equal(chdir(place("here")), 0);
    FAILS(run_begin(&run, ".", 0), FAIL_OUTPUT, "here: is or holds the current directory");
    assert_int_equal(chdir(before), 0);
    assert_false(exists("here.part"));
}

TEST(a_directory_that_vanishes)
{
    struct run run;
    begin(&run, "vanishing");
    add_row(&run, TABLE_POINTS, "one");
    assert_int_equal(run_unit_finish(&run, "one"), 0);
    add_row(&run, TABLE_POINTS, "two");
    assert_int_equal(directory_remove(place("vanishing.part")), 0);
    FAILS(run_unit_finish(&run, "two"), FAIL_OUTPUT,
          "vanishing.part/points.csv: No such file or directory");
    FAILS(run_commit(&run), FAIL_OUTPUT,
          "vanishing.part/run.txt: cannot write: No such file or directory");
    run_close(&run);
    assert_false(exists("vanishing"));
}

TEST(run_txt_is_checked)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", "run.txt:1: the file is empty; expected 'whyfast run 1'"},
        {"whyfast run 2\n", "run.txt:1: expected 'whyfast run 1'"},
        {"whyfast run 1\nkey value\n", "run.txt:2: expected 'key: value'"},
        {"whyfast run 1\n: value\n", "run.txt:2: expected 'key: value'"},
        {"whyfast run 1\na: 1\nb-c: 2\n", "run.txt:3: expected 'key: value'"},
        {"whyfast run 1\na: 1\na: 2\n", "run.txt:3: 'a' is given twice"},
        {"whyfast run 1\na: 1\nstatus: comp",
         "run.txt:3: the last line is not complete; the file is truncated"},
        {"whyfast run 1\na: 1\n", "run.txt: expected a fact 'status'"},
        {"whyfast run 1\nstatus: unfinished\n", "this run is not complete (status: unfinished)"},
    };
    struct run run;
    make_directory("checked");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_text("checked/run.txt", rows[i].text);
        FAILS(run_open(&run, place("checked")), FAIL_INPUT, rows[i].words);
    }
    FAILS(run_open(&run, place("absent")), FAIL_INPUT, "absent'; expected that of a run");
    make_directory("bare");
    FAILS(run_open(&run, place("bare")), FAIL_INPUT,
          "bare has no run.txt; expected a run directory");
    FAILS(run_open(&run, place("checked/run.txt")), FAIL_INPUT,
          "run.txt is no directory; expected that of a run");
}

TEST(the_nearest_run_is_named)
{
    struct run run;
    make_directory("near");
    make_directory("near/report");
    make_directory("near/reports"); /* no run */
    write_text("near/report/run.txt", "whyfast run 1\nstatus: complete\n");
    FAILS(run_open(&run, place("near/reprot")), FAIL_INPUT, "near/report'?");
    char *nearest = file_nearest(place("near/xyzzy"), FACTS_FILE);
    assert_null(nearest);
    nearest = file_nearest(place("nowhere/reprot"), FACTS_FILE);
    assert_null(nearest);
}

TEST(raw_tables_are_copied)
{
    struct run from, to;
    make_run("from");
    write_table("from", TABLE_POINTS, "p\n");
    write_table("from", TABLE_COUNTERS, "c\n");
    assert_int_equal(run_open(&from, place("from")), 0);
    begin(&to, "to");
    assert_int_equal(run_copy_raw(&to, &from, 1u << TABLE_COUNTERS), 0);
    assert_int_equal(run_commit(&to), 0);
    assert_string_equal(run_fact(&to, "device_name"), "Test GPU");
    holds(read_text("to/points.csv"), "\np,");
    assert_false(exists("to/counters.csv"));
    run_close(&to);
    holds(read_text("to/accesses.csv"), "wavefronts");
    unlink(place("from/accesses.csv"));
    begin(&to, "to");
    SUCCEEDS(run_copy_raw(&to, &from, 0), "");
    assert_int_equal(run_commit(&to), 0);
    run_close(&to);
    assert_false(exists("to/accesses.csv"));
    unlink(place("from/samples.csv"));
    begin(&to, "to");
    FAILS(run_copy_raw(&to, &from, 0), FAIL_INPUT, "from/samples.csv: cannot read");
    run_close(&to);
    run_close(&from);
}

/* A foreign directory, or one to resume: nothing is read or written through a link, and no pipe is
 * waited for. */
TEST(only_plain_files_are_files_of_a_run)
{
    static const char *const names[] = {"run.txt",     "points.csv", "journal.txt",
                                        "metrics.csv", "charts",     "notes.txt"};
    OWNED_BY(run_close) struct run run;
    char file[80];
    write_text("outside", "the user's");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make_run("linked");
        snprintf(file, sizeof file, "linked/%s", names[i]);
        unlink(place(file));
        assert_int_equal(symlink("../outside", place(file)), 0);
        FAILS(run_open(&run, place("linked")), FAIL_INPUT,
              ": is a symbolic link; a run may contain only plain files");
        directory_remove(place("linked"));
        make_run("linked.part");
        write_text("linked.part/journal.txt", "done one\n");
        snprintf(file, sizeof file, "linked.part/%s", names[i]);
        unlink(place(file));
        assert_int_equal(symlink("../outside", place(file)), 0);
        FAILS(run_begin(&run, place("linked"), 1), FAIL_INPUT,
              ": is a symbolic link; a run may contain only plain files");
        directory_remove(place("linked.part"));
        make_run("linked");
        snprintf(file, sizeof file, "linked/%s", names[i]);
        unlink(place(file));
        assert_int_equal(mkfifo(place(file), 0600), 0);
        FAILS(run_open(&run, place("linked")), FAIL_INPUT,
              ": is not a plain file; a run may contain only plain files");
        directory_remove(place("linked"));
    }
    assert_string_equal(read_text("outside"), "the user's");
    make_run("linked");
    make_directory("linked/charts");
    assert_int_equal(run_open(&run, place("linked")), 0);
}

TEST(a_full_disk_is_noticed)
{
    struct run run;
    if (access("/dev/full", W_OK)) SKIP("there is no /dev/full here");
    make_run("full");
    begin(&run, "full");
    add_row(&run, TABLE_POINTS, "x");
    dup2(open("/dev/full", O_WRONLY), fileno(run.writer[TABLE_POINTS].file));
    FAILS(run_unit_finish(&run, "one"), FAIL_OUTPUT,
          "points.csv: cannot write: No space left on device");
    FAILS(run_commit(&run), FAIL_OUTPUT, "cannot write");
    listen_to_stderr();
    run_close(&run);
    heard();
    assert_string_equal(read_text("full/run.txt"), run_facts);
}

RUN_TESTS(fixture_open, fixture_close)

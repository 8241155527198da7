#include "fixture.h"

#include "run/run_publish.h"

static char path[512], part[512];

static void write_in(const char *directory, const char *name, const char *text)
{
    char file[700];
    snprintf(file, sizeof file, "%s/%s", directory, name);
    FILE *stream = fopen(file, "wb");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static void names(void **state)
{
    static const char *const own[] = {
        "run.txt",     "journal.txt", "points.csv",    "metrics.csv",      "charts",
        "charts.part", "report.md",   "replacing.txt", "run.txt.12-0.tmp", "samples.csv.1-3.tmp"};
    static const char *const others[] = {
        "notes.md",    "points",     "points.csv2", "xpoints.csv", "notes.md.12-0.tmp",
        "run.txt.bak", "report.pdf", "chart",       ".tmp"};
    (void)state;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!place_is_own(own[i])) fail_msg("%s", own[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (place_is_own(others[i])) fail_msg("%s", others[i]);
}

static void what_is_no_run_is_left_alone(void **state)
{
    (void)state;
    make_directory("mine");
    write_text("mine/report.md", "a name that the program uses, too");
    FAILS(place_check(place("mine")), FAIL_OUTPUT, "mine: holds files that are no run of whyfast");
    make_directory("begun");
    assert_int_equal(place_check(place("begun")), 0);
    write_text("begun/run.txt.12-0.tmp", "whyf");
    assert_int_equal(place_check(place("begun")), 0); /* of a program that was killed at once */
    make_run("run");
    write_text("run/notes.md", "mine");
    assert_int_equal(place_check(place("run")), 0);
    make_directory("run/figures");
    FAILS(place_check(place("run")), FAIL_OUTPUT, "run/figures: is no file of the run");
    assert_int_equal(symlink("begun", place("link")), 0);
    FAILS(place_check(place("link")), FAIL_OUTPUT, "link: is there already and is no directory");
    assert_int_equal(place_check(place("nothing")), 0);
}

/* In whichever order files go, it can be told until the last that it was a run. */
static void clearing(void **state)
{
    (void)state;
    make_run("cleared");
    write_text("cleared/journal.txt", "");
    write_text("cleared/notes.md", "");
    assert_int_equal(place_clear(place("cleared")), 0);
    assert_true(exists("cleared"));
    assert_false(exists("cleared/*"));
}

static const char complete[] = "whyfast run 1\nstatus: complete\n";

/* A run with its journal at `directory`, as it is before it takes its place. */
static void make_new(const char *directory)
{
    assert_int_equal(directory_make(directory), 0);
    write_in(directory, "run.txt", complete);
    write_in(directory, "journal.txt", "done x\nend\n");
    write_in(directory, "points.csv", "new");
}

static void a_run_takes_its_place(void **state)
{
    (void)state;
    for (int there = 0; there < 2; there++) {
        snprintf(path, sizeof path, "%s", place("taken"));
        snprintf(part, sizeof part, "%s", place("taken.part"));
        if (there) {
            make_run("taken");
            write_text("taken/notes.md", "mine");
            write_text("taken/noise.csv", "of the earlier one");
        }
        make_new(part);
        int untidy = 1;
        assert_int_equal(place_take(path, part, &untidy), 0);
        assert_int_equal(untidy, 0);
        assert_string_equal(read_text("taken/points.csv"), "new");
        assert_false(exists("taken.part"));
        assert_false(exists("taken/journal.txt"));
        assert_false(exists("taken/noise.csv"));
        assert_string_equal(read_text("taken/notes.md"), there ? "mine" : "(absent)");
        assert_int_equal(directory_remove(path), 0);
    }
}

/* As killed programs leave them: what is at `path` then, and whether there is something to resume.
 */
static void after_a_kill(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s", place("killed"));
    snprintf(part, sizeof part, "%s", place("killed.part"));

    make_new(path); /* exchanged; the earlier one is not removed, or half */
    for (int half = 0; half < 2; half++) {
        make_run("killed.part");
        if (half) assert_int_equal(unlink(place("killed.part/points.csv")), 0);
        write_in(path, "journal.txt", "done x\nend\n");
        assert_int_equal(place_recover(path, part), 0);
        assert_string_equal(read_text("killed/points.csv"), "new");
        assert_false(exists("killed/journal.txt"));
        assert_false(exists("killed.part"));
    }

    make_directory("killed.part"); /* all of the earlier one is removed but its directory */
    assert_int_equal(place_recover(path, part), 0);
    assert_false(exists("killed.part"));

    assert_int_equal(rename(path, part), 0); /* in two steps; after the first */
    write_in(part, "journal.txt", "done x\nend\n");
    make_run("killed.part/earlier.whyfast");
    assert_int_equal(place_recover(path, part), 0);
    assert_string_equal(read_text("killed/run.txt"), run_facts);
    assert_string_equal(read_text("killed.part/points.csv"), "new");
    assert_true(exists("killed.part/journal.txt"));
    assert_false(exists("killed.part/earlier.whyfast"));

    assert_int_equal(directory_remove(path), 0); /* after the second */
    assert_int_equal(rename(part, path), 0);
    make_run("killed/earlier.whyfast");
    assert_int_equal(place_recover(path, part), 0);
    assert_string_equal(read_text("killed/points.csv"), "new");
    assert_false(exists("killed/earlier.whyfast"));
    assert_false(exists("killed/journal.txt"));

    write_in(path, "run.txt",
             "whyfast run 1\nstatus: unfinished\n"); /* somebody has moved it there */
    write_in(path, "journal.txt", "done x\nend\n");
    assert_int_equal(place_recover(path, part), 0);
    assert_true(exists("killed/journal.txt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),        cmocka_unit_test(what_is_no_run_is_left_alone),
        cmocka_unit_test(clearing),     cmocka_unit_test(a_run_takes_its_place),
        cmocka_unit_test(after_a_kill),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

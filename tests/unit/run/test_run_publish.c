#include "fixture.h"

#include "run/run_publish.h"

static char path[512], part[520];

static void set_paths(const char *name)
{
    snprintf(path, sizeof path, "%s", place(name));
    snprintf(part, sizeof part, "%s.part", path);
}

/* The name of a file of a run; it stays valid until the next call. */
static const char *in(const char *run, const char *name)
{
    static char file[80];
    snprintf(file, sizeof file, "%s/%s", run, name);
    return file;
}

TEST(names)
{
    static const char *const own[] = {
        "run.txt",         "journal.txt",      "points.csv",          "metrics.csv",
        "charts",          "charts.part",      "report.md",           "coverage.md",
        "earlier.whyfast", "run.txt.12-0.tmp", "samples.csv.1-3.tmp", "index.html",
        "index.js",        "method.html",      "ladder-reduce.html",  "ladder-reduce.js",
        "conflicts.html",  "compare.js",       "whyfast.css"};
    static const char *const others[] = {
        "notes.md",    "points",     "points.csv2", "xpoints.csv",      "notes.md.12-0.tmp",
        "run.txt.bak", "report.pdf", "mine.html",   "ladder-notes.txt", "ladders.html",
        "chart",       ".tmp",       ".csv"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!run_publish_is_own(own[i])) fail_msg("%s", own[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (run_publish_is_own(others[i])) fail_msg("%s", others[i]);
}

TEST(what_is_no_run_is_left_alone)
{
    make_directory("mine");
    write_text("mine/report.md", "a name that the program uses, too");
    FAILS(run_publish_check(place("mine")), FAIL_OUTPUT,
          "mine: contains files that do not belong to a run of whyfast");
    make_directory("begun");
    assert_int_equal(run_publish_check(place("begun")), 0);
    write_text("begun/run.txt.12-0.tmp", "whyf");
    WORKS(run_publish_check(place("begun"))); /* of a program that was killed at once */
    make_run("run");
    write_text("run/notes.md", "mine");
    make_directory("run/figures");
    assert_int_equal(run_publish_check(place("run")), 0);
    assert_int_equal(symlink("begun", place("link")), 0);
    FAILS(run_publish_check(place("link")), FAIL_OUTPUT,
          "link: is a symbolic link, which a result does not replace");
    assert_int_equal(run_publish_check(place("nothing")), 0);
}

TEST(some_runs_are_not_replaced)
{
    static const char words[] = "is or holds the current directory";
    char *here = getcwd(NULL, 0);
    make_run("earlier");
    make_directory("earlier/sub");
    assert_int_equal(run_publish_check_earlier(place("earlier")), 0);
    assert_int_equal(run_publish_check_earlier(place("nothing")), 0);
    assert_int_equal(chdir(place("earlier/sub")), 0);
    FAILS(run_publish_check_earlier(".."), FAIL_OUTPUT, words);
    FAILS(run_publish_check_earlier("."), FAIL_OUTPUT, words);
    assert_int_equal(chdir(here), 0);
    make_run("earli"); /* the beginning of its name */
    assert_int_equal(chdir(place("earlier")), 0);
    assert_int_equal(run_publish_check_earlier("../earli"), 0);
    assert_int_equal(chdir(here), 0);
    free(here);
    write_text("earlier/points.csv.xz", "packed");
    FAILS(run_publish_check_earlier(place("earlier")), FAIL_OUTPUT, "earlier: is a recorded run");
}

TEST(files_of_a_run_are_known)
{
    static const char *const names[] = {"run.txt", "samples.csv", "points.csv.xz", "index.html"};
    make_run("known");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        FAILS(run_publish_check_file(place(in("known", names[i]))), FAIL_OUTPUT,
              "belongs to the run");
    assert_int_equal(symlink("known/run.txt", place("leads")), 0);
    FAILS(run_publish_check_file(place("leads")), FAIL_OUTPUT, "leads: belongs to the run");
    assert_int_equal(run_publish_check_file(place("known/trace.json")), 0);
    assert_int_equal(run_publish_check_file(place("samples.csv")), 0);
    assert_int_equal(run_publish_check_file("trace.json"), 0);
}

TEST(clearing)
{
    make_run("cleared");
    write_text("cleared/journal.txt", "");
    write_text("cleared/notes.md", "");
    assert_int_equal(run_publish_clear(place("cleared")), 0);
    assert_true(exists("cleared"));
    assert_false(exists("cleared/*"));
}

/* A complete run with its journal, as it is before it is swapped into place. */
static void make_new(const char *name)
{
    make_directory(name);
    write_text(in(name, "run.txt"), "whyfast run 1\nstatus: complete\n");
    write_text(in(name, "journal.txt"), "done x\n");
    write_text(in(name, "points.csv"), "new");
}

static void make_earlier(const char *name)
{
    make_run(name);
    write_text(in(name, "notes.md"), "mine");
    make_directory(in(name, "figures"));
    write_text(in(name, "figures/one"), "mine, too");
    write_text(in(name, "noise.csv"), "of the earlier one");
}

static void expect_new(const char *name, int with_earlier)
{
    assert_string_equal(read_text(in(name, "points.csv")), "new");
    assert_string_equal(read_text(in(name, "notes.md")), with_earlier ? "mine" : "(absent)");
    assert_string_equal(read_text(in(name, "figures/one")),
                        with_earlier ? "mine, too" : "(absent)");
    assert_false(exists(in(name, "journal.txt")));
    assert_false(exists(in(name, "noise.csv")));
    assert_false(exists(in(name, "earlier.whyfast")));
    assert_int_equal(access(part, F_OK), -1);
}

TEST(a_run_is_swapped_into_place)
{
    for (int earlier = 0; earlier < 2; earlier++) {
        set_paths("swapped");
        if (earlier) make_earlier("swapped");
        make_new("swapped.part");
        assert_int_equal(run_publish_swap(path, part), 0);
        assert_int_equal(run_publish_finish(path), 0);
        expect_new("swapped", earlier);
        assert_int_equal(directory_remove(path), 0);
    }
}

/* The states that killed programs leave. */
TEST(after_a_kill)
{
    set_paths("killed");
    make_new("killed.part"); /* after the first rename */
    make_earlier("killed.part/earlier.whyfast");
    assert_int_equal(run_publish_recover(path, part), 0);
    assert_string_equal(read_text("killed/run.txt"), run_facts);
    assert_string_equal(read_text("killed/notes.md"), "mine");
    assert_string_equal(read_text("killed.part/points.csv"), "new");
    assert_true(exists("killed.part/journal.txt"));
    assert_false(exists("killed.part/earlier.whyfast"));

    for (int half = 0; half < 2; half++) { /* after the second; the earlier run is partly removed */
        assert_int_equal(directory_remove(path), 0);
        assert_int_equal(directory_remove(part), 0);
        make_new("killed");
        make_earlier("killed/earlier.whyfast");
        if (half) assert_int_equal(unlink(place("killed/earlier.whyfast/points.csv")), 0);
        assert_int_equal(run_publish_recover(path, part), 0);
        expect_new("killed", 1);
    }

    write_text("killed/journal.txt", "done x\n"); /* only the journal is left */
    assert_int_equal(run_publish_recover(path, part), 0);
    expect_new("killed", 1);

    write_text("killed/run.txt", "whyfast run 1\nstatus: unfinished\n"); /* moved by the user */
    write_text("killed/journal.txt", "done x\n");
    assert_int_equal(run_publish_recover(path, part), 0);
    assert_true(exists("killed/journal.txt"));
}

RUN_TESTS(fixture_open, fixture_close)

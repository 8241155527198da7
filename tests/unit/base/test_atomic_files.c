#include "fixture.h"

#include "base/atomic_files.h"

static void a_group_appears_together(void **state)
{
    struct atomic_files group = {.count = 0};
    FILE *file;
    (void)state;
    make_directory("group");
    write_text("group/a", "old a");
    assert_int_equal(atomic_files_begin(&group, place("group"), "a", &file), 0);
    fputs("new a", file);
    assert_int_equal(atomic_files_begin(&group, place("group"), "b", &file), 0);
    fputs("new b", file);
    assert_int_equal(atomic_files_end(&group, 0), 0);
    assert_string_equal(read_text("group/a"), "new a");
    assert_string_equal(read_text("group/b"), "new b");
    memset(&group, 0, sizeof group);
    assert_int_equal(atomic_files_begin(&group, place("group"), "a", &file), 0);
    fputs("newer a", file);
    assert_int_equal(atomic_files_begin(&group, place("group"), "b", &file), 0);
    if (!access("/dev/full", W_OK)) {
        dup2(open("/dev/full", O_WRONLY),
             fileno(file)); /* the second file is lost: the first must not appear either */
        fputs("newer b", file);
        FAILS(atomic_files_end(&group, 0), FAIL_OUTPUT, "group/b: cannot write");
    } else {
        assert_int_equal(atomic_files_end(&group, FAIL_CHECK), FAIL_CHECK);
    }
    assert_string_equal(read_text("group/a"), "new a");
    assert_string_equal(read_text("group/b"), "new b");
    assert_false(exists("group/*.tmp"));
    assert_false(exists("group/*.tmp"));
}

/* A file that the group has is given again, and what is buffered can be written early. */
static void what_is_begun_is_given_again(void **state)
{
    struct atomic_files group = {.count = 0};
    FILE *first, *again, *other;
    (void)state;
    make_directory("again");
    assert_int_equal(atomic_files_begin(&group, place("again"), "a", &first), 0);
    assert_int_equal(atomic_files_begin(&group, place("again"), "b", &other), 0);
    assert_int_equal(atomic_files_begin(&group, place("again"), "a", &again), 0);
    assert_ptr_equal(first, again);
    assert_ptr_not_equal(first, other);
    assert_int_equal(group.count, 2);
    fputs("one, ", first);
    SUCCEEDS(atomic_files_flush(&group), "");
    fputs("two", again);
    assert_int_equal(atomic_files_end(&group, 0), 0);
    assert_string_equal(read_text("again/a"), "one, two");
    if (access("/dev/full", W_OK)) return;
    assert_int_equal(atomic_files_begin(&group, place("again"), "a", &first), 0);
    dup2(open("/dev/full", O_WRONLY), fileno(first));
    fputs("lost", first);
    FAILS(atomic_files_flush(&group), FAIL_OUTPUT, "again/a: cannot write");
    assert_int_equal(atomic_files_end(&group, FAIL_OUTPUT), FAIL_OUTPUT);
    assert_string_equal(read_text("again/a"), "one, two");
}

/* The names of two files and a directory: as a program leaves them that was killed when it had
 * renamed `done` of them. */
static void leave_half(int done)
{
    static const char *const names[] = {"a", "b", "charts"};
    char note[200] = "whyfast replacing 1\n";
    directory_remove(place("half"));
    make_directory("half");
    write_text("half/a", "old a");
    make_directory("half/charts");
    write_text("half/charts/old", "old");
    for (int i = 0; i < 3; i++) {
        char fresh[40], path[80];
        snprintf(fresh, sizeof fresh, i == 2 ? "charts.part" : "%s.1-0.tmp", names[i]);
        snprintf(note + strlen(note), sizeof note - strlen(note), "%s %s\n", fresh, names[i]);
        snprintf(path, sizeof path, "half/%s", i < done ? names[i] : fresh);
        if (i == 2 && done == 3) directory_remove(place("half/charts"));
        if (i == 2) make_directory(path);
        if (i == 2) strcat(path, "/new");
        write_text(path, "new");
    }
    strcat(note, "end\n");
    write_text("half/" GROUP_NOTE, note);
}

static void what_was_begun_is_finished(void **state)
{
    (void)state;
    for (int done = 0; done <= 3; done++) {
        leave_half(done);
        assert_int_equal(atomic_files_recover(place("half")), 0);
        assert_string_equal(read_text("half/a"), "new");
        assert_string_equal(read_text("half/b"), "new");
        assert_string_equal(read_text("half/charts/new"), "new");
        assert_false(exists("half/charts/old"));
        assert_false(exists("half/*.tmp"));
        assert_false(exists("half/charts.part"));
        assert_false(exists("half/" GROUP_NOTE));
        assert_int_equal(atomic_files_recover(place("half")), 0); /* there is nothing to finish */
    }
}

static void a_note_names_nothing_elsewhere(void **state)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", "expected 'end' at its end"},
        {"whyfast replacing 2\nend\n", "replacing.txt:1: expected 'whyfast replacing 1'"},
        {"whyfast replacing 1\na.1-0.tmp a\n", "expected 'end' at its end"},
        {"whyfast replacing 1\nalone\nend\n", "expected two names, found 'alone'"},
        {"whyfast replacing 1\n../kept a\nend\n", "expected two names, found '../kept a'"},
        {"whyfast replacing 1\na /tmp/x\nend\n", "expected two names"},
        {"whyfast replacing 1\na .\nend\n", "expected two names"},
    };
    (void)state;
    make_directory("noted");
    write_text("kept", "elsewhere");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_text("noted/" GROUP_NOTE, rows[i].text);
        FAILS(atomic_files_recover(place("noted")), FAIL_INPUT, rows[i].words);
    }
    assert_string_equal(read_text("kept"), "elsewhere");
}

/* One file of the group cannot have its name: the others wait with it, and all have theirs when
 * it can. */
static void a_group_that_cannot_be_finished_waits(void **state)
{
    struct atomic_files group = {.count = 0};
    FILE *file;
    (void)state;
    make_directory("waiting");
    assert_int_equal(atomic_files_begin(&group, place("waiting"), "a", &file), 0);
    fputs("a", file);
    assert_int_equal(atomic_files_begin(&group, place("waiting"), "b", &file), 0);
    fputs("b", file);
    make_directory("waiting/b"); /* after it was begun */
    FAILS(atomic_files_end(&group, 0), FAIL_OUTPUT, "waiting/b: cannot replace: Is a directory");
    FAILS(atomic_files_recover(place("waiting")), FAIL_OUTPUT,
          "waiting/b: cannot replace: Is a directory");
    assert_int_equal(directory_remove(place("waiting/b")), 0);
    assert_int_equal(atomic_files_recover(place("waiting")), 0);
    assert_string_equal(read_text("waiting/a"), "a");
    assert_string_equal(read_text("waiting/b"), "b");
    assert_false(exists("waiting/*.tmp"));
    assert_false(exists("waiting/" GROUP_NOTE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_appears_together),
        cmocka_unit_test(what_is_begun_is_given_again),
        cmocka_unit_test(what_was_begun_is_finished),
        cmocka_unit_test(a_note_names_nothing_elsewhere),
        cmocka_unit_test(a_group_that_cannot_be_finished_waits),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

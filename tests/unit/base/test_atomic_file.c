#include "fixture.h"

TEST(appears_whole_or_not_at_all)
{
    struct atomic_file output;
    make_directory("out");
    write_text("out/x", "earlier");
    assert_int_equal(atomic_file_begin(&output, place("out"), "x"), 0);
    fputs("half", output.file);
    fflush(output.file);
    assert_string_equal(read_text("out/x"), "earlier");
    assert_int_equal(atomic_file_end(&output, FAIL_CHECK), FAIL_CHECK);
    assert_string_equal(read_text("out/x"), "earlier");
    assert_false(exists("out/*.tmp"));
    assert_int_equal(atomic_file_begin(&output, place("out"), "x"), 0);
    fputs("new", output.file);
    assert_int_equal(atomic_file_end(&output, 0), 0);
    assert_string_equal(read_text("out/x"), "new");
    assert_false(exists("out/*.tmp"));
    assert_int_equal(atomic_file_begin(&output, place("out"), "x"), 0);
    fputs("wrong", output.file);
    assert_int_equal(atomic_file_end(&output, FAIL_CHECK), FAIL_CHECK);
    assert_string_equal(read_text("out/x"), "new");
    char zero[] = "a\0b";
    assert_int_equal(atomic_file_write(place("out"), "x", &(struct text){zero, 3, 3, 0}), 0);
    struct stat status;
    assert_int_equal(stat(place("out/x"), &status), 0);
    assert_int_equal(status.st_size, 3);
    FAILS(atomic_file_begin(&output, place("nowhere"), "x"), FAIL_OUTPUT,
          "nowhere/x: cannot write: No such file");
}

/* A file appears whole or not at all; a device cannot, and a file must not replace it. */
TEST(what_is_no_file_stays_what_it_is)
{
    struct atomic_file output;
    struct stat status;
    make_directory("opened");
    write_text("opened/x", "earlier");
    assert_int_equal(atomic_file_open(&output, place("opened/x")), 0);
    fputs("new", output.file);
    fflush(output.file);
    assert_string_equal(read_text("opened/x"), "earlier");
    assert_int_equal(atomic_file_end(&output, FAIL_CHECK), FAIL_CHECK);
    assert_string_equal(read_text("opened/x"), "earlier");
    assert_false(exists("opened/*.tmp"));
    assert_int_equal(atomic_file_open(&output, place("opened/x")), 0);
    fputs("new", output.file);
    assert_int_equal(atomic_file_end(&output, 0), 0);
    assert_string_equal(read_text("opened/x"), "new");
    assert_int_equal(mkfifo(place("opened/pipe"), 0600), 0);
    const int reader = open(place("opened/pipe"), O_RDONLY | O_NONBLOCK);
    char told[8] = "";
    for (int result = 0; result >= FAIL_CHECK; result--) {
        assert_int_equal(atomic_file_open(&output, place("opened/pipe")), 0);
        fputs("told", output.file);
        assert_int_equal(atomic_file_end(&output, result), result);
        assert_int_equal(read(reader, told, sizeof told), 4);
        assert_string_equal(told, "told");
        assert_int_equal(stat(place("opened/pipe"), &status), 0);
        assert_true(S_ISFIFO(status.st_mode));
    }
    close(reader);
    assert_false(exists("opened/*.tmp"));
    FAILS(atomic_file_open(&output, place("opened")), FAIL_OUTPUT,
          "opened: cannot write: Is a directory");
    FAILS(atomic_file_open(&output, place("nowhere/x")), FAIL_OUTPUT,
          "nowhere/x: cannot write: No such file");
}

/* Files beside the place are the user's, and a link stays a link. */
TEST(nothing_else_is_touched)
{
    struct atomic_file output;
    struct stat status;
    char name[80];
    make_directory("user");
    write_text("user/x.tmp", "the user's");
    snprintf(name, sizeof name, "user/x.%ld-0.tmp", (long)getpid());
    write_text(name, "of a program that was killed");
    make_directory("user/far");
    write_text("user/far/file", "earlier");
    assert_int_equal(symlink("far/file", place("user/x")), 0);
    for (int how = 0; how < 2; how++) {
        WORKS(how ? atomic_file_open(&output, place("user/x"))
                  : atomic_file_begin(&output, place("user"), "x"));
        fputs(how ? "opened" : "begun", output.file);
        assert_string_equal(read_text("user/far/file"), how ? "begun" : "earlier");
        assert_int_equal(atomic_file_end(&output, 0), 0);
        assert_string_equal(read_text("user/far/file"), how ? "opened" : "begun");
        assert_int_equal(lstat(place("user/x"), &status), 0);
        assert_true(S_ISLNK(status.st_mode));
    }
    assert_false(exists("user/far/*.tmp"));
    assert_string_equal(read_text("user/x.tmp"), "the user's");
    assert_string_equal(read_text(name), "of a program that was killed");
    write_text("user/y.tmp", "the user's");
    assert_int_equal(atomic_file_open(&output, place("user/y")), 0);
    assert_int_equal(atomic_file_end(&output, FAIL_CHECK), FAIL_CHECK);
    assert_string_equal(read_text("user/y.tmp"), "the user's");
    assert_int_equal(symlink("nothing", place("user/lost")), 0);
    FAILS(atomic_file_open(&output, place("user/lost")), FAIL_OUTPUT,
          "user/lost: cannot write to the target of this link: No such file");
    assert_int_equal(symlink("round", place("user/round")), 0);
    FAILS(atomic_file_begin(&output, place("user"), "round"), FAIL_OUTPUT,
          "user/round: cannot write to the target of this link: Too many levels");
    assert_int_equal(lstat(place("user/lost"), &status), 0);
    assert_false(exists("user/nothing"));
}

TEST(a_full_disk_is_noticed)
{
    struct atomic_file output;
    if (access("/dev/full", W_OK)) SKIP("there is no /dev/full here");
    make_directory("out");
    write_text("out/x", "earlier");
    assert_int_equal(atomic_file_begin(&output, place("out"), "x"), 0);
    dup2(open("/dev/full", O_WRONLY), fileno(output.file));
    fputs("lost", output.file);
    FAILS(atomic_file_end(&output, 0), FAIL_OUTPUT, "out/x: cannot write: No space left on device");
    assert_string_equal(read_text("out/x"), "earlier");
    assert_false(exists("out/*.tmp"));
}

/* No file of a list is renamed before all of them are complete. */
TEST(a_list_appears_together)
{
    struct atomic_files files = {.count = 0};
    FILE *file;
    make_directory("list");
    write_text("list/a", "old a");
    assert_int_equal(atomic_files_begin(&files, place("list"), "a", &file), 0);
    fputs("new a", file);
    assert_int_equal(atomic_files_begin(&files, place("list"), "b", &file), 0);
    fputs("new b", file);
    assert_string_equal(read_text("list/a"), "old a");
    assert_int_equal(atomic_files_end(&files, 0), 0);
    assert_string_equal(read_text("list/a"), "new a");
    assert_string_equal(read_text("list/b"), "new b");
    assert_int_equal(atomic_files_begin(&files, place("list"), "a", &file), 0);
    fputs("newer a", file);
    assert_int_equal(atomic_files_begin(&files, place("list"), "b", &file), 0);
    if (!access("/dev/full", W_OK)) {
        dup2(open("/dev/full", O_WRONLY), fileno(file));
        fputs("newer b", file);
        FAILS(atomic_files_end(&files, 0), FAIL_OUTPUT, "list/b: cannot write");
    } else {
        assert_int_equal(atomic_files_end(&files, FAIL_CHECK), FAIL_CHECK);
    }
    assert_string_equal(read_text("list/a"), "new a");
    assert_string_equal(read_text("list/b"), "new b");
    assert_false(exists("list/*.tmp"));
    for (int i = 0; i < 100; i++)
        assert_int_equal(atomic_files_begin(&files, place("list"), "c", &file), 0);
    FAILS(atomic_files_begin(&files, place("list"), "c", &file), FAIL_OUTPUT,
          "list/c: more than 100 files at once");
    assert_int_equal(atomic_files_end(&files, FAIL_OUTPUT), FAIL_OUTPUT);
    assert_false(exists("list/c*"));
}

TEST(temporary_names)
{
    static const struct {
        const char *name;
        size_t length;
    } rows[] = {
        {"x.123-0.tmp", 1}, {"a.csv.1-22.tmp", 5}, {"x.tmp", 0},    {"x.1.tmp", 0}, {"x.-1.tmp", 0},
        {"x.1-.tmp", 0},    {".1-0.tmp", 0},       {"x1-0.tmp", 0}, {"x.1-0", 0},   {"", 0},
        {".tmp", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(atomic_file_temporary_of(rows[i].name), rows[i].length);
}

TEST(directories)
{
    char path[600];
    snprintf(path, sizeof path, "%s", place("deep/er/and deeper"));
    assert_int_equal(directory_make(path), 0);
    assert_int_equal(directory_make(path), 0);
    write_text("deep/er/file", "x");
    FAILS(directory_make(place("deep/er/file/below")), FAIL_OUTPUT,
          "deep/er/file: cannot make the directory: Not a directory");
    write_text("kept", "outside");
    snprintf(path, sizeof path, "%s", place("kept"));
    assert_int_equal(symlink(path, place("deep/er/link")), 0);
    assert_int_equal(directory_remove(place("deep")), 0);
    assert_false(exists("deep"));
    assert_string_equal(read_text("kept"), "outside"); /* removes a link, not its target */
    assert_int_equal(directory_remove(place("deep")), 0);
}

TEST(copies)
{
    char from[600];
    make_directory("copies");
    snprintf(from, sizeof from, "%s", write_bytes("from", "a\0b", 3));
    assert_int_equal(file_copy(from, place("copies"), "to"), 0);
    size_t length;
    char *text = text_read_file(place("copies/to"), &length);
    assert_int_equal(length, 3);
    assert_memory_equal(text, "a\0b", 3);
    free(text);
    FAILS(file_copy("/nowhere/from", place("copies"), "to"), FAIL_INPUT,
          "/nowhere/from: cannot read");
    FAILS(file_copy(from, "/nowhere", "to"), FAIL_OUTPUT, "/nowhere/to: cannot write");
}

RUN_TESTS(fixture_open, fixture_close)

#include "fixture.h"

#include <time.h>

#include "base/text.h"
#include "code/source_file.h"

static const char text[] = "one\n\n  three\r\nfour";

/* Returns the hash of a string, as a run records it. */
static const char *hash_of(const char *bytes)
{
    static char hash[17];
    return hash_text(hash_bytes(HASH_START, bytes, strlen(bytes)), hash);
}

/* Sets the time of the last change, in seconds after the date of the runs, 2026-01-02T03:04:05Z. */
static void change_at(const char *name, long seconds)
{
    struct timespec times[2] = {{1767323045 + seconds, 0}, {1767323045 + seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, place(name), times, 0), 0);
}

static struct source source; /* until the next one */

static void open_text(const char *path, const char *hash, const char *status, const char *date,
                      const char *carried)
{
    const struct source_record record = {path, hash, status, date, carried};
    source_free(&source);
    assert_int_equal(source_open(&source, place("root"), &record), 0);
}

static void opens(const char *path, const char *hash, const char *status, const char *date)
{
    open_text(path, hash, status, date, NULL);
}

static const char date[] = "2026-01-02T03:04:05Z";

static int make_root(void **state)
{
    (void)state;
    make_directory("root/kernels/f");
    write_text("root/kernels/f/01_a.cu", text);
    change_at("root/kernels/f/01_a.cu", -60);
    return 0;
}

/* The published test vectors of FNV-1a with 64 bits. */
TEST(hashes_are_those_of_fnv)
{
    assert_string_equal(hash_of(""), "cbf29ce484222325");
    assert_string_equal(hash_of("a"), "af63dc4c8601ec8c");
    assert_string_equal(hash_of("foobar"), "85944171f73967e8");
}

TEST_WITHIN(the_same_file_has_text, make_root, NULL)
{
    opens("kernels/f/01_a.cu", hash_of(text), "ok", date);
    assert_string_equal(source.state, "same");
    assert_null(source.message);
    assert_int_equal(source.line_count, 4);
    assert_string_equal(source.line[0], "one");
    assert_string_equal(source.line[1], "");
    assert_string_equal(source.line[2], "  three");
    assert_string_equal(source.line[3], "four");
    source_free(&source);
    assert_null(source.text);
}

TEST_WITHIN(a_file_that_is_newer_and_the_same_is_the_same, make_root, NULL)
{
    change_at("root/kernels/f/01_a.cu", 3600);
    opens("kernels/f/01_a.cu", hash_of(text), "ok", date);
    assert_string_equal(source.state, "same");
    assert_null(source.message);
}

TEST_WITHIN(the_last_line_need_not_end, make_root, NULL)
{
    write_text("root/kernels/f/02_b.cu", "a\nb\n");
    opens("kernels/f/02_b.cu", hash_of("a\nb\n"), "ok", date);
    assert_int_equal(source.line_count, 2);
    write_text("root/kernels/f/02_b.cu", "");
    opens("kernels/f/02_b.cu", hash_of(""), "ok", date);
    assert_string_equal(source.state, "same");
    assert_int_equal(source.line_count, 0);
}

TEST_WITHIN(another_file_has_no_text, make_root, NULL)
{
    char expected[300];
    opens("kernels/f/01_a.cu", "0123456789abcdef", "ok", date);
    assert_string_equal(source.state, "differs");
    assert_null(source.text);
    assert_int_equal(source.line_count, 0);
    snprintf(expected, sizeof expected,
             "kernels/f/01_a.cu differs from what was measured (hash %s, then 0123456789abcdef); "
             "its lines are shown without text",
             hash_of(text));
    assert_string_equal(source.message, expected);
}

TEST_WITHIN(a_change_after_the_run_is_told, make_root, NULL)
{
    change_at("root/kernels/f/01_a.cu", 1);
    opens("kernels/f/01_a.cu", "0123456789abcdef", "ok", date);
    holds(source.message, ", then 0123456789abcdef): it was changed after the run; its lines");
    change_at("root/kernels/f/01_a.cu", 0);
    opens("kernels/f/01_a.cu", "0123456789abcdef", "ok", date);
    lacks(source.message, "after the run");
    change_at("root/kernels/f/01_a.cu", 3600);
    static const char *const none[] = {NULL, "", "yesterday", "2026-01-02T03:04:05Z or so"};
    for (int i = 0; i < 4; i++) {
        opens("kernels/f/01_a.cu", "0123456789abcdef", "ok", none[i]);
        lacks(source.message, "after the run");
    }
}

TEST_WITHIN(without_a_hash_nothing_is_shown, make_root, NULL)
{
    opens("kernels/f/01_a.cu", NULL, "absent: it was not found", date);
    assert_string_equal(source.state, "unverified");
    assert_null(source.text);
    assert_string_equal(source.message, "the run has no hash of kernels/f/01_a.cu (absent: it was "
                                        "not found); its lines are shown without text");
    change_at("root/kernels/f/01_a.cu", 60);
    opens("kernels/f/01_a.cu", NULL, "absent: it was not found", date);
    holds(source.message, ", and the file is newer than the run");
}

TEST_WITHIN(files_not_found_are_missing, make_root, NULL)
{
    opens("kernels/f/09_gone.cu", hash_of(text), "ok", date);
    assert_string_equal(source.state, "missing");
    assert_string_equal(source.message, "kernels/f/09_gone.cu: cannot read: No such file or "
                                        "directory; its lines are shown without text");
    opens("kernels/f", hash_of(text), "ok", date);
    assert_string_equal(source.state, "missing");
    assert_string_equal(source.message,
                        "kernels/f is not a file; its lines are shown without text");
}

/* A foreign run may name any path; only files of the project are opened. */
TEST_WITHIN(only_files_of_the_project_are_read, make_root, NULL)
{
    static const char *const foreign[] = {"include/cub/block/block_reduce.cuh",
                                          "/etc/passwd",
                                          "kernels/../secret",
                                          "kernels/f/../../secret",
                                          "kernels/f/..",
                                          "..",
                                          "",
                                          "harness/main.c",
                                          "Kernels/f/01_a.cu"};
    write_text("root/secret", text);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        opens(foreign[i], hash_of(text), "ok", date);
        assert_string_equal(source.state, "foreign");
        assert_null(source.text);
        holds(source.message, "is not a file of the project");
        assert_int_equal(source_is_of_project(foreign[i]), 0);
    }
    assert_int_equal(source_is_of_project("kernels/reduce/01_x.cu"), 1);
    assert_int_equal(source_is_of_project("kernels/f/..hidden.h"), 1);
}

TEST(a_file_that_a_program_deleted_is_gone)
{
    char hash[17], status[SOURCE_STATUS];
    assert_null(source_read_of_program("", "/no/such/place/kernel.cu", hash, status));
    opens("/no/such/place/kernel.cu", NULL, status, date);
    assert_string_equal(source.state, "gone");
    assert_null(source.text);
    holds(source.message, "/no/such/place/kernel.cu was gone when");
}

TEST_WITHIN(a_run_carries_its_text, make_root, NULL)
{
    open_text("kernels/f/gone.cu", hash_of("a\nb\n"), "ok", date, "a\nb\n");
    assert_string_equal(source.state, "same");
    assert_int_equal(source.line_count, 2);
    assert_string_equal(source.line[1], "b");
    open_text("kernels/f/gone.cu", hash_of("a\nb\n"), "ok", date, "a\nc\n");
    assert_string_equal(source.state, "missing");
}

/* Only hashes of the project's own files are recorded. */
TEST(hashes_are_of_the_project)
{
    char hash[17] = "", expected[17] = "", status[SOURCE_STATUS];
    char *read;
    make_directory("data/kernels/h");
    write_text("data/kernels/h/01_a.cu", "a\n");
    hash_text(hash_bytes(HASH_START, "a\n", 2), expected);
    read = source_read(place("data"), "kernels/h/01_a.cu", hash, status);
    assert_string_equal(read, "a\n");
    free(read);
    assert_string_equal(hash, expected);
    assert_string_equal(status, "ok");
    assert_null(source_read(place("data"), "kernels/h/02_b.cu", hash, status));
    assert_string_equal(status, "absent: the file was not found when it was measured");
    assert_null(source_read(place("data"), "/usr/include/cuda.h", hash, status));
    assert_string_equal(status, "absent: no file of the project");
}

static int close_all(void **state)
{
    source_free(&source);
    return fixture_close(state);
}

RUN_TESTS(fixture_open, close_all)

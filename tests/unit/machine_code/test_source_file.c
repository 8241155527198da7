#include "fixture.h"

#include "base/text.h"
#include "machine_code/source_file.h"

static const char text[] = "one\n\n  three\r\nfour";

/* Returns the hash of a string, as a run records it. */
static const char *hash_of(const char *bytes)
{
    static char hash[17];
    return hash_text(hash_bytes(HASH_START, bytes, strlen(bytes)), hash);
}

static struct source source; /* until the next one */

static void opens(const char *path, const char *hash, const char *status, const char *carried)
{
    const struct source_record record = {path, hash, status, carried};
    source_free(&source);
    assert_int_equal(source_open(&source, &record), 0);
}

/* The published test vectors of FNV-1a with 64 bits. */
TEST(hashes_are_those_of_fnv)
{
    assert_string_equal(hash_of(""), "cbf29ce484222325");
    assert_string_equal(hash_of("a"), "af63dc4c8601ec8c");
    assert_string_equal(hash_of("foobar"), "85944171f73967e8");
}

TEST(a_run_carries_its_text)
{
    opens("kernels/f/01_a.cu", hash_of(text), "ok", text);
    assert_string_equal(source.state, "same");
    assert_null(source.message);
    assert_int_equal(source.line_count, 4);
    assert_string_equal(source.line[0], "one");
    assert_string_equal(source.line[1], "");
    assert_string_equal(source.line[2], "  three");
    assert_string_equal(source.line[3], "four");
    source_free(&source);
    assert_null(source.text);
    opens("kernels/f/02_b.cu", hash_of("a\nb\n"), "ok", "a\nb\n");
    assert_int_equal(source.line_count, 2);
    opens("kernels/f/02_b.cu", hash_of(""), "ok", "");
    assert_string_equal(source.state, "same");
    assert_int_equal(source.line_count, 0);
}

TEST(without_its_text_nothing_is_shown)
{
    static const char missing[] = "absent: the file was not found when it was measured";
    const struct {
        const char *hash, *status, *text;
    } rows[] = {{hash_of("a\nb\n"), "ok", "a\nc\n"}, /* damaged */
                {hash_of("a\nb\n"), "ok", NULL},
                {NULL, missing, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opens("kernels/f/01_a.cu", rows[i].hash, rows[i].status, rows[i].text);
        assert_string_equal(source.state, "missing");
        assert_null(source.text);
        assert_int_equal(source.line_count, 0);
        assert_string_equal(source.message, "kernels/f/01_a.cu is not in the run; its lines are "
                                            "shown without text");
    }
}

/* A foreign run may name any path. */
TEST(other_files_are_foreign)
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
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        opens(foreign[i], hash_of(text), "ok", NULL);
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
    assert_null(
        source_read_of_program((struct source_place){0}, "/no/such/place/kernel.cu", hash, status));
    opens("/no/such/place/kernel.cu", NULL, status, NULL);
    assert_string_equal(source.state, "gone");
    assert_null(source.text);
    holds(source.message, "/no/such/place/kernel.cu was gone when");
}

/* Only hashes of the project's own files are recorded. */
TEST(hashes_are_of_the_project)
{
    char hash[17] = "", expected[17] = "", status[SOURCE_STATUS];
    char *read;
    make_directory("data/kernels/h");
    write_text("data/kernels/h/01_a.cu", "a\n");
    hash_text(hash_bytes(HASH_START, "a\n", 2), expected);
    read = source_read((struct source_place){place("data"), 0}, "kernels/h/01_a.cu", hash, status);
    assert_string_equal(read, "a\n");
    free(read);
    assert_string_equal(hash, expected);
    assert_string_equal(status, "ok");
    assert_null(
        source_read((struct source_place){place("data"), 0}, "kernels/h/02_b.cu", hash, status));
    assert_string_equal(status, "absent: the file was not found when it was measured");
    assert_null(
        source_read((struct source_place){place("data"), 0}, "/usr/include/cuda.h", hash, status));
    assert_string_equal(status, "absent: no file of the project");
}

static struct source_place made(int seconds)
{
    return (struct source_place){NULL, time(NULL) + seconds};
}

/* A report of another tool may be a stranger's, and of another machine. */
TEST(a_report_names_only_older_sources_below_the_current_directory)
{
    char hash[17] = "", status[SOURCE_STATUS], *before = getcwd(NULL, 0);
    write_text("old.cu", "a\n");
    assert_int_equal(directory_make(place("below")), 0);
    assert_int_equal(symlink("../old.cu", place("below/link.cu")), 0);
    assert_int_equal(chdir(place("below")), 0);
    assert_null(source_read_of_report(made(60), place("old.cu"), hash, status));
    assert_null(source_read_of_report(made(60), "../old.cu", hash, status));
    assert_null(source_read_of_report(made(60), "link.cu", hash, status));
    assert_string_equal(status, "absent: the file is not here as it was when the report was made");
    assert_int_equal(chdir(place("")), 0);
    write_text("old.key", "secret\n");
    char *read = source_read_of_report(made(60), place("old.cu"), hash, status);
    assert_string_equal(read, "a\n");
    assert_string_equal(status, "ok");
    free(read);
    assert_null(source_read_of_report(made(-60), place("old.cu"), hash, status));
    assert_string_equal(status, "absent: the file is not here as it was when the report was made");
    assert_null(source_read_of_report(made(60), place("old.key"), hash, status));
    assert_null(source_read_of_report(made(60), place("no.cu"), hash, status));
    source_free(&source);
    WORKS(source_open(&source, &(struct source_record){"/x/no.cu", NULL, status, NULL}));
    assert_string_equal(source.state, "elsewhere");
    holds(source.message, "/x/no.cu is not here as it was when the report was made; ");
    assert_int_equal(chdir(before), 0);
    free(before);
}

static int close_all(void **state)
{
    source_free(&source);
    return fixture_close(state);
}

RUN_TESTS(fixture_open, close_all)

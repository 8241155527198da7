#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "injected/part_files.h"

/* A disk with room for so many bytes. What is in a file already can be replaced. */
static size_t room = SIZE_MAX;

static ssize_t write_to_disk(int file, const void *bytes, size_t count)
{
    struct stat status;
    const int appends = fcntl(file, F_GETFL) & O_APPEND;
    if (fstat(file, &status)) return -1;
    if (!appends && lseek(file, 0, SEEK_CUR) < status.st_size) return write(file, bytes, count);
    const size_t taken = count < room ? count : room;
    if (room == 0) errno = ENOSPC;
    if (room == 0) return -1;
    room -= taken;
    return write(file, bytes, taken);
}

/* The module is not part of the program, but of the library that is loaded into others. */
#define write write_to_disk
#include "injected/part_files.c" /* NOLINT(bugprone-suspicious-include) */
#undef write

#include "fixture.h"

static char *contents(const char *name)
{
    char *text = text_read_file(path_in(place("0"), name).at, NULL);
    assert_non_null(text);
    return text;
}

TEST(rows_wait_until_they_are_flushed)
{
    for (int round = 0; round < 2; round++) {
        struct csv_writer *row = part_row(PART_TOTALS);
        assert_non_null(row);
        csv_text(row, "total");
        csv_integer(row, round);
        part_row_end(row);
        part_flush();
    }
    OWNED char *text = contents("totals.csv");
    assert_string_equal(text, "name,value\ntotal,0\ntotal,1\n");
}

/* A program that watches its descriptors finds none of ours. */
TEST(nothing_stays_open)
{
    const int before = dup(0);
    close(before);
    part_fact("pid", "7");
    part_cubin(0xab, "code", 4);
    part_cubin(0xab, "code", 4); /* the same again */
    const int after = dup(0);
    close(after);
    assert_int_equal(before, after);
    char *fact = contents("process.txt"), *cubin = contents("cubins/ab.cubin");
    assert_string_equal(fact, "pid: 7\n");
    assert_string_equal(cubin, "code");
    free(fact);
    free(cubin);
}

TEST(a_problem_is_written_once)
{
    for (int i = 0; i < 3; i++) part_problem("counters", 2, "refused, by the driver");
    part_problem("samples", -1, "busy");
    OWNED char *text = contents("problems.csv");
    assert_string_equal(
        text, "what,kernel,reason\ncounters,2,\"refused, by the driver\"\nsamples,,busy\n");
}

static void add_total(const char *name)
{
    struct csv_writer *row = part_row(PART_TOTALS);
    assert_non_null(row);
    csv_text(row, name);
    csv_integer(row, 1);
    part_row_end(row);
    part_flush();
}

/* Forgets what an earlier test wrote, and makes the file for the reason. */
static void begin_anew(void)
{
    directory_remove(place("1"));
    assert_int_equal(part_open(place(""), NULL, 0, 0), 1);
    for (int file = 0; file < PART_FILE_COUNT; file++) {
        if (waiting[file].writer.file) fclose(waiting[file].writer.file);
        free(waiting[file].bytes);
    }
    memset(waiting, 0, sizeof waiting);
    write_text(UNWRITTEN_FILE, "        \n");
}

static void reason_is(int number)
{
    OWNED char *text = text_read_file(place(UNWRITTEN_FILE), NULL);
    assert_non_null(text);
    assert_int_equal(strtol(text, NULL, 10), number);
}

/* Half a row would be continued by the next one. */
TEST(a_full_disk_leaves_whole_rows)
{
    begin_anew();
    room = 8;
    add_total("first"); /* half of the header fits */
    reason_is(ENOSPC);
    room = SIZE_MAX;
    add_total("second");
    char *text = text_read_file(place("1/totals.csv"), NULL);
    assert_string_equal(text, "name,value\nsecond,1\n");
    free(text);
    room = 4;
    part_cubin(0xcd, "machine code", 12);
    room = SIZE_MAX;
    part_flush();
    text = text_read_file(place("1/problems.csv"), NULL);
    assert_string_equal(text, "what,kernel,reason\ncubins,,the machine code cannot be written\n");
    free(text);
}

/* A write beyond the limit would end the program by a signal. */
TEST(a_limit_of_the_file_size_is_kept)
{
    int status;
    begin_anew();
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit little = {20, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &little);
        add_total("a name that is too long");
        setrlimit(RLIMIT_FSIZE, &none);
        add_total("later");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    reason_is(EFBIG);
    OWNED char *text = text_read_file(place("1/totals.csv"), NULL);
    assert_string_equal(text, "name,value\nlater,1\n");
}

TEST(a_file_is_replaced_as_a_whole_or_not)
{
    begin_anew();
    OWNED char *path = strdup(place("replaced"));
    assert_true(part_replace(path, "first", 5));
    assert_true(part_replace(path, "next", 4));
    reason_is(0);
    room = 8;
    assert_false(part_replace(path, "too long for it", 15));
    room = SIZE_MAX;
    reason_is(ENOSPC);
    assert_string_equal(read_text("replaced"), "next");
    assert_false(exists("replaced.new"));
    assert_false(part_replace(place("nowhere/file"), "text", 4));
    reason_is(ENOENT);
}

TEST(control_characters_are_escaped)
{
    OWNED char *text = part_escaped("a\tb\nc\\d\x1b");
    assert_string_equal(text, "a\\tb\\nc\\\\d?");
}

TEST(a_process_has_the_first_free_number)
{
    static const int numbers[] = {7, 5};
    assert_int_equal(part_open(place(""), numbers, 2, 9), 7);
    assert_int_equal(part_open(place(""), numbers, 2, 9), 5);
    assert_int_equal(part_open(place(""), numbers, 2, 9), 9);
    assert_int_equal(part_open(place(""), numbers, 2, 9), 10);
}

static int open_part(void **state)
{
    const int result = fixture_open(state);
    return result ? result : part_open(place(""), NULL, 0, 0) != 0;
}

RUN_TESTS(open_part, fixture_close)

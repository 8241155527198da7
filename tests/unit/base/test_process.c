/* Tests programs started beside this one: their output, their ends, and which of several has
 * ended. */
#include "fixture.h"

#include "base/process.h"

static int start(struct process *child, const char *script)
{
    const char *const words[] = {"/bin/sh", "-c", script, NULL};
    return process_start(child, (char *const *)(uintptr_t)words, PROCESS_OF_OURS);
}

TEST(output_and_reason_are_kept_apart)
{
    struct process child;
    char path[PROCESS_PATH], reason[64];
    WORKS(start(&child, "echo rows; echo 'whyfast: one' >&2; echo 'whyfast: two' >&2; exit 3"));
    assert_int_equal(process_wait(&child, 1), 0);
    assert_false(process_succeeded(&child));
    char *text = text_read_file(process_path(child.output, path), NULL);
    assert_non_null(text);
    assert_string_equal(text, "rows\n");
    free(text);
    process_reason(&child, reason, sizeof reason);
    assert_string_equal(reason, "two");
    process_free(&child);
    assert_int_equal(process_wait(&child, 1), -1);
}

TEST(one_that_says_nothing_is_spoken_for)
{
    struct process child;
    char reason[80];
    assert_int_equal(start(&child, "exit 4"), 0);
    process_wait(&child, 1);
    process_reason(&child, reason, sizeof reason);
    assert_string_equal(reason, "the process ended with status 4");
    process_free(&child);
    assert_int_equal(start(&child, "kill -9 $$"), 0);
    process_wait(&child, 1);
    process_reason(&child, reason, sizeof reason);
    assert_string_equal(reason, "the process was killed by signal 9");
    process_free(&child);
}

TEST(a_long_output_does_not_block)
{
    OWNED_BY(process_free) struct process child;
    char path[PROCESS_PATH];
    size_t length;
    assert_int_equal(start(&child, "head -c 1000000 /dev/zero | tr '\\0' x"), 0);
    assert_int_equal(process_wait(&child, 1), 0);
    assert_true(process_succeeded(&child));
    free(text_read_file(process_path(child.output, path), &length));
    assert_int_equal(length, 1000000);
}

TEST(the_one_that_ends_is_named)
{
    struct process child[3];
    memset(child, 0, sizeof child);
    make_directory("wait");
    char script[600];
    snprintf(script, sizeof script, "while [ ! -e '%s/go' ]; do sleep 0.01; done", place("wait"));
    assert_int_equal(start(&child[0], script), 0);
    assert_int_equal(start(&child[2], "exit 0"), 0);
    assert_int_equal(process_wait(child, 3), 2);
    write_text("wait/go", "");
    assert_int_equal(process_wait(child, 3), 0);
    assert_int_equal(process_wait(child, 3), -1);
    process_free(&child[0]);
    process_free(&child[2]);
}

TEST(a_program_that_is_not_there_ends_with_127)
{
    OWNED_BY(process_free) struct process child;
    const char *const words[] = {"/no/such/program", NULL};
    assert_int_equal(process_start(&child, (char *const *)(uintptr_t)words, PROCESS_OF_OURS), 0);
    process_wait(&child, 1);
    assert_false(process_succeeded(&child));
    assert_int_equal(child.status >> 8, 127);
}

TEST(without_room_for_files_nothing_starts)
{
    struct process child;
    OWNED char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", "/no/such/place", 1);
    FAILS(start(&child, "exit 0"), FAIL_OUTPUT, "cannot make a temporary file");
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
}

static int write_and_fail(void *context)
{
    const int *result = context;
    write_text("beside", "done");
    return *result;
}

TEST(work_beside_this_process_leaves_files_and_a_result)
{
    struct process child = {0};
    OWNED char *text;
    assert_int_equal(process_join(&child), 0);
    for (int result = 0; result >= FAIL_INTERRUPTED; result--) {
        assert_int_equal(process_fork(&child, write_and_fail, &result), 0);
        assert_int_equal(process_join(&child), result);
        assert_int_equal(process_join(&child), 0);
    }
    text = text_read_file(place("beside"), NULL);
    assert_string_equal(text, "done");
}

RUN_TESTS(fixture_open, fixture_close)

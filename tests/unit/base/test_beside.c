/* Work in a process beside this one: what comes back of it, and in which order it is said. */
#include "fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>

#include "base/beside.h"
#include "base/message.h"

static int here; /* what the work changes stays there */

static int find_two(void *context, int *found)
{
    fputs("rows\n", context);
    fflush(context);
    error(FAIL_CHECK, "said beside");
    here = 1;
    *found = 2;
    return 0;
}

static void files_findings_and_words_come_back(void **state)
{
    struct beside beside;
    int found = 40;
    (void)state;
    FILE *file = fopen(place("rows"), "w");
    assert_non_null(file);
    listen_to_stderr();
    beside_begin(&beside, find_two, file, -1);
    error(FAIL_CHECK, "said here");
    const int result = beside_end(&beside, 0, &found);
    const char *words = heard();
    assert_string_equal(words, "whyfast: said here\nwhyfast: said beside\n");
    assert_int_equal(result, 0);
    assert_int_equal(found, 42);
    assert_int_equal(here, 0);
    fclose(file);
    assert_string_equal(read_text("rows"), "rows\n");
}

static int go_wrong(void *context, int *found)
{
    (void)found;
    return error(FAIL_INPUT, "%s", (const char *)context);
}

static void its_failure_is_the_failure(void **state)
{
    struct beside beside;
    int found = 0;
    (void)state;
    beside_begin(&beside, go_wrong, (char[]){"a bad file"}, -1);
    FAILS(beside_end(&beside, 0, &found), FAIL_INPUT, "a bad file");
}

static int wait_forever(void *context, int *found)
{
    (void)context;
    (void)found;
    for (;;) pause();
    return 0;
}

/* Who failed does not wait for the rest. */
static void it_is_stopped_after_a_failure_here(void **state)
{
    struct beside beside;
    int found = 7;
    (void)state;
    beside_begin(&beside, wait_forever, NULL, -1);
    assert_true(beside.pid > 0);
    const pid_t pid = beside.pid;
    assert_int_equal(beside_end(&beside, FAIL_CHECK, &found), FAIL_CHECK);
    assert_int_equal(found, 7);
    assert_int_equal(kill(pid, 0), -1);
}

static int die(void *context, int *found)
{
    (void)context;
    (void)found;
    kill(getpid(), SIGKILL);
    return 0;
}

static void one_that_dies_is_a_failure(void **state)
{
    struct beside beside;
    int found = 0;
    (void)state;
    beside_begin(&beside, die, NULL, -1);
    FAILS(beside_end(&beside, 0, &found), FAIL_OUTPUT,
          "a part of the work ended before it was done");
}

/* Without a file for its words there is no process: the work is done at once. */
static void without_a_process_it_is_done_at_once(void **state)
{
    struct beside beside;
    int found = 0;
    (void)state;
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", place("no such directory"), 1);
    beside_begin(&beside, find_two, stderr, -1);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    assert_int_equal(beside.pid, 0);
    assert_int_equal(here, 1);
    assert_int_equal(beside_end(&beside, 0, &found), 0);
    assert_int_equal(found, 2);
}

static int wait_for_a_word(void *context, int *found)
{
    char word;
    (void)found;
    return read(*(int *)context, &word, 1) == 1 ? 0 : FAIL_INPUT;
}

/* A lock is this process's alone. */
static void a_lock_is_not_kept_beside(void **state)
{
    struct beside beside;
    int words[2], found = 0;
    (void)state;
    write_text("locked", "");
    const int lock = open(place("locked"), O_RDONLY), another = open(place("locked"), O_RDONLY);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    assert_int_equal(pipe(words), 0);
    beside_begin(&beside, wait_for_a_word, &words[0], lock);
    assert_int_equal(flock(another, LOCK_EX | LOCK_NB), -1);
    close(lock);
    int tries = 0; /* it may not have closed it yet */
    while (flock(another, LOCK_EX | LOCK_NB) && tries < 1000) tries++, usleep(10000);
    assert_true(tries < 1000);
    assert_int_equal(write(words[1], "w", 1), 1);
    assert_int_equal(beside_end(&beside, 0, &found), 0);
    close(another);
    close(words[0]);
    close(words[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_findings_and_words_come_back),
                                       cmocka_unit_test(its_failure_is_the_failure),
                                       cmocka_unit_test(it_is_stopped_after_a_failure_here),
                                       cmocka_unit_test(one_that_dies_is_a_failure),
                                       cmocka_unit_test(without_a_process_it_is_done_at_once),
                                       cmocka_unit_test(a_lock_is_not_kept_beside)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

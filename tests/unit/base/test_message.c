/*
 * Tests messages on stderr at each level, and interrupts, each of which is noticed once.
 */
#include "fixture.h"

#include <signal.h>
#include <sys/wait.h>

static const char *spoken(enum message_level level)
{
    message_level_set(level);
    listen_to_stderr();
    assert_int_equal(error(FAIL_INPUT, "an %s", "error"), FAIL_INPUT);
    warning("a %s", "warning");
    note("a %s", "note");
    detail("a %s", "detail");
    message_bar("[##..]"); /* no terminal: nothing */
    message_level_set(MESSAGE_NORMAL);
    return heard();
}

TEST(levels_say_more_and_more)
{
    assert_string_equal(spoken(MESSAGE_QUIET), "whyfast: an error\n");
    assert_string_equal(spoken(MESSAGE_NORMAL),
                        "whyfast: an error\nwhyfast: warning: a warning\nwhyfast: a note\n");
    assert_string_equal(
        spoken(MESSAGE_VERBOSE),
        "whyfast: an error\nwhyfast: warning: a warning\nwhyfast: a note\nwhyfast: a detail\n");
    FAILS(error_memory(), FAIL_OUTPUT, "whyfast: out of memory\n");
}

/* Runs in a process of its own: the first interrupt is noticed, the second ends it. */
TEST(an_interrupt_is_noticed_once)
{
    int status;
    assert_int_equal(interrupted(), 0);
    for (int number = SIGINT, seen = 0; seen < 2; number = SIGTERM, seen++) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            interrupt_watch();
            if (interrupted()) _exit(1);
            raise(number);
            if (!interrupted()) _exit(2);
            raise(number);
            _exit(3);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), number);
    }
    assert_int_equal(interrupted(), 0);
}

/* Runs in a process of its own: SIGHUP interrupts, however often it comes, unless it is ignored. */
TEST(a_closed_terminal_interrupts)
{
    int status;
    for (int ignored = 0; ignored < 2; ignored++) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
            interrupt_watch();
            raise(SIGHUP);
            raise(SIGHUP);
            _exit(interrupted());
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), !ignored);
    }
}

TEST(the_clock_never_goes_back)
{
    const double before = seconds_now();
    usleep(2000);
    const double passed = seconds_now() - before;
    assert_true(passed >= 0.002);
    assert_true(passed < 60);
}

RUN_TESTS(fixture_open, fixture_close)

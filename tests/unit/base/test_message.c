/*
 * Tests messages on stderr at each level, and interrupts, each of which is noticed once.
 */
#include "fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Says an error on a terminal of 40 columns, and returns what that shows. */
static const char *shown(const char *words)
{
    static char seen[1000];
    const struct winsize size = {.ws_row = 24, .ws_col = 40};
    const int master = posix_openpt(O_RDWR | O_NOCTTY), ours = dup(STDERR_FILENO);
    assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
    const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && !ioctl(terminal, TIOCSWINSZ, &size));
    unsetenv("COLUMNS");
    dup2(terminal, STDERR_FILENO);
    error(FAIL_INPUT, "%s", words);
    fflush(stderr);
    dup2(ours, STDERR_FILENO);
    assert_int_equal(write(terminal, "$", 1), 1); /* the end, which comes in a later piece */
    size_t length = 0;
    do {
        const ssize_t piece = read(master, seen + length, sizeof seen - length);
        assert_true(piece > 0);
        length += (size_t)piece;
    } while (seen[length - 1] != '$');
    seen[length - 1] = 0;
    close(terminal);
    close(master);
    close(ours);
    return seen;
}

TEST(a_terminal_has_lines_that_are_broken_between_words)
{
    assert_string_equal(shown("short"), "whyfast: short\r\n");
    assert_string_equal(shown("a sentence that is exactly 40"),
                        "whyfast: a sentence that is exactly 40\r\n");
    assert_string_equal(shown("a sentence that is longer than one line of it"),
                        "whyfast: a sentence that is longer than\r\n  one line of it\r\n");
    assert_string_equal(
        shown("/a/path/that/is/longer/than/one/line/of/a/terminal is kept\nas  this is"),
        "whyfast:\r\n  /a/path/that/is/longer/than/one/line/of/a/terminal\r\n  is kept\r\n"
        "as  this is\r\n");
    assert_string_equal(shown("\033[2J"), "whyfast: \xEF\xBF\xBD[2J\r\n");
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

/*
 * What is said on stderr at each level, the progress bar on a terminal, and that an interrupt is
 * noticed once.
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
    progress("work", 1, 2); /* no terminal: nothing */
    message_level_set(MESSAGE_NORMAL);
    return heard();
}

static void levels_say_more_and_more(void **state)
{
    (void)state;
    assert_string_equal(spoken(MESSAGE_QUIET), "whyfast: an error\n");
    assert_string_equal(spoken(MESSAGE_NORMAL),
                        "whyfast: an error\nwhyfast: warning: a warning\nwhyfast: a note\n");
    assert_string_equal(
        spoken(MESSAGE_VERBOSE),
        "whyfast: an error\nwhyfast: warning: a warning\nwhyfast: a note\nwhyfast: a detail\n");
    FAILS(error_memory(), FAIL_OUTPUT, "whyfast: out of memory\n");
}

/* What a terminal gets of a step of the work, into `text`; skips where there is none to be had. */
static void on_terminal(char text[512], enum message_level level, int done, int total)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    const int side = terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal) && ptsname(terminal)
                         ? open(ptsname(terminal), O_RDWR | O_NOCTTY)
                         : -1;
    if (side < 0) SKIP("no pseudo-terminal");
    const int was = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(side, STDERR_FILENO);
    message_level_set(level);
    progress("work", done, total);
    message_level_set(MESSAGE_NORMAL);
    fflush(stderr);
    assert_int_equal(write(side, "|", 1), 1); /* so that there is something to read */
    dup2(was, STDERR_FILENO);
    close(was);
    ssize_t length = 0;
    while (length == 0 || text[length - 1] != '|') {
        const ssize_t more = read(terminal, text + length, 500 - (size_t)length);
        assert_true(more > 0);
        length += more;
    }
    text[length - 1] = 0;
    close(side);
    close(terminal);
}

static void a_terminal_shows_how_far_it_is(void **state)
{
    char text[512];
    (void)state;
    on_terminal(text, MESSAGE_NORMAL, 0, 4);
    assert_string_equal(text, "\r\033[Kwork [........................] 0/4");
    on_terminal(text, MESSAGE_NORMAL, 1, 4);
    assert_string_equal(text, "\r\033[Kwork [######..................] 1/4, about 0 s left");
    on_terminal(text, MESSAGE_NORMAL, 4, 4);
    assert_string_equal(text, "\r\033[K"); /* the line is cleared */
    on_terminal(text, MESSAGE_QUIET, 1, 4);
    assert_string_equal(text, "");
    on_terminal(text, MESSAGE_NORMAL, 0, 0);
    assert_string_equal(text, "");
}

/* In a process of its own: the first is noticed, the second ends it. */
static void an_interrupt_is_noticed_once(void **state)
{
    int status;
    (void)state;
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

static void the_clock_never_goes_back(void **state)
{
    (void)state;
    const double before = seconds_now();
    usleep(2000);
    const double passed = seconds_now() - before;
    assert_true(passed >= 0.002);
    assert_true(passed < 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_say_more_and_more),
        cmocka_unit_test(a_terminal_shows_how_far_it_is),
        cmocka_unit_test(an_interrupt_is_noticed_once),
        cmocka_unit_test(the_clock_never_goes_back),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

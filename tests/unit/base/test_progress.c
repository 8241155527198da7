/*
 * Tests the progress bar on a terminal, and the line of a finished stage elsewhere.
 */
#include "fixture.h"

#include "base/message.h"

static void show_bar(void)
{
    progress_begin("measure", "points", 4);
    progress_next(2, "first");
    progress_part(0.5);
}

static void show_message_over_bar(void)
{
    show_bar();
    warning("trouble");
}

static void show_failed_stage(void)
{
    show_bar();
    progress_end(FAIL_GPU);
}

/* Calls `show` with stderr on a pseudo-terminal and returns the output. */
static void on_terminal(char text[512], enum message_level level, void (*show)(void))
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
    show();
    message_bar("");
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

TEST(a_terminal_shows_a_bar)
{
    char text[512];
    on_terminal(text, MESSAGE_NORMAL, show_bar);
    assert_string_equal(text, "\r\033[Kmeasure  [........................] 0/4 points\r\033[K");
    on_terminal(text, MESSAGE_QUIET, show_bar);
    assert_string_equal(text, "");
}

TEST(a_message_takes_the_bar_away)
{
    char text[512];
    on_terminal(text, MESSAGE_NORMAL, show_message_over_bar);
    holds(text, "0/4 points\r\033[Kwhyfast: warning: trouble");
}

TEST(a_stage_that_failed_has_no_line)
{
    char text[512];
    on_terminal(text, MESSAGE_NORMAL, show_failed_stage);
    lacks(text, " in ");
}

/* Checks the line of a finished stage, whatever time it took. */
static void says_finished(const char *stage)
{
    double seconds = -1;
    const char *line = heard();
    const size_t length = strlen(stage);
    assert_int_equal(strncmp(line, stage, length), 0);
    assert_int_equal(sscanf(line + length, " in %lf s\n", &seconds), 1);
    assert_true(seconds >= 0);
}

TEST(a_finished_stage_has_a_line)
{
    listen_to_stderr();
    progress_begin("measure", "points", 4);
    progress_next(4, NULL);
    assert_int_equal(progress_end(0), 0);
    says_finished("whyfast: measure: 4 points");
    listen_to_stderr();
    progress_begin("measure", "points", 1);
    assert_int_equal(progress_end(0), 0);
    says_finished("whyfast: measure: 1 point");
    listen_to_stderr();
    assert_int_equal(progress_end(0), 0);
    assert_string_equal(heard(), "");
    progress_begin("measure", "points", 4);
    listen_to_stderr();
    assert_int_equal(progress_end(FAIL_GPU), FAIL_GPU);
    assert_string_equal(heard(), "");
}

RUN_TESTS(fixture_open, fixture_close)

#include "base/message.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/terminal.h"
#include "base/text.h"

static enum message_level level = MESSAGE_NORMAL;
static volatile sig_atomic_t interrupt_seen;
static int bar_is_shown;
static struct text *kept_words;

enum message_level message_level_set(enum message_level new_level)
{
    const enum message_level earlier = level;
    level = new_level;
    return earlier;
}

/* Writes a line of words, broken at blanks if it is longer than this. No word is cut: it may be a
 * path or a command. */
static void write_broken(char *line, int columns)
{
    enum { INDENT = 2 };
    int column = 0, blanks = 0;
    for (char *word = line; word; word = line) {
        line += terminal_word(line);
        line = *line ? (*line = 0, line + 1) : NULL;
        const int width = terminal_width(word),
                  breaks = column > INDENT && *word && column + blanks + width > columns;
        if (breaks)
            fprintf(stderr, "\n%*s", INDENT, "");
        else
            fprintf(stderr, "%*s", blanks, "");
        column = (breaks ? INDENT : column + blanks) + width;
        blanks = 1;
        text_write_visible(stderr, word);
    }
}

/* On a terminal, lines are broken at its width. */
static void write_message(const char *kind, const char *words)
{
    const int columns = isatty(STDERR_FILENO) ? terminal_columns(STDERR_FILENO) : 0;
    char *hints = program_hints(words);
    if (hints) words = hints;
    char *copy = columns ? text_new("%s%s", kind, words) : NULL, *rest = copy;
    if (!copy) {
        fputs(kind, stderr);
        text_write_visible(stderr, words);
    }
    for (char *line; (line = strsep(&rest, "\n"));) {
        write_broken(line, columns);
        if (rest) fputc('\n', stderr);
    }
    free(hints);
    free(copy);
}

/* The text may quote a stranger's file. A long message is cut if memory is short. */
static void say(const char *kind, const char *format, va_list arguments)
{
    char line[2000], *whole = NULL;
    va_list again;
    va_copy(again, arguments);
    if (vsnprintf(line, sizeof line, format, arguments) >= (int)sizeof line &&
        vasprintf(&whole, format, again) < 0)
        whole = NULL;
    va_end(again);
    fflush(stdout);
    message_bar("");
    write_message(kind, whole ? whole : line);
    fputc('\n', stderr);
    free(whole);
}

struct text *message_keep(struct text *kept)
{
    struct text *earlier = kept_words;
    kept_words = kept;
    return earlier;
}

/* Defines the body of a function that says `format` from a message level on. */
#define SAY_FROM(least, kind)                                                                      \
    va_list arguments;                                                                             \
    if (level < (least)) return;                                                                   \
    va_start(arguments, format);                                                                   \
    say(kind, format, arguments);                                                                  \
    va_end(arguments)

int error(enum failure failure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (kept_words)
        text_format_list(kept_words, format, arguments);
    else
        say("whyfast: ", format, arguments);
    va_end(arguments);
    return failure;
}

int error_memory(void)
{
    return error(FAIL_OUTPUT, "out of memory");
}

void warning(const char *format, ...)
{
    SAY_FROM(MESSAGE_NORMAL, "whyfast: warning: ");
}

void note(const char *format, ...)
{
    SAY_FROM(MESSAGE_NORMAL, "whyfast: ");
}

void detail(const char *format, ...)
{
    SAY_FROM(MESSAGE_VERBOSE, "whyfast: ");
}

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void message_bar(const char *bar)
{
    if (level < MESSAGE_NORMAL || !isatty(STDERR_FILENO)) return;
    if (*bar || bar_is_shown) fprintf(stderr, "\r\033[K%s", bar);
    bar_is_shown = *bar != 0;
    fflush(stderr);
}

static void on_signal(int number)
{
    (void)number;
    interrupt_seen = 1;
}

void interrupt_watch(void)
{
    struct sigaction action, earlier;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESETHAND; /* a second Ctrl-C ends the program at once */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* A terminal that closes and its shell may both send SIGHUP. nohup ignores it. */
    action.sa_flags = 0;
    if (sigaction(SIGHUP, NULL, &earlier) == 0 && earlier.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

int interrupted(void)
{
    return interrupt_seen;
}

/* ---- progress -------------------------------------------------------------------------------- */

/* Redrawing more often would cost more than it tells. */
static const double SECONDS_BETWEEN = 0.1;

static struct {
    const char *stage; /* NULL: none */
    const char *unit;
    int total, done, count; /* done before the units that are under way, and how many these are */
    double part;            /* of those */
    double began, drawn;    /* seconds_now() */
    char what[80];
} now;

/* The length of the unit without its plural's s if there is one in all. */
static int unit_length(void)
{
    return (int)strlen(now.unit) - (now.total == 1);
}

static void append_remaining(char *text, size_t size, double done)
{
    static const double LEAST_SHARE = 0.03; /* a forecast from less would be wild */
    const double elapsed = seconds_now() - now.began;
    if (done < LEAST_SHARE * now.total || elapsed < 1) return;
    const int left = (int)(elapsed / done * (now.total - done) + 0.5);
    if (left < 90)
        snprintf(text, size, ", about %d s left", left);
    else
        snprintf(text, size, ", about %d min left", (left + 30) / 60);
}

static void draw(void)
{
    enum { WIDTH = 24 };
    if (now.total <= 0 || !isatty(STDERR_FILENO)) return;
    if (now.drawn > 0 && seconds_now() - now.drawn < SECONDS_BETWEEN) return;
    now.drawn = seconds_now();
    char bar[WIDTH + 1], line[240], remaining[40] = "";
    double done = now.done + now.count * now.part;
    if (done > now.total) done = now.total;
    const int filled = (int)(WIDTH * done / now.total);
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[WIDTH] = 0;
    append_remaining(remaining, sizeof remaining, done);
    snprintf(line, sizeof line, "%-8s [%s] %d/%d %.*s%s%s%s", now.stage, bar, (int)done, now.total,
             unit_length(), now.unit, remaining, *now.what ? "  " : "", now.what);
    message_bar(line);
}

void progress_begin(const char *stage, const char *unit, int total)
{
    memset(&now, 0, sizeof now);
    now.stage = stage;
    now.unit = unit;
    now.total = total;
    now.began = seconds_now();
    draw();
}

void progress_next(int count, const char *what)
{
    now.done += now.count;
    now.count = count;
    now.part = 0;
    snprintf(now.what, sizeof now.what, "%s", what ? what : "");
    draw();
}

void progress_part(double part)
{
    now.part = part < 0 ? 0 : part > 1 ? 1 : part;
    if (now.stage) draw();
}

int progress_end(int result)
{
    if (!now.stage) return result;
    message_bar("");
    if (!result)
        note("%s: %d %.*s in %.1f s", now.stage, now.total, unit_length(), now.unit,
             seconds_now() - now.began);
    now.stage = NULL;
    return result;
}

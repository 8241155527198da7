#include "base/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"

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

static void append_remaining(char *text, size_t size, double done)
{
    const double elapsed = seconds_now() - now.began;
    if (done <= 0 || elapsed < 1) return;
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
    snprintf(line, sizeof line, "%-8s [%s] %d/%d %s%s%s%s", now.stage, bar, (int)done, now.total,
             now.unit, remaining, *now.what ? "  " : "", now.what);
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
        note("%s: %d %s in %.1f s", now.stage, now.total, now.unit, seconds_now() - now.began);
    now.stage = NULL;
    return result;
}

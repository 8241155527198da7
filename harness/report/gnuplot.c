#include "report/gnuplot.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/message.h"
#include "base/process.h"
#include "base/text.h"

int gnuplot_available(void)
{
    char *program = process_find("gnuplot");
    free(program);
    return program != NULL;
}

/* Paths in a script are relative to its directory. */
static int start(struct process *child, const char *directory, const char *script)
{
    struct text change = {0};
    char *name = text_new("%s", script);
    text_append(&change, "cd '");
    for (; *directory; directory++)
        text_append(&change, *directory == '\'' ? "''" : (char[]){*directory, 0});
    text_append(&change, "'");
    char *const arguments[] = {(char[]){"gnuplot"}, (char[]){"-e"}, change.data, name, NULL};
    const int result = change.failed || !name ? error_memory() : process_start(child, arguments);
    text_free(&change);
    free(name);
    return result;
}

static int judge(const struct process *child, const char *directory, const char *whole)
{
    char reason[400];
    if (process_succeeded(child)) return 0;
    if (WIFEXITED(child->status) && WEXITSTATUS(child->status) == 127)
        return error(FAIL_OUTPUT, "gnuplot is not on the PATH: install it to draw charts");
    process_reason(child, reason, sizeof reason);
    return error(FAIL_OUTPUT, "gnuplot failed on %s/%s: %s", directory, whole, reason);
}

int gnuplot_run(const char *directory, const char *const *script, int count, const char *whole)
{
    struct process *child = calloc((size_t)count + 1, sizeof *child);
    int result = child ? 0 : error_memory(), started = 0, ended;
    setenv("LC_ALL", "C.UTF-8", 1); /* the words of the scripts are UTF-8 */
    while (started < count && !result) {
        result = start(&child[started], directory, script[started]);
        started += !result;
    }
    while (started && (ended = process_wait(child, started)) >= 0)
        if (!result && !interrupted()) result = judge(&child[ended], directory, whole);
    for (int i = 0; i < started; i++) process_free(&child[i]);
    free(child);
    return interrupted() ? FAIL_INTERRUPTED : result;
}

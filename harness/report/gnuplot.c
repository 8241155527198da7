#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/message.h"
#include "base/process.h"
#include "base/text.h"

int gnuplot_available(void)
{
    char *program = process_find("gnuplot");
    free(program);
    return program != NULL;
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

/* Paths in a script are relative to its directory: the children inherit it. */
static int start_all(struct process *child, const char *directory, const char *const *script,
                     int count, int *started)
{
    const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result =
        here < 0 || chdir(directory) ? error(FAIL_OUTPUT, "%s: %s", directory, strerror(errno)) : 0;
    for (*started = 0; *started < count && !result; *started += !result) {
        char *name = text_new("%s", script[*started]);
        char *const arguments[] = {(char[]){"gnuplot"}, name, NULL};
        result = name ? process_start(&child[*started], arguments) : error_memory();
        free(name);
    }
    if (here >= 0 && fchdir(here) && !result)
        result = error(FAIL_OUTPUT, "the working directory no longer exists: %s", strerror(errno));
    if (here >= 0) close(here);
    return result;
}

int gnuplot_run(const char *directory, const char *const *script, int count, const char *whole)
{
    struct process *child = calloc((size_t)count + 1, sizeof *child);
    int started = 0, ended;
    setenv("LC_ALL", "C.UTF-8", 1); /* the words of the scripts are UTF-8 */
    int result = child ? start_all(child, directory, script, count, &started) : error_memory();
    while (started && (ended = process_wait(child, started)) >= 0)
        if (!result && !interrupted()) result = judge(&child[ended], directory, whole);
    for (int i = 0; i < started; i++) process_free(&child[i]);
    free(child);
    return interrupted() ? FAIL_INTERRUPTED : result;
}

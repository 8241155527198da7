#include "report/gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/message.h"
#include "base/process.h"

int gnuplot_available(void)
{
    char *program = process_find("gnuplot");
    free(program);
    return program != NULL;
}

/* 0 when it cannot be started. */
static pid_t start(const char *directory, const char *script)
{
    const pid_t child = fork();
    if (child) return child < 0 ? 0 : child;
    prctl(PR_SET_PDEATHSIG,
          SIGKILL); /* nobody waits for the pictures of a program that was killed */
    /* Paths in the script are relative to the charts; its words are UTF-8, whatever the user's
     * locale. */
    setenv("LC_ALL", "C.UTF-8", 1);
    if (chdir(directory) == 0) execlp("gnuplot", "gnuplot", script, (char *)NULL);
    _exit(127);
}

static int wait_for(pid_t child, const char *directory, const char *script)
{
    int status = 0;
    pid_t ended = 0;
    while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
    if (child == 0 || ended < 0)
        return error(FAIL_OUTPUT, "gnuplot cannot be started: %s", strerror(errno));
    if (interrupted()) return FAIL_INTERRUPTED; /* gnuplot got the Ctrl-C too */
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return error(FAIL_OUTPUT, "gnuplot is not on the PATH: install it to draw charts");
    return error(FAIL_OUTPUT, "gnuplot failed on %s/%s; what it said stands above", directory,
                 script);
}

int gnuplot_run(const char *directory, const char *const *script, int count, const char *whole)
{
    pid_t *child = calloc((size_t)count + 1, sizeof *child);
    if (!child) return error_memory();
    int result = 0;
    for (int i = 0; i < count; i++) child[i] = start(directory, script[i]);
    for (int i = 0; i < count; i++) {
        const int ended = wait_for(child[i], directory, result ? script[i] : whole);
        if (!result) result = ended;
    }
    free(child);
    return result;
}

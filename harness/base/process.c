#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"

enum { GRACE_S = 3 };

int process_start(struct process *child, char *const *arguments, enum process_group is_group)
{
    *child = (struct process){.is_group = is_group};
    child->output = nameless_file();
    child->errors = memfd_create("stderr", MFD_CLOEXEC);
    if (child->output < 0 || child->errors < 0) {
        const int result = error(FAIL_OUTPUT, "cannot make a temporary file: %s", strerror(errno));
        process_free(child);
        return result;
    }
    fflush(NULL); /* or both processes would write what is buffered */
    child->pid = fork();
    if (child->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_DFL);
        if (is_group) setpgid(0, 0), signal(SIGHUP, SIG_DFL); /* no terminal sends it one */
        const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(child->output, STDOUT_FILENO) >= 0 &&
            dup2(child->errors, STDERR_FILENO) >= 0)
            execvp(arguments[0], arguments);
        _exit(127);
    }
    if (child->pid > 0 && is_group) setpgid(child->pid, child->pid); /* whoever comes first */
    if (child->pid > 0) return 0;
    const int result = error(FAIL_OUTPUT, "cannot start %s: %s", arguments[0], strerror(errno));
    process_free(child);
    return result;
}

int process_fork(struct process *child, int (*work)(void *context), void *context)
{
    memset(child, 0, sizeof *child);
    fflush(NULL);
    child->pid = fork();
    if (child->pid < 0) return error(FAIL_OUTPUT, "cannot start a process: %s", strerror(errno));
    if (child->pid > 0) return 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int result = work(context);
    fflush(NULL);
    _exit(result & 0xFF);
}

int process_join(struct process *child)
{
    if (process_wait(child, 1) < 0) return 0;
    if (WIFSIGNALED(child->status)) raise(WTERMSIG(child->status));
    const int result = (signed char)WEXITSTATUS(child->status); /* failures are below 0 */
    if (result > 0) _exit(result);
    return result;
}

char *process_find(const char *program)
{
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p; p += *p == ':') {
        const size_t length = strcspn(p, ":");
        const struct path found = path_of("%.*s/%s", (int)length, p, program);
        if (access(found.at, X_OK) == 0) return strdup(found.at);
        p += length;
    }
    return NULL;
}

int process_self(char path[PROCESS_PATH])
{
    const int program = open("/proc/self/exe", O_PATH | O_CLOEXEC);
    if (program < 0) error(FAIL_OUTPUT, "/proc/self/exe: cannot open: %s", strerror(errno));
    process_path(program, path);
    return program;
}

/* Gives what is left of a group some time to end. */
static void end_group(pid_t group)
{
    const double began = seconds_now();
    while (!kill(-group, 0) && seconds_now() - began < GRACE_S) poll(NULL, 0, 10);
    kill(-group, SIGKILL);
}

int process_wait(struct process *children, int count)
{
    int running = 0, told = 0;
    for (int i = 0; i < count; i++) running += children[i].pid > 0;
    while (running) {
        int status;
        const int tells = interrupted() && !told++;
        for (int i = 0; i < count && tells; i++)
            if (children[i].pid > 0) /* a batch system may signal only this program */
                kill(children[i].is_group ? -children[i].pid : children[i].pid, SIGTERM);
        const pid_t ended = waitpid(count == 1 ? children->pid : -1, &status, 0);
        if (ended < 0 && errno != EINTR) return -1;
        for (int i = 0; i < count && ended > 0; i++) {
            if (children[i].pid != ended) continue;
            if (children[i].is_group && interrupted()) end_group(ended);
            children[i].pid = 0;
            children[i].status = status;
            return i;
        }
    }
    return -1;
}

int process_succeeded(const struct process *child)
{
    return WIFEXITED(child->status) && WEXITSTATUS(child->status) == 0;
}

int process_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

char *process_path(int descriptor, char path[PROCESS_PATH])
{
    snprintf(path, PROCESS_PATH, "/proc/self/fd/%d", descriptor);
    return path;
}

char *process_read(int descriptor)
{
    char path[PROCESS_PATH];
    return text_read_file(process_path(descriptor, path), NULL);
}

void process_reason(const struct process *child, char *reason, size_t size)
{
    static const char own[] = "whyfast: ";
    char *text = process_read(child->errors), *last = NULL;
    for (char *line = text, *end; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        if (*line) last = line;
    }
    const int killed = WIFSIGNALED(child->status);
    if (last)
        snprintf(reason, size, "%s", strncmp(last, own, strlen(own)) ? last : last + strlen(own));
    else
        snprintf(reason, size, "the process %s %d",
                 killed ? "was killed by signal" : "ended with status",
                 killed ? WTERMSIG(child->status) : WEXITSTATUS(child->status));
    free(text);
}

void process_free(struct process *child)
{
    if (child->output > 0) close(child->output);
    if (child->errors > 0) close(child->errors);
    memset(child, 0, sizeof *child);
}

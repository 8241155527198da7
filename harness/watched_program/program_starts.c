#include "watched_program/program_starts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "base/text.h"

static const char LIBRARY[] = "libwhyfast_inject.so";

/* The library leaves an error there (injected/watch_plan.h). */
static const char UNWRITTEN[] = "unwritten";

/* ---- what is started ------------------------------------------------------------------------- */

/* The loader ignores the variables of the injection for a program with privileges of its own. */
static int check_privileges(const char *path, const struct stat *status)
{
    const int has_capabilities = getxattr(path, "security.capability", NULL, 0) > 0;
    if (!(status->st_mode & (S_ISUID | S_ISGID)) && !has_capabilities) return 0;
    error(FAIL_USAGE,
          "%s runs as another user or with capabilities of its own, so no library can be loaded "
          "into it",
          path);
    return STATUS_NOT_EXECUTABLE;
}

int program_find(const char *word, char **path)
{
    struct stat status;
    *path = NULL;
    if (!*word) {
        error(FAIL_USAGE, "run: the name of the program is empty");
        return STATUS_NOT_FOUND;
    }
    *path = strchr(word, '/') ? strdup(word) : process_find(word);
    if (!*path || stat(*path, &status)) {
        error(FAIL_INPUT, "%s: %s", word,
              *path ? strerror(errno) : "there is no such program on the PATH");
        return *path && errno == EACCES ? STATUS_NOT_EXECUTABLE : STATUS_NOT_FOUND;
    }
    if (S_ISREG(status.st_mode) && access(*path, X_OK) == 0)
        return check_privileges(*path, &status);
    error(FAIL_INPUT, "%s: %s", word,
          S_ISREG(status.st_mode) ? "it is not executable" : "it is not a file");
    return STATUS_NOT_EXECUTABLE;
}

char *program_library(void)
{
    char *path = program_file(LIBRARY);
    if (!path)
        error(FAIL_OUTPUT,
              "%s is neither beside this program nor in ../lib/whyfast: build it by make", LIBRARY);
    return path;
}

/* ---- input ----------------------------------------------------------------------------------- */

int program_input_open(struct program_input *input)
{
    struct stat status;
    *input = (struct program_input){.saved = -1};
    if (fstat(STDIN_FILENO, &status)) return 0;
    if (isatty(STDIN_FILENO)) input->kind = INPUT_TERMINAL;
    if (S_ISREG(status.st_mode)) {
        input->kind = INPUT_FILE;
        input->offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
        input->saved = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
    }
    if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)) return 0;
    input->kind = INPUT_PIPE;
    input->saved = nameless_file();
    if (input->saved >= 0) return 0;
    return error(FAIL_OUTPUT, "cannot make a temporary file: %s", strerror(errno));
}

void program_input_close(struct program_input *input)
{
    if (input->saved >= 0) close(input->saved);
    input->saved = -1;
}

/* Passes input on to the program and saves it. */
struct pump {
    int saved; /* descriptor of the copy; -1: no longer */
    int to;    /* end of the pipe to the program; -1: closed */
    char bytes[4096];
    size_t first, end; /* bytes that wait */
    int is_over;       /* our input has ended */
};

static void pump_close(struct pump *pump)
{
    if (pump->to >= 0) close(pump->to);
    pump->to = -1;
}

static void pump_read(struct pump *pump)
{
    const ssize_t count = read(STDIN_FILENO, pump->bytes, sizeof pump->bytes);
    if (count <= 0) {
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
        pump->is_over = 1;
        return;
    }
    pump->first = 0;
    pump->end = (size_t)count;
    if (pump->saved >= 0 && write(pump->saved, pump->bytes, pump->end) != count) {
        warning("the input cannot be saved: %s; later starts get a part of it", strerror(errno));
        pump->saved = -1;
    }
}

static void pump_write(struct pump *pump)
{
    const ssize_t count = write(pump->to, pump->bytes + pump->first, pump->end - pump->first);
    if (count > 0) pump->first += (size_t)count;
    if (count < 0 && errno != EINTR && errno != EAGAIN) pump_close(pump); /* nobody reads it */
}

/* Waits a moment for the input, for room in the pipe, or for the end of the child. */
static void pump_step(struct pump *pump, int child, int milliseconds)
{
    const int waits = pump->first < pump->end;
    struct pollfd file[] = {{.fd = -1}, {.fd = child, .events = POLLIN}};
    if (pump->to >= 0 && waits)
        file[0] = (struct pollfd){.fd = pump->to, .events = POLLOUT};
    else if (pump->to >= 0 && !pump->is_over)
        file[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(file, 2, milliseconds) < 0) return;
    if (file[0].revents && waits)
        pump_write(pump);
    else if (file[0].revents)
        pump_read(pump);
    if (pump->is_over && pump->first == pump->end) pump_close(pump);
}

/* ---- the child ------------------------------------------------------------------------------- */

static int open_output(const char *output, const char *ending)
{
    char *path = text_new("%s.%s", output, ending);
    const int file =
        path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : (errno = ENOMEM, -1);
    if (file < 0) error(FAIL_OUTPUT, "%s: cannot create: %s", path, strerror(errno));
    free(path);
    return file;
}

/* Descriptors of a child; -1: ours. */
struct ends {
    int input, output, errors;
};

static void ends_close(struct ends *ends)
{
    const int file[] = {ends->input, ends->output, ends->errors};
    for (int i = 0; i < 3; i++)
        if (file[i] >= 0) close(file[i]);
}

static int open_again(const struct program_input *input)
{
    if (input->saved < 0 || input->kind == INPUT_TERMINAL)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    lseek(input->saved, input->offset, SEEK_SET);
    return fcntl(input->saved, F_DUPFD_CLOEXEC, 0);
}

static int ends_open(struct ends *ends, struct pump *pump, const struct program_start *start,
                     const struct program_input *input)
{
    int pipes[2];
    *ends = (struct ends){-1, -1, -1};
    if (start->output) {
        ends->input = open_again(input);
        if (ends->input < 0)
            return error(FAIL_OUTPUT, "cannot open the input: %s", strerror(errno));
        ends->output = open_output(start->output, "stdout");
        if (ends->output >= 0) ends->errors = open_output(start->output, "stderr");
        return ends->errors >= 0 ? 0 : FAIL_OUTPUT;
    }
    if (input->kind != INPUT_PIPE) return 0;
    if (pipe2(pipes, O_CLOEXEC)) return error(FAIL_OUTPUT, "pipe: %s", strerror(errno));
    ends->input = pipes[0];
    pump->to = pipes[1];
    pump->saved = input->saved;
    fcntl(pump->to, F_SETFL, O_NONBLOCK);
    return 0;
}

static void run_child(const struct program_start *start, const struct ends *ends, int trouble)
{
    if (start->output) setpgid(0, 0); /* so that its children can be killed with it */
    if ((ends->input >= 0 && dup2(ends->input, STDIN_FILENO) < 0) ||
        (ends->output >= 0 && dup2(ends->output, STDOUT_FILENO) < 0) ||
        (ends->errors >= 0 && dup2(ends->errors, STDERR_FILENO) < 0) ||
        setenv("CUDA_INJECTION64_PATH", start->library, 1) ||
        setenv("NVTX_INJECTION64_PATH", start->library, 1) ||
        setenv("WHYFAST_WATCH", start->directory, 1))
        _exit(STATUS_FAILED);
    signal(SIGPIPE, SIG_DFL);
    execvp(start->path, start->words);
    const int reason = errno;
    if (write(trouble, &reason, sizeof reason) < 0) _exit(STATUS_FAILED);
    _exit(STATUS_NOT_EXECUTABLE);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Ends a later start with its children; the first one is in our process group and gets signals
 * of the terminal itself. */
static void end_child(pid_t child, const struct program_start *start, int number)
{
    kill(start->output ? -child : child, number);
}

/* Waits for the child. After Ctrl-C it has some seconds to end by itself. */
static int await(pid_t child, const struct program_start *start, struct pump *pump,
                 struct program_end *end)
{
    const double began = seconds_now(), PATIENCE = 5;
    const int ending = (int)syscall(SYS_pidfd_open, child, 0); /* -1: an old kernel has no such */
    double asked = 0;                                          /* to end */
    int status = 0, killed = 0;
    for (int step = 1; waitpid(child, &status, WNOHANG) != child;
         step = step < 20 ? step + 1 : 20) {
        const double now = seconds_now();
        pump_step(pump, ending, step);
        end->is_late |= start->output && now - began > start->most_seconds;
        if (!asked && (interrupted() || end->is_late)) {
            asked = now;
            if (start->output) end_child(child, start, SIGTERM);
        } else if (asked && !killed && now - asked > PATIENCE) {
            end_child(child, start, start->output ? SIGKILL : SIGTERM);
            killed = 1;
        }
    }
    if (ending >= 0) close(ending);
    if (start->output) kill(-child, SIGKILL); /* what it left running */
    end->status = process_status(status);
    end->seconds = seconds_now() - began;
    return interrupted() ? FAIL_INTERRUPTED : 0;
}

/* Makes the file with room for the number of an error. */
static int make_unwritten(const struct program_start *start)
{
    struct text blanks = {0};
    text_format(&blanks, "%16s\n", "");
    const int result = atomic_file_write(start->directory, UNWRITTEN, &blanks);
    text_free(&blanks);
    return result;
}

static int read_unwritten(const struct program_start *start)
{
    char *text = text_read_file(path_in(start->directory, UNWRITTEN).at, NULL);
    const int reason = text ? (int)strtol(text, NULL, 10) : 0;
    free(text);
    return reason;
}

int program_start(const struct program_start *start, struct program_input *input,
                  struct program_end *end)
{
    struct ends ends;
    struct pump pump = {.to = -1};
    int trouble[2], reason = 0;
    *end = (struct program_end){0};
    if (pipe2(trouble, O_CLOEXEC)) return error(FAIL_OUTPUT, "pipe: %s", strerror(errno));
    int result = ends_open(&ends, &pump, start, input);
    if (!result) result = make_unwritten(start);
    fflush(NULL);             /* or both processes would write what is buffered */
    signal(SIGPIPE, SIG_IGN); /* the program may close its input */
    signal(SIGCHLD, SIG_DFL); /* or waitpid would have no status to return */
    const pid_t child = result ? -1 : fork();
    if (child == 0) run_child(start, &ends, trouble[1]);
    if (!result && child < 0)
        result = error(FAIL_OUTPUT, "cannot start %s: %s", start->path, strerror(errno));
    ends_close(&ends);
    close(trouble[1]);
    const int failed = !result && read(trouble[0], &reason, sizeof reason) == sizeof reason;
    close(trouble[0]);
    if (!result) result = await(child, start, &pump, end);
    end->unwritten = read_unwritten(start);
    pump_close(&pump);
    signal(SIGPIPE, SIG_DFL);
    if (!failed) return result;
    return error(FAIL_OUTPUT, "%s: cannot be executed: %s", start->path, strerror(reason));
}

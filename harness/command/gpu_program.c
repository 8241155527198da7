#include "command/gpu_program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/names.h"
#include "base/process.h"
#include "base/terminal.h"
#include "base/text.h"
#include "command_line/two_programs.h"

int gpu_program_is_there(void)
{
    char *path = program_file(GPU_PROGRAM);
    free(path);
    return path != NULL;
}

/* Executes it in this process; returns only if that fails. */
static void execute(const char *path, char *const *words)
{
    int count = 0;
    while (words[count]) count++;
    char **all = calloc((size_t)count + 2, sizeof *all);
    if (!all) return;
    all[0] = (char *)(uintptr_t)program_name();
    memcpy(all + 1, words, (size_t)count * sizeof *all);
    execv(path, all);
    free(all);
}

int gpu_program_become(char *const *words)
{
    char *path = program_file(GPU_PROGRAM);
    const int is_diff = !strcmp(words[0], "diff") || !strcmp(words[0], "verify");
    for (char *const *word = words + 1; !path && is_diff && *word; word++)
        if (names_is_source(*word) && !file_exists(*word))
            return file_missing("file", *word, *word);
    if (!path)
        return error(FAIL_GPU,
                     "%s is not beside this program, which has no CUDA and can only read runs; "
                     "'make' builds it, with a CUDA toolkit that it finds or fetches; what needs a "
                     "GPU runs where there is one, and its run can be read here",
                     GPU_PROGRAM);
    fflush(NULL);
    execute(path, words);
    const int result = error(FAIL_OUTPUT, "cannot start %s: %s", path, strerror(errno));
    free(path);
    return result;
}

/* Waits for the program and passes a signal on, which may have come to this process alone: as
 * SIGHUP, because a second SIGINT or SIGTERM would end the program at once. Returns its exit
 * status, as a shell gives it. */
static int wait_for(pid_t program)
{
    struct sigaction hangup;
    int status, told = 0;
    sigaction(SIGHUP, NULL, &hangup);
    while (waitpid(program, &status, 0) < 0) {
        if (errno != EINTR) return error(FAIL_OUTPUT, "cannot wait: %s", strerror(errno));
        if (interrupted() && !told++)
            kill(program, hangup.sa_handler == SIG_IGN ? SIGTERM : SIGHUP);
    }
    return process_status(status);
}

/* Reads the line that the program has written to the pipe, or NULL if it has written none. */
static char *read_line(int pipe)
{
    struct text line = {0};
    char bytes[512];
    for (ssize_t count; (count = read(pipe, bytes, sizeof bytes)) > 0;)
        text_append_bytes(&line, bytes, (size_t)count);
    if (line.length && line.data[line.length - 1] == '\n') line.data[line.length - 1] = 0;
    return line.data;
}

int gpu_program_run(char *const *words, char **run)
{
    int ends[2] = {-1, -1};
    char number[16], *path = program_file(GPU_PROGRAM);
    if (run) *run = NULL;
    if (!path) return gpu_program_become(words);
    if (run && pipe(ends)) {
        free(path);
        return error(FAIL_OUTPUT, "cannot make a pipe: %s", strerror(errno));
    }
    fflush(NULL);
    const pid_t program = fork();
    if (program == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (run) {
            close(ends[0]);
            snprintf(number, sizeof number, "%d", ends[1]);
            setenv(ANNOUNCE_VARIABLE, number, 1);
        }
        execute(path, words);
        error(FAIL_OUTPUT, "cannot start %s: %s", path, strerror(errno));
        _exit(-FAIL_OUTPUT);
    }
    free(path);
    if (run) close(ends[1]);
    const int status = program > 0
                           ? wait_for(program)
                           : error(FAIL_OUTPUT, "cannot start a process: %s", strerror(errno));
    if (run) {
        if (program > 0) *run = read_line(ends[0]);
        close(ends[0]);
    }
    return status;
}

int gpu_program_run_into(const char *directory, char *const *words, char **run)
{
    int count = 0;
    while (words[count]) count++;
    char **more = calloc((size_t)count + 3, sizeof *more);
    if (!more) return error_memory();
    more[0] = words[0];
    more[1] = (char *)(uintptr_t) "-o";
    more[2] = (char *)(uintptr_t)directory;
    memcpy(more + 3, words + 1, (size_t)(count - 1) * sizeof *more);
    const int status = gpu_program_run(more, run);
    free(more);
    return status;
}

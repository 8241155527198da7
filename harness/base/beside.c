#include "base/beside.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"

/* Where lines are counted (make coverage), those of the other process are, too. */
extern void __gcov_dump(void) __attribute__((weak));

/* In the other process: does not return. */
static void do_work(struct beside *beside, int (*work)(void *context, int *found), void *context,
                    int lock)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (lock >= 0) close(lock);
    if (dup2(beside->said, STDERR_FILENO) < 0) _exit(1);
    beside->outcome->result = work(context, &beside->outcome->found);
    fflush(NULL); /* who writes a file looks at its errors before; stdio's other exit would move on
                     in files that are read */
    if (__gcov_dump) __gcov_dump();
    _exit(0);
}

void beside_begin(struct beside *beside, int (*work)(void *context, int *found), void *context,
                  int lock)
{
    void *shared = mmap(NULL, sizeof *beside->outcome, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *beside =
        (struct beside){.said = nameless_file(), .outcome = shared == MAP_FAILED ? NULL : shared};
    if (beside->said >= 0 && beside->outcome) {
        fflush(NULL); /* what is buffered must not be written twice */
        beside->pid = fork();
        if (beside->pid == 0) do_work(beside, work, context, lock);
        if (beside->pid > 0) return;
    }
    beside->pid = 0;
    beside->own.result = work(context, &beside->own.found);
}

/* What it said, in its words. */
static void say_again(int said)
{
    char piece[4096];
    ssize_t got;
    lseek(said, 0, SEEK_SET);
    fflush(stdout);
    while ((got = read(said, piece, sizeof piece)) > 0) fwrite(piece, 1, (size_t)got, stderr);
}

static struct beside_outcome wait_for(struct beside *beside, int result)
{
    struct beside_outcome lost = {FAIL_OUTPUT, 0};
    int status = 0, told = 0;
    if (!beside->pid) return beside->own;
    if (result) kill(beside->pid, SIGKILL);
    while (waitpid(beside->pid, &status, 0) < 0 && errno == EINTR) {
        if (interrupted() && !told++)
            kill(beside->pid,
                 SIGTERM); /* a terminal tells both of us, a batch system perhaps only one */
    }
    if (!result) say_again(beside->said);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return *beside->outcome;
    if (result) return lost;
    if (interrupted())
        lost.result = FAIL_INTERRUPTED;
    else
        error(FAIL_OUTPUT, "a part of the work ended before it was done");
    return lost;
}

int beside_end(struct beside *beside, int result, int *found)
{
    const struct beside_outcome outcome = wait_for(beside, result);
    if (beside->said >= 0) close(beside->said);
    if (beside->outcome) munmap(beside->outcome, sizeof *beside->outcome);
    if (result) return result;
    *found += outcome.found;
    return outcome.result;
}

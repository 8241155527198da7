/*
 * Programs started beside this one: their stdin is empty, and their stdout and stderr go to files
 * without a name, so that no pipe can fill up. A struct process owns both until process_free.
 */
#ifndef WHYFAST_PROCESS_H
#define WHYFAST_PROCESS_H

#include <sys/types.h>

struct process {
    pid_t pid;          /* 0 when none runs */
    int output, errors; /* what it wrote */
    int status;         /* of waitpid, once it has ended */
};

/* Starts a program, found on the PATH when its name has no slash, without a shell. 0, or
 * FAIL_OUTPUT, said. A program that cannot be started ends with the exit status 127. One that
 * still runs when this program is killed is killed with it. */
int process_start(struct process *child, char *const *arguments);

/* Path of a program by the PATH, which the caller frees; NULL where it is not on it. */
char *process_find(const char *program);

/* Waits for one of the children to end, and returns which one it is; -1 when none of them runs.
 * After Ctrl-C they are told to end, too. */
int process_wait(struct process *children, int count);

/* 1 when it ended with the exit status 0. */
int process_succeeded(const struct process *child);

/* The last line that it wrote on stderr, without "whyfast: " in front, into reason[size]; a
 * sentence about its end where it said nothing. */
void process_reason(const struct process *child, char *reason, size_t size);

/* Path under which its output can be read. Returns buffer. */
char *process_output(const struct process *child, char buffer[48]);

void process_free(struct process *child);

#endif

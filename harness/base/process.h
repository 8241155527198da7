/*
 * Starts other programs, and work of this one beside it. A program's stdin is empty. Its stdout
 * goes to an unnamed temporary file, so that no pipe can fill up; its stderr goes to a file in
 * memory, so that a full disk does not hide why it failed. A struct process owns both files until
 * process_free.
 */
#ifndef WHYFAST_PROCESS_H
#define WHYFAST_PROCESS_H

#include <sys/types.h>

struct process {
    pid_t pid;          /* 0 if it is not running */
    int output, errors; /* descriptors of the files */
    int status;         /* of waitpid, once it has ended */
    int is_group;
};

/* Starts a program without a shell; a name without a slash is looked up on the PATH. A program that
 * cannot be executed ends with the exit status 127. It is killed if this program is killed. In a
 * group of its own, whoever ends it ends its children, too. */
enum process_group { PROCESS_OF_OURS, PROCESS_GROUP };
int process_start(struct process *child, char *const *arguments, enum process_group is_group);

/* Begins work in a copy of this process. What the work leaves are its messages and files. */
int process_fork(struct process *child, int (*work)(void *context), void *context);

/* Waits for the end of the work and returns its result, 0 if none was begun. If it crashed, so does
 * this process. */
int process_join(struct process *child);

/* Returns the path of a program on the PATH, which the caller frees, or NULL. */
char *process_find(const char *program);

/* Finds the program that runs, whatever has its name by now: by a descriptor, because a debugger
 * that runs it, such as valgrind, is what /proc/self/exe would start. Writes the path for
 * process_start. Returns the descriptor, which the caller closes, or -1 with a message. */
enum { PROCESS_PATH = 40 };
int process_self(char path[PROCESS_PATH]);

/* Waits for one of the children to end and returns its index, or -1 if none is running. After
 * Ctrl-C all of them are terminated, and a group has ended as a whole or is killed. */
int process_wait(struct process *children, int count);

int process_succeeded(const struct process *child); /* its exit status is 0 */
/* Copies the last line of stderr, without "whyfast: ", or a sentence about the exit status if there
 * is none. */
void process_reason(const struct process *child, char *reason, size_t size);

/* Returns the exit status as a shell gives it, from that of waitpid. */
int process_status(int status);

/* Formats a path under which the file of a descriptor can be read. Returns it. */
char *process_path(int descriptor, char path[PROCESS_PATH]);

/* Returns what one of the files holds, which the caller frees; NULL with errno set on failure. */
char *process_read(int descriptor);

void process_free(struct process *child);

#endif

/*
 * What the program says on stderr, and the failures that functions return. Owns nothing but the
 * message level.
 */
#ifndef WHYFAST_MESSAGE_H
#define WHYFAST_MESSAGE_H

/* Functions return 0 or one of these, having said why where it failed. main.c turns them into
 * exit codes; the numbers are theirs, negated. */
enum failure {
    FAIL_CHECK = -1, /* a variant gave a wrong result, or a check failed */
    FAIL_USAGE = -2,
    FAIL_GPU = -3,        /* no GPU, or counters refused where they were demanded */
    FAIL_INPUT = -4,      /* bad input file */
    FAIL_OUTPUT = -5,     /* could not write, or out of memory */
    FAIL_INTERRUPTED = -6 /* Ctrl-C: finished work is kept; the exit code is 130 */
};

enum message_level { MESSAGE_QUIET, MESSAGE_NORMAL, MESSAGE_VERBOSE };

/* Returns the level until now. */
enum message_level message_level_set(enum message_level level);

/* Says "whyfast: ..." on stderr, whatever the level, and returns `failure`. */
int error(enum failure failure, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Out of memory; returns FAIL_OUTPUT. */
int error_memory(void);

/* Says "whyfast: warning: ..." unless quiet. */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Progress and notes for a person, unless quiet. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Details, only with -v. */
void detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Shows a bar (base/progress.h) in the last line of a terminal, in place of the one before; the
 * next message takes it away, and so does "". Silent if stderr is no terminal, or when quiet. */
void message_bar(const char *bar);

/* Seconds of a clock that never goes back, from an arbitrary start. */
double seconds_now(void);

/* 1 after Ctrl-C (SIGINT, SIGTERM) once interrupt_watch was called. Long loops ask between units
 * of work. */
void interrupt_watch(void);
int interrupted(void);

#endif

/*
 * Writes messages to stderr, and defines the failures that functions return. Owns the message
 * level and the state of the stage whose progress is shown.
 */
#ifndef WHYFAST_MESSAGE_H
#define WHYFAST_MESSAGE_H

/* Functions return 0, or one of these after a message. The exit code of the program is the number
 * negated. */
enum failure {
    FAIL_CHECK = -1, /* a variant gave a wrong result, or a check failed */
    FAIL_USAGE = -2,
    FAIL_GPU = -3,         /* no GPU, or counters refused where they were demanded */
    FAIL_INPUT = -4,       /* bad input file */
    FAIL_OUTPUT = -5,      /* could not write, or out of memory */
    FAIL_NO_EVIDENCE = -6, /* of a change */
    FAIL_COMPARE = -7,     /* two versions or runs cannot be compared */
    FAIL_INTERRUPTED = -8  /* Ctrl-C: finished work is kept; the exit code is 130 */
};

/* The exit status of 'run' for failures of ours, as those of env(1); others are those of the user's
 * program. */
enum { STATUS_FAILED = 125, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

/* Room for the reason why something is absent. */
enum { REASON_BYTES = 240 };

enum message_level { MESSAGE_QUIET, MESSAGE_NORMAL, MESSAGE_VERBOSE };

/* Returns the previous level. */
enum message_level message_level_set(enum message_level level);

/* Writes "whyfast: ..." at every level and returns `failure`. Here and below, a command in quotes,
 * as in "'whyfast list'", is written with the program as the user called it (base/terminal.h). */
int error(enum failure failure, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From now on error() appends its words to `kept` instead of writing them, for work whose failure
 * is to be told in another way; NULL ends that. Returns the previous text. */
struct text;
struct text *message_keep(struct text *kept);

/* Reports that memory is short and returns FAIL_OUTPUT. */
int error_memory(void);

/* Writes "whyfast: warning: ..." unless quiet. */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes an informative message unless quiet. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes a message if -v was given. */
void detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Shows a bar in the last line of a terminal, in place of the earlier one; the next message or ""
 * removes it. Does nothing if stderr is not a terminal, or when quiet. */
void message_bar(const char *bar);

/* Progress of a long stage, one at a time: on a terminal a bar with counts and the remaining time,
 * and one line for each finished stage everywhere. Silent when quiet. */

/* Begins a stage of `total` units ("points"). Both strings must last until progress_end. */
void progress_begin(const char *stage, const char *unit, int total);

/* Marks the units of the previous call as done and the next `count` units as begun. `what` names
 * the latter, or is NULL. */
void progress_next(int count, const char *what);

/* Sets which part of these units is done, from 0 to 1. */
void progress_part(double part);

/* Ends the stage; if `result` is 0, says how many units it had and how long it took. Returns
 * `result`. Does nothing if no stage was begun. */
int progress_end(int result);

double seconds_now(void);

/* After interrupt_watch, interrupted() returns 1 once SIGINT (Ctrl-C), SIGTERM or SIGHUP (a
 * closed terminal, unless it is ignored) has arrived. Long loops check it between units of work. */
void interrupt_watch(void);
int interrupted(void);

#endif

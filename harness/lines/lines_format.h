/*
 * The cells of lines.csv, and the two that hold lists: from where an instruction was inlined, and
 * what warps waited for at it. Nothing is owned.
 */
#ifndef WHYFAST_LINES_FORMAT_H
#define WHYFAST_LINES_FORMAT_H

/* Columns of lines.csv as they come. */
enum {
    LINE_KERNEL,
    LINE_PC,
    LINE_SOURCE,
    LINE_LINE,
    LINE_INLINED_AT,
    LINE_SASS,
    LINE_EXECUTED,
    LINE_THREADS,
    LINE_THREADS_ON,
    LINE_BRANCHES_UNIFORM,
    LINE_BRANCHES_DIVERGENT,
    LINE_SHARED_WAVEFRONTS,
    LINE_SHARED_IDEAL,
    LINE_GLOBAL_SECTORS,
    LINE_GLOBAL_IDEAL,
    LINE_LOCAL_SECTORS,
    LINE_SAMPLES,
    LINE_NOT_ISSUED,
    LINE_STALLS
};

/* A line of a source file, as the run numbers its files. */
struct location {
    int source;
    int line;
};

/* Takes the next "source:line" of a list separated by blanks and moves *list behind it. 1, or 0
 * at its end, or -1 when it is malformed. */
int location_next(const char **list, struct location *location);

enum { REASON_SIZE = 48 };

struct stall {
    char reason[REASON_SIZE]; /* lower-case letters, digits, underscores: "long_scoreboard" */
    double samples;
    double not_issued; /* of them, with nothing issued by the scheduler */
};

/* Takes the next "reason=samples/not_issued" in the same way. */
int stall_next(const char **list, struct stall *stall);

#endif

/*
 * Reads the two cells of lines.csv that hold lists: the inlining chain of an instruction, and its
 * stall samples by reason. Nothing is owned.
 */
#ifndef WHYFAST_LINES_FORMAT_H
#define WHYFAST_LINES_FORMAT_H

/* A line of a source file, which is given by its number in sources.csv. */
struct location {
    int source;
    int line;
};

/* Takes the next "source:line" of a list separated by blanks, and moves *list behind it. Returns 1,
 * 0 at the end, or -1 if the list is malformed. */
int location_next(const char **list, struct location *location);

enum { REASON_SIZE = 48 }; /* stall_next reads one less */

struct stall {
    char reason[REASON_SIZE]; /* lower-case letters, digits, underscores: "long_scoreboard" */
    double samples;
    double not_issued; /* the part of `samples` in which the scheduler issued nothing */
};

/* Takes the next "reason=samples/not_issued" of a list in the same way. */
int stall_next(const char **list, struct stall *stall);

#endif

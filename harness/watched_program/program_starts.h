/*
 * Starts the user's program with the library in it, and waits for its end. Owns the saved input
 * between program_input_open and program_input_close.
 *
 * The first start has our stdin, stdout and stderr. What it reads from a pipe is saved, and later
 * starts read it again; a file is read again from the same place; a terminal is not: later starts
 * have an empty input then. Later starts write into files.
 */
#ifndef WHYFAST_PROGRAM_STARTS_H
#define WHYFAST_PROGRAM_STARTS_H

#include <sys/types.h>

enum input_kind { INPUT_NONE, INPUT_PIPE, INPUT_FILE, INPUT_TERMINAL };

struct program_input {
    enum input_kind kind;
    int saved;    /* descriptor of the input of later starts, or -1 */
    off_t offset; /* at which a file is read */
};

struct program_start {
    char *const *words;    /* the program and its arguments, up to NULL */
    const char *path;      /* of the program */
    const char *library;   /* the injected library */
    const char *directory; /* of this start, for the library; absolute */
    const char *output;    /* files <output>.stdout and .stderr; NULL: ours, for the first start */
    double most_seconds;   /* of a later start */
};

struct program_end {
    int status; /* exit status, or 128 + number of the signal */
    int is_late;
    int unwritten; /* error by which the library could not write a file, or 0 */
    double seconds;
};

/* Finds the program that a word names. Returns 0 and its path, which the caller frees, or the
 * exit status of the failure, with a message: also for a set-user-ID program, because the loader
 * ignores the environment for it. */
int program_find(const char *word, char **path);

/* Returns the path of the library, which the caller frees; NULL, with a message, if it is neither
 * beside the program nor in ../lib/whyfast/. */
char *program_library(void);

int program_input_open(struct program_input *input);
void program_input_close(struct program_input *input);

/* Starts the program and waits for it. Returns FAIL_OUTPUT, with a message, if it cannot be
 * started, FAIL_INTERRUPTED after Ctrl-C. A later start that takes longer than most_seconds is
 * killed with all its children. */
int program_start(const struct program_start *start, struct program_input *input,
                  struct program_end *end);

#endif

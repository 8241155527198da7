/*
 * Finds the text of a source file that a run names, if it still is what was measured. A struct
 * source owns its text and its message until source_free.
 *
 * A file that changed since would put numbers next to the wrong lines, so its text is given only if
 * its hash is the recorded one. The time of the last change does not decide, because a fresh clone
 * is newer than every run; it only tells in the message whether the file was changed after the run.
 */
#ifndef WHYFAST_SOURCE_FILE_H
#define WHYFAST_SOURCE_FILE_H

enum { SOURCE_STATUS = 120 };

/* The file as a run records it. */
struct source_record {
    const char *path;   /* from the root of the project: "kernels/reduce/01_x.cu" */
    const char *hash;   /* 16 hexadecimal digits; NULL if none was recorded */
    const char *status; /* "ok", or why there is no hash */
    const char *date;   /* of the run, as in run.txt: "2026-01-02T03:04:05Z"; or NULL */
    const char *text;   /* the file's text if the run carries it, else NULL */
};

struct source {
    const char *state; /* "same": its hash is the recorded one, the only state with text;
                          "missing": not found, or not readable; "differs": its hash is another one;
                          "unverified": the run has no hash of it; "gone": a file of a program
                          that was not there when it ran; "foreign": not a file of the project,
                          not looked for */
    char *message;     /* one sentence on why there is no text; NULL if there is */
    char *text;
    char **line; /* line[0] is line 1; without line ends */
    int line_count;
};

/* Returns 1 for a path below kernels/ or tests/gpu/kernels/ that stays there, else 0. */
int source_is_of_project(const char *path);

/* Reads a file of the project below `root`, to be recorded. Returns its text, which the caller
 * frees, and its hash; or NULL, with the reason in `status`, which is "ok" otherwise. */
char *source_read(const char *root, const char *path, char hash[17], char status[SOURCE_STATUS]);

/* Reads any other file that a program was compiled from, if it is where its line table says, except
 * files of a toolkit. `root` is not used. */
char *source_read_of_program(const char *root, const char *path, char hash[17],
                             char status[SOURCE_STATUS]);

/* Takes the text that the run carries if its hash is the recorded one, else reads the file below
 * `root`, the directory that holds kernels/ (data_directory). Fails, whatever the state, only if
 * memory or file descriptors run out. */
int source_open(struct source *source, const char *root, const struct source_record *record);
void source_free(struct source *source);

#endif

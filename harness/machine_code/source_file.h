/*
 * Reads the source files that a run records, and gives the texts that a run carries. A struct
 * source owns its text and its message until source_free.
 */
#ifndef WHYFAST_SOURCE_FILE_H
#define WHYFAST_SOURCE_FILE_H

#include <time.h>

enum { SOURCE_STATUS = 120 };

/* Where source files are. */
struct source_place {
    const char *root; /* of the project */
    time_t made;      /* when the report was made that names them; 0 if none does */
};

/* The file as a run records it. */
struct source_record {
    const char *path;   /* from the root of the project: "kernels/reduce/01_x.cu" */
    const char *hash;   /* 16 hexadecimal digits; NULL if none was recorded */
    const char *status; /* "ok", or why there is no hash */
    const char *text;   /* the file's text if the run carries it, else NULL */
};

struct source {
    const char *state; /* "same": its hash is the recorded one, the only state with text;
                          "missing": the run has no such text; "gone": a file of a program that was
                          not there when it ran; "elsewhere": a file of a program that was profiled
                          elsewhere; "foreign": not a file of the project */
    char *message;     /* one sentence on why there is no text; NULL if there is */
    char *text;
    char **line; /* line[0] is line 1; without line ends */
    int line_count;
};

/* Returns 1 for a path below kernels/ or tests/gpu/kernels/ that stays there, else 0. */
int source_is_of_project(const char *path);

/* Reads a file of the project below its root, to be recorded. Returns its text, which the caller
 * frees, and its hash; or NULL, with the reason in `status`, which is "ok" otherwise. */
char *source_read(struct source_place place, const char *path, char hash[17],
                  char status[SOURCE_STATUS]);

/* Reads any other file that a program was compiled from, if it is where its line table says, except
 * files of a toolkit. The place is not used. */
char *source_read_of_program(struct source_place place, const char *path, char hash[17],
                             char status[SOURCE_STATUS]);

/* Reads a file that a report of another tool names, if it is a source by its name, below the
 * current directory, and not newer than the report: a stranger's report must not name other files.
 */
char *source_read_of_report(struct source_place place, const char *path, char hash[17],
                            char status[SOURCE_STATUS]);

/* Takes the text that the run carries if its hash is the recorded one. Fails only if memory is
 * short. */
int source_open(struct source *source, const struct source_record *record);
void source_free(struct source *source);

#endif

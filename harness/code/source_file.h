/*
 * A source file of the project as a run names it, and whether it still is what was measured. A
 * struct source owns its text and its words until source_free.
 *
 * A file that changed since would put numbers beside the wrong lines. So its text is there only
 * when its hash is the recorded one. The time of its last change does not decide: a fresh clone is
 * newer than every run that it holds, and is the same all the same. Where the hash differs, or none
 * was recorded, the time says whether it was changed after the run.
 */
#ifndef WHYFAST_SOURCE_FILE_H
#define WHYFAST_SOURCE_FILE_H

enum { SOURCE_STATUS = 120 };

enum source_state {
    SOURCE_SAME,       /* its hash is the recorded one: the only state with text */
    SOURCE_MISSING,    /* not found, or not to be read */
    SOURCE_DIFFERS,    /* its hash is another one */
    SOURCE_UNVERIFIED, /* it is there, but the run has no hash of it */
    SOURCE_FOREIGN     /* no file of the project: it is not looked for */
};

/* What a run knows of the file. */
struct source_record {
    const char *path;   /* from the root of the project: "kernels/reduce/01_x.cu" */
    const char *hash;   /* 16 hexadecimal digits; NULL where none was recorded */
    const char *status; /* "ok", or why there is no hash */
    const char *date;   /* of the run, as in run.txt: "2026-01-02T03:04:05Z"; or NULL */
    const char *text;   /* the file as the run carries it; NULL where it does not */
};

struct source {
    enum source_state state;
    char *message; /* one sentence on why there is no text; NULL when the file is the same */
    char *text;
    char **line; /* line[0] is line 1; without their ends */
    int line_count;
};

/* 1 for a path below kernels/, or below tests/gpu/kernels/, that stays there. Toolkit headers
 * ("include/cub/...") and whatever else a line table names are foreign. */
int source_is_of_project(const char *path);

/* Reads a file of the project below `root`, to be recorded: its text, which the caller frees,
 * and its hash. NULL with the reason in `status`, which is "ok" otherwise. */
char *source_read(const char *root, const char *path, char hash[17], char status[SOURCE_STATUS]);

/* Takes the text that the run carries where its hash is the recorded one; else looks for the
 * file below `root`, the directory that holds kernels/ (data_directory). 0, whatever the state,
 * or out of memory or of open files. */
int source_open(struct source *source, const char *root, const struct source_record *record);
void source_free(struct source *source);

/* "same", "missing", "differs", "unverified" or "foreign". */
const char *source_state_name(enum source_state state);

#endif

/*
 * Makes programs of the two versions that 'whyfast diff' compares: CUDA files and folders of them
 * are compiled, revisions of git are checked out and built. A struct version owns its strings until
 * version_free.
 */
#ifndef WHYFAST_VERSION_BUILD_H
#define WHYFAST_VERSION_BUILD_H

#include "versions/version_driver.h"

/* The words of the command line; it owns the calls alone. */
struct version_options {
    const char *operand[2]; /* of B: NULL for the working tree */
    char *const *program;   /* the words behind "--" up to NULL, or NULL */
    const char *build;      /* a command, or NULL */
    struct version_calls calls;
};

struct version {
    char *label;        /* as the user names it */
    char *folder;       /* in which it is built and started */
    char *target;       /* what is compiled or started, in the folder unless it is absolute */
    char *program;      /* what is started: a path, or a name on the PATH */
    char *kernel;       /* the one that the user names behind a ':', or NULL */
    int takes_program;  /* the target is the first word of options->program */
    int writes_outputs; /* the program was written here, and so are the outputs of its kernels */
    struct text shown;  /* how it calls the kernels, one a line */
};

/* Returns a failure, with a message, if one of the operands is no file, folder or revision. */
int versions_check(const struct version_options *options);

/* Makes both programs of checked options, in directories below `directory`. Returns FAIL_USAGE,
 * FAIL_COMPARE if one of them cannot be made, or another failure, with a message; version_free
 * follows in any case. */
int versions_build(struct version version[2], struct version_options *options,
                   const char *directory);
void version_free(struct version *version);

/* Returns 1 for a revision of the repository of this folder. */
int version_is_revision(const char *word);

/* Checks this folder out of a revision below `directory`, which may hold another one: then only
 * what differs is written, so that a build can go on from there. Sets *folder, which the caller
 * frees. Returns FAIL_COMPARE, with a message, if that is not possible. */
int version_check_out(const char *revision, const char *directory, char **folder);

/* Builds what is in a folder. Returns FAIL_COMPARE, with a message, if the command fails; what it
 * printed is shown if `is_loud`. */
int version_folder_build(const char *folder, const char *label, const char *command, int is_loud);

/* Runs a program to its end. Sets *output, unless it is NULL, to what it printed, which the caller
 * frees. Returns 1 if it succeeds. Otherwise prints its messages if `is_loud`. */
int version_command(const char *const *words, char **output, int is_loud);

/* "A" and "B", as messages call them. */
extern const char *const version_sides[2];

#endif

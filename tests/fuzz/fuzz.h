/*
 * Shared by the fuzzers: a scratch directory, which lives until the fuzzer ends, in memory if the
 * system has such a place and TMPDIR names no other; and silence of the code under test, unless
 * FUZZ_LOUD is set. libFuzzer writes to stderr in its own way and is not silenced.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/text.h"

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each fuzzer defines it, or only names its directory and file (fuzz_open). */
static void fuzz_begin(void);
#define FUZZ_INPUT(directory, file)                                                                \
    static void fuzz_begin(void)                                                                   \
    {                                                                                              \
        fuzz_open(directory, file);                                                                \
    }

int LLVMFuzzerInitialize(int *count, char ***words)
{
    fuzz_begin();
    return 0;
}

static char scratch[256];
static char input_path[600];

static void fuzz_close(void)
{
    directory_remove(scratch);
}

/* Makes <scratch>/<directory> and remembers <scratch>/<file>, to which inputs are written. */
static void fuzz_open(const char *directory, const char *file)
{
    const char *told = getenv("TMPDIR"), *place = told && *told              ? told
                                                  : access("/dev/shm", W_OK) ? "/tmp"
                                                                             : "/dev/shm";
    char path[600];
    snprintf(scratch, sizeof scratch, "%s/whyfast-fuzz-XXXXXX", place);
    if (!mkdtemp(scratch)) abort();
    atexit(fuzz_close);
    snprintf(path, sizeof path, "%s/%s", scratch, directory);
    if (directory_make(path)) abort();
    snprintf(input_path, sizeof input_path, "%s/%s", scratch, file);
    FILE *silence = getenv("FUZZ_LOUD") ? NULL : fopen("/dev/null", "w");
    if (silence) stderr = silence;
}

/* Ends the fuzzer because a file of the project is missing. */
static inline void fuzz_missing(const char *path)
{
    printf("%s is not there: name the project's directory in ROOT\n", path);
    exit(1);
}

static inline void write_input(const uint8_t *data, size_t size)
{
    FILE *file = fopen(input_path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file)) abort();
}

/* Returns the input as a string, which the caller frees. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

#endif

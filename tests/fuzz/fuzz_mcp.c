/*
 * Sends lines to the server of `mcp`: each answer is one line of valid JSON, and calls of tools
 * have words of a command line, of which none but those of the tools is an option and none is a
 * path out of the folder, once links are followed; the program of `run` is named by its path. No
 * call is started.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "command/mcp_command.c"

static struct server server;
static int before; /* the folder of libFuzzer, whose paths are relative */

/* The folder has a program, a run, links that lead out and one that leads nowhere; a recorded run
 * is beside it. */
static void fuzz_begin(void)
{
    fuzz_open("folder/run", "folder/input");
    write_input((const uint8_t *)"#!/bin/sh\n", 10);
    before = open(".", O_PATH);
    if (before < 0 || chdir(scratch) || chdir("folder")) abort();
    if (symlink("/etc", "outside") || symlink("..", "run/up") || symlink("nowhere", "dangling"))
        abort();
    if (!getcwd(server.root, sizeof server.root)) abort();
    if (sqlite3_open(":memory:", &server.json) != SQLITE_OK) abort();
    snprintf(server.self, sizeof server.self, "whyfast");
    if (fchdir(before)) abort();
}

static void check_answers(char *answers)
{
    for (char *line = answers, *next; *line; line = next) {
        int is_valid = 0;
        next = strchr(line, '\n');
        if (!next) abort();
        *next++ = 0;
        if (mcp_json(server.json, "SELECT json_valid(?1)", line, note_valid, &is_valid)) abort();
        if (!is_valid) abort();
    }
}

/* Aborts if this path is one, but not in the folder. */
static void check_path(const char *path)
{
    char place[PATH_MAX];
    const size_t length = strlen(server.root);
    if (!realpath(path, place)) return;
    if (strncmp(place, server.root, length) || (place[length] && place[length] != '/')) abort();
}

/* Checks what a command could take for a file: all of a word, or what is before the last `end` of
 * one. A link that leads nowhere could be written through. */
static void check_file(const char *word, char end)
{
    char path[PATH_MAX];
    struct stat status;
    if (strlen(word) >= sizeof path) return;
    if (!lstat(word, &status) && access(word, F_OK)) abort();
    check_path(word);
    strcpy(path, word);
    char *at = end ? strrchr(path, end) : NULL;
    if (at && at > path) *at = 0, check_path(path);
}

static void check_calls(void)
{
    static const char *const options[] = {"-v", "-o", "--kernel", "--budget", "--size", "--call"};
    for (const struct call *call = server.first; call; call = call->next) {
        const struct mcp_words *words = &call->words;
        size_t i = 2, operands = 0;
        if (!call->id || words->count < 2 || strcmp(words->word[0], "whyfast")) abort();
        if (!mcp_tool_is(words->word[1])) abort();
        for (; i < words->count && strcmp(words->word[i], "--"); i++) {
            const char *word = words->word[i];
            size_t option = 0;
            while (option < 6 && strcmp(word, options[option])) option++;
            if (!*word || (*word == '-' && option == 6)) abort();
            if (option && option < 6 && words->word[++i] == NULL) abort();
            /* FILE:KERNEL is one of two operands; the last part of a new folder is not there. */
            const char end = !strcmp(word, "-o") ? '/' : option == 6 && operands++ < 2 ? ':' : 0;
            if (strcmp(word, "--kernel"))
                check_file(words->word[i], strchr("dv", *words->word[1]) || end == '/' ? end : 0);
        }
        if (strcmp(words->word[1], "run")) continue;
        if (i + 1 >= words->count || !strchr(words->word[i + 1], '/')) abort();
        check_file(words->word[i + 1], 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *kept = stdout;
    char *answers = NULL;
    size_t length = 0;
    stdout = open_memstream(&answers, &length);
    if (!stdout || chdir(server.root)) abort();
    text_append_bytes(&server.input, (const char *)data, size);
    text_append(&server.input, "\n");
    const int result = take_lines(&server);
    fclose(stdout);
    stdout = kept;
    if (result) abort();
    check_answers(answers);
    check_calls();
    if (fchdir(before)) abort();
    while (server.first) drop_first(&server);
    free(answers);
    return 0;
}

/*
 * Sends lines to the server of `mcp`: each answer is one line of valid JSON, and calls of tools
 * have words of a command line, none of which that comes from a name is an option or a path out of
 * the folder. No call is started.
 */
#include "fuzz.h"

#include "command/mcp_command.c"

static struct server server;

static void fuzz_begin(void)
{
    fuzz_open("", "input");
    if (!getcwd(server.root, sizeof server.root)) abort();
    if (sqlite3_open(":memory:", &server.json) != SQLITE_OK) abort();
    snprintf(server.self, sizeof server.self, "whyfast");
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

static void check_calls(void)
{
    for (const struct call *call = server.first; call; call = call->next) {
        const struct mcp_words *words = &call->words;
        if (!call->id || words->count < 2 || strcmp(words->word[0], "whyfast")) abort();
        if (!mcp_tool_is(words->word[1])) abort();
        for (size_t i = 2; i < words->count && strcmp(words->word[i], "--"); i++)
            if (words->word[i][0] == '/' || !strncmp(words->word[i], "../", 3)) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *kept = stdout;
    char *answers = NULL;
    size_t length = 0;
    stdout = open_memstream(&answers, &length);
    if (!stdout) abort();
    text_append_bytes(&server.input, (const char *)data, size);
    text_append(&server.input, "\n");
    const int result = take_lines(&server);
    fclose(stdout);
    stdout = kept;
    if (result) abort();
    check_answers(answers);
    check_calls();
    while (server.first) drop_first(&server);
    free(answers);
    return 0;
}

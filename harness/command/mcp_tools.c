#include "command/mcp_tools.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/thresholds.h"
#include "ncu_report/report_file.h"
#include "run/recorded_runs.h"

/* A command of the same name. */
static const struct {
    const char *name, *help;
} tools[] = {
    {"doctor", "Check this machine: GPU, driver, counters; with a fix for every problem."},
    {"run", "Run a CUDA program and measure its kernels into a folder, a run. Needs a GPU."},
    {"diff",
     "Measure two versions of a CUDA file or program and say which is faster and why. Needs "
     "a GPU."},
    {"verify", "Say in one word whether a candidate is faster than a base, with the causes. Runs "
               "need no GPU; files and programs do."},
    {"evaluate",
     "Compute the results of a run that was measured only, into its folder, for verify."},
    {"explain",
     "Say why a kernel of a run is faster or slower than another one, and what is left."},
    {"lines",
     "Show the hot lines of a kernel's source with their counts and stalls, the hottest first; "
     "with detail, in the order of the source."},
    {"conflicts", "Rank the kernels of a run by the time that bank conflicts cost."},
};
enum { TOOLS = sizeof tools / sizeof *tools };

enum kind {
    A_WORD,       /* a name or a number: no option, and no path out of the folder */
    A_PATTERN,    /* a regular expression: no option */
    A_FILE,       /* a file or a folder in the folder; FILE:KERNEL, too */
    A_RUN,        /* a folder in the folder, or the name of a recorded run */
    A_NEW,        /* a folder that may not exist yet */
    A_SWITCH,     /* true or false; only true has words, those before the value */
    SOME_WORDS,   /* an array */
    ITS_ARGUMENTS /* an array of any words, for the program */
};

enum { NEXT = -1 };

/* The arguments of tools, in the order of the command line. `before` is the word that comes before
 * the value, or before the first of several. */
static const struct argument {
    const char *tool, *name, *before;
    enum kind kind;
    int is_needed; /* NEXT: the next one is, beside this one */
    const char *help;
} arguments[] = {
    {"run", "output", "-o", A_NEW, 1, "the folder of the new run"},
    {"run", "kernel", "--kernel", A_PATTERN, 0, "only kernels that match this regular expression"},
    {"run", "seconds", "--budget", A_WORD, 0, "the most seconds for all starts of the program"},
    {"run", "program", "--", A_FILE, 1, "the program"},
    {"run", "arguments", NULL, ITS_ARGUMENTS, 0, "the words of its command line"},
    {"diff", "size", "--size", A_WORD, 0, "n of the calls of a file without main()"},
    {"diff", "call", "--call", A_WORD, 0, "KERNEL<<<GRID, BLOCK>>>(ARGUMENT, ...)"},
    {"diff", "knockout", "--knockout", A_SWITCH, 0,
     "measure the causes on copies of the code, too"},
    {"diff", "base", NULL, A_FILE, 1, "a CUDA file, also as FILE:KERNEL, or a program"},
    {"diff", "candidate", NULL, A_FILE, 1, "another one"},
    {"diff", "arguments", "--", ITS_ARGUMENTS, 0, "of both programs"},
    {"verify", "size", "--size", A_WORD, 0, "of runs: only this size; of files: n of the calls"},
    {"verify", "knockout", "--knockout", A_SWITCH, 0, "of versions: as for diff"},
    {"verify", "base", NULL, A_RUN, 1, "a run, a CUDA file, or a program"},
    {"verify", "candidate", NULL, A_RUN, 1, "another one of its kind"},
    {"verify", "kernels", NULL, SOME_WORDS, 0, "of runs: patterns of kernels, family/name"},
    {"verify", "arguments", "--", ITS_ARGUMENTS, 0, "of both programs"},
    {"evaluate", "run", NULL, A_FILE, 1, "a run"},
    {"explain", "size", "--size", A_WORD, 0, "a problem size, such as 2^22"},
    {"explain", "run", NULL, A_RUN, 0, "a run; without it the newest recorded one"},
    {"explain", "before", NULL, A_WORD, NEXT,
     "the kernel to compare with, which a run of a program needs; the kernel itself shows what "
     "is left; else its predecessor"},
    {"explain", "kernel", NULL, A_WORD, 0, "a kernel, family/name, or a family; else a run's"},
    {"lines", "size", "--size", A_WORD, 0, "a problem size, such as 2^22"},
    {"lines", "run", NULL, A_RUN, 0, "a run; without it the newest recorded one"},
    {"lines", "kernel", NULL, A_WORD, 1, "a kernel, family/name"},
    {"conflicts", "size", "--size", A_WORD, 0, "a problem size, such as 2^22"},
    {"conflicts", "run", NULL, A_RUN, 0, "a run; without it the newest recorded one"},
    {"conflicts", "kernels", NULL, SOME_WORDS, 0, "patterns of kernels, family/name"},
};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments };

static const char *type_of(const struct argument *argument)
{
    return argument->kind == A_SWITCH                                        ? "boolean"
           : argument->kind == SOME_WORDS || argument->kind == ITS_ARGUMENTS ? "array"
                                                                             : "string";
}

int mcp_tool_is(const char *name)
{
    for (size_t i = 0; i < TOOLS; i++)
        if (!strcmp(tools[i].name, name)) return 1;
    return 0;
}

static void write_property(struct json_writer *writer, const char *name, const char *type,
                           const char *help)
{
    json_open(writer, name, '{');
    json_text(writer, "type", type);
    if (!strcmp(type, "array")) json_value(writer, "items", "{\"type\":\"string\"}");
    json_text(writer, "description", help);
    json_close(writer, '}');
}

static void write_schema(struct json_writer *writer, const char *tool)
{
    json_open(writer, "inputSchema", '{');
    json_text(writer, "type", "object");
    json_open(writer, "properties", '{');
    for (size_t i = 0; i < ARGUMENTS; i++)
        if (!strcmp(arguments[i].tool, tool))
            write_property(writer, arguments[i].name, type_of(&arguments[i]), arguments[i].help);
    write_property(writer, "detail", "boolean",
                   "all of the answer, instead of its first " MCP_ANSWER_TEXT " kB");
    json_close(writer, '}');
    json_open(writer, "required", '[');
    for (size_t i = 0; i < ARGUMENTS; i++)
        if (!strcmp(arguments[i].tool, tool) && arguments[i].is_needed == 1)
            json_text(writer, NULL, arguments[i].name);
    json_close(writer, ']');
    json_flag(writer, "additionalProperties", 0);
    json_close(writer, '}');
}

void mcp_tools_write(struct json_writer *writer)
{
    for (size_t i = 0; i < TOOLS; i++) {
        json_open(writer, NULL, '{');
        json_text(writer, "name", tools[i].name);
        json_text(writer, "description", tools[i].help);
        write_schema(writer, tools[i].name);
        json_close(writer, '}');
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

int mcp_json(sqlite3 *json, const char *sql, const char *line, mcp_visitor *visit, void *context)
{
    sqlite3_stmt *statement = NULL;
    int result = 0, status = sqlite3_prepare_v2(json, sql, -1, &statement, NULL);
    if (status == SQLITE_OK) status = sqlite3_bind_text(statement, 1, line, -1, SQLITE_STATIC);
    if (status == SQLITE_OK) status = sqlite3_step(statement);
    while (status == SQLITE_ROW && !result) {
        const char *column[MCP_COLUMNS] = {NULL};
        for (int i = 0; i < sqlite3_column_count(statement) && i < MCP_COLUMNS; i++)
            column[i] = (const char *)sqlite3_column_text(statement, i);
        result = visit(context, column);
        status = sqlite3_step(statement);
    }
    if (!result && status != SQLITE_DONE && status != SQLITE_ROW)
        result = error(FAIL_USAGE, "%s", sqlite3_errmsg(json));
    sqlite3_finalize(statement);
    return result;
}

/* ---- words ----------------------------------------------------------------------------------- */

void mcp_words_free(struct mcp_words *words)
{
    for (size_t i = 0; i < words->count; i++) free(words->word[i]);
    free(words->word);
    *words = (struct mcp_words){0};
}

int mcp_words_add(struct mcp_words *words, const char *word)
{
    char **more = realloc(words->word, (words->count + 2) * sizeof *more);
    if (!more) return error_memory();
    words->word = more;
    more[words->count + 1] = NULL;
    more[words->count] = strdup(word);
    return more[words->count++] ? 0 : error_memory();
}

/* Returns 1 for a path in the folder once all links are followed. The last part of a new one need
 * not exist. */
static int is_below(const char *root, const char *word, enum kind kind)
{
    char path[PATH_MAX], place[PATH_MAX];
    struct stat link;
    const size_t length = strlen(root);
    size_t last = strlen(word);
    if (last >= sizeof path) return 0;
    strcpy(path, word);
    if (realpath(path, place)) return !strncmp(place, root, length) && place[length] == '/';
    while (kind == A_NEW && last > 1 && path[last - 1] == '/') path[--last] = 0;
    if (kind == A_NEW && !lstat(path, &link)) return 0; /* it leads nowhere yet */
    char *slash = strrchr(path, '/'), *end = kind == A_NEW ? slash : strrchr(path, ':');
    if (kind == A_NEW && !slash) return strcmp(path, "..") != 0;
    if (!end || (kind == A_NEW && !strcmp(end, "/..")) || (kind != A_NEW && slash > end)) return 0;
    *end = 0; /* FILE:KERNEL, or the folder of a new one */
    return realpath(path, place) && !strncmp(place, root, length) &&
           (place[length] == '/' || (!place[length] && kind == A_NEW));
}

static int check_word(const struct argument *argument, const char *root, const char *word)
{
    struct stat status;
    if (argument->kind == ITS_ARGUMENTS) return 0;
    if (!*word || *word == '-')
        return error(FAIL_USAGE, "%s: '%s' is empty or an option", argument->name, word);
    if (argument->kind == A_PATTERN) return 0;
    const int is_name = argument->kind == A_WORD || argument->kind == SOME_WORDS,
              is_there = !lstat(word, &status) || report_file_is_named(word);
    if (is_name && (strchr("/.", *word) || strstr(word, "..")))
        return error(FAIL_USAGE, "%s: '%s' is a path; expected a name", argument->name, word);
    if (is_name && !is_there) return 0; /* else the command could take it for a run */
    char *recorded = argument->kind == A_RUN && !is_there ? recorded_named(word) : NULL;
    const int is_recorded = recorded != NULL && !strchr(word, '/');
    free(recorded);
    return is_recorded || is_below(root, word, argument->kind)
               ? 0
               : error(FAIL_USAGE,
                       "%s: '%s' is not in the folder %s, in which alone files are used",
                       argument->name, word, root);
}

/* One call. */
struct call {
    struct mcp_words *words;
    const struct argument *argument;
    const char *root, *tool;
    int count;      /* of its values */
    int has_folder; /* a version is a folder, in which the first argument would be a program */
};

/* Adds a file: `run` would look for a name without a slash on the PATH. */
static int add_file(const struct call *call, const char *word)
{
    char *path = text_new("./%s", word);
    const int result = path ? mcp_words_add(call->words, path) : error_memory();
    free(path);
    return result;
}

/* Columns: the type and value of a word of an argument. */
static int add_value(void *context, const char *const *column)
{
    struct call *call = context;
    const char *before = call->argument->before, *word = column[1];
    if (call->argument->kind == A_SWITCH)
        return strcmp(column[0], "true") ? 0 : mcp_words_add(call->words, before);
    if (!word || strcmp(column[0], "text"))
        return error(FAIL_USAGE, "%s: expected strings", call->argument->name);
    int result = check_word(call->argument, call->root, word);
    if (!result && call->argument->kind == ITS_ARGUMENTS && call->has_folder)
        result = error(FAIL_USAGE, "arguments: name the programs instead of their folders");
    call->has_folder |=
        (call->argument->kind == A_FILE || call->argument->kind == A_RUN) && directory_exists(word);
    if (!result && !call->count++ && before) result = mcp_words_add(call->words, before);
    if (!result && call->argument->kind == A_FILE && !strcmp(call->tool, "run") &&
        !strchr(word, '/'))
        return add_file(call, word);
    return result ? result : mcp_words_add(call->words, word);
}

static int no_argument(const char *tool, const char *name)
{
    struct text known = {0};
    for (size_t i = 0; i < ARGUMENTS; i++)
        if (!strcmp(arguments[i].tool, tool)) text_format(&known, "%s, ", arguments[i].name);
    const int result = error(FAIL_USAGE, "%s has no argument '%.100s'; it has %sdetail", tool, name,
                             text_string(&known));
    text_free(&known);
    return result;
}

/* Columns: the name and type of an argument; looks whether the tool has it. */
static int check_argument(void *context, const char *const *column)
{
    struct call *call = context;
    const char *name = column[0], *wanted = strcmp(name, "detail") ? NULL : "boolean",
               *type = !strcmp(column[1], "text")                                  ? "string"
                       : !strcmp(column[1], "true") || !strcmp(column[1], "false") ? "boolean"
                                                                                   : column[1];
    for (size_t i = 0; i < ARGUMENTS; i++)
        if (!strcmp(arguments[i].tool, call->tool) && !strcmp(arguments[i].name, name))
            wanted = type_of(&arguments[i]);
    if (!wanted) return no_argument(call->tool, name);
    if (!strcmp(name, "detail")) call->words->is_detailed = !strcmp(column[1], "true");
    return strcmp(type, wanted) ? error(FAIL_USAGE, "%s: expected %s", name,
                                        *wanted == 'a'   ? "an array of strings"
                                        : *wanted == 'b' ? "true or false"
                                                         : "a string")
                                : 0;
}

static int add_argument(struct call *call, sqlite3 *json, const char *line)
{
    const struct argument *argument = call->argument;
    const int is_needed =
        argument->is_needed == 1 || (call->count && argument[-1].is_needed == NEXT);
    char sql[128];
    call->count = 0;
    snprintf(sql, sizeof sql, "SELECT type, atom FROM json_each(?1, '$.params.arguments.%s')",
             argument->name);
    const int result = mcp_json(json, sql, line, add_value, call);
    return result || !is_needed || call->count
               ? result
               : error(FAIL_USAGE, "%s: '%s' is missing", call->tool, argument->name);
}

int mcp_words_of(struct mcp_words *words, sqlite3 *json, const char *root, const char *tool,
                 const char *line)
{
    struct call call = {.words = words, .root = root, .tool = tool};
    int result = mcp_words_add(words, tool);
    if (!result)
        result = mcp_json(json, "SELECT key, type FROM json_each(?1, '$.params.arguments')", line,
                          check_argument, &call);
    if (!result && words->is_detailed) result = mcp_words_add(words, "-v");
    if (!result && !words->is_detailed && !strcmp(tool, "lines")) {
        result = mcp_words_add(words, "--sort");
        if (!result) result = mcp_words_add(words, "samples");
    }
    for (size_t i = 0; i < ARGUMENTS && !result; i++) {
        call.argument = &arguments[i];
        if (!strcmp(arguments[i].tool, tool)) result = add_argument(&call, json, line);
    }
    return result;
}

/*
 * Opens recorded runs: the newest one, that of a device, or those that the command line names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/names.h"
#include "catalog/registry.h"
#include "command/command.h"
#include "explain/explain.h"
#include "query/variant_names.h"
#include "run/evaluation.h"
#include "run/recorded_runs.h"

/* Without warnings: the recorded run was looked at when it was recorded. */
static int derive(struct run *run)
{
    progress_begin("evaluating", "stages", 2);
    return progress_end(explain_run(run, 1));
}

static int copy(const char *from, char **path)
{
    const int result = recorded_copy(from, derive, path);
    return result == FAIL_INTERRUPTED
               ? error(FAIL_INTERRUPTED, "interrupted; nothing was kept of %s", from)
               : result;
}

int recorded_path(char **path, const char *device, struct text *others)
{
    char *found = recorded_find(device);
    *path = NULL;
    const int result = found ? copy(found, path) : device ? FAIL_USAGE : FAIL_GPU;
    if (found && others) recorded_append_others(others, found);
    free(found);
    return result;
}

int recorded_open(struct run *run, const char *path)
{
    if (path) return run_open(run, path);
    char *recorded;
    int result = recorded_path(&recorded, NULL, NULL);
    if (!result) result = run_open(run, recorded);
    free(recorded);
    return result;
}

/* Returns a failure, with a message, if a word names a variant of the run in place of a second run.
 */
static int check_not_variant(struct run *run, const char *const *word, int count)
{
    struct variant_names known = {0};
    struct query query;
    if (file_exists(word[1])) return 0;
    int result = query_open(&query, run);
    if (result) return result;
    result = QUERY_LOAD(&query, TABLE_VARIANTS);
    if (!result)
        result = query_each(&query, NULL, "SELECT family || '/' || variant FROM variants", NULL,
                            variant_names_add, &known);
    if (!result && variant_names_match(&known, word[1]))
        result =
            error(FAIL_USAGE,
                  "'%s' is a variant, and no run; 'whyfast explain %s %s%s%s' compares %s", word[1],
                  shell_word(word[0]).at, word[1], count > 2 ? " " : "", count > 2 ? word[2] : "",
                  count > 2 ? "two variants of a run" : "it with the one before it");
    variant_names_free(&known);
    query_close(&query);
    return result;
}

int recorded_open_two(struct run *before, struct run *after, const struct arguments *arguments)
{
    const char *const *word = arguments->positional;
    int result = run_open(before, word[0]);
    if (result) return result;
    result = check_not_variant(before, word, arguments->positional_count);
    if (!result) result = run_open(after, word[1]);
    if (result) return run_close(before), result;
    evaluation_warn(before);
    evaluation_warn(after);
    return 0;
}

/* ---- operands -------------------------------------------------------------------------------- */

enum { MOST_NAMED = 64 };
static char *named[MOST_NAMED]; /* the copies, to which operands point */
static int named_count;

int recorded_is(const char *path)
{
    for (int i = 0; i < named_count; i++)
        if (named[i] == path) return 1;
    return recorded_is_derived(path);
}

/* Returns 1 for a command that would write into the run that it is given. */
static int changes_run(const struct arguments *arguments, const char *command)
{
    return !strcmp(command, "evaluate") || !strcmp(command, "plot") ||
           (!arguments->output && (!strcmp(command, "collect") || !strcmp(command, "knockout")));
}

/* Puts the copy of the recorded run at `from` in the place of an operand, also for whyfast-gpu. */
static int replace(struct arguments *arguments, int operand, const char *from)
{
    const char *word = arguments->positional[operand];
    if (named_count == MOST_NAMED) return error(FAIL_USAGE, "more than %d runs", MOST_NAMED);
    const int result = copy(from, &named[named_count]);
    if (result) return result;
    arguments->positional[operand] = named[named_count++];
    for (char **other = arguments->command_line; *other; other++) {
        if (strcmp(*other, word)) continue;
        free(*other);
        *other = strdup(arguments->positional[operand]);
        return *other ? 0 : error_memory();
    }
    return 0;
}

/* Refuses a word that stands where a run does and is a source file or nearly the name of a run, so
 * that no recorded run is unpacked for nothing. */
static int check_name(const char *word, const struct command *command)
{
    if (names_is_source(word) && strcmp(command->name, "verify") != 0)
        return error(
            FAIL_USAGE,
            "%s is a source file, and no run or variant: 'whyfast diff' compares two, 'whyfast run "
            "-- PROGRAM' explains a program, and 'whyfast new NAME --from %s' makes a family",
            word, shell_word(word).at);
    struct text others = {0};
    const int may_be_else = strpbrk(word, "/*?[") || file_exists(word) || registry_knows(word) ||
                            registry_suggest(&others, word);
    char *nearest = may_be_else ? NULL : recorded_nearest(word);
    const int result =
        nearest ? error(FAIL_USAGE, "there is no run '%s'; did you mean '%s'?", word, nearest) : 0;
    free(nearest);
    text_free(&others);
    return result;
}

/* Checks the first word behind the leading runs. */
static int check_names(const struct arguments *arguments, const struct command *command)
{
    int first = 0, is_run = 1;
    for (; first < arguments->positional_count && is_run; first += is_run) {
        const char *word = arguments->positional[first];
        char *from = recorded_named(word);
        is_run = from || run_is_at(word);
        free(from);
    }
    return first < arguments->positional_count ? check_name(arguments->positional[first], command)
                                               : 0;
}

int recorded_operands(struct arguments *arguments, const struct command *command)
{
    if (!strstr(command->operands, "RUN")) return 0;
    int result = check_names(arguments, command);
    for (int i = 0; i < arguments->positional_count && !result; i++) {
        const char *word = arguments->positional[i];
        char *from = recorded_named(word);
        if (from && changes_run(arguments, command->name))
            result = error(FAIL_INPUT,
                           "%s: is a recorded run, which %s would change; 'whyfast report %s -o "
                           "DIRECTORY' makes a copy",
                           word, command->name, shell_word(word).at);
        else if (from)
            result = replace(arguments, i, from);
        free(from);
    }
    return result;
}

#include "versions/version_history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "versions/version_build.h"

/* ---- revisions ------------------------------------------------------------------------------- */

static int add_revision(struct version_history *history, const char *line)
{
    const size_t id = strcspn(line, "\t"), files = strcspn(line + id + 1, "\t");
    if (!ARRAY_GROWS(history->revision, history->count)) return error_memory();
    struct version_revision *more = &history->revision[history->count++];
    *more = (struct version_revision){.id = strndup(line, id),
                                      .files = strndup(line + id + 1, files),
                                      .subject = strdup(line + id + files + 2)};
    return more->id && more->files && more->subject ? 0 : error_memory();
}

/* Adds the revisions that the last word of the command line means. */
static int add_revisions(struct version_history *history, const char *count, const char *revisions)
{
    char *printed;
    const char *words[] = {"git",
                           "log",
                           "--first-parent",
                           "--reverse",
                           "--no-show-signature",
                           "--format=%h%x09%T%x09%s",
                           count,
                           revisions,
                           "--",
                           NULL};
    int result = version_command(words, &printed, 1)
                     ? 0
                     : error(FAIL_INPUT, "git cannot list the commits of %s", revisions);
    for (char *line = printed, *end; !result && line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        result = add_revision(history, line);
    }
    free(printed);
    return result;
}

int version_history_read(struct version_history *history, const char *good, const char *bad)
{
    const char *const word[] = {good, bad};
    for (int i = 0; i < TREES; i++) history->placed[i] = -1;
    for (int i = 0; i < 2; i++)
        if (!version_is_revision(word[i]))
            return error(FAIL_INPUT, "there is no revision of git '%s'", word[i]);
    const char *ancestor[] = {"git", "merge-base", "--is-ancestor", good, bad, NULL};
    char *range = text_new("%s..%s", good, bad);
    int result = range ? 0 : error_memory();
    if (!result && !version_command(ancestor, NULL, 0))
        result = error(FAIL_USAGE, "bisect: %s is no ancestor of %s", good, bad);
    if (!result) result = add_revisions(history, "-n1", good);
    if (!result) result = add_revisions(history, "-n1000000", range);
    if (!result && history->count < 2)
        result = error(FAIL_USAGE, "bisect: %s and %s are the same commit", good, bad);
    free(range);
    return interrupted() ? FAIL_INTERRUPTED : result;
}

void version_history_free(struct version_history *history)
{
    for (int i = 0; i < history->count; i++) {
        free(history->revision[i].id);
        free(history->revision[i].files);
        free(history->revision[i].subject);
        free(history->revision[i].failure);
    }
    for (int i = 0; i < history->codes; i++) {
        program_code_free(history->code[i]);
        free(history->code[i]);
    }
    for (int i = 0; i < TREES; i++) free(history->folder[i]);
    free(history->revision);
    free(history->code);
    history->count = history->codes = 0;
}

int version_history_fail(struct version_history *history, int at, const char *reason)
{
    free(history->revision[at].failure);
    history->revision[at].failure = strdup(reason);
    return history->revision[at].failure ? 0 : error_memory();
}

/* ---- builds ---------------------------------------------------------------------------------- */

static int has_files_of(const struct version_history *history, int at, int other)
{
    return !strcmp(history->revision[at].files, history->revision[other].files);
}

int version_history_place(struct version_history *history, enum version_tree tree, int at)
{
    static const char *const names[TREES] = {"before", "after"};
    const struct version_revision *revision = &history->revision[at];
    const struct path place = path_in(history->directory, names[tree]);
    struct text reason = {0};
    if (history->placed[tree] >= 0 && has_files_of(history, at, history->placed[tree])) return 0;
    history->placed[tree] = -1;
    free(history->folder[tree]);
    struct text *kept = message_keep(&reason);
    int result = version_check_out(revision->id, place.at, &history->folder[tree]);
    const int is_out = !result;
    if (is_out)
        result = version_folder_build(history->folder[tree], revision->id, history->build, 0);
    message_keep(kept);
    if (!result) history->placed[tree] = at;
    if (result == FAIL_COMPARE &&
        version_history_fail(history, at,
                             is_out ? "it cannot be built"
                                    : "it has not this folder, or cannot be checked out"))
        result = FAIL_OUTPUT;
    if (result && result != FAIL_COMPARE && result != FAIL_INTERRUPTED)
        error(result, "%s", text_string(&reason));
    text_free(&reason);
    return result;
}

/* ---- machine code ---------------------------------------------------------------------------- */

struct built {
    const char *folder;
    char **path; /* of files with machine code */
    int count;
};

static int add_path(struct built *built, char *path)
{
    if (!path || !ARRAY_GROWS(built->path, built->count)) {
        free(path);
        return error_memory();
    }
    built->path[built->count++] = path;
    return 0;
}

static int is_object(const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending && (!strcmp(ending, ".o") || !strcmp(ending, ".a") || !strcmp(ending, ".so") ||
                      !strcmp(ending, ".cubin"));
}

/* Adds the objects below a folder. Links are not followed. */
static int add_objects(void *context, const char *name)
{
    struct built *built = context;
    struct stat status;
    char *path = text_new("%s/%s", built->folder, name);
    int result = path ? 0 : error_memory();
    const mode_t mode = path && !lstat(path, &status) ? status.st_mode : 0;
    if (S_ISDIR(mode)) {
        struct built below = {path, built->path, built->count};
        result = directory_visit(path, add_objects, &below);
        built->path = below.path;
        built->count = below.count;
    } else if (S_ISREG(mode) && is_object(name)) {
        return add_path(built, path);
    }
    free(path);
    return result;
}

/* Reads the kernels of the program, or if it has none, of the objects in the folder. */
static int read_code(const struct version_history *history, struct built *built,
                     struct program_code *code)
{
    const char *word = history->program;
    int result =
        add_path(built, *word == '/' ? strdup(word) : text_new("%s/%s", built->folder, word));
    if (!result) result = program_code_read(code, built->path[0], history->kernels);
    if (result || code->count) return result;
    result = directory_visit(built->folder, add_objects, built);
    for (int i = 1; i < built->count && !result; i++)
        result = program_code_read(code, built->path[i], history->kernels);
    return result;
}

/* Takes over the code, or frees it if the same code is known. Sets *known. */
static int keep_code(struct version_history *history, const struct built *built,
                     struct program_code *code, const struct program_code **known)
{
    int result = 0;
    for (int i = 0; i < history->codes; i++)
        if (program_code_equal(history->code[i], code)) {
            *known = history->code[i];
            program_code_free(code);
            return 0;
        }
    for (int i = 0; i < built->count && !result; i++)
        result = program_code_count(code, built->path[i]);
    struct program_code *copy =
        ARRAY_GROWS(history->code, history->codes) ? malloc(sizeof *copy) : NULL;
    if (!copy) {
        program_code_free(code);
        return error_memory();
    }
    *copy = *code;
    *known = history->code[history->codes++] = copy;
    return result;
}

static int look(struct version_history *history, enum version_tree tree, int at)
{
    struct version_revision *revision = &history->revision[at];
    struct built built = {history->folder[tree], NULL, 0};
    struct program_code code = {NULL, 0};
    int result = read_code(history, &built, &code);
    if (!result && code.count)
        result = keep_code(history, &built, &code, &revision->code);
    else if (!result)
        result =
            version_history_fail(history, at, "what is built has no machine code of such a kernel");
    else
        program_code_free(&code);
    for (int i = 0; i < built.count; i++) free(built.path[i]);
    free(built.path);
    return result;
}

int version_history_know(struct version_history *history, int at)
{
    struct version_revision *revision = &history->revision[at];
    const enum version_tree tree = at ? TREE_AFTER : TREE_BEFORE;
    int result = 0;
    if (revision->is_known) return 0;
    for (int i = 0; i < history->count && !revision->is_known; i++) {
        if (!history->revision[i].is_known || !has_files_of(history, at, i)) continue;
        revision->is_known = 1;
        revision->code = history->revision[i].code;
        if (history->revision[i].failure)
            return version_history_fail(history, at, history->revision[i].failure);
        return 0;
    }
    result = version_history_place(history, tree, at);
    if (!result) result = look(history, tree, at);
    if (result && result != FAIL_COMPARE) return result;
    revision->is_known = 1;
    return 0;
}

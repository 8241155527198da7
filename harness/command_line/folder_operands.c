#include "command_line/folder_operands.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"

static int holds(const char *directory, const char *file)
{
    const struct path path = path_in(directory, file);
    return *path.at && file_exists(path.at);
}

/* Returns 1 for a word that means a family of the tree: no path, but its name or its variant. */
static int is_of_tree(const char *word)
{
    char name[80] = "";
    const size_t length = strcspn(word, "/");
    if (*word == '.' || *word == '/' || (word[length] && !word[length + 1]) ||
        length >= sizeof name)
        return 0;
    memcpy(name, word, length);
    return registry_family(name) && !registry_own(name);
}

/* Splits a word into the folder of a family, which the caller frees, and the rest, which names a
 * variant or is empty. Returns NULL if the word is no such path. */
static char *split(const char *word, const char **rest)
{
    if (is_of_tree(word) || holds(word, "run.txt")) return NULL;
    const char *slash = strrchr(word, '/');
    *rest = "";
    if (holds(word, "family.c")) return strdup(word);
    if (!slash || !slash[1]) return NULL;
    char *folder = text_new("%.*s", (int)(slash - word), word);
    *rest = slash + 1;
    if (folder && *folder && !holds(folder, "run.txt") && holds(folder, "family.c")) return folder;
    free(folder);
    return NULL;
}

enum { MOST_KEPT = 256 };
static const char *kept[MOST_KEPT];
static int kept_count;

/* Returns the pattern for a variant of a folder, whose file may be named. */
static const char *pattern_of(const char *folder, const char *rest)
{
    if (!strcmp(rest, "grid.cu")) rest = ""; /* all its variants */
    char *real = realpath(folder, NULL);
    const char *name = real ? strrchr(real, '/') + 1 : folder;
    const size_t stem = text_before(rest, ".cu");
    char *pattern =
        text_new("%s%s%.*s", name, *rest ? "/" : "", (int)(stem ? stem : strlen(rest)), rest);
    free(real);
    return kept_count < MOST_KEPT ? (kept[kept_count++] = pattern) : NULL;
}

/* Returns a failure, with a message, for a path that is neither a family nor a run. */
static int check_path(const char *word, const char *command)
{
    const char *slash = strrchr(word, '/');
    const int is_source = text_before(word, ".cu") != 0;
    char *family = text_new("%.*s", (int)strcspn(word, "/"), word);
    const int is_known = !family || registry_family(family);
    free(family);
    if (is_known || strpbrk(word, "*?[") || holds(word, "run.txt")) return 0;
    if (!slash && is_source && file_exists(word))
        return file_exists("family.c")
                   ? error(FAIL_USAGE, "%s is a file of this directory; write ./%s", word, word)
                   : error(FAIL_USAGE,
                           "%s is no family; 'whyfast new NAME --from %s' makes one, and "
                           "'whyfast run -- PROGRAM' explains its program",
                           word, shell_word(word).at);
    const int is_folder = slash && !slash[1];
    if (file_exists(word))
        return is_folder && strcmp(command, "collect") != 0
                   ? error(FAIL_INPUT, "%s has no family.c; 'whyfast new' writes one", word)
                   : 0;
    if (!is_folder && !is_source && !strchr("./", *word)) return 0;
    return file_missing("file or folder", word, word);
}

int folder_operands(const char **operand, int count, const char *command,
                    int (*add)(const char *folder))
{
    int result = 0;
    for (int i = 0; i < count && !result; i++) {
        const char *rest;
        char *folder = split(operand[i], &rest);
        if (!folder && (add || !strcmp(command, "report")))
            result = check_path(operand[i], command);
        if (!folder) continue;
        operand[i] = pattern_of(folder, rest);
        if (!operand[i]) result = error_memory();
        if (!result && add) result = add(folder);
        free(folder);
    }
    return result;
}

int folder_operands_made(const char *operand)
{
    for (int i = 0; i < kept_count; i++)
        if (kept[i] == operand) return 1;
    return 0;
}

#include "own/own_family.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "code/cubin.h"
#include "own/own_compile.h"

enum { MOST_OWN = 16 }; /* as in catalog/registry.c */

static struct own_family loaded[MOST_OWN];
static int loaded_count;

/* ---- loading --------------------------------------------------------------------------------- */

/* Loads one shared object of the copy and finds its definition. */
static int load_file(const struct own_folder *folder, const char *copy, const char *stem,
                     const char *symbol, const void **definition)
{
    char *object = text_new("%s/%s.so", copy, stem);
    if (!object) return error_memory();
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    int result = handle ? executable_add(object)
                        : error(FAIL_INPUT, "%s: cannot load what was compiled: %s", folder->folder,
                                dlerror());
    free(object);
    *definition = handle ? dlsym(handle, symbol) : NULL;
    if (!result && !*definition)
        result = error(FAIL_INPUT, "%s/%s: it does not define %s (kernels/README.md)",
                       folder->folder, stem, symbol);
    return result;
}

static int load_family(struct own_family *own, const struct own_folder *folder)
{
    const void *definition;
    char *symbol = text_new("family_%s", own->name);
    int result =
        symbol ? load_file(folder, own->copy, "family", symbol, &definition) : error_memory();
    free(symbol);
    if (result) return result;
    own->family = definition;
    if (!own->family->name || strcmp(own->family->name, own->name))
        return error(FAIL_INPUT, "%s/family.c: .name is missing; add FAMILY_NAME", own->folder);
    return 0;
}

/* Loads the variant of a file, or those of grid.cu, which an empty one ends. */
static int load_variants(struct own_family *own, const struct own_folder *folder, const char *stem)
{
    const void *definition;
    char *symbol = text_new("variant_%s_%s", own->name, stem);
    int result = symbol ? load_file(folder, own->copy, stem, symbol, &definition) : error_memory();
    free(symbol);
    if (result) return result;
    const struct variant *variant = definition;
    const int is_grid = !strcmp(stem, "grid");
    do {
        const struct variant **variants =
            array_with_room(own->variants, (size_t)own->variant_count, sizeof *variants);
        if (!variants) return error_memory();
        own->variants = variants;
        if (!variant->family || !variant->name || !variant->file)
            return error(FAIL_INPUT, "%s/%s.cu: the name is missing; add %s", own->folder, stem,
                         is_grid ? "VARIANT_NAMED" : "VARIANT_IDENTITY");
        own->variants[own->variant_count++] = variant++;
    } while (is_grid && variant->family);
    return 0;
}

static int load_all(struct own_family *own, const struct own_folder *folder)
{
    char stem[256];
    int result = load_family(own, folder);
    for (int i = 0; i < folder->count && !result; i++)
        if (own_file_is_compiled(folder->file[i], stem) && strcmp(stem, "family"))
            result = load_variants(own, folder, stem);
    if (!result && !own->variant_count)
        result = error(FAIL_INPUT, "%s has no variant; add a file NN_idea.cu, such as 01_first.cu",
                       folder->folder);
    return result;
}

static int is_loaded(const char *folder)
{
    for (int i = 0; i < loaded_count; i++)
        if (!strcmp(loaded[i].folder, folder)) return 1;
    return 0;
}

/* Compiles the folder, loads it and adds it to the registry. */
static int add_folder(const char *path)
{
    struct own_folder folder;
    char *copy = NULL;
    int result = own_folder_read(&folder, path);
    const int is_new = !result && !is_loaded(folder.folder);
    if (is_new && loaded_count == MOST_OWN)
        result = error(FAIL_USAGE, "more than %d folders", MOST_OWN);
    if (is_new && !result) result = own_compile(&folder, &copy);
    if (is_new && result != FAIL_INTERRUPTED) own_warn_of_marks(&folder);
    if (is_new && !result) {
        struct own_family *own = &loaded[loaded_count++];
        *own = (struct own_family){.name = strdup(folder.name),
                                   .folder = strdup(folder.folder),
                                   .hash = strdup(folder.hash),
                                   .copy = copy};
        if (!own->name || !own->folder || !own->hash) result = error_memory();
        if (!result) result = load_all(own, &folder);
        if (!result && registry_family(own->name))
            note("%s replaces the family %s of this program", own->folder, own->name);
        if (!result) result = registry_add(own);
    }
    own_folder_free(&folder);
    return result;
}

char *own_provenance(void)
{
    struct text line = {0};
    for (int i = 0; i < loaded_count; i++)
        text_format(&line, "%s%s: %s, sources %s", i ? "; " : "", loaded[i].name, loaded[i].folder,
                    loaded[i].hash);
    if (line.failed) text_free(&line);
    return line.failed ? NULL : line.data ? line.data : strdup("");
}

/* ---- operands -------------------------------------------------------------------------------- */

static int compiles(const char *command)
{
    static const char *const names[] = {"list", "measure", "launch", "probe", "report", "collect"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(command, names[i])) return 1;
    return 0;
}

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

/* Returns the pattern for a variant of a folder, whose file may be named; it is kept until the
 * program ends. */
static const char *pattern_of(const char *folder, const char *rest)
{
    enum { MOST = 256 };
    static char *kept[MOST];
    static int count;
    if (!strcmp(rest, "grid.cu")) rest = ""; /* all its variants */
    char *real = realpath(folder, NULL);
    const char *name = real ? strrchr(real, '/') + 1 : folder;
    const size_t length = strlen(rest),
                 suffix = length > 3 && !strcmp(rest + length - 3, ".cu") ? 3 : 0;
    char *pattern = text_new("%s%s%.*s", name, *rest ? "/" : "", (int)(length - suffix), rest);
    free(real);
    return count < MOST ? (kept[count++] = pattern) : NULL;
}

/* Returns a failure, with a message, for a path that is neither a family nor a run. */
static int check_path(const char *word, const char *command)
{
    const size_t length = strlen(word);
    const char *slash = strrchr(word, '/');
    const int is_source = length > 3 && !strcmp(word + length - 3, ".cu");
    char *family = text_new("%.*s", (int)strcspn(word, "/"), word);
    const int is_known = !family || registry_family(family);
    free(family);
    if (is_known || strpbrk(word, "*?[") || holds(word, "run.txt")) return 0;
    if (!slash && is_source && file_exists(word))
        return file_exists("family.c")
                   ? error(FAIL_USAGE, "%s is a file of this directory; write ./%s", word, word)
                   : error(FAIL_USAGE, "%s is no family; 'whyfast new NAME --from %s' makes one",
                           word, word);
    const int is_path = slash && (!slash[1] || (!strcmp(command, "list") && strchr("./", *word)));
    if (!is_path || !strcmp(command, "collect")) return 0;
    return file_exists(word)
               ? error(FAIL_INPUT, "%s has no family.c; 'whyfast new' writes one", word)
               : error(FAIL_INPUT, "there is no folder %s", word);
}

int own_operands(const char **operand, int count, const char *command)
{
    int result = 0;
    for (int i = 0; i < count && !result; i++) {
        const char *rest;
        char *folder = split(operand[i], &rest);
        if (!folder && compiles(command)) result = check_path(operand[i], command);
        if (!folder) continue;
        operand[i] = pattern_of(folder, rest);
        if (!operand[i]) result = error_memory();
        if (!result && compiles(command)) result = add_folder(folder);
        free(folder);
    }
    return result;
}

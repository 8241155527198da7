#include "user_kernels/own_family.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "machine_code/cubin.h"
#include "user_kernels/own_compile.h"

enum { MOST_OWN = 16 }; /* as in catalog/registry.c */

static struct own_family loaded[MOST_OWN];
static int loaded_count;

/* ---- loading --------------------------------------------------------------------------------- */

/* Loads one shared object of the copy and finds its definition. */
static int load_file(const struct own_folder *folder, const char *copy, const char *stem,
                     const char *symbol, const void **definition)
{
    const struct path object = path_of("%s/%s.so", copy, stem);
    void *handle = dlopen(object.at, RTLD_NOW | RTLD_LOCAL);
    int result = handle ? executable_add(object.at)
                        : error(FAIL_INPUT, "%s: cannot load what was compiled: %s", folder->folder,
                                dlerror());
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
        if (!ARRAY_GROWS(own->variants, own->variant_count)) return error_memory();
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

static char *crashed; /* the families whose code runs in this process */

static void say_crash(int number)
{
    dprintf(2, "whyfast: crashed by signal %d; on the CPU it runs code of %s\n", number, crashed);
    _exit(-FAIL_INPUT);
}

static void watch_crashes(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    free(crashed);
    crashed = own_provenance();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], say_crash);
}

static int is_loaded(const char *folder)
{
    for (int i = 0; i < loaded_count; i++)
        if (!strcmp(loaded[i].folder, folder)) return 1;
    return 0;
}

int own_add(const char *path)
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
        if (!result) watch_crashes();
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
    text_append(&line, "");
    return text_taken(&line);
}

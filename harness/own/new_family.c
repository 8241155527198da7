/*
 * Implements own_new of own/own_family.h. Nothing is owned.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"
#include "own/own_family.h"

static int copy_skeleton(const char *folder, const char *const *files)
{
    char *data = data_directory();
    int result = data ? 0 : FAIL_INPUT;
    for (; *files && !result; files++) {
        char *from = text_new("%s/harness/own/skeleton/%s", data, *files);
        result = from ? file_copy(from, folder, *files) : error_memory();
        free(from);
    }
    free(data);
    return result;
}

static int check_name(const char *folder, const char *name)
{
    const size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (!*name || name[good] || !islower((unsigned char)*name))
        return error(FAIL_USAGE,
                     "new: the name of a family is made of lower-case letters, digits and '_', and "
                     "begins with a letter; found '%s'",
                     name);
    if (registry_family(name))
        return error(FAIL_USAGE, "new: whyfast has a family %s; choose another name", name);
    if (file_exists(folder))
        return error(FAIL_USAGE, "new: %s exists already; nothing was changed", folder);
    return 0;
}

int own_new(const char *folder, const char *from)
{
    static const char *const example[] = {"family.c", "01_first.cu", "02_second.cu", NULL};
    char *path = strdup(folder);
    if (!path) return error_memory();
    for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--) path[end - 1] = 0;
    const char *slash = strrchr(path, '/');
    int result = check_name(path, slash ? slash + 1 : path);
    (void)from;
    if (!result) result = directory_make(path);
    if (!result) result = copy_skeleton(path, example);
    if (!result)
        printf("%s/family.c, 01_first.cu and 02_second.cu are a complete family; change them, then "
               "run\n  whyfast report %s/\n",
               path, path);
    free(path);
    return result;
}

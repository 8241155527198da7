#include "user_kernels/own_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

static int is_source(const struct dirent *entry)
{
    static const char *const suffixes[] = {".c", ".cu", ".h", ".cuh", ".hpp", ".inc", ".inl"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (text_before(entry->d_name, suffixes[i])) return *entry->d_name != '.';
    return 0;
}

int own_file_is_compiled(const char *file, char stem[256])
{
    snprintf(stem, 256, "%.*s", (int)strcspn(file, "."), file);
    return !strcmp(file, "family.c") || text_before(file, ".cu");
}

static int read_files(struct own_folder *folder, struct dirent **entries, int count)
{
    uint64_t hash = HASH_START;
    if (count > OWN_FILES)
        return error(FAIL_INPUT, "%s: more than %d sources", folder->folder, OWN_FILES);
    for (int i = 0; i < count; i++) {
        const struct path path = path_in(folder->folder, entries[i]->d_name);
        char *text = text_read_file(path.at, &folder->length[i]);
        if (!text) return error(FAIL_INPUT, "%s: cannot read: %s", path.at, strerror(errno));
        folder->text[folder->count] = text;
        folder->file[folder->count] = strdup(entries[i]->d_name);
        if (!folder->file[folder->count++]) return error_memory();
        hash = hash_bytes(hash, entries[i]->d_name, strlen(entries[i]->d_name) + 1);
        hash = hash_bytes(hash, text, folder->length[i] + 1);
    }
    hash_text(hash, folder->hash);
    return 0;
}

int own_folder_read(struct own_folder *folder, const char *path)
{
    struct dirent **entries = NULL;
    char *real = realpath(path, NULL);
    memset(folder, 0, sizeof *folder);
    folder->folder = real;
    folder->name = real ? strdup(strrchr(real, '/') + 1) : NULL;
    const int count = real ? scandir(real, &entries, is_source, alphasort) : -1;
    int result = count < 0      ? error(FAIL_INPUT, "%s: cannot read: %s", path, strerror(errno))
                 : folder->name ? read_files(folder, entries, count)
                                : error_memory();
    for (int i = 0; i < count; i++) free(entries[i]);
    free(entries);
    return result;
}

void own_folder_free(struct own_folder *folder)
{
    for (int i = 0; i < folder->count; i++) {
        free(folder->file[i]);
        free(folder->text[i]);
    }
    free(folder->name);
    free(folder->folder);
    memset(folder, 0, sizeof *folder);
}

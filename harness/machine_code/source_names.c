#include "machine_code/source_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* Returns the offset of the last part of a path of this length. */
static size_t last_part(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/') length--;
    return length;
}

char *source_resolved(const char *path)
{
    char *out = text_new("%s", path);
    size_t length = 0;
    if (!out) return NULL;
    for (const char *part = path; *part;) {
        const size_t bytes = strcspn(part, "/"), last = last_part(out, length);
        const int up = bytes == 2 && !memcmp(part, "..", 2);
        const int above =
            length == 0
                ? *path != '/'
                : length - last == 2 && !memcmp(out + last, "..", 2); /* nothing to go up from */
        if (up && !above) {
            length = last > 0 ? last - 1 : 0;
        } else if (bytes > 0 && !(bytes == 1 && *part == '.')) {
            if (length > 0 || *path == '/') out[length++] = '/';
            memcpy(out + length, part, bytes);
            length += bytes;
        }
        part += bytes + (part[bytes] == '/');
    }
    out[length] = 0;
    return out;
}

/* Returns the number of bytes before `tail` if a path of this length ends with it, in whole parts,
 * else -1. */
static long front(const char *path, size_t length, const char *tail, size_t tail_length)
{
    if (length < tail_length || memcmp(path + length - tail_length, tail, tail_length) != 0)
        return -1;
    return length == tail_length || path[length - tail_length - 1] == '/'
               ? (long)(length - tail_length)
               : -1;
}

int source_root(char *const *paths, int count, const char *file, char **root)
{
    const size_t whole = strlen(file);
    *root = NULL;
    for (size_t length = whole; length > 0;
         length = last_part(file, length) > 0 ? last_part(file, length) - 1 : 0) {
        for (int i = 0; i < count; i++) {
            char *path = source_resolved(paths[i]);
            if (!path) return error_memory();
            /* Headers of other projects lie in directories of the same names. */
            const int is_other = length < whole && strstr(path, "/include/");
            const size_t directory = last_part(path, strlen(path));
            const long bytes = front(path,
                                     length == whole ? strlen(path)
                                     : directory > 0 ? directory - 1
                                                     : 0,
                                     file, length);
            const int found = bytes >= 0 && !is_other;
            if (found) *root = text_new("%.*s", (int)bytes, path);
            free(path);
            if (found) return *root ? 0 : error_memory();
        }
    }
    return 0;
}

/* Returns the path from its last "include/" on, or NULL if it has none. */
static const char *in_include(const char *path)
{
    static const char include[] = "/include/";
    const char *found = strncmp(path, include + 1, sizeof include - 2) ? NULL : path;
    for (const char *p = path; (p = strstr(p, include)); p++) found = p + 1;
    return found;
}

char *source_name(const char *path, const char *root)
{
    char *resolved = source_resolved(path);
    if (!resolved) return NULL;
    const char *name = resolved;
    int is_ours = *resolved != '/' && strncmp(resolved, "../", 3) != 0;
    if (root && *root && !strncmp(resolved, root, strlen(root))) {
        name = resolved + strlen(root);
        is_ours = 1;
    }
    const char *include = in_include(name);
    if (include)
        name = include;
    else if (!is_ours)
        name = resolved + last_part(resolved, strlen(resolved));
    char *copy = text_new("%s", name);
    free(resolved);
    return copy;
}

#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "text.h"

static void forget(struct output *output)
{
    free(output->path);
    free(output->temporary);
    memset(output, 0, sizeof *output);
}

/* Follows the path where it is a link; *as_it_is where it cannot be replaced. */
static int find_place(struct output *output, int *as_it_is)
{
    struct stat status;
    *as_it_is = 0;
    if (lstat(output->path, &status)) return 0; /* whether it can be made is seen when that is tried */
    const int is_link = S_ISLNK(status.st_mode);
    if (is_link && stat(output->path, &status))
        return error(FAIL_OUTPUT, "%s: cannot write where this link leads: %s", output->path, strerror(errno));
    *as_it_is = !S_ISREG(status.st_mode);
    if (*as_it_is || !is_link) return 0;
    char *target = realpath(output->path, NULL);
    if (!target) return error(FAIL_OUTPUT, "%s: cannot write: %s", output->path, strerror(errno));
    free(output->path);
    output->path = target;
    return 0;
}

/* Opens a file that is new, beside the path. A program that was killed may have left one of the first name. */
static int open_temporary(struct output *output)
{
    enum { MOST = 100 };
    errno = EEXIST;
    for (int i = 0; i < MOST && !output->file && errno == EEXIST; i++) {
        free(output->temporary);
        output->temporary = text_new("%s.%ld-%d.tmp", output->path, (long)getpid(), i);
        if (!output->temporary) return error_memory();
        output->file = fopen(output->temporary, "wbx");
    }
    return 0;
}

/* Whether a path whose links were followed lies below the directory. */
static int is_inside(const char *path, const char *directory)
{
    char *whole = realpath(directory, NULL);
    const size_t length = whole ? strlen(whole) : 0;
    const int inside = whole && !strncmp(path, whole, length) && (path[length] == '/' || length == 1);
    free(whole);
    return inside;
}

/* Opens what is to be written, in the directory unless it is NULL; the path is the output's already, or memory is short. */
static int begin(struct output *output, const char *directory)
{
    char *named = output->path ? strdup(output->path) : NULL;
    int as_it_is = 0, result = named ? find_place(output, &as_it_is) : error_memory();
    if (!result && directory && (as_it_is || (strcmp(named, output->path) && !is_inside(output->path, directory))))
        result = error(FAIL_OUTPUT, "%s: cannot write: %s; expected a plain file or none", named, as_it_is ? "it is no plain file" : "it is a link to elsewhere");
    free(named);
    if (!result && as_it_is) output->file = fopen(output->path, "wb");
    else if (!result) result = open_temporary(output);
    if (!result && !output->file) result = error(FAIL_OUTPUT, "%s: cannot write: %s", output->path, strerror(errno));
    if (result) forget(output);
    return result;
}

int output_begin(struct output *output, const char *directory, const char *name)
{
    *output = (struct output){.path = text_new("%s/%s", directory, name)};
    return begin(output, directory);
}

int output_open(struct output *output, const char *path)
{
    *output = (struct output){.path = strdup(path)};
    return begin(output, NULL);
}

/* Flushes and closes; the temporary file stays. */
static int finish(struct output *output)
{
    errno = 0;
    const int lost = ferror(output->file) | fflush(output->file);
    const int problem = errno;
    const int unclosed = fclose(output->file);
    output->file = NULL;
    if (!lost && !unclosed) return 0;
    return error(FAIL_OUTPUT, "%s: cannot write: %s", output->path,
                 problem || errno ? strerror(problem ? problem : errno) : "a write failed; is the disk full?");
}

/* Gives the finished file its name. */
static int publish(struct output *output)
{
    if (!output->temporary) return 0;
    if (rename(output->temporary, output->path) == 0) {
        detail("wrote %s", output->path);
        return 0;
    }
    return error(FAIL_OUTPUT, "%s: cannot replace: %s", output->path, strerror(errno));
}

int output_commit(struct output *output)
{
    int result = finish(output);
    if (!result) result = publish(output);
    if (result && output->temporary) unlink(output->temporary);
    forget(output);
    return result;
}

void output_abandon(struct output *output)
{
    if (output->file) fclose(output->file);
    if (output->temporary) unlink(output->temporary);
    forget(output);
}

int output_end(struct output *output, int result)
{
    if (!result) return output_commit(output);
    output_abandon(output);
    return result;
}

int output_group_begin(struct output_group *group, const char *directory, const char *name, FILE **file)
{
    if (group->count == GROUP_SIZE) return error(FAIL_OUTPUT, "%s/%s: more than %d files at once", directory, name, GROUP_SIZE);
    const int result = output_begin(&group->output[group->count], directory, name);
    if (result) return result;
    *file = group->output[group->count++].file;
    return 0;
}

int output_group_end(struct output_group *group, int result)
{
    for (int i = 0; i < group->count && !result; i++) result = finish(&group->output[i]);
    for (int i = 0; i < group->count; i++) {
        if (!result) result = publish(&group->output[i]);
        if (result) output_abandon(&group->output[i]);
        else forget(&group->output[i]);
    }
    group->count = 0;
    return result;
}

int temporary_file(char **path)
{
    const char *place = getenv("TMPDIR");
    *path = text_new("%s/whyfast-XXXXXX", place && *place ? place : "/tmp");
    if (!*path) errno = ENOMEM;
    const int file = *path ? mkostemp(*path, O_CLOEXEC) : -1;
    if (file >= 0) return file;
    const int failure = errno; /* free may change it */
    free(*path);
    *path = NULL;
    errno = failure;
    return -1;
}

int directory_make(const char *path)
{
    char *copy = strdup(path);
    if (!copy) return error_memory();
    int result = 0;
    for (char *p = copy + 1; !result; p++) {
        const char was = *p;
        if (was && was != '/') continue;
        *p = 0;
        struct stat status;
        if (mkdir(copy, 0777) && (errno != EEXIST || stat(copy, &status) || !S_ISDIR(status.st_mode)))
            result = error(FAIL_OUTPUT, "%s: cannot make the directory: %s", copy, strerror(errno == EEXIST ? ENOTDIR : errno));
        *p = was;
        if (!was) break;
    }
    free(copy);
    return result;
}

int directory_remove(const char *path)
{
    struct stat status;
    if (lstat(path, &status)) return 0;
    int result = 0;
    DIR *directory = S_ISDIR(status.st_mode) ? opendir(path) : NULL;
    for (struct dirent *entry; directory && !result && (entry = readdir(directory));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        char *inner = text_new("%s/%s", path, entry->d_name);
        result = inner ? directory_remove(inner) : error_memory();
        free(inner);
    }
    if (directory) closedir(directory);
    if (!result && (S_ISDIR(status.st_mode) ? rmdir(path) : unlink(path)))
        result = error(FAIL_OUTPUT, "%s: cannot remove: %s", path, strerror(errno));
    return result;
}

int file_copy(const char *from, const char *directory, const char *name)
{
    size_t length;
    char *text = text_read_file(from, &length);
    if (!text) return error(FAIL_INPUT, "%s: cannot read: %s", from, strerror(errno));
    struct output output;
    int result = output_begin(&output, directory, name);
    if (!result) {
        fwrite(text, 1, length, output.file); /* output_commit asks ferror */
        result = output_commit(&output);
    }
    free(text);
    return result;
}

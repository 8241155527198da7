#include "base/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"

void atomic_file_forget(struct atomic_file *output)
{
    free(output->path);
    free(output->temporary);
    memset(output, 0, sizeof *output);
}

/* Follows the path where it is a link; *as_it_is where it cannot be replaced. */
static int find_place(struct atomic_file *output, int *as_it_is)
{
    struct stat status;
    *as_it_is = 0;
    if (lstat(output->path, &status))
        return 0; /* whether it can be made is seen when that is tried */
    const int is_link = S_ISLNK(status.st_mode);
    if (is_link && stat(output->path, &status))
        return error(FAIL_OUTPUT, "%s: cannot write where this link leads: %s", output->path,
                     strerror(errno));
    *as_it_is = !S_ISREG(status.st_mode);
    if (*as_it_is || !is_link) return 0;
    char *target = realpath(output->path, NULL);
    if (!target) return error(FAIL_OUTPUT, "%s: cannot write: %s", output->path, strerror(errno));
    free(output->path);
    output->path = target;
    return 0;
}

/* Opens a file that is new, beside the path. A program that was killed may have left one of the
 * first name. */
static int open_temporary(struct atomic_file *output)
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
    const int inside =
        whole && !strncmp(path, whole, length) && (path[length] == '/' || length == 1);
    free(whole);
    return inside;
}

/* Opens what is to be written, in the directory unless it is NULL; the path is the output's
 * already, or memory is short. */
static int begin(struct atomic_file *output, const char *directory)
{
    char *named = output->path ? strdup(output->path) : NULL;
    int as_it_is = 0, result = named ? find_place(output, &as_it_is) : error_memory();
    if (!result && directory &&
        (as_it_is || (strcmp(named, output->path) && !is_inside(output->path, directory))))
        result = error(FAIL_OUTPUT, "%s: cannot write: %s; expected a plain file or none", named,
                       as_it_is ? "it is no plain file" : "it is a link to elsewhere");
    free(named);
    if (!result && as_it_is)
        output->file = fopen(output->path, "wb");
    else if (!result)
        result = open_temporary(output);
    if (!result && !output->file)
        result = error(FAIL_OUTPUT, "%s: cannot write: %s", output->path, strerror(errno));
    if (result) atomic_file_forget(output);
    return result;
}

int atomic_file_begin(struct atomic_file *output, const char *directory, const char *name)
{
    *output = (struct atomic_file){.path = text_new("%s/%s", directory, name)};
    return begin(output, directory);
}

int atomic_file_open(struct atomic_file *output, const char *path)
{
    *output = (struct atomic_file){.path = strdup(path)};
    return begin(output, NULL);
}

int atomic_file_finish(struct atomic_file *output)
{
    errno = 0;
    int lost = ferror(output->file) | fflush(output->file);
    if (!lost && output->unsynced)
        (void)sync_file_range(fileno(output->file), 0, 0,
                              SYNC_FILE_RANGE_WRITE); /* so that little is left to wait for */
    else if (!lost && output->temporary)
        lost = fsync(fileno(output->file)); /* before it is renamed: a name must not be on the disk
                                               before what it names */
    const int problem = errno;
    const int unclosed = fclose(output->file);
    output->file = NULL;
    if (!lost && !unclosed) return 0;
    return error(FAIL_OUTPUT, "%s: cannot write: %s", output->path,
                 problem || errno ? strerror(problem ? problem : errno)
                                  : "a write failed; is the disk full?");
}

static int is_directory(const char *path)
{
    struct stat status;
    return !lstat(path, &status) && S_ISDIR(status.st_mode);
}

int atomic_file_publish(const struct atomic_file *output)
{
    if (!output->temporary) return 0;
    const int result = is_directory(output->temporary) ? directory_remove(output->path) : 0;
    if (result) return result;
    if (rename(output->temporary, output->path) == 0) {
        detail("wrote %s", output->path);
        return 0;
    }
    return error(FAIL_OUTPUT, "%s: cannot replace: %s", output->path, strerror(errno));
}

size_t atomic_file_temporary_of(const char *name)
{
    static const char ending[] = ".tmp", digits[] = "0123456789";
    const size_t length = strlen(name), least = strlen(ending);
    size_t at = length > least && !strcmp(name + length - least, ending) ? length - least : 0;
    for (const char *before = "-."; at && *before; before++) {
        const size_t end = at;
        while (at && strchr(digits, name[at - 1])) at--;
        if (at == end || at == 0 || name[--at] != *before) at = 0;
    }
    return at;
}

int atomic_file_commit(struct atomic_file *output)
{
    int result = atomic_file_finish(output);
    if (!result) result = atomic_file_publish(output);
    if (result && output->temporary) unlink(output->temporary);
    atomic_file_forget(output);
    return result;
}

void atomic_file_abandon(struct atomic_file *output)
{
    if (output->file) fclose(output->file);
    if (output->temporary) unlink(output->temporary);
    atomic_file_forget(output);
}

int atomic_file_end(struct atomic_file *output, int result)
{
    if (!result) return atomic_file_commit(output);
    atomic_file_abandon(output);
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

int nameless_file(void)
{
    char *path;
    const int file = temporary_file(&path);
    if (file >= 0) unlink(path);
    free(path);
    return file;
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
        if (mkdir(copy, 0777) &&
            (errno != EEXIST || stat(copy, &status) || !S_ISDIR(status.st_mode)))
            result = error(FAIL_OUTPUT, "%s: cannot make the directory: %s", copy,
                           strerror(errno == EEXIST ? ENOTDIR : errno));
        *p = was;
        if (!was) break;
    }
    free(copy);
    return result;
}

static int sync_one(const char *path)
{
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const int done =
        file >= 0 && (fsync(file) == 0 ||
                      errno == EINVAL); /* EINVAL: this file system has nothing to sync of it */
    const int result =
        done ? 0
             : error(FAIL_OUTPUT, "%s: cannot be made safe on the disk: %s", path, strerror(errno));
    if (file >= 0) close(file);
    return result;
}

/* Calls `act` for everything in a directory; FAIL_OUTPUT when that cannot be read. */
static int each_entry(const char *path, int (*act)(const char *path))
{
    int result = 0;
    DIR *directory = opendir(path);
    if (!directory) return error(FAIL_OUTPUT, "%s: cannot open: %s", path, strerror(errno));
    for (struct dirent *entry; !result && (entry = readdir(directory));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        char *inner = text_new("%s/%s", path, entry->d_name);
        result = inner ? act(inner) : error_memory();
        free(inner);
    }
    closedir(directory);
    return result;
}

int directory_sync(const char *path)
{
    struct stat status;
    if (lstat(path, &status)) return error(FAIL_OUTPUT, "%s: %s", path, strerror(errno));
    const int result = S_ISDIR(status.st_mode) ? each_entry(path, directory_sync) : 0;
    return result || !(S_ISDIR(status.st_mode) || S_ISREG(status.st_mode)) ? result
                                                                           : sync_one(path);
}

int directory_sync_above(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *above = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    const int result = above ? sync_one(above) : error_memory();
    free(above);
    return result;
}

int directory_remove(const char *path)
{
    struct stat status;
    if (lstat(path, &status)) return 0;
    const int result = S_ISDIR(status.st_mode) ? each_entry(path, directory_remove) : 0;
    if (!result && (S_ISDIR(status.st_mode) ? rmdir(path) : unlink(path)))
        return error(FAIL_OUTPUT, "%s: cannot remove: %s", path, strerror(errno));
    return result;
}

/* Piece by piece: a table of a large run may be larger than the memory. */
static int copy_pieces(FILE *from, FILE *to)
{
    static char piece[1 << 18];
    size_t got;
    while (!ferror(to) && (got = fread(piece, 1, sizeof piece, from)) > 0)
        fwrite(piece, 1, got, to); /* atomic_file_commit asks ferror */
    return ferror(from) ? FAIL_INPUT : 0;
}

int file_copy(const char *from, const char *directory, const char *name)
{
    struct atomic_file output;
    FILE *file = text_open_file(from);
    if (!file) return error(FAIL_INPUT, "%s: cannot read: %s", from, strerror(errno));
    int result = atomic_file_begin(&output, directory, name);
    if (!result) {
        output.unsynced = 1;
        result = copy_pieces(file, output.file);
        if (result) error(FAIL_INPUT, "%s: cannot read: %s", from, strerror(errno));
        result = atomic_file_end(&output, result);
    }
    fclose(file);
    return result;
}

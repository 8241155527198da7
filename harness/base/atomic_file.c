#include "base/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "version.h"

static void forget(struct atomic_file *output)
{
    free(output->path);
    free(output->temporary);
    memset(output, 0, sizeof *output);
}

/* Follows the path if it is a link; sets *direct if the file cannot be replaced. */
static int follow_path(struct atomic_file *output, int *direct)
{
    struct stat status;
    *direct = 0;
    if (lstat(output->path, &status)) return 0; /* opening the file finds out why */
    const int is_link = S_ISLNK(status.st_mode);
    if (is_link && stat(output->path, &status))
        return error(FAIL_OUTPUT, "%s: cannot write to the target of this link: %s", output->path,
                     strerror(errno));
    *direct = !S_ISREG(status.st_mode);
    if (*direct || !is_link) return 0;
    char *target = realpath(output->path, NULL);
    if (!target) return error(FAIL_OUTPUT, "%s: cannot write: %s", output->path, strerror(errno));
    free(output->path);
    output->path = target;
    return 0;
}

/* Creates a new file beside the path; a killed program may have left one of the first name. */
static int open_temporary(struct atomic_file *output)
{
    enum { MOST = 100 };
    errno = EEXIST;
    for (int i = 0; i < MOST && !output->file && errno == EEXIST; i++) {
        free(output->temporary);
        output->temporary = text_new("%s.%ld-%d.tmp", output->path, (long)getpid(), i);
        if (!output->temporary) return error_memory();
        output->file = fopen(output->temporary, "wbxe");
    }
    return 0;
}

int atomic_file_open(struct atomic_file *output, const char *path)
{
    int direct = 0;
    *output = (struct atomic_file){.path = strdup(path)};
    int result = output->path ? follow_path(output, &direct) : error_memory();
    if (!result && direct)
        output->file = fopen(output->path, "wbe");
    else if (!result)
        result = open_temporary(output);
    if (!result && !output->file)
        result = error(FAIL_OUTPUT, "%s: cannot write: %s", output->path, strerror(errno));
    if (result) forget(output);
    return result;
}

int atomic_file_begin(struct atomic_file *output, const char *directory, const char *name)
{
    return atomic_file_open(output, path_in(directory, name).at);
}

int atomic_file_write(const char *directory, const char *name, const struct text *text)
{
    struct atomic_file output;
    int result = text->failed ? error_memory() : atomic_file_begin(&output, directory, name);
    if (result) return result;
    fwrite(text_string(text), 1, text->length, output.file); /* which may have zeros */
    return atomic_file_end(&output, 0);
}

int stdout_end(void)
{
    if (!fflush(stdout) && !ferror(stdout)) return 0;
    putchar('\n'); /* to learn the reason again, which is lost if the write failed long ago */
    errno = EIO;
    fflush(stdout);
    return error(FAIL_OUTPUT, "cannot write to stdout: %s", strerror(errno));
}

/* Syncs before the rename: a name must not reach the disk before the data. */
static int finish(struct atomic_file *output)
{
    errno = 0;
    const int lost = ferror(output->file) || fflush(output->file) ||
                     (output->temporary && fsync(fileno(output->file)));
    const int problem = errno;
    const int unclosed = fclose(output->file);
    output->file = NULL;
    if (!lost && !unclosed) return 0;
    return error(FAIL_OUTPUT, "%s: cannot write: %s", output->path,
                 problem || errno ? strerror(problem ? problem : errno)
                                  : "a write failed; is the disk full?");
}

static int publish(struct atomic_file *output)
{
    if (output->temporary && rename(output->temporary, output->path))
        return error(FAIL_OUTPUT, "%s: cannot replace: %s", output->path, strerror(errno));
    if (output->temporary) detail("wrote %s", output->path);
    forget(output);
    return 0;
}

static void abandon(struct atomic_file *output)
{
    if (output->file) fclose(output->file);
    if (output->temporary) unlink(output->temporary);
    forget(output);
}

int atomic_file_end(struct atomic_file *output, int result)
{
    if (!result) result = finish(output);
    if (!result) result = publish(output);
    if (result) abandon(output);
    return result;
}

int atomic_files_begin(struct atomic_files *files, const char *directory, const char *name,
                       FILE **file)
{
    enum { MOST = sizeof files->output / sizeof *files->output };
    if (files->count == MOST)
        return error(FAIL_OUTPUT, "%s/%s: more than %d files at once", directory, name, MOST);
    const int result = atomic_file_begin(&files->output[files->count], directory, name);
    if (result) return result;
    *file = files->output[files->count++].file;
    return 0;
}

int atomic_files_end(struct atomic_files *files, int result)
{
    for (int i = 0; i < files->count && !result; i++) result = finish(&files->output[i]);
    for (int i = 0; i < files->count && !result; i++) result = publish(&files->output[i]);
    for (int i = 0; i < files->count; i++) abandon(&files->output[i]);
    files->count = 0;
    return result;
}

size_t atomic_file_temporary_of(const char *name)
{
    static const char digits[] = "0123456789";
    size_t at = text_before(name, ".tmp");
    for (const char *before = "-."; at && *before; before++) {
        const size_t end = at;
        while (at && strchr(digits, name[at - 1])) at--;
        if (at == end || at == 0 || name[--at] != *before) at = 0;
    }
    return at;
}

static struct path temporary_pattern(void)
{
    const char *directory = getenv("TMPDIR");
    return path_in(directory && *directory ? directory : "/tmp", "whyfast-XXXXXX");
}

int nameless_file(void)
{
    struct path path = temporary_pattern();
    const int file = mkostemp(path.at, O_CLOEXEC);
    if (file >= 0) unlink(path.at);
    return file;
}

char *temporary_directory(void)
{
    struct path path = temporary_pattern();
    char *absolute = mkdtemp(path.at) ? realpath(path.at, NULL) : NULL;
    if (!absolute) error(FAIL_OUTPUT, "%s: cannot create: %s", path.at, strerror(errno));
    return absolute;
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

int directory_visit(const char *path, int (*visit)(void *context, const char *name), void *context)
{
    int result = 0;
    DIR *directory = opendir(path);
    if (!directory) return error(FAIL_OUTPUT, "%s: cannot open: %s", path, strerror(errno));
    for (struct dirent *entry; !result && (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            result = visit(context, entry->d_name);
    closedir(directory);
    return result;
}

struct nearby {
    struct path directory;
    const char *inside;
    char **name;
    size_t count;
};

static int add_nearby(void *context, const char *name)
{
    struct nearby *nearby = context;
    const struct path path = path_in(nearby->directory.at, name);
    if (*name == '.' || (*nearby->inside && !file_exists(path_in(path.at, nearby->inside).at)))
        return 0;
    if (!ARRAY_GROWS(nearby->name, nearby->count)) return error_memory();
    nearby->name[nearby->count] = strdup(name);
    return nearby->name[nearby->count] ? (nearby->count++, 0) : error_memory();
}

char *file_nearest(const char *path, const char *inside)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    const struct path whole = path_of("%.*s", (int)length, path);
    const char *name = text_base_name(whole.at);
    char *nearest = NULL;
    length = (size_t)(name - whole.at);
    struct nearby nearby = {path_of("%.*s", length ? (int)length : 1, length ? path : "."), inside,
                            NULL, 0};
    if (access(nearby.directory.at, R_OK | X_OK) == 0 &&
        !directory_visit(nearby.directory.at, add_nearby, &nearby)) {
        const char *found = text_nearest(name, (const char *const *)nearby.name, nearby.count);
        if (found) nearest = text_new("%.*s%s", (int)length, path, found);
    }
    for (size_t i = 0; i < nearby.count; i++) free(nearby.name[i]);
    free(nearby.name);
    return nearest;
}

int file_missing(const char *kinds, const char *word, const char *path)
{
    char *nearest = file_nearest(path, "");
    const int result =
        error(FAIL_INPUT, "there is no %s '%s'%s%s%s", kinds, word,
              nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    free(nearest);
    return result;
}

static int sync_one(const char *path)
{
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    /* EINVAL: this file system does not sync it. */
    const int synced = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
    const int result =
        synced ? 0 : error(FAIL_OUTPUT, "%s: cannot sync: %s", path, strerror(errno));
    if (file >= 0) close(file);
    return result;
}

/* Calls `act` for `path` and all below it, a directory after what is in it. */
static int each_below(const char *path, __nftw_func_t act)
{
    enum { OPEN_DIRECTORIES = 16 };
    const int result = nftw(path, act, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
    return result == -1 ? error(FAIL_OUTPUT, "%s: %s", path, strerror(errno)) : result;
}

static int sync_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)at;
    return kind == FTW_SL || (kind == FTW_F && !S_ISREG(status->st_mode)) ? 0 : sync_one(path);
}

int directory_sync(const char *path)
{
    return each_below(path, sync_entry);
}

int directory_sync_above(const char *path)
{
    const int length = (int)(text_base_name(path) - path);
    return sync_one(length ? path_of("%.*s", length, path).at : ".");
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)at;
    const int failed = kind == FTW_DP || kind == FTW_DNR ? rmdir(path) : unlink(path);
    return failed ? error(FAIL_OUTPUT, "%s: cannot remove: %s", path, strerror(errno)) : 0;
}

int directory_remove(const char *path)
{
    return file_exists(path) ? each_below(path, remove_entry) : 0;
}

int file_copy(const char *from, const char *directory, const char *name)
{
    struct atomic_file output;
    char piece[1 << 16];
    size_t got;
    FILE *file = text_open_file(from);
    if (!file) return error(FAIL_INPUT, "%s: cannot read: %s", from, strerror(errno));
    int result = atomic_file_begin(&output, directory, name);
    if (!result) {
        while (!ferror(output.file) && (got = fread(piece, 1, sizeof piece, file)) > 0)
            fwrite(piece, 1, got, output.file);
        if (ferror(file)) result = error(FAIL_INPUT, "%s: cannot read: %s", from, strerror(errno));
        result = atomic_file_end(&output, result);
    }
    fclose(file);
    return result;
}

int file_exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

int directory_exists(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* ---- the program's data ---------------------------------------------------------------------- */

/* The directory of this program, or NULL. The caller frees it. */
static char *program_directory(void)
{
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return NULL;
    program[length] = 0;
    char *slash = strrchr(program, '/');
    if (slash) *slash = 0;
    return strdup(program);
}

char *program_file(const char *name)
{
    static const char *const near[] = {".", "../lib/whyfast", "../../bin"};
    char *program = program_directory(), *found = NULL;
    for (size_t i = 0; program && !found && i < sizeof near / sizeof *near; i++) {
        found = text_new("%s/%s/%s", program, near[i], name);
        if (found && access(found, R_OK)) free(found), found = NULL;
    }
    free(program);
    return found;
}

static int is_data(const char *directory)
{
    return access(path_in(directory, "metrics/sets.metric").at, R_OK) == 0;
}

/* $WHYFAST_DATA; else the source tree (build/whyfast, build/fake/whyfast), the installation of
 * this program (bin/whyfast, lib/whyfast/whyfast-gpu), or the place where it was to be installed.
 */
char *data_find(void)
{
    static const char *const near[] = {"..", "../..", "../share/whyfast", "../../share/whyfast"};
    const char *told = getenv("WHYFAST_DATA");
    if (told && *told) return is_data(told) ? strdup(told) : NULL;
    char *program = program_directory(), *found = NULL;
    for (size_t i = 0; program && !found && i < sizeof near / sizeof *near; i++) {
        const struct path path = path_in(program, near[i]);
        if (is_data(path.at)) found = strdup(path.at);
    }
    if (program && !found && is_data(WHYFAST_DATADIR)) found = strdup(WHYFAST_DATADIR);
    free(program);
    return found;
}

char *data_directory(void)
{
    const char *told = getenv("WHYFAST_DATA");
    char *found = data_find();
    if (!found)
        error(FAIL_INPUT,
              "cannot find the directory with metrics/, plots/ and reports/; name it in "
              "WHYFAST_DATA%s%s",
              told ? "; it is now " : "", told ? told : "");
    return found;
}

/* build/ of the source tree `data`, if this program lies in it and files can be made there. */
static char *build_directory(const char *data)
{
    char *program = program_directory(), *build = realpath(path_in(data, "build").at, NULL);
    const size_t length = build ? strlen(build) : 0;
    const int holds_program = build && program && !strncmp(program, build, length) &&
                              (program[length] == '/' || !program[length]);
    free(program);
    if (holds_program && access(build, W_OK) == 0) return build;
    free(build);
    return NULL;
}

/* Whether files can be made in the directory, or in the nearest one above that is there. */
static int can_be_written(const char *path)
{
    struct path above = path_in(path, "");
    while (*above.at && access(above.at, F_OK)) {
        char *slash = strrchr(above.at, '/');
        slash[slash == above.at] = 0;
    }
    return access(above.at, W_OK | X_OK) == 0;
}

int data_cache_check(const char *path)
{
    if (path && can_be_written(path)) return 0;
    return error(FAIL_OUTPUT,
                 "HOME or XDG_CACHE_HOME must name a directory in which whyfast can keep files%s%s",
                 path ? "; it cannot write " : "", path ? path : "");
}

char *data_cache(const char *part)
{
    char *data = data_directory();
    if (!data) return NULL;
    char *found = build_directory(data), *path = NULL;
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    free(data);
    if (found)
        path = text_new("%s/%s", found, part);
    else if (cache && *cache == '/')
        path = text_new("%s/whyfast/%s", cache, part);
    else if (home && *home == '/')
        path = text_new("%s/.cache/whyfast/%s", home, part);
    free(found);
    if (path && file_exists(path)) return path;
    if (!data_cache_check(path) && !directory_make(path)) return path;
    free(path);
    return NULL;
}

#include "run/run_publish.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "run/run_journal.h"
#include "run/tables.h"

#define EARLIER "earlier.whyfast"
static const char UNFINISHED_CHARTS[] = "charts.part";

int run_publish_is_own(const char *name)
{
    static const char *const names[] = {FACTS_FILE,    JOURNAL_FILE,      EARLIER,
                                        "index.html",  "index.js",        "method.html",
                                        "report.html", "report.md",       "coverage.md",
                                        "sources.md",  "whyfast.css",     "whyfast.js",
                                        "charts",      UNFINISHED_CHARTS, MERGED_DEVICES},
                             *const begin[] = {"ladder-", "compare", "conflicts"};
    char stem[NAME_MAX + 1];
    const size_t temporary_of = atomic_file_temporary_of(name);
    snprintf(stem, sizeof stem, "%.*s", (int)(temporary_of ? temporary_of : strlen(name)), name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(stem, names[i])) return 1;
    char *ending = strrchr(stem, '.');
    if (!ending) return 0;
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (!strncmp(stem, begin[i], strlen(begin[i])) &&
            (!strcmp(ending, ".html") || !strcmp(ending, ".js")))
            return 1;
    if (strcmp(ending, ".csv")) return 0;
    *ending = 0;
    for (enum table_id id = 0; id < TABLE_COUNT; id++)
        if (!strcmp(stem, tables[id].name)) return 1;
    return 0;
}

static int remove_in(const char *directory, const char *name)
{
    return directory_remove(path_in(directory, name).at);
}

/* ---- before ---------------------------------------------------------------------------------- */

/* Counts files; a killed program may have left only a temporary one. */
static int count_file(void *count, const char *name)
{
    *(int *)count += !atomic_file_temporary_of(name);
    return 0;
}

int run_publish_check(const char *path)
{
    struct stat status;
    int files = 0;
    if (lstat(path, &status))
        return errno == ENOENT ? 0 : error(FAIL_OUTPUT, "%s: %s", path, strerror(errno));
    if (S_ISLNK(status.st_mode))
        return error(FAIL_OUTPUT,
                     "%s: is a symbolic link, which a result does not replace; name a directory",
                     path);
    if (!S_ISDIR(status.st_mode))
        return error(FAIL_OUTPUT, "%s: exists and is not a directory", path);
    const int result = directory_visit(path, count_file, &files);
    if (result || !files || file_exists(path_in(path, FACTS_FILE).at)) return result;
    return error(FAIL_OUTPUT,
                 "%s: contains files that do not belong to a run of whyfast, so it is left "
                 "unchanged; name another directory with -o",
                 path);
}

/* Whether the system lets the directory be moved; where it lies, only owners move theirs if that is
 * sticky. Cuts the path. */
static int may_move(char *path)
{
    struct stat status, above;
    if (access(path, W_OK | X_OK) || stat(path, &status)) return 0;
    *strrchr(path, '/') = 0;
    const uid_t user = geteuid();
    return stat(*path ? path : "/", &above) == 0 &&
           (!(above.st_mode & S_ISVTX) || !user || status.st_uid == user || above.st_uid == user);
}

int run_publish_is_packed(const char *path)
{
    return file_exists(path_in(path, "points.csv.xz").at);
}

int run_publish_check_earlier(const char *path)
{
    char *real = realpath(path, NULL), *here = real ? getcwd(NULL, 0) : NULL;
    const size_t length = real ? strlen(real) : 0;
    int result = 0;
    if (here && !strncmp(here, real, length) && (here[length] == '/' || !here[length]))
        result = error(FAIL_OUTPUT,
                       "%s: is or holds the current directory, which the result would replace; "
                       "start whyfast outside of it, or name another directory with -o",
                       path);
    else if (real && run_publish_is_packed(real))
        result = error(FAIL_OUTPUT,
                       "%s: is a recorded run, which a result does not replace; name another "
                       "directory with -o",
                       path);
    else if (real && !may_move(real))
        result = error(FAIL_OUTPUT,
                       "%s: you may not replace this directory: %s; name another one with -o", path,
                       strerror(EACCES));
    free(here);
    free(real);
    return result;
}

int run_publish_check_file(const char *path)
{
    char *real = realpath(path, NULL);
    const char *at = real ? real : path, *base = text_base_name(at);
    char *directory = base > at ? strndup(at, (size_t)(base - at)) : strdup("./"),
         *name = strdup(base);
    char *ending = name ? strrchr(name, '.') : NULL;
    int result = directory && name ? 0 : error_memory();
    if (ending && !strcmp(ending, ".xz")) *ending = 0; /* of a recorded run */
    if (!result && run_publish_is_own(name) && file_exists(path_in(directory, FACTS_FILE).at))
        result =
            error(FAIL_OUTPUT, "%s: belongs to the run %s; name another file", path, directory);
    free(name);
    free(directory);
    free(real);
    return result;
}

int run_publish_lock(const char *directory, int wait, int *lock)
{
    const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return error(FAIL_OUTPUT, "%s: cannot open: %s", directory, strerror(errno));
    int busy = flock(file, LOCK_EX | LOCK_NB);
    if (busy && errno == EWOULDBLOCK && wait) {
        note("%s: another whyfast is writing there; waiting for it", directory);
        busy = flock(file, LOCK_EX);
    }
    *lock = file;
    if (!busy) return 0;
    const int problem = errno;
    close(file);
    if (problem == EINTR) return FAIL_INTERRUPTED;
    if (problem != EWOULDBLOCK)
        return error(FAIL_OUTPUT, "%s: cannot lock against other writers: %s", directory,
                     strerror(problem));
    return error(FAIL_OUTPUT,
                 "%s: another whyfast is writing there; wait until it is done, or name another "
                 "directory with -o",
                 directory);
}

static int tidy_one(void *directory, const char *name)
{
    const int is_left = atomic_file_temporary_of(name) || !strcmp(name, UNFINISHED_CHARTS);
    return is_left && run_publish_is_own(name) ? remove_in(directory, name) : 0;
}

int run_publish_tidy(const char *directory)
{
    return directory_visit(directory, tidy_one, (void *)(uintptr_t)directory);
}

static int clear_one(void *directory, const char *name)
{
    return strcmp(name, FACTS_FILE) ? remove_in(directory, name) : 0;
}

int run_publish_clear(const char *directory)
{
    const int result = directory_visit(directory, clear_one, (void *)(uintptr_t)directory);
    return result ? result : remove_in(directory, FACTS_FILE);
}

/* ---- publishing ------------------------------------------------------------------------------ */

static int move(const char *from, const char *to)
{
    return rename(from, to)
               ? error(FAIL_OUTPUT, "%s: cannot move to %s: %s", from, to, strerror(errno))
               : 0;
}

int run_publish_swap(const char *path, const char *part)
{
    const struct path earlier = path_in(part, EARLIER);
    int lock = -1, result = directory_sync(part);
    if (!result && file_exists(path)) {
        result = run_publish_lock(path, 1, &lock);
        if (!result) result = move(path, earlier.at);
    }
    if (!result) {
        result = move(part, path);
        if (result && lock >= 0) move(earlier.at, path);
    }
    if (lock >= 0) close(lock);
    return result;
}

/* Moves a file of the user, or the output of a program, from the earlier run into the new one, if
 * that has none of this name. */
static int keep_one(void *context, const char *name)
{
    const char *path = context;
    return run_publish_is_own(name) || file_exists(path_in(path, name).at)
               ? 0
               : move(path_in(path_in(path, EARLIER).at, name).at, path_in(path, name).at);
}

int run_publish_finish(const char *path)
{
    const int synced = directory_sync_above(path);
    const struct path earlier = path_in(path, EARLIER);
    int result = 0;
    if (file_exists(earlier.at)) {
        result = directory_visit(earlier.at, keep_one, (void *)(uintptr_t)path);
        if (!result) result = directory_remove(earlier.at);
    }
    if (!result) result = remove_in(path, JOURNAL_FILE); /* last: run_publish_recover asks for it */
    if (result)
        error(FAIL_OUTPUT, "%s: is complete, but the earlier run could not be removed", path);
    return result ? result : synced;
}

static int is_complete(const char *path)
{
    char *text = text_read_file(path_in(path, FACTS_FILE).at, NULL);
    const int result = text && strstr(text, "\nstatus: complete\n");
    free(text);
    return result;
}

int run_publish_recover(const char *path, const char *part)
{
    const struct path earlier = path_in(part, EARLIER);
    int lock, result;
    if (file_exists(earlier.at) && !file_exists(path)) return move(earlier.at, path);
    if (!file_exists(path_in(path, JOURNAL_FILE).at) || !is_complete(path)) return 0;
    result = run_publish_lock(path, 0, &lock);
    if (result) return result;
    result = run_publish_finish(path);
    close(lock);
    return result;
}

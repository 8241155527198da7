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
#include "run/run_facts.h"
#include "run/run_journal.h"
#include "run/tables.h"

#define EARLIER "earlier.whyfast"
static const char UNFINISHED_CHARTS[] = "charts.part";

int run_publish_is_own(const char *name)
{
    static const char *const names[] = {FACTS_FILE,  JOURNAL_FILE, EARLIER,          "report.html",
                                        "report.md", "charts",     UNFINISHED_CHARTS};
    char stem[NAME_MAX + 1];
    const size_t temporary_of = atomic_file_temporary_of(name);
    snprintf(stem, sizeof stem, "%.*s", (int)(temporary_of ? temporary_of : strlen(name)), name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(stem, names[i])) return 1;
    char *ending = strrchr(stem, '.');
    if (!ending || strcmp(ending, ".csv")) return 0;
    *ending = 0;
    for (enum table_id id = 0; id < TABLE_COUNT; id++)
        if (!strcmp(stem, tables[id].name)) return 1;
    return 0;
}

static int exists_in(const char *directory, const char *name)
{
    char *path = text_new("%s/%s", directory, name);
    const int exists = path && file_exists(path);
    free(path);
    return exists;
}

static int remove_in(const char *directory, const char *name)
{
    char *path = text_new("%s/%s", directory, name);
    const int result = path ? directory_remove(path) : error_memory();
    free(path);
    return result;
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
    if (!S_ISDIR(status.st_mode))
        return error(FAIL_OUTPUT, "%s: is there already and is no directory", path);
    const int result = directory_visit(path, count_file, &files);
    if (result || !files || exists_in(path, FACTS_FILE)) return result;
    return error(FAIL_OUTPUT,
                 "%s: holds files that are no run of whyfast; it is left alone, name another place "
                 "with -o",
                 path);
}

int run_publish_lock(const char *directory, int wait, int *lock)
{
    const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return error(FAIL_OUTPUT, "%s: cannot open: %s", directory, strerror(errno));
    int busy = flock(file, LOCK_EX | LOCK_NB);
    if (busy && errno == EWOULDBLOCK && wait) {
        note("%s: another whyfast writes there; waiting for it", directory);
        busy = flock(file, LOCK_EX);
    }
    *lock = file;
    if (!busy) return 0;
    const int problem = errno;
    close(file);
    if (problem == EINTR) return FAIL_INTERRUPTED;
    if (problem != EWOULDBLOCK)
        return error(FAIL_OUTPUT, "%s: cannot be locked against other writers: %s", directory,
                     strerror(problem));
    return error(FAIL_OUTPUT,
                 "%s: another whyfast writes there; wait until it is done, or name another place "
                 "with -o",
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
               ? error(FAIL_OUTPUT, "%s: cannot be moved to %s: %s", from, to, strerror(errno))
               : 0;
}

int run_publish_swap(const char *path, const char *part)
{
    char *earlier = text_new("%s/" EARLIER, part);
    int lock = -1, result = earlier ? directory_sync(part) : error_memory();
    if (!result && file_exists(path)) {
        result = run_publish_lock(path, 1, &lock);
        if (!result) result = move(path, earlier);
    }
    if (!result) {
        result = move(part, path);
        if (result && lock >= 0) move(earlier, path);
    }
    if (lock >= 0) close(lock);
    free(earlier);
    return result;
}

/* Moves a file of the user from the earlier run into the new one. */
static int keep_one(void *path, const char *name)
{
    if (run_publish_is_own(name)) return 0;
    char *from = text_new("%s/" EARLIER "/%s", (const char *)path, name),
         *to = text_new("%s/%s", (const char *)path, name);
    const int result = from && to ? move(from, to) : error_memory();
    free(from);
    free(to);
    return result;
}

int run_publish_finish(const char *path)
{
    const int synced = directory_sync_above(path);
    char *earlier = text_new("%s/" EARLIER, path);
    int result = earlier ? 0 : error_memory();
    if (!result && file_exists(earlier)) {
        result = directory_visit(earlier, keep_one, (void *)(uintptr_t)path);
        if (!result) result = directory_remove(earlier);
    }
    if (!result) result = remove_in(path, JOURNAL_FILE); /* last: run_publish_recover asks for it */
    if (result)
        error(FAIL_OUTPUT, "%s: is complete, but the earlier run could not be removed", path);
    free(earlier);
    return result ? result : synced;
}

static int is_complete(const char *path)
{
    char *name = text_new("%s/" FACTS_FILE, path), *text = name ? text_read_file(name, NULL) : NULL;
    const int result = text && strstr(text, "\nstatus: complete\n");
    free(text);
    free(name);
    return result;
}

int run_publish_recover(const char *path, const char *part)
{
    int lock, result = 0;
    char *earlier = text_new("%s/" EARLIER, part);
    if (!earlier) return error_memory();
    if (file_exists(earlier) && !file_exists(path)) {
        result = move(earlier, path);
    } else if (exists_in(path, JOURNAL_FILE) && is_complete(path)) {
        result = run_publish_lock(path, 0, &lock);
        if (!result) {
            result = run_publish_finish(path);
            close(lock);
        }
    }
    free(earlier);
    return result;
}

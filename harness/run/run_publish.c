#include "run/run_publish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_files.h"
#include "base/message.h"
#include "base/text.h"
#include "run/run_journal.h"
#include "run/tables.h"

static const char EARLIER[] = "earlier.whyfast", RUN[] = "run.txt";

/* ---- names ----------------------------------------------------------------------------------- */

static int is_one_of(const char *const *names, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], name, length)) return 1;
    return 0;
}

/* The table that has this file; TABLE_COUNT for none. */
static enum table_id table_of(const char *name, size_t length)
{
    enum table_id id = 0;
    for (; id < TABLE_COUNT; id++) {
        const size_t stem = strlen(tables[id].name);
        if (length == stem + strlen(".csv") && !strncmp(name, tables[id].name, stem) &&
            !strncmp(name + stem, ".csv", strlen(".csv")))
            break;
    }
    return id;
}

/* Files that are not needed to make the others again. */
static int is_derived(const char *name, size_t length)
{
    static const char *const names[] = {"report.html", "report.md", "charts", "charts.part",
                                        GROUP_NOTE};
    const enum table_id id = table_of(name, length);
    return is_one_of(names, sizeof names / sizeof *names, name, length) ||
           (id >= TABLE_RAW_COUNT && id < TABLE_COUNT);
}

static int is_own(const char *name, size_t length)
{
    static const char *const names[] = {RUN, JOURNAL_NAME, EARLIER};
    return is_one_of(names, sizeof names / sizeof *names, name, length) ||
           is_derived(name, length) || table_of(name, length) < TABLE_COUNT;
}

int place_is_own(const char *name)
{
    const size_t whole = atomic_file_temporary_of(name);
    return is_own(name, whole ? whole : strlen(name));
}

/* ---- what stands there ----------------------------------------------------------------------- */

int place_taken(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static int has(const char *directory, const char *name)
{
    char *path = text_new("%s/%s", directory, name);
    const int there = path && place_taken(path);
    free(path);
    return there;
}

static int is_file(const char *directory, const char *name)
{
    struct stat status;
    char *path = text_new("%s/%s", directory, name);
    const int result = path && !lstat(path, &status) && S_ISREG(status.st_mode);
    free(path);
    return result;
}

/* Calls `act` for each name in a directory. */
static int each_name(const char *path, int (*act)(void *context, const char *name), void *context)
{
    int result = 0;
    DIR *directory = opendir(path);
    if (!directory) return error(FAIL_OUTPUT, "%s: cannot open: %s", path, strerror(errno));
    for (struct dirent *entry; !result && (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            result = act(context, entry->d_name);
    closedir(directory);
    return result;
}

/* What stands in a place. */
struct contents {
    const char *path;
    int files; /* but for a run.txt that was just begun */
    int is_run;
    char other[80]; /* what is no plain file and not the program's; "" */
};

static int look_at(void *context, const char *name)
{
    struct contents *contents = context;
    const size_t whole = atomic_file_temporary_of(name);
    if (!strcmp(name, RUN)) contents->is_run = 1;
    contents->files += whole != strlen(RUN) || strncmp(name, RUN, whole) != 0;
    if (!place_is_own(name) && !is_file(contents->path, name))
        snprintf(contents->other, sizeof contents->other, "%s", name);
    return 0;
}

int place_check(const char *path)
{
    struct stat status;
    struct contents contents = {.path = path};
    if (lstat(path, &status))
        return errno == ENOENT ? 0 : error(FAIL_OUTPUT, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return error(FAIL_OUTPUT, "%s: is there already and is no directory", path);
    const int result = each_name(path, look_at, &contents);
    if (result) return result;
    if (contents.files && !contents.is_run)
        return error(FAIL_OUTPUT,
                     "%s: holds files that are no run of whyfast; it is left alone, name another "
                     "place with -o",
                     path);
    if (*contents.other)
        return error(FAIL_OUTPUT,
                     "%s/%s: is no file of the run; it is left alone, name another place with -o",
                     path, contents.other);
    return 0;
}

/* ---- who writes there ------------------------------------------------------------------------ */

/* Whether the directory that was opened is still the one of that name. */
static int is_still(const char *path, int file)
{
    struct stat named, opened;
    return !stat(path, &named) && !fstat(file, &opened) && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

int place_lock(const char *directory, int wait, int *lock)
{
    int result = 0;
    const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return error(FAIL_OUTPUT, "%s: cannot open: %s", directory, strerror(errno));
    int busy = flock(file, LOCK_EX | LOCK_NB);
    if (busy && errno == EWOULDBLOCK && wait) {
        note("%s: another whyfast writes there; waiting for it", directory);
        busy = flock(file, LOCK_EX);
    }
    if (busy && errno == EINTR)
        result = FAIL_INTERRUPTED;
    else if (busy && errno != EWOULDBLOCK)
        result = error(FAIL_OUTPUT, "%s: cannot be locked against other writers: %s", directory,
                       strerror(errno));
    else if (busy || !is_still(directory, file))
        result = error(FAIL_OUTPUT,
                       "%s: another whyfast writes there; wait until it is done, or name another "
                       "place with -o",
                       directory);
    if (result)
        close(file);
    else
        *lock = file;
    return result;
}

/* ---- cleaning up ----------------------------------------------------------------------------- */

static int remove_in(const char *directory, const char *name)
{
    char *path = text_new("%s/%s", directory, name);
    const int result = path ? directory_remove(path) : error_memory();
    free(path);
    return result;
}

struct tidying {
    const char *directory;
    int derived;
};

static int tidy_one(void *context, const char *name)
{
    const struct tidying *tidying = context;
    const int left = atomic_file_temporary_of(name) || !strcmp(name, "charts.part");
    const int remove =
        left ? place_is_own(name) : tidying->derived && is_derived(name, strlen(name));
    return remove ? remove_in(tidying->directory, name) : 0;
}

int place_tidy(const char *directory, int derived)
{
    struct tidying tidying = {directory, derived};
    return each_name(directory, tidy_one, &tidying);
}

static int clear_one(void *directory, const char *name)
{
    return strcmp(name, RUN) ? remove_in(directory, name) : 0;
}

int place_clear(const char *directory)
{
    int result = remove_in(directory, JOURNAL_NAME);
    if (!result) result = each_name(directory, clear_one, (void *)(uintptr_t)directory);
    return result ? result : remove_in(directory, RUN);
}

/* A run that another one has replaced. The new one is in its place: what is left of the old is
 * only untidy. */
static int remove_replaced(const char *directory)
{
    return place_clear(directory) || rmdir(directory)
               ? error(FAIL_OUTPUT, "%s: cannot be removed; it holds what was replaced", directory)
               : 0;
}

/* ---- taking the place ------------------------------------------------------------------------ */

struct carrying {
    const char *from, *to;
};

/* As it is, where the file system has links; else a copy. */
static int carry_one(void *context, const char *name)
{
    const struct carrying *carrying = context;
    if (place_is_own(name)) return 0;
    char *from = text_new("%s/%s", carrying->from, name),
         *to = text_new("%s/%s", carrying->to, name);
    int result = from && to ? 0 : error_memory();
    if (!result && !is_file(carrying->from, name))
        result =
            error(FAIL_OUTPUT,
                  "%s: is no file of the run; it is left alone, name another place with -o", from);
    if (!result) unlink(to); /* of an attempt before this one */
    if (!result && link(from, to)) result = file_copy(from, carrying->to, name);
    free(from);
    free(to);
    return result;
}

static int move_there(const char *path, const char *part)
{
    return rename(part, path)
               ? error(FAIL_OUTPUT, "%s: cannot take its place: %s", path, strerror(errno))
               : 0;
}

/* What there was is then still there, under one of the names that place_recover knows. */
static int take(const char *path, const char *part, const char *kept)
{
    if (renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_EXCHANGE) == 0) return 0;
    if (errno == ENOENT && !place_taken(path)) return move_there(path, part);
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
        return error(FAIL_OUTPUT, "%s: cannot take its place: %s", path, strerror(errno));
    if (rename(path, kept))
        return error(FAIL_OUTPUT, "%s: cannot be moved aside: %s", path, strerror(errno));
    const int result = move_there(path, part);
    if (result && rename(kept, path))
        return error(FAIL_OUTPUT, "%s: holds what was there: %s", kept, strerror(errno));
    return result;
}

static int take_and_clean(const char *path, const char *part, int *untidy)
{
    char *kept = text_new("%s/%s", part, EARLIER), *replaced = text_new("%s/%s", path, EARLIER),
         *journal = text_new("%s/" JOURNAL_NAME, path);
    int result = kept && replaced && journal ? directory_sync(part) : error_memory();
    if (!result) result = take(path, part, kept);
    if (!result) {
        *untidy = directory_sync_above(path);
        if (place_taken(part)) *untidy |= remove_replaced(part);
        if (place_taken(replaced)) *untidy |= remove_replaced(replaced);
        if (unlink(journal))
            *untidy |= error(FAIL_OUTPUT, "%s: cannot be removed: %s", journal,
                             strerror(errno)); /* last: it says that the others are left */
        if (*untidy)
            *untidy =
                error(FAIL_OUTPUT, "%s: is complete; but what stands above was left undone", path);
    }
    free(kept);
    free(replaced);
    free(journal);
    return result;
}

int place_take(const char *path, const char *part, int *untidy)
{
    struct carrying carrying = {path, part};
    *untidy = 0;
    int lock = -1, result = 0;
    if (place_taken(path)) {
        result = place_lock(path, 1, &lock);
        if (!result) result = each_name(path, carry_one, &carrying);
    }
    if (!result) result = take_and_clean(path, part, untidy);
    if (lock >= 0) close(lock);
    return result;
}

/* ---- after a kill ---------------------------------------------------------------------------- */

static int is_complete(const char *path)
{
    char *name = text_new("%s/%s", path, RUN), *text = name ? text_read_file(name, NULL) : NULL;
    const int result = text && strstr(text, "\nstatus: complete\n");
    free(text);
    free(name);
    return result;
}

/* In its place already, but not rid of its journal, and perhaps not of what it replaced. */
static int recover_taken(const char *path)
{
    int lock;
    if (!has(path, JOURNAL_NAME) || !is_complete(path)) return 0;
    const int result = place_lock(path, 0, &lock);
    if (result) return result;
    char *replaced = text_new("%s/%s", path, EARLIER);
    if (replaced && place_taken(replaced)) remove_replaced(replaced);
    if (replaced) remove_in(path, JOURNAL_NAME);
    free(replaced);
    close(lock);
    return 0;
}

int place_recover(const char *path, const char *part)
{
    char *kept = text_new("%s/%s", part, EARLIER);
    int result = kept ? recover_taken(path) : error_memory();
    if (!result && place_taken(kept) && rename(kept, path))
        result =
            error(FAIL_OUTPUT, "%s: cannot be taken back to %s: %s", kept, path, strerror(errno));
    /* Complete and without a journal: what was replaced, by a program that was killed before it
     * had removed it. */
    if (!result && is_complete(part) && !has(part, JOURNAL_NAME))
        remove_replaced(part);
    else if (!result)
        rmdir(part); /* when it is empty: the last of that, or a first step */
    free(kept);
    return result;
}

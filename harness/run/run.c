#include "run/run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_files.h"
#include "base/message.h"
#include "base/text.h"
#include "run/run_facts.h"
#include "run/run_publish.h"

char *run_file(const struct run *run, const char *name)
{
    char *path = text_new("%s/%s", run->directory, name);
    if (!path) error_memory();
    return path;
}

/* A path that ends in the working directory or one above it has no name to stand beside. */
static char *named_path(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    char *named = strndup(path, length);
    const char *last = named && strrchr(named, '/') ? strrchr(named, '/') + 1 : named;
    if (!named || (strcmp(last, ".") && strcmp(last, ".."))) return named;
    char *real = realpath(named, NULL);
    if (!real) return named; /* what is wrong with it is said when it is used */
    free(named);
    return real;
}

static int set_paths(struct run *run, const char *path, const char *suffix)
{
    *run = (struct run){.path = named_path(path)};
    run->directory = run->path ? text_new("%s%s", run->path, suffix) : NULL;
    if (run->directory) return 0;
    run_close(run);
    return error_memory();
}

/* The directory may be a stranger's: a link in it would have the program read or write
 * elsewhere, a pipe would keep it waiting for ever. Directories are let be, for nothing is read
 * from them, and those of the program's own are made anew. What cannot be opened is told when it
 * is read. */
static int check_files(const struct run *run)
{
    int result = 0;
    DIR *directory = opendir(run->directory);
    for (struct dirent *entry; directory && !result && (entry = readdir(directory));) {
        struct stat status;
        char *path = run_file(run, entry->d_name);
        if (!path)
            result = FAIL_OUTPUT;
        else if (!lstat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
            result = error(FAIL_INPUT, "%s: is %s; expected plain files in a run", path,
                           S_ISLNK(status.st_mode) ? "a symbolic link" : "no plain file");
        free(path);
    }
    if (directory) closedir(directory);
    return result;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void unlock(struct run *run)
{
    if (run->locked) close(run->lock);
    run->locked = 0;
}

static int lock(struct run *run)
{
    const int result = place_lock(run->directory, 0, &run->lock);
    run->locked = !result;
    return result;
}

/* ---- a finished run -------------------------------------------------------------------------- */

int run_lock(struct run *run)
{
    const int result = lock(run);
    return result ? result : place_tidy(run->directory, 0);
}

/* Where a program was killed while it replaced files of the run, that is finished first. */
static int finish_replacing(struct run *run)
{
    char *note = run_file(run, GROUP_NOTE);
    if (!note) return FAIL_OUTPUT;
    int result = 0, lock = -1;
    if (place_taken(note)) result = place_lock(run->directory, 0, &lock);
    if (!result && lock >= 0) result = atomic_files_recover(run->directory);
    if (lock >= 0) close(lock);
    free(note);
    return result;
}

int run_open(struct run *run, const char *path)
{
    struct stat status = {.st_ino = 0};
    int result = set_paths(run, path, "");
    if (result) return result;
    if (stat(run->directory, &status) == 0)
        run->inode = status.st_ino; /* a name may mean another one later */
    result = check_files(run);
    if (!result) result = finish_replacing(run);
    if (!result) result = run_facts_read(run);
    if (!result && !run_fact(run, "status"))
        result = error(FAIL_INPUT, "%s/run.txt: expected a fact 'status'", run->path);
    if (!result && strcmp(run_fact(run, "status"), "complete"))
        result = error(FAIL_INPUT,
                       "%s: this run is not complete (status: %s); go on with it by --resume",
                       run->path, run_fact(run, "status"));
    if (result) run_close(run);
    return result;
}

int run_copy_raw(struct run *to, const struct run *from, unsigned except)
{
    struct stat status;
    int result = 0;
    for (int i = 0; i < from->fact_count && !result; i++)
        if (strcmp(from->facts[i].key, "status"))
            result = run_fact_set(to, from->facts[i].key, "%s", from->facts[i].value);
    for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++) {
        if (except >> id & 1) continue;
        char *name = text_new("%s.csv", tables[id].name);
        char *path = name ? run_file(from, name) : NULL;
        if (!path)
            result = error_memory();
        else if (!tables[id].later || access(path, F_OK) == 0)
            result = file_copy(path, to->directory, name);
        free(path);
        free(name);
    }
    if (!result && (stat(from->directory, &status) || status.st_ino != from->inode))
        result =
            error(FAIL_INPUT, "%s: was replaced by another run while it was read; do that again",
                  from->path);
    return result;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* Cuts a table back to the length that the journal vouches for. */
static int table_restore(struct run *run, const char *name, long length)
{
    char *path = run_file(run, name);
    if (!path) return FAIL_OUTPUT;
    struct stat status;
    int result = 0;
    if (stat(path, &status) || status.st_size < length)
        result = error(FAIL_INPUT,
                       "%s: is shorter than the journal says; this run cannot be resumed", path);
    else if (truncate(path, length))
        result = error(FAIL_OUTPUT, "%s: cannot cut back: %s", path, strerror(errno));
    free(path);
    return result;
}

/* The tables and the facts as the journal vouches for them; what else there is was not finished. */
static int restore(struct run *run, struct journal_state *state)
{
    int result = place_tidy(run->directory, 1);
    for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++) {
        char *name = text_new("%s.csv", tables[id].name), *path = name ? run_file(run, name) : NULL;
        if (!path)
            result = error_memory();
        else if (state->length[id] >= 0)
            result = table_restore(run, name, state->length[id]);
        else
            result = directory_remove(path);
        free(path);
        free(name);
    }
    if (!result) result = run_facts_parse(run, run->journal.path, 1, state->facts.data);
    return result ? result : run_write_facts(run);
}

static int go_on(struct run *run)
{
    struct journal_state state;
    int result = journal_read(&run->journal, run->directory, &state);
    if (!result && (run->journal.unit_count == 0 || !state.facts.data))
        result =
            error(FAIL_INPUT, "%s: nothing of this run was finished; begin anew, without --resume",
                  run->directory);
    if (!result) result = restore(run, &state);
    text_free(&state.facts);
    return result ? result : journal_open(&run->journal, run->directory);
}

/* What has cost time is not thrown away because an option was forgotten. */
static int check_worthless(const struct run *run)
{
    struct journal journal;
    struct journal_state state;
    char *path = run_file(run, JOURNAL_NAME);
    if (!path) return FAIL_OUTPUT;
    if (!place_taken(path)) {
        free(path);
        return 0;
    }
    int result = journal_read(&journal, run->directory, &state);
    if (result || journal.done_count)
        result = error(
            FAIL_OUTPUT,
            "%s: holds an interrupted run; go on with it by --resume, or remove it to begin anew",
            run->directory);
    text_free(&state.facts);
    journal_close(&journal);
    free(path);
    return result;
}

static int begin_anew(struct run *run)
{
    int result = check_worthless(run);
    if (result) return result;
    result = place_clear(run->directory);
    if (!result) result = run_fact_set(run, "status", "unfinished");
    if (!result) result = run_write_facts(run);
    if (!result) result = journal_open(&run->journal, run->directory);
    if (result) run_abandon(run);
    return result;
}

/* The directory in which the run is made. */
static int make(struct run *run)
{
    unlock(run); /* what was there has gone */
    int result = directory_make(run->directory);
    if (!result) result = directory_sync_above(run->directory);
    return result ? result : lock(run);
}

int run_begin(struct run *run, const char *path, int resume)
{
    int result = set_paths(run, path, ".part");
    if (result) return result;
    result = place_check(run->path);
    if (!result) result = place_check(run->directory);
    if (!result && place_taken(run->directory)) result = lock(run);
    if (!result && run->locked) result = check_files(run);
    if (!result) result = place_recover(run->path, run->directory);
    if (!result && resume && !place_taken(run->directory))
        result = error(FAIL_INPUT, "%s: is not there: there is no interrupted run to resume",
                       run->directory);
    if (!result && !place_taken(run->directory)) result = make(run);
    if (!result) result = resume ? go_on(run) : begin_anew(run);
    if (result) run_close(run);
    return result;
}

int run_same(struct run *run, const char *what, const char *value)
{
    char *line = strdup(value);
    if (!line) return error_memory();
    for (char *p = line; *p; p++)
        if (*p == '\n') *p = ' ';
    const int result = journal_same(&run->journal, what, line);
    free(line);
    return result;
}

/* ---- units ----------------------------------------------------------------------------------- */

struct csv_writer *run_writer(struct run *run, enum table_id id)
{
    struct csv_writer *writer = &run->writer[id];
    if (writer->file) return writer;
    char *name = text_new("%s/%s.csv", run->directory, tables[id].name);
    if (!name) {
        error_memory();
        return NULL;
    }
    writer->file = fopen(name, "ab");
    if (!writer->file) {
        error(FAIL_OUTPUT, "%s: cannot write: %s", name, strerror(errno));
    } else if (fseek(writer->file, 0, SEEK_END) == 0 && ftell(writer->file) == 0) {
        for (const struct column *column = tables[id].columns; column->name; column++)
            csv_text(writer, column->name);
        csv_end(writer);
    }
    free(name);
    return writer->file ? writer : NULL;
}

int run_unit_done(const struct run *run, const char *unit)
{
    return journal_has(&run->journal, unit);
}

int run_is_worth_keeping(const struct run *run)
{
    return strcmp(run->directory, run->path) && run->journal.done_count > 0;
}

/* All rows of the tables on disk, under their names; FAIL_OUTPUT when the disk is full. */
static int tables_flush(struct run *run)
{
    for (enum table_id id = 0; id < TABLE_COUNT; id++) {
        FILE *file = run->writer[id].file;
        errno = 0;
        if (file && (ferror(file) || fflush(file) || fsync(fileno(file))))
            return error(FAIL_OUTPUT, "%s/%s.csv: cannot write: %s", run->directory,
                         tables[id].name,
                         errno ? strerror(errno) : "a write failed; is the disk full?");
    }
    return 0;
}

/* The length of a table; -1 when there is none, which is a failure where it was written. */
static int table_length(const struct run *run, enum table_id id, long long *length)
{
    struct stat status;
    char *path = text_new("%s/%s.csv", run->directory, tables[id].name);
    if (!path) return error_memory();
    const int there = stat(path, &status) == 0;
    const int result =
        there || !run->writer[id].file ? 0 : error(FAIL_OUTPUT, "%s: %s", path, strerror(errno));
    *length = there ? status.st_size : -1;
    free(path);
    return result;
}

static int finish(struct run *run, const char *unit, int ready)
{
    struct journal_state state = {.length = {0}};
    int result = tables_flush(run);
    for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++)
        result = table_length(run, id, &state.length[id]);
    if (!result) result = run_write_facts(run); /* for whoever looks; those of the journal count */
    if (!result) result = directory_sync_above(run->journal.path);
    run_facts_append(run, &state.facts);
    if (!result)
        result = state.facts.failed ? error_memory()
                                    : journal_finish(&run->journal, unit, ready, &state);
    text_free(&state.facts);
    return result;
}

int run_unit_finish(struct run *run, const char *unit)
{
    return finish(run, unit, 0);
}

int run_unit_ready(struct run *run, const char *unit)
{
    return finish(run, unit, 1);
}

/* ---- the end --------------------------------------------------------------------------------- */

static int close_tables(struct run *run)
{
    int lost = 0;
    for (enum table_id id = 0; id < TABLE_COUNT; id++) {
        if (run->writer[id].file) lost |= fclose(run->writer[id].file);
        run->writer[id].file = NULL;
    }
    return lost ? error(FAIL_OUTPUT, "%s: cannot write: %s", run->directory, strerror(errno)) : 0;
}

int run_commit(struct run *run)
{
    char *directory = strdup(run->path);
    int untidy = 0, result = directory ? tables_flush(run) : error_memory();
    if (!result) result = run_fact_set(run, "status", "complete");
    if (!result) result = run_write_facts(run);
    if (!result) result = close_tables(run);
    if (!result) result = place_take(run->path, run->directory, &untidy);
    if (result) {
        free(directory);
        return result;
    }
    free(run->directory);
    run->directory = directory;
    return untidy;
}

void run_abandon(struct run *run)
{
    close_tables(run);
    if (!strcmp(run->directory, run->path)) return; /* it has its place */
    if (place_taken(run->directory) && !place_clear(run->directory)) rmdir(run->directory);
}

void run_close(struct run *run)
{
    close_tables(run);
    journal_close(&run->journal);
    run_facts_free(run);
    unlock(run);
    free(run->path);
    free(run->directory);
    memset(run, 0, sizeof *run);
}

#include "run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "run/run_publish.h"

int run_is_at(const char *path)
{
    return file_exists(path_in(path, FACTS_FILE).at);
}

struct path table_path(const char *directory, enum table_id id)
{
    char name[NAME_MAX];
    snprintf(name, sizeof name, "%s.csv", tables[id].name);
    return path_in(directory, name);
}

/* Replaces a path that ends in "." or "..", to which ".part" cannot be appended. */
static char *named_path(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    char *named = strndup(path, length);
    const char *last = named && strrchr(named, '/') ? strrchr(named, '/') + 1 : named;
    if (!named || (strcmp(last, ".") && strcmp(last, ".."))) return named;
    char *real = realpath(named, NULL);
    if (!real) return named; /* opening it finds out why */
    free(named);
    return real;
}

static int set_paths(struct run *run, const char *path, const char *suffix)
{
    *run = (struct run){.path = named_path(path)};
    journal_init(&run->journal);
    run->directory = run->path ? text_new("%s%s", run->path, suffix) : NULL;
    if (run->directory) return 0;
    run_close(run);
    return error_memory();
}

const char *run_source(const struct run *run, enum table_id id)
{
    return id < TABLE_RAW_COUNT && run->copied >> id & 1 ? run->source : run->directory;
}

/* Directories are allowed, because nothing in them is read. A file that cannot be opened is
 * reported when it is read. */
static int check_file(void *context, const char *name)
{
    const char *directory = context;
    struct stat status;
    const struct path path = path_in(directory, name);
    if (lstat(path.at, &status) || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return 0;
    return error(FAIL_INPUT, "%s: is %s; a run may contain only plain files", path.at,
                 S_ISLNK(status.st_mode) ? "a symbolic link" : "not a plain file");
}

static int check_files(struct run *run)
{
    struct stat status;
    if (stat(run->directory, &status)) return 0; /* facts_read reports it */
    if (S_ISDIR(status.st_mode)) return directory_visit(run->directory, check_file, run->directory);
    return error(FAIL_INPUT, "%s/" FACTS_FILE ": cannot read: %s", run->path, strerror(ENOTDIR));
}

static int lock(struct run *run)
{
    const int result = run_publish_lock(run->directory, 0, &run->lock);
    run->locked = !result;
    return result;
}

/* ---- facts ----------------------------------------------------------------------------------- */

const char *run_fact(const struct run *run, const char *key)
{
    return facts_find(&run->facts, key);
}

int run_fact_set(struct run *run, const char *key, const char *format, ...)
{
    char *value = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&value, format, arguments) < 0) value = NULL;
    va_end(arguments);
    return facts_set(&run->facts, key, value);
}

int run_write_facts(struct run *run)
{
    return facts_write(&run->facts, run->directory, FACTS_FILE);
}

/* ---- a finished run -------------------------------------------------------------------------- */

int run_lock(struct run *run)
{
    const int result = lock(run);
    return result ? result : run_publish_tidy(run->directory);
}

/* Says that there is no run at the path, for the reason in errno, and which one may be meant. */
static int say_missing(const char *path)
{
    const int problem = errno;
    char *nearest = problem == ENOENT ? file_nearest(path, FACTS_FILE) : NULL;
    struct text hint = {0};
    if (nearest) text_format(&hint, "; did you mean '%s'?", nearest);
    if (strstr(path, ".tgz") || strstr(path, ".tar.")) text_append(&hint, "; unpack it by tar");
    free(nearest);
    const char *words = text_string(&hint);
    const int result =
        directory_exists(path) && problem == ENOENT
            ? error(FAIL_INPUT, "%s has no " FACTS_FILE "; expected a run directory%s", path, words)
        : directory_exists(path)
            ? error(FAIL_INPUT, "%s/" FACTS_FILE ": cannot read: %s", path, strerror(problem))
        : file_exists(path)
            ? error(FAIL_INPUT, "%s is no directory; expected that of a run%s", path, words)
            : error(FAIL_INPUT, "there is no directory '%s'; expected that of a run%s", path,
                    words);
    text_free(&hint);
    return result;
}

int run_open_any(struct run *run, const char *path)
{
    if (!run_is_at(path)) {
        memset(run, 0, sizeof *run);
        return say_missing(path);
    }
    int result = set_paths(run, path, "");
    if (!result) result = check_files(run);
    if (!result) result = facts_read(&run->facts, run->directory, FACTS_FILE);
    const char *status = run_fact(run, "status");
    if (!result && !status)
        result = error(FAIL_INPUT, "%s/" FACTS_FILE ": expected a fact 'status'", run->path);
    else if (!result && strcmp(status, "complete"))
        result = error(FAIL_INPUT,
                       "%s: this run is not complete (status: %s); continue it with --resume",
                       run->path, status);
    if (result) run_close(run);
    return result;
}

int run_open(struct run *run, const char *path)
{
    int result = run_open_any(run, path);
    if (result || !run_fact(run, MERGED_FACT)) return result;
    result = error(FAIL_INPUT,
                   "%s: is a merged run; name one of its devices, as in %s/" MERGED_DEVICES "/0",
                   run->path, run->path);
    run_close(run);
    return result;
}

int run_is_piece(const char *path)
{
    char *text = text_read_file(path_in(path, FACTS_FILE).at, NULL);
    const int is_complete = text && strstr(text, "\nstatus: complete\n");
    free(text);
    return !is_complete && file_exists(path_in(path, JOURNAL_FILE).at);
}

int run_open_piece(struct run *run, const char *path)
{
    int result = set_paths(run, path, "");
    if (result) return result;
    result = check_files(run);
    if (!result) result = lock(run);
    if (!result) result = journal_read(&run->journal, &run->facts, run->directory);
    if (!result && !run->journal.unit_count)
        result = error(FAIL_INPUT, "%s: nothing of this run was finished", run->path);
    run->is_piece = 1;
    if (result) run_close(run);
    return result;
}

int run_copy_facts(struct run *to, const struct run *from)
{
    int result = 0;
    for (int i = 0; i < from->facts.count && !result; i++)
        if (strcmp(from->facts.fact[i].key, "status"))
            result = run_fact_set(to, from->facts.fact[i].key, "%s", from->facts.fact[i].value);
    return result;
}

int run_copy_raw(struct run *to, const struct run *from, unsigned except)
{
    int result = run_copy_facts(to, from);
    to->source = strdup(from->path);
    to->copied = ~except;
    if (!to->source) result = error_memory();
    for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++) {
        const struct path path = table_path(from->directory, id);
        if (to->copied >> id & 1 && (!tables[id].later || file_exists(path.at)))
            result = file_copy(path.at, to->directory, strrchr(path.at, '/') + 1);
    }
    return result;
}

int run_copy_computed(struct run *to, const struct run *from)
{
    int result = 0;
    for (enum table_id id = TABLE_METRICS; id < TABLE_CHARTS && !result; id++) {
        const struct path path = table_path(from->directory, id);
        if (file_exists(path.at))
            result = file_copy(path.at, to->directory, strrchr(path.at, '/') + 1);
    }
    return result;
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* Cuts a table to the length that the journal gives; a table that it lacks is removed. */
static int restore_table(struct run *run, enum table_id id)
{
    struct stat status;
    const long long length = run->journal.length[id];
    const struct path path = table_path(run->directory, id);
    if (length < 0) return directory_remove(path.at);
    if (stat(path.at, &status) || status.st_size < length)
        return error(FAIL_INPUT,
                     "%s: is shorter than its length in the journal; this run cannot be resumed",
                     path.at);
    if (truncate(path.at, length) == 0) return 0;
    return error(FAIL_OUTPUT, "%s: cannot truncate to %lld bytes: %s", path.at, length,
                 strerror(errno));
}

static int resume_interrupted(struct run *run)
{
    int result = journal_read(&run->journal, &run->facts, run->directory);
    if (!result && run->journal.unit_count == 0)
        result =
            error(FAIL_INPUT, "%s: nothing of this run was finished; start again without --resume",
                  run->directory);
    if (!result) result = run_publish_tidy(run->directory);
    for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++)
        result = restore_table(run, id);
    return result ? result : run_write_facts(run);
}

/* Refuses to throw hours of work away because --resume was forgotten. */
static int check_worthless(struct run *run)
{
    if (!file_exists(path_in(run->directory, JOURNAL_FILE).at)) return 0;
    int result = journal_read(&run->journal, &run->facts, run->directory);
    if (result || run->journal.done_count)
        result = error(FAIL_OUTPUT,
                       "%s: contains an interrupted run; continue it with --resume, or remove it "
                       "to start again",
                       run->directory);
    journal_free(&run->journal);
    facts_free(&run->facts);
    return result;
}

static int begin_anew(struct run *run)
{
    int result = check_worthless(run);
    if (result) return result;
    result = run_publish_clear(run->directory);
    if (!result) result = run_fact_set(run, "status", "unfinished");
    if (!result) result = run_write_facts(run);
    if (!result) result = journal_write(&run->journal, &run->facts, run->directory);
    if (result) run_abandon(run);
    return result;
}

static int make_directory(struct run *run)
{
    int result = directory_make(run->directory);
    if (!result) result = directory_sync_above(run->directory);
    return result ? result : lock(run);
}

int run_begin(struct run *run, const char *path, int resume)
{
    int result = set_paths(run, path, ".part");
    if (result) return result;
    result = run_publish_check(run->path);
    if (!result) result = run_publish_check_earlier(run->path);
    if (!result) result = run_publish_check(run->directory);
    if (!result && file_exists(run->directory)) result = lock(run);
    if (!result) result = check_files(run);
    if (!result) result = run_publish_recover(run->path, run->directory);
    if (!result && resume && !run->locked)
        result = error(FAIL_INPUT, "%s: does not exist: there is no interrupted run to resume",
                       run->directory);
    if (!result && !run->locked) result = make_directory(run);
    if (!result) result = resume ? resume_interrupted(run) : begin_anew(run);
    if (result) run_close(run);
    return result;
}

int run_same(struct run *run, const char *what, const char *value)
{
    char *line = strdup(value);
    if (!line) return error_memory();
    for (char *p = line; *p; p++)
        if (*p == '\n') *p = ' ';
    const int result = journal_same(&run->journal, run->directory, what, line);
    free(line);
    return result;
}

/* ---- units ----------------------------------------------------------------------------------- */

struct csv_writer *run_writer(struct run *run, enum table_id id)
{
    struct csv_writer *writer = &run->writer[id];
    if (writer->file) return writer;
    const struct path path = table_path(run->directory, id);
    writer->file = fopen(path.at, "abe");
    if (!writer->file) {
        error(FAIL_OUTPUT, "%s: cannot write: %s", path.at, strerror(errno));
        return NULL;
    }
    if (fseek(writer->file, 0, SEEK_END) == 0 && ftell(writer->file) == 0) table_header(writer, id);
    return writer;
}

int run_unit_done(const struct run *run, const char *unit)
{
    return journal_has(&run->journal, unit);
}

int run_is_worth_keeping(const struct run *run)
{
    return strcmp(run->directory, run->path) && run->journal.done_count > 0;
}

static int sync_tables(struct run *run)
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

/* Notes the length of a table. Returns FAIL_OUTPUT if a table that was written has vanished. */
static int measure_table(struct run *run, enum table_id id)
{
    struct stat status;
    const struct path path = table_path(run->directory, id);
    const int there = stat(path.at, &status) == 0;
    run->journal.length[id] = there ? status.st_size : -1;
    return there || !run->writer[id].file ? 0
                                          : error(FAIL_OUTPUT, "%s: %s", path.at, strerror(errno));
}

static int finish(struct run *run, const char *unit, int ready)
{
    int result = sync_tables(run);
    for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++)
        result = measure_table(run, id);
    if (!result) result = run_write_facts(run);
    if (!result) result = journal_add(&run->journal, unit, ready);
    if (!result) result = journal_write(&run->journal, &run->facts, run->directory);
    return result ? result : directory_sync_above(path_in(run->directory, FACTS_FILE).at);
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
    int result = sync_tables(run);
    if (!result) result = run_fact_set(run, "status", "complete");
    if (!result) result = run_write_facts(run);
    if (!result) result = close_tables(run);
    if (!result) result = run_publish_swap(run->path, run->directory);
    if (result) return result;
    run->directory[strlen(run->path)] = 0; /* cuts .part off */
    return run_publish_finish(run->path);
}

void run_abandon(struct run *run)
{
    close_tables(run);
    if (!strcmp(run->directory, run->path)) return; /* it is in place */
    if (file_exists(run->directory) && !run_publish_clear(run->directory)) rmdir(run->directory);
}

void run_close(struct run *run)
{
    close_tables(run);
    journal_free(&run->journal);
    facts_free(&run->facts);
    if (run->locked) close(run->lock);
    free(run->path);
    free(run->directory);
    free(run->source);
    memset(run, 0, sizeof *run);
}

int run_begin_result(struct run *run, const char *output, const struct run *from, int resume)
{
    struct stat status;
    const char *path = output ? output : from->path;
    const int follows = !output && lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    char *place = follows ? realpath(path, NULL) : strdup(path);
    const int result = place ? run_begin(run, place, resume) : error_memory();
    free(place);
    return result;
}

int run_checked(const struct run *run, int result)
{
    return !result && (run_fact(run, "wrong_results") || run->impossible) ? FAIL_CHECK : result;
}

int run_leave(struct run *run, int result)
{
    const int keep = run_is_worth_keeping(run);
    if (!keep) run_abandon(run);
    if (result == FAIL_INTERRUPTED && !keep)
        error(FAIL_INTERRUPTED, "interrupted; nothing was finished, and nothing was kept");
    else if (result == FAIL_INTERRUPTED)
        error(FAIL_INTERRUPTED, "interrupted; finished work is in %s; continue with --resume",
              run->directory);
    else if (keep)
        note("finished work is in %s; continue with --resume", run->directory);
    return result;
}

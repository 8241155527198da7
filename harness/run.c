#include "run.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "output.h"
#include "text.h"

static const char MAGIC[] = "whyfast run 1";

char *run_file(const struct run *run, const char *name)
{
    char *path = text_new("%s/%s", run->directory, name);
    if (!path) error_memory();
    return path;
}

const char *run_fact(const struct run *run, const char *key)
{
    for (int i = 0; i < run->fact_count; i++)
        if (!strcmp(run->facts[i].key, key)) return run->facts[i].value;
    return NULL;
}

/* Takes ownership of value. */
static int fact_store(struct run *run, const char *key, char *value)
{
    if (!value) return error_memory();
    for (char *p = value; *p; p++)
        if (*p == '\n' || *p == '\r') *p = ' ';
    for (int i = 0; i < run->fact_count; i++) {
        if (strcmp(run->facts[i].key, key)) continue;
        free(run->facts[i].value);
        run->facts[i].value = value;
        return 0;
    }
    struct fact *facts = realloc(run->facts, (size_t)(run->fact_count + 1) * sizeof *facts);
    if (facts) run->facts = facts;
    char *copy = strdup(key);
    if (!facts || !copy) {
        free(copy);
        free(value);
        return error_memory();
    }
    facts[run->fact_count++] = (struct fact){copy, value};
    return 0;
}

int run_fact_set(struct run *run, const char *key, const char *format, ...)
{
    char *value = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&value, format, arguments) < 0) value = NULL;
    va_end(arguments);
    return fact_store(run, key, value);
}

/* One line "key: value" of run.txt. */
static int fact_parse(struct run *run, const char *path, int number, char *line)
{
    char *p = line;
    while (isalnum((unsigned char)*p) || *p == '_') p++;
    if (p == line || p[0] != ':' || p[1] != ' ') return error(FAIL_INPUT, "%s:%d: expected 'key: value'", path, number);
    *p = 0;
    if (run_fact(run, line)) return error(FAIL_INPUT, "%s:%d: '%s' is given twice", path, number, line);
    return fact_store(run, line, strdup(p + 2));
}

static int facts_parse(struct run *run, const char *path, char *text)
{
    int number = 0;
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n');
        if (!end) return error(FAIL_INPUT, "%s:%d: the last line is not complete; the file is truncated", path, number + 1);
        *end = 0;
        number++;
        if (number == 1 && strcmp(line, MAGIC)) return error(FAIL_INPUT, "%s:1: expected '%s': this is no run of whyfast", path, MAGIC);
        if (number > 1) {
            const int result = fact_parse(run, path, number, line);
            if (result) return result;
        }
        line = end + 1;
    }
    if (number == 0) return error(FAIL_INPUT, "%s:1: the file is empty; expected '%s'", path, MAGIC);
    return 0;
}

static int facts_read(struct run *run)
{
    char *path = run_file(run, "run.txt");
    if (!path) return FAIL_OUTPUT;
    char *text = text_read_file(path, NULL);
    int result =
        text ? facts_parse(run, path, text) : error(FAIL_INPUT, "%s: cannot read: %s; expected a run directory", path, strerror(errno));
    free(text);
    free(path);
    return result;
}

int run_write_facts(struct run *run)
{
    struct output output;
    const int result = output_begin(&output, run->directory, "run.txt");
    if (result) return result;
    fprintf(output.file, "%s\n", MAGIC);
    for (int i = 0; i < run->fact_count; i++) fprintf(output.file, "%s: %s\n", run->facts[i].key, run->facts[i].value);
    return output_commit(&output);
}

static int set_paths(struct run *run, const char *path, const char *suffix)
{
    memset(run, 0, sizeof *run);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    run->path = strndup(path, length);
    run->directory = run->path ? text_new("%s%s", run->path, suffix) : NULL;
    if (run->directory) return 0;
    run_close(run);
    return error_memory();
}

/* The directory may be a stranger's: a link in it would have the program read or write elsewhere, a pipe would keep it waiting for ever. Directories are
 * let be, for nothing is read from them, and those of the program's own are made anew. What cannot be opened is told when it is read. */
static int check_files(const struct run *run)
{
    int result = 0;
    DIR *directory = opendir(run->directory);
    for (struct dirent *entry; directory && !result && (entry = readdir(directory));) {
        struct stat status;
        char *path = run_file(run, entry->d_name);
        if (!path) result = FAIL_OUTPUT;
        else if (!lstat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
            result = error(FAIL_INPUT, "%s: is %s; expected plain files in a run", path, S_ISLNK(status.st_mode) ? "a symbolic link" : "no plain file");
        free(path);
    }
    if (directory) closedir(directory);
    return result;
}

int run_open(struct run *run, const char *path)
{
    int result = set_paths(run, path, "");
    if (result) return result;
    result = check_files(run);
    if (!result) result = facts_read(run);
    if (!result && !run_fact(run, "status")) result = error(FAIL_INPUT, "%s/run.txt: expected a fact 'status'", run->path);
    if (!result && strcmp(run_fact(run, "status"), "complete"))
        result =
            error(FAIL_INPUT, "%s: this run is not complete (status: %s); go on with it by --resume", run->path, run_fact(run, "status"));
    if (result) run_close(run);
    return result;
}

int run_copy_raw(struct run *to, const struct run *from, unsigned except)
{
    int result = 0;
    for (int i = 0; i < from->fact_count && !result; i++)
        if (strcmp(from->facts[i].key, "status")) result = run_fact_set(to, from->facts[i].key, "%s", from->facts[i].value);
    for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++) {
        if (except >> id & 1) continue;
        char *name = text_new("%s.csv", tables[id].name);
        char *path = name ? run_file(from, name) : NULL;
        if (!path) result = error_memory();
        else if (!tables[id].later || access(path, F_OK) == 0) result = file_copy(path, to->directory, name);
        free(path);
        free(name);
    }
    return result;
}

static int is_own(const char *name)
{
    static const char *const others[] = {".", "..", "run.txt", "journal.txt", "report.html", "report.md", "charts", "charts.part"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i])) return 1;
    for (enum table_id id = 0; id < TABLE_COUNT; id++) {
        const size_t length = strlen(tables[id].name);
        if (!strncmp(name, tables[id].name, length) && !strcmp(name + length, ".csv")) return 1;
    }
    return 0;
}

int run_carry_over(struct run *to, const struct run *from)
{
    int result = 0;
    DIR *directory = strcmp(to->path, from->path) ? NULL : opendir(from->directory);
    for (struct dirent *entry; directory && !result && (entry = readdir(directory));) {
        struct stat status;
        if (is_own(entry->d_name)) continue;
        char *path = run_file(from, entry->d_name);
        if (!path) result = FAIL_OUTPUT;
        else if (lstat(path, &status) || !S_ISREG(status.st_mode))
            result = error(FAIL_OUTPUT, "%s: is no file of the run; it is left alone, name another place with -o", path);
        else result = file_copy(path, to->directory, entry->d_name);
        free(path);
    }
    if (directory) closedir(directory);
    return result;
}

/* A place can be taken when nothing is there, an empty directory, or an earlier run. */
static int place_is_free(const char *path)
{
    struct stat status;
    if (lstat(path, &status)) {
        if (errno == ENOENT) return 0;
        return error(FAIL_OUTPUT, "%s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(status.st_mode)) return error(FAIL_OUTPUT, "%s: is there already and is no directory", path);
    DIR *directory = opendir(path);
    if (!directory) return error(FAIL_OUTPUT, "%s: cannot open: %s", path, strerror(errno));
    int files = 0, is_run = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        files++;
        if (!strcmp(entry->d_name, "run.txt")) is_run = 1;
    }
    closedir(directory);
    if (files && !is_run)
        return error(FAIL_OUTPUT, "%s: holds files that are no run of whyfast; it is left alone, name another place with -o", path);
    return 0;
}

/* Cuts a table back to the length that the journal vouches for. */
static int table_restore(struct run *run, const char *name, long length)
{
    char *path = run_file(run, name);
    if (!path) return FAIL_OUTPUT;
    struct stat status;
    int result = 0;
    if (stat(path, &status) || status.st_size < length)
        result = error(FAIL_INPUT, "%s: is shorter than the journal says; this run cannot be resumed", path);
    else if (truncate(path, length))
        result = error(FAIL_OUTPUT, "%s: cannot cut back: %s", path, strerror(errno));
    free(path);
    return result;
}

/* The journal: lines "done <unit>", each followed by one line "  <table> <length>" per table. What comes after the last complete group, in
 * the journal and in the tables, is work that was not finished and is dropped. */
static int journal_read(struct run *run)
{
    char *path = run_file(run, "journal.txt");
    if (!path) return FAIL_OUTPUT;
    char *text = text_read_file(path, NULL);
    if (!text) {
        const int result = error(FAIL_INPUT, "%s: cannot read: %s; there is no interrupted run to resume", path, strerror(errno));
        free(path);
        return result;
    }
    int result = 0;
    char *last = NULL; /* start of the last complete group */
    off_t whole = 0;   /* length of the complete groups: what is added must not run into the rest of one that is not */
    struct text finished = {0};
    for (char *group = text; !result && *group;) {
        char *end = strstr(group, "\nend\n");
        if (!end) break;
        *end = 0;
        char *line_end = strchr(group, '\n');
        if (line_end) *line_end = 0;
        if (strncmp(group, "done ", 5)) result = error(FAIL_INPUT, "%s: expected 'done <unit>', found '%s'", path, group);
        text_format(&finished, "%s\n", group + 5);
        last = line_end ? line_end + 1 : end;
        group = end + strlen("\nend\n");
        whole = group - text;
    }
    if (!result && truncate(path, whole)) result = error(FAIL_OUTPUT, "%s: cannot cut back: %s", path, strerror(errno));
    for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++) {
        char *name = text_new("%s.csv", tables[id].name);
        long length = 0;
        char *found = NULL;
        if (last && name) {
            struct text key = {0};
            text_format(&key, "  %s ", tables[id].name);
            found = strstr(last, text_string(&key));
            if (found) length = strtol(found + key.length, NULL, 10);
            text_free(&key);
        }
        if (!name) {
            result = error_memory();
        } else if (found) {
            result = table_restore(run, name, length);
        } else {
            char *file = run_file(run, name);
            if (file) unlink(file);
            free(file);
        }
        free(name);
    }
    if (finished.failed) result = error_memory();
    run->finished = finished.data;
    free(text);
    free(path);
    return result;
}

static int journal_open(struct run *run)
{
    char *path = run_file(run, "journal.txt");
    if (!path) return FAIL_OUTPUT;
    run->journal = fopen(path, "ab");
    const int result = run->journal ? 0 : error(FAIL_OUTPUT, "%s: cannot write: %s", path, strerror(errno));
    free(path);
    return result;
}

int run_begin(struct run *run, const char *path, int resume)
{
    int made = 0;
    int result = set_paths(run, path, ".part");
    if (result) return result;
    result = place_is_free(run->path);
    if (!result && resume) {
        result = check_files(run);
        if (!result) result = facts_read(run);
        if (!result) result = journal_read(run);
    } else if (!result) {
        result = place_is_free(run->directory);
        if (!result) result = directory_remove(run->directory);
        if (!result) result = directory_make(run->directory);
        made = !result;
    }
    if (!result) result = run_fact_set(run, "status", "unfinished");
    if (!result) result = run_write_facts(run);
    if (!result) result = journal_open(run);
    if (result && made) directory_remove(run->directory); /* without its run.txt it would be taken for something foreign */
    if (result) run_close(run);
    return result;
}

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
        for (const struct column *column = tables[id].columns; column->name; column++) csv_text(writer, column->name);
        csv_end(writer);
    }
    free(name);
    return writer->file ? writer : NULL;
}

int run_unit_done(const struct run *run, const char *unit)
{
    if (!run->finished) return 0;
    const size_t length = strlen(unit);
    for (const char *line = run->finished; *line; line = strchr(line, '\n') + 1)
        if (!strncmp(line, unit, length) && line[length] == '\n') return 1;
    return 0;
}

/* All rows of the tables on disk; FAIL_OUTPUT when the disk is full. */
static int tables_flush(struct run *run)
{
    for (enum table_id id = 0; id < TABLE_COUNT; id++) {
        FILE *file = run->writer[id].file;
        if (file && (fflush(file) || ferror(file) || fsync(fileno(file))))
            return error(FAIL_OUTPUT, "%s/%s.csv: cannot write: %s", run->directory, tables[id].name, strerror(errno));
    }
    return 0;
}

int run_unit_finish(struct run *run, const char *unit)
{
    int result = tables_flush(run);
    if (!result) result = run_write_facts(run); /* what this unit learnt must survive as well */
    if (result) return result;
    fprintf(run->journal, "done %s\n", unit);
    for (enum table_id id = 0; id < TABLE_RAW_COUNT; id++) {
        struct stat status;
        char *path = text_new("%s/%s.csv", run->directory, tables[id].name);
        if (!path) return error_memory();
        if (!stat(path, &status)) fprintf(run->journal, "  %s %lld\n", tables[id].name, (long long)status.st_size);
        free(path);
    }
    fputs("end\n", run->journal);
    if (fflush(run->journal) || fsync(fileno(run->journal)))
        return error(FAIL_OUTPUT, "%s/journal.txt: cannot write: %s", run->directory, strerror(errno));
    return 0;
}

static int close_files(struct run *run)
{
    int lost = 0;
    for (enum table_id id = 0; id < TABLE_COUNT; id++) {
        if (run->writer[id].file) lost |= fclose(run->writer[id].file);
        run->writer[id].file = NULL;
    }
    if (run->journal) lost |= fclose(run->journal);
    run->journal = NULL;
    return lost ? error(FAIL_OUTPUT, "%s: cannot write: %s", run->directory, strerror(errno)) : 0;
}

/* Where two directories cannot be exchanged, or none is there yet. */
static int take_place(struct run *run)
{
    char *old = text_new("%s.old", run->path);
    if (!old) return error_memory();
    int result = place_is_free(old);
    if (!result) result = directory_remove(old);
    const int had_old = !result && rename(run->path, old) == 0;
    if (!result && rename(run->directory, run->path)) {
        result = error(FAIL_OUTPUT, "%s: cannot take its place: %s", run->path, strerror(errno));
        if (had_old) rename(old, run->path);
    }
    if (!result && had_old) result = directory_remove(old);
    free(old);
    return result;
}

int run_commit(struct run *run)
{
    int result = tables_flush(run);
    if (!result) result = run_fact_set(run, "status", "complete");
    if (!result) result = run_write_facts(run);
    if (!result) result = close_files(run);
    if (result) return result;
    char *journal = run_file(run, "journal.txt");
    if (!journal) return FAIL_OUTPUT;
    unlink(journal);
    /* In one step where the file system can: at no moment is there no run at `path`. What was there ends up in .part and goes. */
    if (renameat2(AT_FDCWD, run->directory, AT_FDCWD, run->path, RENAME_EXCHANGE) == 0) result = directory_remove(run->directory);
    else result = take_place(run);
    if (!result) {
        free(run->directory);
        run->directory = strdup(run->path);
        if (!run->directory) result = error_memory();
    }
    free(journal);
    return result;
}

void run_close(struct run *run)
{
    close_files(run);
    for (int i = 0; i < run->fact_count; i++) {
        free(run->facts[i].key);
        free(run->facts[i].value);
    }
    free(run->facts);
    free(run->finished);
    free(run->path);
    free(run->directory);
    memset(run, 0, sizeof *run);
}

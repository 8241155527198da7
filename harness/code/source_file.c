#include "code/source_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/message.h"
#include "base/text.h"

/* The status of a file that a program was compiled from and that is not there. */
#define GONE "absent: the file was gone when the program ran"

/* The end of every message. */
#define WITHOUT "; its lines are shown without text"

int source_is_of_project(const char *path)
{
    static const char root[] = "kernels/", of_tests[] = "tests/gpu/kernels/";
    if (strncmp(path, root, strlen(root)) && strncmp(path, of_tests, strlen(of_tests))) return 0;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/')) return 0;
    }
    return 1;
}

/* Whether the file was changed after the run began; 0 also if the run has no date. */
static int is_newer(const struct stat *status, const char *date)
{
    struct tm time = {0};
    const char *end = date ? strptime(date, "%Y-%m-%dT%H:%M:%SZ", &time) : NULL;
    return end && !*end && status->st_mtime > timegm(&time);
}

/* Splits the text at line feeds, with or without a carriage return. */
static int split(struct source *source)
{
    for (char *p = source->text, *end; *p; p = end) {
        char **line = array_with_room(source->line, (size_t)source->line_count, sizeof *line);
        if (!line) return error_memory();
        source->line = line;
        line[source->line_count++] = p;
        end = p + strcspn(p, "\n");
        if (end > p && end[-1] == '\r') end[-1] = 0;
        if (*end) *end++ = 0;
    }
    return 0;
}

static int absent(struct source *source, const char *state, char *message)
{
    source->state = state;
    source->message = message;
    free(source->text);
    source->text = NULL;
    return message ? 0 : error_memory();
}

/* Compares the text that was read with the record. */
static int compare(struct source *source, const struct source_record *record,
                   const struct stat *status, size_t length)
{
    char hash[17];
    const int newer = is_newer(status, record->date);
    hash_text(hash_bytes(HASH_START, source->text, length), hash);
    if (!record->hash)
        return absent(source, "unverified",
                      text_new("the run has no hash of %s (%s)%s" WITHOUT, record->path,
                               record->status,
                               newer ? ", and the file is newer than the run" : ""));
    if (strcmp(hash, record->hash))
        return absent(source, "differs",
                      text_new("%s differs from what was measured (hash %s, then %s)%s" WITHOUT,
                               record->path, hash, record->hash,
                               newer ? ": it was changed after the run" : ""));
    return split(source);
}

/* Fails if this process lacks memory or descriptors: that says nothing about the file. */
static int read_and_compare(struct source *source, const struct source_record *record,
                            const char *path)
{
    struct stat status;
    size_t length;
    const int is_there = !stat(path, &status);
    if (is_there && !S_ISREG(status.st_mode)) /* reading a pipe might never end */
        return absent(source, "missing", text_new("%s is not a file" WITHOUT, record->path));
    if (is_there) source->text = text_read_file(path, &length);
    if (source->text) return compare(source, record, &status, length);
    const int why = errno;
    if (why == ENOMEM) return error_memory();
    if (why == EMFILE || why == ENFILE)
        return error(FAIL_INPUT, "%s: cannot read: %s", path, strerror(why));
    return absent(source, "missing",
                  text_new("%s: cannot read: %s" WITHOUT, record->path, strerror(why)));
}

/* Whether the run carries the text that was measured. */
static int is_carried(const struct source_record *record)
{
    char hash[17];
    return record->text && record->hash &&
           !strcmp(hash_text(hash_bytes(HASH_START, record->text, strlen(record->text)), hash),
                   record->hash);
}

/* Whether a program was compiled from a file that was gone when it ran. CuPy and other compilers at
 * run time delete theirs. */
static int was_gone(const struct source_record *record)
{
    return record->status && !strcmp(record->status, GONE);
}

static int find(struct source *source, const char *root, const struct source_record *record)
{
    if (is_carried(record)) {
        source->text = strdup(record->text);
        return source->text ? split(source) : error_memory();
    }
    if (was_gone(record))
        return absent(source, "gone",
                      text_new("%s was gone when the program ran" WITHOUT, record->path));
    if (!source_is_of_project(record->path))
        return absent(source, "foreign",
                      text_new("%s is not a file of the project" WITHOUT, record->path));
    char *path = text_new("%s/%s", root, record->path);
    const int result = path ? read_and_compare(source, record, path) : error_memory();
    free(path);
    return result;
}

int source_open(struct source *source, const char *root, const struct source_record *record)
{
    *source = (struct source){.state = "same"};
    const int result = find(source, root, record);
    if (result) source_free(source);
    return result;
}

void source_free(struct source *source)
{
    free(source->message);
    free(source->text);
    free(source->line);
    memset(source, 0, sizeof *source);
}

char *source_read(const char *root, const char *path, char hash[17], char status[SOURCE_STATUS])
{
    size_t length;
    const int is_ours = source_is_of_project(path);
    char *full = is_ours ? text_new("%s/%s", root, path) : NULL;
    char *text = full ? text_read_file(full, &length) : NULL;
    if (text) hash_text(hash_bytes(HASH_START, text, length), hash);
    snprintf(status, SOURCE_STATUS, "%s",
             text      ? "ok"
             : is_ours ? "absent: the file was not found when it was measured"
                       : "absent: no file of the project");
    free(full);
    return text;
}

char *source_read_of_program(const char *root, const char *path, char hash[17],
                             char status[SOURCE_STATUS])
{
    size_t length;
    const char *include = strstr(path, "/include/");
    const int is_toolkit = include && (strstr(path, "/cuda") || strstr(path, "/nvidia/"));
    char *text = is_toolkit ? NULL : text_read_file(path, &length);
    (void)root;
    if (text && strlen(text) != length) { /* not a text */
        free(text);
        text = NULL;
    }
    if (text) hash_text(hash_bytes(HASH_START, text, length), hash);
    snprintf(status, SOURCE_STATUS, "%s",
             text         ? "ok"
             : is_toolkit ? "absent: a file of a toolkit"
                          : GONE);
    return text;
}

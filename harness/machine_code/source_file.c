#include "machine_code/source_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/message.h"
#include "base/names.h"
#include "base/text.h"

/* The status of a file that a program was compiled from and that is not there. */
#define GONE "absent: the file was gone when the program ran"
#define ELSEWHERE "absent: the file is not here as it was when the report was made"

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

/* Splits the text at line feeds, with or without a carriage return. */
static int split(struct source *source)
{
    for (char *p = source->text, *end; *p; p = end) {
        if (!ARRAY_GROWS(source->line, source->line_count)) return error_memory();
        source->line[source->line_count++] = p;
        end = p + strcspn(p, "\n");
        if (end > p && end[-1] == '\r') end[-1] = 0;
        if (*end) *end++ = 0;
    }
    return 0;
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

int source_open(struct source *source, const struct source_record *record)
{
    *source = (struct source){.state = "same"};
    if (is_carried(record)) {
        source->text = strdup(record->text);
        const int result = source->text ? split(source) : error_memory();
        if (result) source_free(source);
        return result;
    }
    const char *why = "is not a file of the project";
    source->state = "foreign";
    if (was_gone(record)) {
        source->state = "gone";
        why = "was gone when the program ran";
    } else if (record->status && !strcmp(record->status, ELSEWHERE)) {
        source->state = "elsewhere";
        why = "is not here as it was when the report was made";
    } else if (source_is_of_project(record->path)) {
        source->state = "missing";
        why = "is not in the run";
    }
    source->message = text_new("%s %s; its lines are shown without text", record->path, why);
    return source->message ? 0 : error_memory();
}

void source_free(struct source *source)
{
    free(source->message);
    free(source->text);
    free(source->line);
    memset(source, 0, sizeof *source);
}

char *source_read(struct source_place place, const char *path, char hash[17],
                  char status[SOURCE_STATUS])
{
    size_t length;
    const int is_ours = source_is_of_project(path);
    char *full = is_ours ? text_new("%s/%s", place.root, path) : NULL;
    char *text = full ? text_read_file(full, &length) : NULL;
    if (text) hash_text(hash_bytes(HASH_START, text, length), hash);
    snprintf(status, SOURCE_STATUS, "%s",
             text      ? "ok"
             : is_ours ? "absent: the file was not found when it was measured"
                       : "absent: no file of the project");
    free(full);
    return text;
}

char *source_read_of_program(struct source_place place, const char *path, char hash[17],
                             char status[SOURCE_STATUS])
{
    size_t length;
    const char *include = strstr(path, "/include/");
    const int is_toolkit = include && (strstr(path, "/cuda") || strstr(path, "/nvidia/"));
    char *text = is_toolkit ? NULL : text_read_file(path, &length);
    (void)place;
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

/* Whether a file is below the current directory, also where links lead elsewhere. */
static int is_below_here(const char *path)
{
    char *real = realpath(path, NULL), *here = realpath(".", NULL);
    const size_t length = here && strcmp(here, "/") ? strlen(here) : 0;
    const int is_below = real && here && !strncmp(real, here, length) && real[length] == '/';
    free(real);
    free(here);
    return is_below;
}

char *source_read_of_report(struct source_place place, const char *path, char hash[17],
                            char status[SOURCE_STATUS])
{
    struct stat file;
    const int is_here = names_is_source(path) && is_below_here(path) && !stat(path, &file) &&
                        file.st_mtime <= place.made;
    char *text = is_here ? source_read_of_program(place, path, hash, status) : NULL;
    if (!text) snprintf(status, SOURCE_STATUS, ELSEWHERE);
    return text;
}

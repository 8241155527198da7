#include "run/recorded_runs.h"

#include <dirent.h>
#include <glob.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/data_directory.h"
#include "base/hash.h"
#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "run/run_publish.h"
#include "version.h"

char *recorded_newest(void)
{
    char *data = data_directory();
    char *place = data ? text_new("%s/reports/recorded", data) : NULL;
    DIR *directory = place ? opendir(place) : NULL;
    char *newest = NULL, *newest_date = NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        struct run run;
        char *path = text_new("%s/%s", place, entry->d_name);
        if (path && !run_open(&run, path)) {
            const char *date = run_fact(&run, "date");
            if (date && (!newest || strcmp(date, newest_date) > 0)) {
                free(newest);
                free(newest_date);
                newest = strdup(path);
                newest_date = strdup(date);
            }
            run_close(&run);
        }
        free(path);
    }
    if (directory) closedir(directory);
    if (!newest && data)
        error(FAIL_GPU, "no GPU here, and no recorded run under %s to replay", place);
    free(newest_date);
    free(place);
    free(data);
    return newest;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

/* Whether a table of the recorded run at `path` is there in compressed form. */
static int table_is_packed(const char *path, const char *table)
{
    char *packed = text_new("%s/%s.csv.gz", path, table);
    const int found = packed && access(packed, F_OK) == 0;
    free(packed);
    return found;
}

static int unpack_table(const char *from, const char *directory, const char *table)
{
    char *name = text_new("%s.csv", table), *packed = text_new("%s/%s.csv.gz", from, table);
    char output[48], reason[200];
    struct process gzip;
    int result = name && packed ? 0 : error_memory();
    if (!result)
        result = process_start(&gzip, (char *[]){(char[]){"gzip"}, (char[]){"-dc"}, packed, NULL});
    if (!result) {
        process_wait(&gzip, 1);
        process_reason(&gzip, reason, sizeof reason);
        if (interrupted())
            result = FAIL_INTERRUPTED;
        else if (process_succeeded(&gzip))
            result = file_copy(process_output(&gzip, output), directory, name);
        else
            result = error(FAIL_INPUT, "%s: gzip cannot unpack it: %s", packed, reason);
        process_free(&gzip);
    }
    free(packed);
    free(name);
    return result;
}

/* Makes the run at `path` out of the compressed one at `from`. */
static int unpack(const char *path, const char *from, int (*derive)(struct run *run))
{
    struct run packed, run;
    int result = run_open(&packed, from);
    if (result) return result;
    result = run_begin(&run, path, 0);
    if (!result) {
        for (int i = 0; i < packed.facts.count && !result; i++) {
            const struct fact *fact = &packed.facts.fact[i];
            if (strcmp(fact->key, "status"))
                result = run_fact_set(&run, fact->key, "%s", fact->value);
        }
        for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++)
            if (table_is_packed(from, tables[id].name))
                result = unpack_table(from, run.directory, tables[id].name);
        if (!result) result = derive(&run);
        if (!result) result = run_commit(&run);
        if (result) run_abandon(&run);
        run_close(&run);
    }
    run_close(&packed);
    return result;
}

/* Adds the files that match a pattern to the hash of all that a copy is made from. */
static uint64_t hash_files(uint64_t hash, const char *directory, const char *pattern)
{
    glob_t found = {0};
    char *place = text_new("%s/%s", directory, pattern);
    const int failed = place ? glob(place, 0, NULL, &found) : 1;
    for (size_t i = 0; !failed && i < found.gl_pathc; i++) {
        size_t length = 0;
        char *bytes = text_read_file(found.gl_pathv[i], &length);
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        hash = hash_bytes(hash, name, strlen(name) + 1);
        hash = hash_bytes(hash, &length, sizeof length);
        if (bytes) hash = hash_bytes(hash, bytes, length);
        free(bytes);
    }
    globfree(&found);
    free(place);
    return hash;
}

/* A copy is good as long as the compressed run, the records and the program are the same. */
static char *origin_of(const char *from)
{
    static const char program[] = WHYFAST_VERSION " " WHYFAST_REVISION;
    char text[17], *data = data_directory();
    uint64_t hash = hash_bytes(HASH_START, program, sizeof program);
    if (!data) return NULL;
    hash = hash_files(hash, from, "*");
    hash = hash_files(hash, data, "metrics/*");
    hash = hash_files(hash, data, "metrics/*/*");
    free(data);
    return strdup(hash_text(hash, text));
}

/* Unpacks into `path` unless the run there was made from `origin`, as `note_path` tells. The caller
 * has locked the directory. */
static int unpack_once(const char *path, const char *note_path, const char *origin,
                       const char *from, int (*derive)(struct run *run))
{
    char *noted = text_read_file(note_path, NULL);
    const int same = noted && !strcmp(noted, origin) && access(path, F_OK) == 0;
    struct atomic_file file;
    free(noted);
    if (same) return 0;
    note("unpacking the recorded run into %s, once", path);
    unlink(note_path);
    int result = unpack(path, from, derive);
    if (!result) result = atomic_file_open(&file, note_path);
    if (result) return result;
    fputs(origin, file.file);
    return atomic_file_commit(&file);
}

int recorded_copy(const char *from, int (*derive)(struct run *run), char **path)
{
    *path = NULL;
    if (!table_is_packed(from, tables[TABLE_POINTS].name)) {
        *path = strdup(from);
        return *path ? 0 : error_memory();
    }
    char *cache = data_cache(), *origin = cache ? origin_of(from) : NULL;
    char *place = origin ? text_new("%s/recorded", cache) : NULL;
    char *copy = place ? text_new("%s/%s", place, strrchr(from, '/') + 1) : NULL;
    char *note_path = copy ? text_new("%s.from", copy) : NULL;
    int lock = -1, result = note_path ? directory_make(place) : FAIL_OUTPUT;
    if (!result) result = run_publish_lock(place, 1, &lock);
    if (!result) result = unpack_once(copy, note_path, origin, from, derive);
    if (lock >= 0) close(lock);
    if (!result) *path = copy;
    if (result) free(copy);
    free(note_path);
    free(place);
    free(origin);
    free(cache);
    return result;
}

/* ---- words ----------------------------------------------------------------------------------- */

void recorded_describe(struct text *words, const struct run *run, int recorded)
{
    const char *device = run_fact(run, "device_name"), *date = run_fact(run, "date"),
               *replayed = run_fact(run, "replay_of");
    const char *slash = strrchr(run->path, '/'), *name = slash && recorded ? slash + 1 : run->path;
    text_format(words, "%s %s (%s, %s)%s", recorded ? "Recorded run" : "Run", name,
                device ? device : "unknown device", date ? date : "no date",
                recorded || replayed ? ": nothing was measured on this machine." : "");
}

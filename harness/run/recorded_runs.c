#include "run/recorded_runs.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "base/text.h"
#include "run/evaluation.h"
#include "run/packed_table.h"
#include "run/run_publish.h"

/* ---- choosing -------------------------------------------------------------------------------- */

struct choice {
    const char *place;  /* directory of the runs */
    const char *device; /* or NULL */
    char *path, date[40];
    int is_full;
};

static int is_of(const struct run *run, const char *name, const char *device)
{
    const char *of_run = run_fact(run, "device_name");
    return !device || strcasestr(name, device) || (of_run && strcasestr(of_run, device));
}

static int keep_better(void *context, const char *name)
{
    struct choice *choice = context;
    struct run run;
    const struct path path = path_in(choice->place, name);
    if (*name == '.' || run_open(&run, path.at)) return 0;
    const char *date = run_fact(&run, "date"), *extent = run_fact(&run, "extent");
    const int is_full = !extent || strcmp(extent, "quick");
    if (date && is_of(&run, name, choice->device) &&
        (is_full != choice->is_full ? is_full : strcmp(date, choice->date) > 0)) {
        snprintf(choice->date, sizeof choice->date, "%s", date);
        choice->is_full = is_full;
        free(choice->path);
        choice->path = strdup(path.at);
    }
    run_close(&run);
    return 0;
}

/* Returns the directory of the recorded runs, or an empty path with a message. */
static struct path place_of_runs(void)
{
    struct path place = {""};
    char *data = data_directory();
    if (data) place = path_in(data, "reports/recorded");
    free(data);
    return place;
}

struct others {
    const char *place, *path;
    struct text *text;
};

static int append_other(void *context, const char *name)
{
    const struct others *others = context;
    struct run run;
    const struct path path = path_in(others->place, name);
    if (*name == '.' || !strcmp(path.at, others->path) || run_open(&run, path.at)) return 0;
    const char *device = run_fact(&run, "device_name");
    text_format(others->text, "%s%s (%s)", others->text->length ? ", " : "", name,
                device ? device : "unknown device");
    run_close(&run);
    return 0;
}

void recorded_append_others(struct text *text, const char *path)
{
    const struct path place = place_of_runs();
    struct others others = {place.at, path, text};
    if (*place.at) directory_visit(place.at, append_other, &others);
}

static void say_no_device(const struct path *place, const char *device)
{
    struct text names = {0};
    recorded_append_others(&names, "");
    error(FAIL_USAGE, "no recorded run under %s is of a device '%s'%s%s", place->at, device,
          names.length ? "; there are " : "", text_string(&names));
    text_free(&names);
}

char *recorded_find(const char *device)
{
    const struct path place = place_of_runs();
    struct choice choice = {.place = place.at, .device = device};
    if (!*place.at) return NULL;
    if (file_exists(place.at)) directory_visit(place.at, keep_better, &choice);
    if (!choice.path && device)
        say_no_device(&place, device);
    else if (!choice.path)
        error(FAIL_GPU, "no GPU here, and no recorded run under %s to replay", place.at);
    return choice.path;
}

char *recorded_named(const char *word)
{
    const struct path place =
                          strchr(word, '/') || *word == '.' ? (struct path){""} : place_of_runs(),
                      path = path_in(*place.at ? place.at : ".", word);
    if (run_is_at(word)) return run_publish_is_packed(word) ? realpath(word, NULL) : NULL;
    return *place.at && run_is_at(path.at) ? realpath(path.at, NULL) : NULL;
}

char *recorded_nearest(const char *word)
{
    const struct path place = strchr(word, '/') ? (struct path){""} : place_of_runs(),
                      path = path_in(place.at, word);
    char *nearest = file_nearest(word, FACTS_FILE),
         *found = nearest || !*place.at ? NULL : file_nearest(path.at, FACTS_FILE);
    if (found) nearest = strdup(strrchr(found, '/') + 1);
    free(found);
    return nearest;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

static struct path packed_path(const char *from, const char *table)
{
    char name[NAME_MAX];
    snprintf(name, sizeof name, "%s.csv.xz", table);
    return path_in(from, name);
}

static int take_table(const char *from, const char *directory, const char *table,
                      const struct process *xz)
{
    char name[NAME_MAX], output[PROCESS_PATH], reason[200];
    const struct path path = packed_path(from, table);
    snprintf(name, sizeof name, "%s.csv", table);
    process_reason(xz, reason, sizeof reason);
    if (interrupted()) return FAIL_INTERRUPTED;
    if (process_succeeded(xz))
        return packed_table_copy(process_path(xz->output, output), path.at, directory, name);
    return error(FAIL_INPUT, "%s: cannot be unpacked: %s", path.at, reason);
}

/* Starts to unpack a table by xz or, where pip installed this program, by Python, which has it. */
static int start_unpacking(struct process *child, char *path)
{
    static char python[] =
        "import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)";
    char *by_xz[] = {(char[]){"xz"}, (char[]){"-dc"}, path, NULL};
    char *by_python[] = {(char[]){"python3"}, (char[]){"-c"}, python, path, NULL};
    char *found[] = {process_find("xz"), process_find("python3")};
    const int result = found[0]   ? process_start(child, by_xz, PROCESS_OF_OURS)
                       : found[1] ? process_start(child, by_python, PROCESS_OF_OURS)
                                  : error(FAIL_INPUT, "xz is not on the PATH: install it, and "
                                                      "recorded runs can be unpacked");
    free(found[0]);
    free(found[1]);
    return result;
}

static int unpack_tables(const char *from, const char *directory)
{
    struct process xz[TABLE_RAW_COUNT] = {{.pid = 0}};
    int result = 0, ended;
    for (int id = 0; id < TABLE_RAW_COUNT && !result; id++) {
        struct path path = packed_path(from, tables[id].name);
        if (file_exists(path.at)) result = start_unpacking(&xz[id], path.at);
    }
    while ((ended = process_wait(xz, TABLE_RAW_COUNT)) >= 0) {
        if (!result) result = take_table(from, directory, tables[ended].name, &xz[ended]);
        process_free(&xz[ended]);
    }
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
        result = run_copy_facts(&run, &packed);
        if (!result) result = unpack_tables(from, run.directory);
        if (!result) result = derive(&run);
        if (!result) result = run_commit(&run);
        if (result) run_abandon(&run);
        run_close(&run);
    }
    run_close(&packed);
    return result;
}

/* A copy is good as long as the compressed run and what it is evaluated by are the same. */
static char *origin_of(const char *from)
{
    char text[17], *build = evaluation_build();
    if (!build) return NULL;
    const uint64_t hash = hash_bytes(HASH_START, build, strlen(build));
    free(build);
    return strdup(hash_text(evaluation_hash_files(hash, from, "*"), text));
}

/* Unpacks into `path`, which lies in `place`, unless the run there was made from `origin`, as a
 * file beside it tells. The caller has locked the directory. */
static int unpack_once(const char *place, const char *path, const char *origin, const char *from,
                       int (*derive)(struct run *run))
{
    const struct path note_path = path_of("%s.from", path);
    char *noted = text_read_file(note_path.at, NULL);
    const int same = noted && !strcmp(noted, origin) && file_exists(path);
    struct atomic_file file;
    int result = same ? 0 : data_cache_check(place);
    if (!result && !same) {
        note("unpacking the recorded run into %s, once", path);
        unlink(note_path.at);
        result = unpack(path, from, derive);
        if (!result) result = atomic_file_open(&file, note_path.at);
        if (!result) {
            fputs(origin, file.file);
            result = atomic_file_end(&file, 0);
        }
    }
    free(noted);
    return result;
}

int recorded_copy(const char *from, int (*derive)(struct run *run), char **path)
{
    *path = NULL;
    if (!run_publish_is_packed(from)) {
        *path = strdup(from);
        return *path ? 0 : error_memory();
    }
    char *place = data_cache("recorded"), *origin = place ? origin_of(from) : NULL;
    int lock = -1, result = origin ? 0 : FAIL_OUTPUT;
    if (!result) *path = text_new("%s/%s", place, strrchr(from, '/') + 1);
    if (!result && !*path) result = error_memory();
    if (!result) result = run_publish_lock(place, 1, &lock);
    if (!result) result = unpack_once(place, *path, origin, from, derive);
    if (lock >= 0) close(lock);
    if (result) {
        free(*path);
        *path = NULL;
    }
    free(origin);
    free(place);
    return result;
}

int recorded_is_derived(const char *path)
{
    return file_exists(path_of("%s.from", path).at);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Returns 1 for the run that was made of a report of Nsight Compute for one command, which is at a
 * path of the same name. */
static int is_report(const struct run *run)
{
    const char *slash = strrchr(run->path, '/');
    return slash && strstr(slash, ".ncu-rep") && run_fact(run, "imported");
}

const char *recorded_title(const struct run *run)
{
    return recorded_is_derived(run->path) || is_report(run) ? text_base_name(run->path) : run->path;
}

const char *recorded_word(const struct run *run)
{
    const char *report = run_fact(run, "report_path");
    return report && is_report(run) ? report : run->path;
}

void recorded_describe(struct text *words, const struct run *run, int recorded)
{
    const char *device = run_fact(run, "device_name"), *date = run_fact(run, "date"),
               *replayed = run_fact(run, "replay_of"), *imported = run_fact(run, "imported");
    const char *name = recorded ? text_base_name(run->path) : recorded_title(run);
    if (!recorded && recorded_is_derived(run->path)) {
        recorded_describe(words, run, 1);
        return;
    }
    text_format(words, "%s %s (%s, %s)%s",
                recorded         ? "Recorded run"
                : is_report(run) ? "Report"
                                 : "Run",
                name, device ? device : "unknown device", date ? date : "no date",
                recorded || replayed ? ": nothing was measured on this machine." : "");
    if (imported && !is_report(run)) text_format(words, "; %s", imported);
}

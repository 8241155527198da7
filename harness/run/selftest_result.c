#include "run/selftest_result.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/hash.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/records.h"

/* Columns of selftest.csv. */
enum { JUDGED_METRIC = 2, JUDGED_VERDICT = 8, JUDGED_CELLS = 10 };

/* Columns of the file of a device. */
enum {
    STAMP_DEVICE,
    STAMP_DRIVER,
    STAMP_RECORDS,
    STAMP_DATE,
    STAMP_REVISION,
    STAMP_METRIC,
    STAMP_RIGHT,
    STAMP_WRONG,
    STAMP_CELLS
};
static const char header[] = "device_uuid,driver,records,date,whyfast_revision,metric,right,wrong";

struct tally {
    char *metric;
    int right, wrong;
};

struct tallies {
    struct tally *tally;
    int count;
};

static void tallies_free(struct tallies *tallies)
{
    for (int i = 0; i < tallies->count; i++) free(tallies->tally[i].metric);
    free(tallies->tally);
}

/* Counts a row of selftest.csv. */
static int tally_row(void *context, const struct csv_reader *row)
{
    struct tallies *tallies = context;
    if (row->line == 1) return 0;
    if (row->count != JUDGED_CELLS)
        return error(FAIL_INPUT, "%s:%d: %d cells; expected %d", row->path, row->line, row->count,
                     JUDGED_CELLS);
    const char *metric = row->cell[JUDGED_METRIC], *verdict = row->cell[JUDGED_VERDICT];
    int i = 0;
    while (i < tallies->count && strcmp(tallies->tally[i].metric, metric)) i++;
    if (i == tallies->count) {
        struct tally *tally = realloc(tallies->tally, (size_t)(i + 1) * sizeof *tally);
        if (!tally) return error_memory();
        tallies->tally = tally;
        tally[i] = (struct tally){.metric = strdup(metric)};
        if (!tally[i].metric) return error_memory();
        tallies->count++;
    }
    tallies->tally[i].right += !strcmp(verdict, "ok");
    tallies->tally[i].wrong += !strcmp(verdict, "wrong");
    return 0;
}

/* Hashes the counters and formulas of all metrics. */
static int records_hash(char hash[17])
{
    static const char *const keys[] = {"from", "over", "formula"};
    struct records records;
    uint64_t value = HASH_START;
    const int result = records_read_own(&records);
    if (result) return result;
    for (int i = 0; i < records.count; i++) {
        const struct record *record = &records.record[i];
        if (record->kind != RECORD_COUNTER && record->kind != RECORD_METRIC) continue;
        value = hash_bytes(value, record->name, strlen(record->name) + 1);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            const char *field = record_field(record, keys[k]);
            if (field) value = hash_bytes(value, field, strlen(field) + 1);
        }
    }
    hash_text(value, hash);
    records_free(&records);
    return 0;
}

/* Returns the directory of these files, which the caller frees, or NULL if the environment names
 * none. */
static char *state_directory(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/') return text_new("%s/whyfast", state);
    return home && *home == '/' ? text_new("%s/.local/state/whyfast", home) : NULL;
}

static char *file_name(const struct run *run)
{
    const char *device = run_fact(run, "device_uuid");
    return device ? text_new("selftest-%s.csv", device) : NULL;
}

static void write_rows(FILE *file, const struct run *run, const struct tallies *tallies,
                       const char *records)
{
    struct csv_writer writer = {.file = file};
    fprintf(file, "%s\n", header);
    for (int i = 0; i < tallies->count; i++) {
        csv_text(&writer, run_fact(run, "device_uuid"));
        csv_text(&writer, run_fact(run, "driver"));
        csv_text(&writer, records);
        csv_text(&writer, run_fact(run, "date"));
        csv_text(&writer, run_fact(run, "git_revision"));
        csv_text(&writer, tallies->tally[i].metric);
        csv_integer(&writer, tallies->tally[i].right);
        csv_integer(&writer, tallies->tally[i].wrong);
        csv_end(&writer);
    }
}

static int write_stamp(const struct run *run, const char *directory, const char *name)
{
    struct tallies tallies = {NULL, 0};
    struct atomic_file output;
    char records[17], *judged = run_file(run, "selftest.csv");
    int result = judged ? csv_each(judged, tally_row, &tallies) : FAIL_OUTPUT;
    if (!result) result = records_hash(records);
    if (!result) result = directory_make(directory);
    if (!result) result = atomic_file_begin(&output, directory, name);
    if (!result) {
        write_rows(output.file, run, &tallies, records);
        result = atomic_file_commit(&output);
    }
    tallies_free(&tallies);
    free(judged);
    return result;
}

int selftest_result_write(const struct run *run)
{
    char *directory = state_directory(), *name = file_name(run);
    int result = 0;
    if (directory && name)
        result = write_stamp(run, directory, name);
    else
        warning("the self-test is not remembered: %s",
                name ? "neither XDG_STATE_HOME nor HOME names a directory"
                     : "the device has no identity");
    free(directory);
    free(name);
    return result;
}

/* ---- later runs ------------------------------------------------------------------------------ */

struct stamp {
    const struct run *run;
    char records[17], date[40];
    const char *absent; /* why the file does not count for the run, or NULL */
    struct text proven, wrong;
    int proven_count, wrong_count;
};

static const char *mismatch(char *const *cell, const struct stamp *stamp)
{
    const char *device = run_fact(stamp->run, "device_uuid"),
               *driver = run_fact(stamp->run, "driver");
    if (!device || strcmp(cell[STAMP_DEVICE], device)) return "was made on another device";
    if (!driver || strcmp(cell[STAMP_DRIVER], driver)) return "was made with another driver";
    return strcmp(cell[STAMP_RECORDS], stamp->records)
               ? "was made with other records under metrics/"
               : NULL;
}

static int take_row(void *context, const struct csv_reader *row)
{
    struct stamp *stamp = context;
    char **cell = row->cell;
    if (row->count != STAMP_CELLS) return FAIL_INPUT;
    if (row->line == 1) return strcmp(cell[STAMP_DEVICE], "device_uuid") ? FAIL_INPUT : 0;
    stamp->absent = mismatch(cell, stamp);
    if (stamp->absent) return FAIL_CHECK;
    const int wrong = strcmp(cell[STAMP_WRONG], "0") != 0;
    if (!wrong && !strcmp(cell[STAMP_RIGHT], "0")) return 0; /* could not be checked */
    snprintf(stamp->date, sizeof stamp->date, "%s", cell[STAMP_DATE]);
    struct text *list = wrong ? &stamp->wrong : &stamp->proven;
    text_format(list, "%s%s", list->length ? " " : "", cell[STAMP_METRIC]);
    *(wrong ? &stamp->wrong_count : &stamp->proven_count) += 1;
    return 0;
}

static int read_stamp(struct stamp *stamp, const char *path)
{
    const int result = records_hash(stamp->records);
    if (result) return result;
    const int failed = csv_each(path, take_row, stamp);
    if (!stamp->absent && (failed || !*stamp->date)) stamp->absent = "is damaged";
    return 0;
}

static int set_facts(struct run *run, const struct stamp *stamp)
{
    int result = stamp->proven.failed || stamp->wrong.failed ? error_memory() : 0;
    if (!result && stamp->wrong_count)
        result =
            run_fact_set(run, "selftest", "failed on %.10s: %d metrics are wrong, %d are right",
                         stamp->date, stamp->wrong_count, stamp->proven_count);
    else if (!result)
        result = run_fact_set(run, "selftest", "passed on %.10s: %d metrics are right", stamp->date,
                              stamp->proven_count);
    if (!result && stamp->proven_count)
        result = run_fact_set(run, "selftest_proven", "%s", text_string(&stamp->proven));
    if (!result && stamp->wrong_count) {
        result = run_fact_set(run, "selftest_wrong", "%s", text_string(&stamp->wrong));
        warning("the self-test of %.10s found wrong on this device: %s", stamp->date,
                text_string(&stamp->wrong));
    }
    return result;
}

static int apply_stamp(struct run *run, const char *path)
{
    struct stamp stamp = {.run = run};
    int result = read_stamp(&stamp, path);
    if (!result && stamp.absent) {
        warning("%s: the last self-test %s; 'whyfast selftest' makes another", path, stamp.absent);
        result = run_fact_set(run, "selftest", "absent: the last one %s", stamp.absent);
    } else if (!result) {
        result = set_facts(run, &stamp);
    }
    text_free(&stamp.proven);
    text_free(&stamp.wrong);
    return result;
}

int selftest_result_apply(struct run *run)
{
    char *directory = state_directory(), *name = file_name(run),
         *path = directory && name ? text_new("%s/%s", directory, name) : NULL;
    const int result =
        path && file_exists(path)
            ? apply_stamp(run, path)
            : run_fact_set(run, "selftest",
                           "absent: not made on this device; 'whyfast selftest' does it");
    free(directory);
    free(name);
    free(path);
    return result;
}

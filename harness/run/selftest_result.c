#include "run/selftest_result.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/hash.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/records.h"

enum { JUDGED_CELLS = 10, METRIC = 2, VERDICT = 8 };

/* The file's columns, in order. */
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

/* How each metric fared; names are the list's. */
struct found {
    char *metric;
    int right, wrong;
};

struct findings {
    struct found *found;
    int count;
};

static void findings_free(struct findings *findings)
{
    for (int i = 0; i < findings->count; i++) free(findings->found[i].metric);
    free(findings->found);
}

static int findings_add(struct findings *findings, const char *metric, const char *verdict)
{
    int i = 0;
    while (i < findings->count && strcmp(findings->found[i].metric, metric)) i++;
    if (i == findings->count) {
        struct found *found = realloc(findings->found, (size_t)(i + 1) * sizeof *found);
        if (found) findings->found = found;
        char *name = strdup(metric);
        if (!found || !name) {
            free(name);
            return error_memory();
        }
        found[findings->count++] = (struct found){name, 0, 0};
    }
    findings->found[i].right += !strcmp(verdict, "ok");
    findings->found[i].wrong += !strcmp(verdict, "wrong");
    return 0;
}

static int findings_read(struct findings *findings, const struct run *run)
{
    struct csv_reader reader;
    char *path = run_file(run, "selftest.csv");
    int result = path ? csv_open(&reader, path) : FAIL_OUTPUT;
    if (!result) {
        int more = csv_next(&reader); /* the header */
        while (more > 0 && (more = csv_next(&reader)) > 0) {
            if (reader.count != JUDGED_CELLS)
                more = error(FAIL_INPUT, "%s:%d: %d cells; expected %d", path, reader.line,
                             reader.count, JUDGED_CELLS);
            else if ((result = findings_add(findings, reader.cell[METRIC], reader.cell[VERDICT])))
                break;
        }
        if (!result) result = more;
        csv_close(&reader);
    }
    free(path);
    return result;
}

/* What counters and formulas the metrics stand for. */
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

/* The directory of all such files, which the caller frees; NULL where nothing says where it
 * would be. */
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

static void write_rows(FILE *file, const struct run *run, const struct findings *findings,
                       const char *records)
{
    struct csv_writer writer = {.file = file};
    fprintf(file, "%s\n", header);
    for (int i = 0; i < findings->count; i++) {
        csv_text(&writer, run_fact(run, "device_uuid"));
        csv_text(&writer, run_fact(run, "driver"));
        csv_text(&writer, records);
        csv_text(&writer, run_fact(run, "date"));
        csv_text(&writer, run_fact(run, "git_revision"));
        csv_text(&writer, findings->found[i].metric);
        csv_integer(&writer, findings->found[i].right);
        csv_integer(&writer, findings->found[i].wrong);
        csv_end(&writer);
    }
}

int selftest_result_write(const struct run *run)
{
    struct findings findings = {NULL, 0};
    struct atomic_file output;
    char records[17], *directory = state_directory(), *name = file_name(run);
    int result = 0;
    if (!directory || !name) {
        warning("the self-test is not remembered: %s",
                name ? "neither XDG_STATE_HOME nor HOME names a directory"
                     : "the device has no identity");
    } else {
        result = findings_read(&findings, run);
        if (!result) result = records_hash(records);
        if (!result) result = directory_make(directory);
        if (!result) result = atomic_file_begin(&output, directory, name);
        if (!result) {
            write_rows(output.file, run, &findings, records);
            result = atomic_file_commit(&output);
        }
    }
    findings_free(&findings);
    free(directory);
    free(name);
    return result;
}

/* ---- later runs ------------------------------------------------------------------------------ */

struct stamp {
    char date[40];
    struct text proven, wrong;
    int proven_count, wrong_count;
};

static const char *mismatch(char *const *cell, const struct run *run, const char *records)
{
    const char *device = run_fact(run, "device_uuid"), *driver = run_fact(run, "driver");
    if (!device || strcmp(cell[STAMP_DEVICE], device)) return "was made on another device";
    if (!driver || strcmp(cell[STAMP_DRIVER], driver)) return "was made with another driver";
    return strcmp(cell[STAMP_RECORDS], records) ? "was made with other records under metrics/"
                                                : NULL;
}

static void take_row(struct stamp *stamp, char *const *cell)
{
    const int wrong = strcmp(cell[STAMP_WRONG], "0") != 0;
    if (!wrong && !strcmp(cell[STAMP_RIGHT], "0")) return; /* could not be checked there */
    struct text *list = wrong ? &stamp->wrong : &stamp->proven;
    snprintf(stamp->date, sizeof stamp->date, "%s", cell[STAMP_DATE]);
    text_format(list, "%s%s", list->length ? " " : "", cell[STAMP_METRIC]);
    *(wrong ? &stamp->wrong_count : &stamp->proven_count) += 1;
}

/* 0, with the reason in *absent when the file does not speak for this run. */
static int read_stamp(struct stamp *stamp, const char *path, const struct run *run,
                      const char **absent)
{
    struct csv_reader reader;
    char records[17];
    int result = records_hash(records);
    if (result) return result;
    *absent = "is damaged";
    if (csv_open(&reader, path)) return 0;
    int more = csv_next(&reader);
    if (more > 0 && reader.count == STAMP_CELLS &&
        !strcmp(reader.cell[STAMP_DEVICE], "device_uuid"))
        *absent = NULL;
    while (!*absent && (more = csv_next(&reader)) > 0) {
        if (reader.count != STAMP_CELLS)
            *absent = "is damaged";
        else if (!(*absent = mismatch(reader.cell, run, records)))
            take_row(stamp, reader.cell);
    }
    if (!*absent && (more < 0 || !*stamp->date)) *absent = "is damaged";
    csv_close(&reader);
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

int selftest_result_apply(struct run *run)
{
    static const char none[] = "absent: not made on this device; 'whyfast selftest' does it";
    struct stamp stamp = {.date = ""};
    const char *absent = NULL;
    char *directory = state_directory(), *name = file_name(run),
         *path = directory && name ? text_new("%s/%s", directory, name) : NULL;
    int result = 0;
    if (!path || access(path, F_OK)) {
        result = run_fact_set(run, "selftest", none);
    } else {
        result = read_stamp(&stamp, path, run, &absent);
        if (!result && absent) {
            warning("%s: the last self-test %s; 'whyfast selftest' makes another", path, absent);
            result = run_fact_set(run, "selftest", "absent: the last one %s", absent);
        } else if (!result) {
            result = set_facts(run, &stamp);
        }
    }
    text_free(&stamp.proven);
    text_free(&stamp.wrong);
    free(directory);
    free(name);
    free(path);
    return result;
}

#include "run/selftest_result.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "catalog/records.h"

/* Facts that later runs take over. */
static const char *const taken[] = {"selftest", "selftest_proven", "selftest_wrong"};

/* Notes "ok" or "wrong" for the metric of a row of selftest.csv; one wrong value decides. */
static int take_row(void *verdicts, const struct csv_reader *row)
{
    enum { METRIC = 2, VERDICT = 8, CELLS = 10 };
    if (row->line == 1) return 0;
    if (row->count != CELLS)
        return error(FAIL_INPUT, "%s:%d: %d cells; expected %d", row->path, row->line, row->count,
                     CELLS);
    const char *metric = row->cell[METRIC], *verdict = row->cell[VERDICT];
    const int is_new = !strcmp(verdict, "ok") && !facts_find(verdicts, metric);
    return is_new || !strcmp(verdict, "wrong") ? facts_set(verdicts, metric, strdup(verdict)) : 0;
}

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

/* Returns the directory of these files, or "" if the environment names none. */
static struct path state_directory(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/') return path_in(state, "whyfast");
    return home && *home == '/' ? path_in(home, ".local/state/whyfast") : (struct path){{0}};
}

/* Returns the name of the device's file, or "" if it has no identity. */
static struct path file_name(const struct run *run)
{
    struct path name = {{0}};
    const char *device = run_fact(run, "device_uuid");
    if (device) snprintf(name.at, sizeof name.at, "selftest-%s.txt", device);
    return name;
}

/* Sets the facts that later runs take over, unless no metric was checked. */
static int set_results(struct facts *stamp, const struct facts *verdicts, const char *date)
{
    struct text list[2] = {{0}};
    int count[2] = {0, 0}, result = 0;
    for (int i = 0; i < verdicts->count; i++) {
        const int is_wrong = !strcmp(verdicts->fact[i].value, "wrong");
        text_format(&list[is_wrong], "%s%s", count[is_wrong]++ ? " " : "", verdicts->fact[i].key);
    }
    if (count[1])
        result = facts_set(stamp, taken[0],
                           text_new("failed on %.10s: %d metric%s wrong, %d right", date, count[1],
                                    count[1] == 1 ? " is" : "s are", count[0]));
    else if (count[0])
        result = facts_set(stamp, taken[0],
                           text_new("passed on %.10s: %d metric%s right", date, count[0],
                                    count[0] == 1 ? " is" : "s are"));
    for (int i = 0; i < 2; i++) {
        if (!result && count[i])
            result = facts_set(stamp, taken[1 + i], list[i].data);
        else
            text_free(&list[i]);
    }
    return result;
}

static int write_stamp(const struct run *run, const char *directory, const char *name)
{
    static const char *const keys[] = {"device_uuid", "driver", "date", "git_revision"};
    struct facts verdicts = {0, NULL}, stamp = {0, NULL};
    char records[17];
    const char *date = run_fact(run, "date");
    int result = csv_each(path_in(run->directory, "selftest.csv").at, take_row, &verdicts);
    if (!result) result = records_hash(records);
    if (!result) result = facts_set(&stamp, "records", strdup(records));
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !result; i++)
        if (run_fact(run, keys[i]))
            result = facts_set(&stamp, keys[i], strdup(run_fact(run, keys[i])));
    if (!result) result = set_results(&stamp, &verdicts, date ? date : "");
    if (!result) result = directory_make(directory);
    if (!result) result = facts_write(&stamp, directory, name);
    facts_free(&verdicts);
    facts_free(&stamp);
    return result;
}

int selftest_result_write(const struct run *run)
{
    const struct path directory = state_directory(), name = file_name(run);
    if (*directory.at && *name.at) return write_stamp(run, directory.at, name.at);
    warning("the result of the self-test is not stored: %s",
            *name.at ? "neither XDG_STATE_HOME nor HOME names a directory"
                     : "the device has no identity");
    return 0;
}

/* ---- later runs ------------------------------------------------------------------------------ */

/* Returns why the file does not count for the run, or NULL. */
static const char *mismatch(const struct facts *stamp, const struct run *run, const char *records)
{
    const char *const known[][3] = {
        {"device_uuid", run_fact(run, "device_uuid"), "was run on another device"},
        {"driver", run_fact(run, "driver"), "was run with another driver"},
        {"records", records, "was run with other records under metrics/"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *noted = facts_find(stamp, known[i][0]);
        if (!noted || !known[i][1] || strcmp(noted, known[i][1])) return known[i][2];
    }
    return facts_find(stamp, taken[0]) ? NULL : "is damaged";
}

static int apply_stamp(struct run *run, const char *directory, const char *name)
{
    struct facts stamp = {0, NULL};
    char records[17];
    int result = records_hash(records);
    const char *absent = facts_read(&stamp, directory, name) ? "is damaged"
                                                             : mismatch(&stamp, run, records),
               *wrong = facts_find(&stamp, "selftest_wrong"), *date = facts_find(&stamp, "date");
    if (!result && absent) {
        warning("%s/%s: the last self-test %s; 'whyfast selftest' runs it again", directory, name,
                absent);
        result = run_fact_set(run, taken[0], "absent: the last one %s", absent);
    }
    for (size_t i = 0; i < sizeof taken / sizeof *taken && !result && !absent; i++)
        if (facts_find(&stamp, taken[i]))
            result = run_fact_set(run, taken[i], "%s", facts_find(&stamp, taken[i]));
    if (!result && !absent && wrong)
        warning("the self-test of %.10s found wrong on this device: %s", date ? date : "?", wrong);
    facts_free(&stamp);
    return result;
}

int selftest_result_apply(struct run *run)
{
    const struct path directory = state_directory(), name = file_name(run);
    if (*directory.at && *name.at && file_exists(path_in(directory.at, name.at).at))
        return apply_stamp(run, directory.at, name.at);
    return run_fact_set(run, taken[0],
                        "absent: not run on this device; 'whyfast selftest' runs it");
}

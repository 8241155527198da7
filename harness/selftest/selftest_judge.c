#include "selftest/selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/records.h"
#include "evaluate/metric_checks.h"
#include "query/query.h"

enum { ROUNDED = 9 }; /* significant digits of fractions in metrics.csv */

struct judgement {
    struct query query;
    const struct record *proof;
    struct print_table table;
    struct selftest_tally *tally;
    int rows; /* of this proof */
};

/* Makes the view proving: the points with further names for expectations: warps of the longest
 * launch, n, and the facts of the device. */
static int make_points(struct query *query)
{
    struct text sql = {0};
    const int result = query_make_ladder(query);
    if (result) return result;
    text_append(&sql, "CREATE VIEW proving AS SELECT l.*, l.grid_blocks * l.block_threads / 32.0 "
                      "AS warps, CAST(l.size AS REAL) AS n");
    for (int i = 0; i < query->run->facts.count; i++) {
        const char *key = query->run->facts.fact[i].key;
        if (!strncmp(key, "device_", 7))
            text_format(&sql, ", (SELECT CAST(value AS REAL) FROM run WHERE key = '%s') AS %s", key,
                        key);
    }
    text_append(&sql, " FROM ladder l");
    return query_script(query, &sql);
}

static enum terminal_style style_of(const char *verdict)
{
    return !strcmp(verdict, "wrong") ? STYLE_HOT : STYLE_PLAIN;
}

/* Those that are not only shown are the columns of selftest.csv. */
static const struct print_column columns[] = {
    {.name = "value", .head = "", .place = PRINT_GROUP, .is_shown_only = 1},
    {.name = "word", .head = "", .is_shown_only = 1, .style = style_of},
    {.name = "variant"},
    {.name = "setting", .head = "setting", .kind = PRINT_NUMBER},
    {.name = "metric"},
    {.name = "expected", .head = "expected", .kind = PRINT_NUMBER, .digits = PRINT_ALL},
    {.name = "measured", .kind = PRINT_NUMBER},
    {.name = "shown", .head = "measured", .kind = PRINT_RIGHT, .is_shown_only = 1},
    {.name = "error", .kind = PRINT_NUMBER},
    {.name = "error_pct", .head = "error %", .kind = PRINT_NUMBER, .digits = 3, .is_shown_only = 1},
    {.name = "within", .kind = PRINT_NUMBER},
    {.name = "noise", .head = "noise", .kind = PRINT_NUMBER, .digits = PRINT_ALL},
    {.name = "verdict"},
    {.name = "because"},
    {.name = "reason", .head = "", .place = PRINT_NOTE, .is_shown_only = 1},
};

/* Adds the measured value for people. */
static void add_shown(struct print_table *table, const char *measured, int is_wrong)
{
    char buffer[32];
    print_table_text(table, measured   ? csv_format_number(buffer, strtod(measured, NULL))
                            : is_wrong ? IMPOSSIBLE_WORDS
                                       : NULL);
}

/* Cells: variant, setting, expected, measured, within, noise. */
static void add_row(struct judgement *judgement, const char *const cell[6], double error,
                    const char *verdict)
{
    struct print_table *table = &judgement->table;
    const char *metric = record_field(judgement->proof, "metric"),
               *because = record_field(judgement->proof, "means");
    const int is_absent = !strncmp(verdict, ABSENT, strlen(ABSENT)),
              is_wrong = !strcmp(verdict, "wrong");
    const double expected = cell[2] ? fabs(strtod(cell[2], NULL)) : NAN;
    struct text value = {0};
    text_format(&value, "%s %s", cell[0], metric);
    print_table_text(table, text_string(&value));
    print_table_text(table, is_absent ? "absent" : verdict);
    print_table_text(table, cell[0]);
    print_table_cell(table, cell[1]);
    print_table_text(table, metric);
    print_table_cell(table, cell[2]);
    print_table_cell(table, cell[3]);
    add_shown(table, is_absent ? NULL : cell[3], is_wrong);
    print_table_number(table, error);
    print_table_number(table, error == 0 ? 0 : expected > 0 ? 100 * error / expected : NAN);
    print_table_cell(table, cell[4]);
    print_table_cell(table, cell[5]);
    print_table_text(table, verdict);
    print_table_text(table, because);
    print_table_text(table, is_absent ? verdict + strlen(ABSENT) : is_wrong ? because : NULL);
    text_free(&value);
}

/* Columns: the cells of add_row, and 1 if the measured value is empty because it was
 * impossible. */
static int judge_row(void *context, const struct scope *row)
{
    struct judgement *judgement = context;
    const char *const *value = row->value;
    const char *verdict = "wrong";
    double error = NAN;
    int *count = &judgement->tally->wrong;
    judgement->rows++;
    if (value[2] && value[3] && value[4]) {
        const double expected = strtod(value[2], NULL), within = strtod(value[4], NULL);
        error = strtod(value[3], NULL) - expected;
        if (fabs(error) <= within + fabs(expected) * pow(10, -(ROUNDED - 1))) {
            verdict = "ok";
            count = &judgement->tally->right;
        }
    } else if (value[3] || strcmp(value[6], "1")) {
        verdict =
            value[3] ? "absent: the expectation needs an unmeasured value" : "absent: not measured";
        count = &judgement->tally->missing;
    }
    ++*count;
    add_row(judgement, value, error, verdict);
    return 0;
}

/* Adds the reason why no point of this proof was measured, if it was selected. */
static int judge_absence(struct judgement *judgement)
{
    const char *pattern = record_field(judgement->proof, "of");
    const struct scope scope = SCOPE_OF(STRINGS("of"), STRINGS(pattern));
    char *reason = NULL;
    int result = query_text(
        &judgement->query, NULL,
        "SELECT coalesce(reason, status) FROM points WHERE family || '/' || variant GLOB :of",
        &scope, &reason);
    char *verdict = result ? NULL : text_new("absent: %s", reason ? reason : "it was not selected");
    const char *const cell[6] = {pattern};
    if (!result && !verdict) result = error_memory();
    if (!result && reason) {
        add_row(judgement, cell, NAN, verdict);
        judgement->tally->missing++;
    }
    free(verdict);
    free(reason);
    return result;
}

static int judge_proof(struct judgement *judgement, const struct record *proof, int is_fact)
{
    const char *metric = record_field(proof, "metric"), *within = record_field(proof, "within"),
               *at = record_field(proof, "at");
    const struct scope scope = SCOPE_OF(STRINGS("of"), STRINGS(record_field(proof, "of")));
    const struct path place = path_of("%s:%d", proof->file, proof->line);
    struct text sql = {0};
    judgement->proof = proof;
    judgement->rows = 0;
    text_format(&sql,
                "SELECT p.family || '/' || p.variant, nullif(p.sweep, 0), CAST((%s) AS REAL), "
                "p.%s, CAST((%s) AS REAL), %s%s%s, EXISTS (SELECT 1 FROM impossible i WHERE "
                "i.family = p.family AND i.variant = p.variant AND i.size = p.size AND i.block = "
                "p.block AND i.sweep = p.sweep AND instr(' ' || i.empties || ' ', ' %s ')) FROM "
                "proving p WHERE p.family || '/' || p.variant GLOB :of AND (%s) ORDER BY "
                "p.family, p.variant, p.sweep",
                record_field(proof, "expected"), metric, within ? within : "0",
                is_fact ? "NULL" : "(SELECT q.", is_fact ? "" : metric, /* facts have no repeats */
                is_fact ? ""
                        : " FROM noise q WHERE q.family = p.family AND q.variant = p.variant AND "
                          "q.sweep = p.sweep)",
                metric, at ? at : "1");
    int result = sql.failed ? error_memory()
                            : query_each(&judgement->query, place.at, text_string(&sql), &scope,
                                         judge_row, judgement);
    if (!result && judgement->rows == 0) result = judge_absence(judgement);
    text_free(&sql);
    return result;
}

static int judge_all(struct judgement *judgement, const struct records *records)
{
    int result = QUERY_LOAD(&judgement->query, TABLE_VARIANTS, TABLE_POINTS, TABLE_METRICS,
                            TABLE_NOISE, TABLE_IMPOSSIBLE);
    if (!result) result = make_points(&judgement->query);
    for (int i = 0; i < records->count && !result; i++)
        if (records->record[i].kind == RECORD_PROOF)
            result = judge_proof(judgement, &records->record[i],
                                 records_find(records, RECORD_FACT,
                                              record_field(&records->record[i], "metric")) != NULL);
    return result;
}

static int write_table(const struct print_table *table, const struct run *run)
{
    struct atomic_file output;
    const int result = atomic_file_begin(&output, run->directory, "selftest.csv");
    return result ? result : atomic_file_end(&output, print_table_csv(table, output.file));
}

static void write_json(const struct print_table *table, const struct run *run,
                       const struct selftest_tally *tally, FILE *file)
{
    struct json_writer writer;
    json_begin(&writer, file, "selftest/1");
    json_text(&writer, "device_name", run_fact(run, "device_name"));
    json_text(&writer, "driver", run_fact(run, "driver"));
    json_number(&writer, "right", tally->right);
    json_number(&writer, "wrong", tally->wrong);
    json_number(&writer, "not_testable", tally->missing);
    print_table_rows(&writer, table);
    json_end(&writer);
}

static int print(const struct print_table *table, const struct run *run,
                 const struct selftest_tally *tally, enum print_form form)
{
    if (form == PRINT_AS_JSON) write_json(table, run, tally, stdout);
    const int result =
        form == PRINT_AS_JSON ? 0 : print_table_print(table, form, "selftest/1", stdout);
    if (!result && form == PRINT_SCREEN)
        printf("\n%d value%s right, %d wrong, %d not testable here, on %s with driver %s.\n",
               tally->right, tally->right == 1 ? "" : "s", tally->wrong, tally->missing,
               run_fact(run, "device_name"), run_fact(run, "driver"));
    return result;
}

int selftest_judge(const struct run *run, enum print_form form, struct selftest_tally *tally)
{
    struct judgement judgement = {.tally = tally,
                                  .table = {.name = "values", PRINT_COLUMNS_OF(columns)}};
    struct records records;
    *tally = (struct selftest_tally){0, 0, 0};
    int result = records_read_own(&records);
    if (result) return result;
    result = query_open(&judgement.query, run);
    if (!result) {
        result = judge_all(&judgement, &records);
        query_close(&judgement.query);
    }
    if (!result) result = write_table(&judgement.table, run);
    if (!result) result = print(&judgement.table, run, tally, form);
    print_table_free(&judgement.table);
    records_free(&records);
    return result;
}

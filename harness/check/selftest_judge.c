#include "check/selftest_judge.h"

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
    struct csv_writer writer;
    struct selftest_tally *tally;
    int rows; /* of this proof */
};

/* Makes the view proving: the points with further names for expectations: warps of the first
 * launch, n, and the facts of the device. */
static int make_points(struct query *query)
{
    struct text sql = {0};
    int result = query_make_ladder(query, "metrics");
    text_append(&sql, "CREATE VIEW proving AS SELECT l.*, l.grid_blocks * l.block_threads / 32.0 "
                      "AS warps, CAST(l.size AS REAL) AS n");
    for (int i = 0; i < query->run->facts.count; i++) {
        const char *key = query->run->facts.fact[i].key;
        if (!strncmp(key, "device_", 7))
            text_format(&sql, ", (SELECT CAST(value AS REAL) FROM run WHERE key = '%s') AS %s", key,
                        key);
    }
    text_append(&sql, " FROM ladder l");
    if (!result) result = sql.failed ? error_memory() : query_write(query, "%s", text_string(&sql));
    text_free(&sql);
    return result;
}

static void write_row(struct judgement *judgement, const char *const cell[7], double error,
                      const char *verdict)
{
    struct csv_writer *writer = &judgement->writer;
    csv_text(writer, cell[0]);
    csv_text(writer, cell[1]);
    csv_text(writer, record_field(judgement->proof, "metric"));
    for (int i = 2; i <= 3; i++) csv_text(writer, cell[i]);
    csv_number(writer, error);
    for (int i = 4; i <= 5; i++) csv_text(writer, cell[i]);
    csv_text(writer, verdict);
    csv_text(writer, record_field(judgement->proof, "means"));
    csv_end(writer);
}

/* Columns: variant, setting, expected, measured, within, noise, and 1 if the measured value is
 * empty because it was impossible. */
static int judge_row(void *context, const struct scope *row)
{
    struct judgement *judgement = context;
    const char *const *value = row->value;
    const char *const cell[7] = {value[0], value[1], value[2], value[3], value[4], value[5], NULL};
    judgement->rows++;
    if (!value[3] && !strcmp(value[6], "1")) {
        write_row(judgement, cell, NAN, "wrong");
        judgement->tally->wrong++;
        return 0;
    }
    if (!value[2] || !value[3] || !value[4]) {
        write_row(judgement, cell, NAN,
                  value[3] ? "absent: the expectation needs an unmeasured value"
                           : "absent: not measured");
        judgement->tally->missing++;
        return 0;
    }
    const double expected = strtod(value[2], NULL), measured = strtod(value[3], NULL),
                 within = strtod(value[4], NULL);
    const int right =
        fabs(measured - expected) <= within + fabs(expected) * pow(10, -(ROUNDED - 1));
    *(right ? &judgement->tally->right : &judgement->tally->wrong) += 1;
    write_row(judgement, cell, measured - expected, right ? "ok" : "wrong");
    return 0;
}

/* Adds the reason why no point of this proof was measured, if it was selected. */
static int judge_absence(struct judgement *judgement)
{
    const char *of[] = {"of"}, *pattern[] = {record_field(judgement->proof, "of")};
    const struct scope scope = {NULL, 1, of, pattern};
    char *reason = NULL;
    int result = query_text(
        &judgement->query, NULL,
        "SELECT coalesce(reason, status) FROM points WHERE family || '/' || variant GLOB :of",
        &scope, &reason);
    char *verdict = result ? NULL : text_new("absent: %s", reason ? reason : "it was not selected");
    const char *const cell[7] = {pattern[0], NULL, NULL, NULL, NULL, NULL, NULL};
    if (!result && !verdict) result = error_memory();
    if (!result && reason) {
        write_row(judgement, cell, NAN, verdict);
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
    const char *of[] = {"of"}, *pattern[] = {record_field(proof, "of")};
    const struct scope scope = {NULL, 1, of, pattern};
    char *place = text_new("%s:%d", proof->file, proof->line);
    struct text sql = {0};
    judgement->proof = proof;
    judgement->rows = 0;
    text_format(&sql,
                "SELECT p.family || '/' || p.variant, nullif(p.sweep, 0), CAST((%s) AS REAL), "
                "p.%s, CAST((%s) AS REAL), ",
                record_field(proof, "expected"), metric, within ? within : "0");
    if (is_fact)
        text_append(&sql, "NULL"); /* facts have no repeats */
    else
        text_format(&sql,
                    "(SELECT q.%s FROM noise q WHERE q.family = p.family AND q.variant = p.variant "
                    "AND q.sweep = p.sweep)",
                    metric);
    text_format(&sql,
                ", EXISTS (SELECT 1 FROM impossible i WHERE i.family = p.family AND i.variant = "
                "p.variant AND i.size = p.size AND i.block = p.block AND i.sweep = p.sweep"
                " AND instr(' ' || i.empties || ' ', ' %s '))",
                metric);
    text_format(&sql,
                " FROM proving p WHERE p.family || '/' || p.variant GLOB :of AND (%s) ORDER BY "
                "p.family, p.variant, p.sweep",
                at ? at : "1");
    int result = !place || sql.failed ? error_memory()
                                      : query_each(&judgement->query, place, text_string(&sql),
                                                   &scope, judge_row, judgement);
    if (!result && judgement->rows == 0) result = judge_absence(judgement);
    text_free(&sql);
    free(place);
    return result;
}

static int judge_all(struct judgement *judgement, const struct records *records)
{
    static const enum table_id needed[] = {TABLE_VARIANTS, TABLE_POINTS, TABLE_METRICS, TABLE_NOISE,
                                           TABLE_IMPOSSIBLE};
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(&judgement->query, needed[i]);
    if (!result) result = make_points(&judgement->query);
    fputs("variant,setting,metric,expected,measured,error,within,noise,verdict,because\n",
          judgement->writer.file);
    for (int i = 0; i < records->count && !result; i++)
        if (records->record[i].kind == RECORD_PROOF)
            result = judge_proof(judgement, &records->record[i],
                                 records_find(records, RECORD_FACT,
                                              record_field(&records->record[i], "metric")) != NULL);
    return result;
}

int selftest_judge(const struct run *run, struct selftest_tally *tally)
{
    struct judgement judgement = {.tally = tally};
    struct records records;
    struct atomic_file output;
    *tally = (struct selftest_tally){0, 0, 0};
    int result = records_read_own(&records);
    if (result) return result;
    result = query_open(&judgement.query, run);
    if (!result) {
        result = atomic_file_begin(&output, run->directory, "selftest.csv");
        if (!result) {
            judgement.writer.file = output.file;
            result = atomic_file_end(&output, judge_all(&judgement, &records));
        }
        query_close(&judgement.query);
    }
    records_free(&records);
    return result;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const char *number(char buffer[32], const char *cell)
{
    if (!*cell) return "";
    snprintf(buffer, 32, "%.9g", strtod(cell, NULL));
    return buffer;
}

/* In per cent of the expected value unless that is 0. */
static const char *error_text(char buffer[32], const char *expected, const char *error)
{
    const double whole = strtod(expected, NULL), part = strtod(error, NULL);
    if (!*error) return "";
    if (part == 0) return "0";
    if (whole == 0)
        snprintf(buffer, 32, "%+.3g", part);
    else
        snprintf(buffer, 32, "%+.3f %%", 100 * part / fabs(whole));
    return buffer;
}

enum { CELLS = 10 };

static void print_row(FILE *file, char *const *cell)
{
    char expected[32], measured[32], error_words[32], noise[32];
    struct text name = {0};
    text_format(&name, "%s%s%s", cell[0], *cell[1] ? "@" : "", cell[1]);
    fprintf(file, "%-6s  %-40s  %-32s  %14s  %14s  %11s  %9s%s%s\n",
            strncmp(cell[8], "absent", 6) ? cell[8] : "absent", text_string(&name), cell[2],
            number(expected, cell[3]),
            !strcmp(cell[8], "wrong") && !*cell[4] ? IMPOSSIBLE_WORDS : number(measured, cell[4]),
            error_text(error_words, cell[3], cell[5]), number(noise, cell[7]),
            strncmp(cell[8], "absent: ", 8) ? "" : "  ",
            strncmp(cell[8], "absent: ", 8) ? "" : cell[8] + 8);
    if (!strcmp(cell[8], "wrong")) fprintf(file, "        expected: %s\n", cell[9]);
    text_free(&name);
}

int selftest_print(const struct run *run, FILE *file)
{
    struct csv_reader reader;
    char *path = run_file(run, "selftest.csv");
    int result = path ? csv_open(&reader, path) : FAIL_OUTPUT;
    if (!result) {
        int more = csv_next(&reader); /* the header */
        fprintf(file, "%-6s  %-40s  %-32s  %14s  %14s  %11s  %9s\n", "", "kernel", "metric",
                "expected", "measured", "error", "noise");
        while (more > 0 && (more = csv_next(&reader)) > 0) {
            if (reader.count != CELLS)
                more = error(FAIL_INPUT, "%s:%d: %d cells; expected %d", path, reader.line,
                             reader.count, CELLS);
            else
                print_row(file, reader.cell);
        }
        result = more;
        csv_close(&reader);
    }
    free(path);
    return result;
}

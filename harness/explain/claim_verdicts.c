#include "explain/explain_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "explain/claim_evidence.h"
#include "query/query_guard.h"
#include "run/table_rows.h"

#define NOT_MEASURABLE "not measurable here"

/* ---- noise ----------------------------------------------------------------------------------- */

/* An expression whose metrics are off by their noise, the spread over the repeats of the counters:
 * those of this rung in one direction, those of the rung before and of the first in the other. */
struct shifted {
    struct query *query;
    const struct records *records;
    const struct scope *row; /* a row of the ladder */
    const char *rest;        /* of the expression: what is not copied yet */
    int direction;
    struct text text;
    int result; /* the first failure */
};

#define KEY_OF_ROW "(:family, :variant, :size, :block, :sweep, :device)"

static void shift_name(const char *name, size_t length, void *context)
{
    static const char sql[] =
        "SELECT n.%s FROM metrics m JOIN ladder_rows l ON l.row = m.rowid JOIN metrics o ON "
        "o.rowid = %s JOIN noise n ON (" POINT_KEY_OF("n.") ") = (" POINT_KEY_OF(
            "o.") ") WHERE "
                  "(" POINT_KEY_OF("m.") ") = " KEY_OF_ROW;
    struct shifted *shifted = context;
    char full[128], *noise = NULL;
    text_append_bytes(&shifted->text, shifted->rest, (size_t)(name - shifted->rest));
    shifted->rest = name + length;
    snprintf(full, sizeof full, "%.*s", (int)length, name);
    const int prev = !strncmp(full, "prev_", 5), first = !strncmp(full, "first_", 6);
    const char *base = full + (prev ? 5 : first ? 6 : 0);
    if (length < sizeof full && records_is_column(shifted->records, base) &&
        query_has_column(shifted->query, "noise", base) && !shifted->result) {
        char *select = text_new(sql, base, prev ? "l.prev" : first ? "l.first" : "m.rowid");
        shifted->result = select ? query_text(shifted->query, NULL, select, shifted->row, &noise)
                                 : error_memory();
        free(select);
    }
    const double by =
        noise ? strtod(noise, NULL) * shifted->direction * (prev || first ? -1 : 1) : 0;
    if (by != 0 && isfinite(by))
        text_format(&shifted->text, "(%s + %.17g)", full, by);
    else
        text_append_bytes(&shifted->text, name, length);
    free(noise);
}

/* Sets *is_noise if the noise of the counters could turn the outcome. */
static int judge_noise(struct query *query, const struct records *records, const char *expression,
                       const struct scope *row, int *is_noise)
{
    for (int direction = -1; direction <= 1; direction += 2) {
        struct shifted shifted = {.query = query,
                                  .records = records,
                                  .row = row,
                                  .rest = expression,
                                  .direction = direction};
        text_identifiers(expression, shift_name, &shifted);
        text_append(&shifted.text, shifted.rest);
        char *outcome = NULL,
             *sql = text_new("SELECT (%s) FROM ladder WHERE (" POINT_KEY ") = " KEY_OF_ROW,
                             text_string(&shifted.text));
        int result = shifted.result ? shifted.result
                     : sql && !shifted.text.failed
                         ? query_text(query, "a claim within the noise", sql, row, &outcome)
                         : error_memory();
        *is_noise |= !outcome || !strtod(outcome, NULL) != !strtod(row->value[0], NULL);
        free(outcome);
        free(sql);
        text_free(&shifted.text);
        if (result) return result;
    }
    return 0;
}

/* ---- one expression over the ladder ---------------------------------------------------------- */

struct judged {
    struct query *query;
    const struct records *records;
    struct csv_writer writer;
    const struct scope *claim; /* row of claims */
    int rows;                  /* that the claim was judged on */
    const char *expression;
};

/* Writes the cells from the claim's text on, and ends the row. */
static void write_claim(struct judged *judged, const char *verdict, const char *numbers,
                        const char *measured, int is_about_step)
{
    const struct scope *claim = judged->claim;
    CSV_TEXTS(&judged->writer, scope_value(claim, "claim", NULL), scope_value(claim, "says", NULL),
              scope_value(claim, "source", NULL), scope_value(claim, "place", NULL),
              judged->expression, verdict, numbers, measured, is_about_step ? "1" : "0");
    csv_end(&judged->writer);
    judged->rows++;
}

/* Returns the name of this run's device if the claim is about another one, else NULL. */
static const char *other_device(const struct judged *judged)
{
    const char *about = scope_value(judged->claim, "device", NULL);
    const char *here = run_fact(judged->query->run, "device_name");
    return about && here && !strstr(here, about) ? here : NULL;
}

/* `outcome` is the value of the expression, or NULL if it has none. */
static const char *outcome_words(const struct judged *judged, const char *outcome)
{
    const char *at_times = scope_value(judged->claim, "at_times", NULL);
    const int is_limited = at_times && strtod(at_times, NULL) != 0;
    if (!outcome) return "undecided";
    if (strtod(outcome, NULL) != 0) return is_limited ? "seen" : "confirmed";
    return is_limited ? "not seen" : "refuted";
}

/* Columns of the row: judgement first, then the ladder's. */
static int write_verdict(void *context, const struct scope *row)
{
    struct judged *judged = context;
    struct claim_evidence evidence = {0};
    const char *outcome = row->value[0], *here = other_device(judged);
    struct text why = {0};
    int is_noise = 0;
    int result = claim_evidence_collect(judged->query, judged->records, row, judged->expression,
                                        !outcome && !here, &evidence);
    if (outcome && !here && !result)
        result = judge_noise(judged->query, judged->records, judged->expression, row, &is_noise);
    const char *verdict = outcome_words(judged, is_noise ? NULL : outcome);
    if (here || (!outcome && evidence.is_missing)) verdict = NOT_MEASURABLE;
    if (here)
        text_format(&why, "; the claim is about the %s, and this run is from the %s",
                    scope_value(judged->claim, "device", NULL), here);
    else if (!outcome && !evidence.is_missing)
        text_append(&why, "; these do not decide it");
    else if (is_noise)
        text_append(&why, "; the spread over their repeats could reverse it");
    text_append(&evidence.numbers, text_string(&why));
    if (outcome || here || !evidence.is_open) text_append(&evidence.measured, text_string(&why));
    text_free_piece(&why, &evidence.numbers);
    CSV_TEXTS(&judged->writer, POINT_KEYS(row));
    write_claim(judged, verdict, text_string(&evidence.numbers), text_string(&evidence.measured),
                evidence.is_about_step);
    const int failed = evidence.numbers.failed || evidence.measured.failed;
    text_free(&evidence.numbers);
    text_free(&evidence.measured);
    return failed ? error_memory() : result;
}

/* A claim about a size or setting that the run lacks, or whose point failed, still has a row. */
static void write_unjudged(struct judged *judged)
{
    const char *size = scope_value(judged->claim, "size", NULL);
    CSV_TEXTS(&judged->writer, scope_value(judged->claim, "family", NULL),
              scope_value(judged->claim, "variant", NULL), size ? size : "any",
              scope_value(judged->claim, "at_block", NULL),
              scope_value(judged->claim, "at_sweep", NULL), "0");
    static const char why[] = "the run has no such point, or it failed";
    write_claim(judged, NOT_MEASURABLE, why, why, 0);
}

static int judge_claim(void *context, const struct scope *claim)
{
    struct judged *judged = context;
    judged->claim = claim;
    judged->rows = 0;
    judged->expression = scope_value(claim, "expect", NULL);
    char *place =
        text_new("%s/claims.csv: claim %s of %s", run_source(judged->query->run, TABLE_CLAIMS),
                 scope_value(claim, "claim", NULL), scope_value(claim, "variant", NULL));
    const int has_block = strtol(scope_value(claim, "at_block", NULL), NULL, 10) != 0,
              has_sweep = strtol(scope_value(claim, "at_sweep", NULL), NULL, 10) != 0;
    const char *best = has_block ? "behind_best_pct = 0" : "best = 1";
    /* One of several equally fast settings is judged: the best if one is marked. */
    char *sql = text_new(
        "SELECT (%s) AS judgement, %s* FROM ladder WHERE family = :family AND variant = :variant "
        "AND %s AND (:size IS NULL OR size = :size)%s ORDER BY CAST(size AS INTEGER), size, block",
        judged->expression, has_block ? "max(best), " : "",
        !has_sweep ? best : "sweep = CAST(:at_sweep AS INTEGER)",
        has_block ? " AND block = CAST(:at_block AS INTEGER) GROUP BY size" : "");
    int result = sql && place ? query_guard_claim(place, judged->expression) : error_memory();
    if (!result) result = query_judge(judged->query, place, sql, claim, write_verdict, judged);
    free(sql);
    free(place);
    if (!result && judged->rows == 0) write_unjudged(judged);
    return result;
}

int verdicts_write(struct query *query, const struct records *records, struct atomic_files *group)
{
    struct judged judged = {.query = query, .records = records};
    const int result =
        atomic_files_begin(group, query->run->directory, "verdicts.csv", &judged.writer.file);
    if (result) return result;
    table_header(&judged.writer, TABLE_VERDICTS);
    return query_each(query, NULL, "SELECT * FROM claims ORDER BY family, variant, claim", NULL,
                      judge_claim, &judged);
}

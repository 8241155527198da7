#include "explain/claim_verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/string_set.h"
#include "base/text.h"
#include "evaluate/metric_checks.h"
#include "query/query_guard.h"
#include "run/tables.h"

/* ---- the numbers behind an expression -------------------------------------------------------- */

/* Collects "name = value (before: value)" for the metrics that an expression names, each once. */
struct evidence {
    struct query *query;
    const struct records *records;
    const struct scope *row; /* a row of the ladder */
    int result;              /* the first failure */
    struct text numbers;
    struct text missing; /* metrics that are absent */
    struct text seen;    /* " name name " */
};

static void append_value(struct text *text, const char *value, int impossible)
{
    char *end = NULL;
    const double number = value ? strtod(value, &end) : 0;
    char buffer[32];
    if (!value)
        text_append(text, impossible ? IMPOSSIBLE_WORDS : "absent");
    else if (end == value || *end)
        text_append(text, value);
    else
        text_append(text, csv_format_number(buffer, number));
}

static void visit_name(const char *name, size_t length, void *context)
{
    struct evidence *evidence = context;
    char full[128], key[136];
    if (length >= sizeof full) return;
    memcpy(full, name, length);
    full[length] = 0;
    const int prev = !strncmp(full, "prev_", 5), first = !strncmp(full, "first_", 6);
    const char *base = full + (prev ? 5 : first ? 6 : 0);
    if (!(records_is_column(evidence->records, base) || !strcmp(base, "sweep"))) return;
    snprintf(key, sizeof key, " %s ", full);
    if (strstr(text_string(&evidence->seen), key)) return;
    text_append(&evidence->seen, key);
    const char *value = scope_value(evidence->row, full, NULL);
    text_format(&evidence->numbers, "%s%s = ", evidence->numbers.length ? "; " : "", full);
    int impossible = 0;
    if (!value && !evidence->result)
        evidence->result = metric_checks_test(evidence->query, evidence->row, full, &impossible);
    append_value(&evidence->numbers, value, impossible);
    if (value) return;
    /* What an absent metric is made of says more than its name; without a prefix its formula's
     * names are this row's. */
    const struct record *metric =
        prev || first ? NULL : records_find(evidence->records, RECORD_METRIC, full);
    if (metric)
        text_identifiers(record_field(metric, "formula"), visit_name, evidence);
    else
        text_format(&evidence->missing, "%s%s", evidence->missing.length ? ", " : "", full);
}

static void evidence_free(struct evidence *evidence)
{
    text_free(&evidence->numbers);
    text_free(&evidence->missing);
    text_free(&evidence->seen);
}

/* ---- one expression over the ladder ---------------------------------------------------------- */

struct judged {
    struct query *query;
    struct string_set columns; /* of the ladder */
    const struct records *records;
    struct csv_writer *writer;
    const struct scope *claim; /* row of claims, or NULL */
    int rows;                  /* that the claim was judged on */
    const char *expression;
};

static void write_keys(struct csv_writer *writer, const struct scope *row)
{
    static const char *const keys[] = {"family", "variant", "size", "block", "sweep"};
    for (int i = 0; i < 5; i++) csv_text(writer, scope_value(row, keys[i], NULL));
}

/* Columns of the row: judgement first, then the ladder's. */
static int write_verdict(void *context, const struct scope *row)
{
    struct judged *judged = context;
    struct csv_writer *writer = judged->writer;
    struct evidence evidence = {.query = judged->query, .records = judged->records, .row = row};
    const char *outcome = row->value[0];
    text_identifiers(judged->expression, visit_name, &evidence);
    if (!outcome && evidence.missing.length)
        text_format(&evidence.numbers, "; needs %s", text_string(&evidence.missing));
    else if (!outcome)
        text_append(&evidence.numbers, "; these do not decide it");
    write_keys(writer, row);
    csv_text(writer, scope_value(judged->claim, "claim", NULL));
    csv_text(writer, scope_value(judged->claim, "says", NULL));
    csv_text(writer, scope_value(judged->claim, "source", NULL));
    csv_text(writer, scope_value(judged->claim, "place", NULL));
    csv_text(writer, judged->expression);
    csv_text(writer, !outcome                     ? "not measurable"
                     : strtod(outcome, NULL) != 0 ? "confirmed"
                                                  : "refuted");
    csv_text(writer, text_string(&evidence.numbers));
    csv_end(writer);
    judged->rows++;
    const int failed = evidence.numbers.failed || evidence.missing.failed || evidence.seen.failed;
    evidence_free(&evidence);
    return failed ? error_memory() : evidence.result;
}

/* Columns of the ladder whose values may be told with an expression's: those that it names, and
 * what they are made of. */
struct told {
    const struct judged *judged;
    struct string_set seen;
    struct text columns;
};

static void add_told(const char *name, size_t length, void *context)
{
    struct told *told = context;
    char full[128];
    const char *part = full;
    if (length >= sizeof full) return;
    memcpy(full, name, length);
    full[length] = 0;
    if (!string_set_has(&told->judged->columns, &part, 1) || string_set_has(&told->seen, &part, 1))
        return;
    if (string_set_add(&told->seen, &part, 1)) told->columns.failed = 1;
    text_format(&told->columns, ", ladder.\"%s\"", full);
    const struct record *metric = records_find(told->judged->records, RECORD_METRIC, full);
    if (metric) text_identifiers(record_field(metric, "formula"), add_told, told);
}

static int add_column(void *context, const struct scope *row)
{
    return string_set_add(context, row->value, 1);
}

/* A claim about a size or a setting that the run does not have, or whose point failed, is not
 * forgotten. */
static void write_unjudged(struct judged *judged)
{
    const char *size = scope_value(judged->claim, "size", NULL);
    struct csv_writer *writer = judged->writer;
    csv_text(writer, scope_value(judged->claim, "family", NULL));
    csv_text(writer, scope_value(judged->claim, "variant", NULL));
    csv_text(writer, size ? size : "any");
    csv_integer(writer, 0);
    csv_text(writer, scope_value(judged->claim, "at_sweep", NULL));
    csv_text(writer, scope_value(judged->claim, "claim", NULL));
    csv_text(writer, scope_value(judged->claim, "says", NULL));
    csv_text(writer, scope_value(judged->claim, "source", NULL));
    csv_text(writer, scope_value(judged->claim, "place", NULL));
    csv_text(writer, judged->expression);
    csv_text(writer, "not measurable");
    csv_text(writer, "the run has no such point, or it failed");
    csv_end(writer);
}

static int judge_claim(void *context, const struct scope *claim)
{
    struct judged *judged = context;
    struct text sql = {0}, place = {0};
    struct told told = {.judged = judged};
    judged->claim = claim;
    judged->rows = 0;
    judged->expression = scope_value(claim, "expect", NULL);
    text_format(&place, "%s/claims.csv: claim %s of %s", judged->query->run->directory,
                scope_value(claim, "claim", NULL), scope_value(claim, "variant", NULL));
    text_identifiers(
        "family variant size block sweep prev_variant prev_sweep first_variant first_sweep",
        add_told, &told);
    text_identifiers(judged->expression, add_told, &told);
    text_format(&sql,
                "SELECT (%s) AS judgement%s FROM ladder WHERE family = :family AND variant = "
                ":variant AND CASE CAST(:at_sweep AS "
                "INTEGER) WHEN 0 THEN best = 1 ELSE sweep = CAST(:at_sweep AS INTEGER) END AND "
                "(:size IS NULL OR size = :size) ORDER BY "
                "CAST(size AS INTEGER), size, block",
                judged->expression, text_string(&told.columns));
    text_free_piece(&told.columns, &sql);
    string_set_free(&told.seen);
    int result = sql.failed || place.failed
                     ? error_memory()
                     : query_guard_claim(text_string(&place), judged->expression);
    if (!result)
        result = query_judge(judged->query, text_string(&place), text_string(&sql), claim,
                             write_verdict, judged);
    text_free(&sql);
    text_free(&place);
    if (!result && judged->rows == 0) write_unjudged(judged);
    return result;
}

static void write_header(struct csv_writer *writer, enum table_id id)
{
    for (const struct column *column = tables[id].columns; column->name; column++)
        csv_text(writer, column->name);
    csv_end(writer);
}

int verdicts_write(struct query *query, const struct records *records, struct atomic_files *group)
{
    struct csv_writer writer = {.file = NULL};
    const int result =
        atomic_files_begin(group, query->run->directory, "verdicts.csv", &writer.file);
    if (result) return result;
    struct judged judged = {.query = query, .records = records, .writer = &writer};
    write_header(&writer, TABLE_VERDICTS);
    int listed = query_columns(judged.query, "ladder", add_column, &judged.columns);
    if (!listed)
        listed = query_each(query, NULL, "SELECT * FROM claims ORDER BY family, variant, claim",
                            NULL, judge_claim, &judged);
    string_set_free(&judged.columns);
    return listed;
}

/*
 * explain, first form: for every step the speed-up with its evidence, the verdict on every claim, what moved beyond its noise, which rules
 * speak, the published speed-up beside the measured one; beside them the cycle ledger with the causes that add up (ledger.h, causes.h), what each
 * resource would need alone (demands.h), what was predicted (predict.h), and what the factors of an ablation are worth (ablation.h).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ablation.h"
#include "causes.h"
#include "demands.h"
#include "ledger.h"
#include "lines_query.h"
#include "message.h"
#include "output.h"
#include "pipeline.h"
#include "predict.h"
#include "query.h"
#include "record.h"
#include "text.h"

struct explanation {
    struct query query;
    struct records records;
    struct output_group group;   /* all files of this stage appear together */
};

/* A table of the run from one statement. */
static int write_table(struct explanation *explanation, const char *name, const char *sql)
{
    FILE *file;
    const int result = output_group_begin(&explanation->group, explanation->query.run->directory, name, &file);
    return result ? result : query_csv(&explanation->query, NULL, sql, NULL, file);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------------------------ */

static int make_steps(struct explanation *explanation)
{
    static const char sql[] =
        "CREATE TABLE steps AS SELECT family, variant, size, block, sweep, after, speedup_prev, speedup_prev_low, speedup_prev_high, speedup_first, "
        "speedup_first_low, speedup_first_high,"
        " max(floor_pct, prev_floor_pct) AS floor_pct,"
        " CASE WHEN speedup_prev_low IS NULL OR floor_pct IS NULL OR prev_floor_pct IS NULL THEN 'not measured'"
        " WHEN speedup_prev_low > 1 + max(floor_pct, prev_floor_pct) / 100.0 THEN 'faster'"
        " WHEN speedup_prev_high < 1 - max(floor_pct, prev_floor_pct) / 100.0 THEN 'slower' ELSE 'no evidence' END AS evidence"
        " FROM ladder WHERE after IS NOT NULL AND best = 1 ORDER BY family, CAST(size AS INTEGER), size, variant";
    const int result = query_write(&explanation->query, "%s", sql);
    return result ? result : write_table(explanation, "steps.csv", "SELECT * FROM steps");
}

/* ---- what the sources print ------------------------------------------------------------------------------------------------------------- */

/* Per source and size the best published time of each rung; the speed-ups follow from the times. */
static int make_published_steps(struct explanation *explanation)
{
    static const char sql[] =
        "WITH best AS (SELECT family, variant, size, source, device, peak_gbs, min(time_ns) AS time_ns, effective_gbs, block FROM "
        "published GROUP "
        "BY family, variant, size, source),"
        " stepped AS (SELECT b.*, (SELECT p.time_ns FROM steps_of s JOIN best p ON p.family = b.family AND p.variant = s.prev AND p.size = "
        "b.size AND p.source = b.source"
        "  WHERE s.family = b.family AND s.variant = b.variant) AS prev_time_ns,"
        " (SELECT p.time_ns FROM steps_of s JOIN best p ON p.family = b.family AND p.variant = s.first AND p.size = b.size AND p.source = "
        "b.source"
        "  WHERE s.family = b.family AND s.variant = b.variant) AS first_time_ns FROM best b)"
        " SELECT t.family, t.variant, t.size, t.source, t.device, t.peak_gbs, t.effective_gbs, 100.0 * t.effective_gbs / t.peak_gbs AS "
        "pct_of_peak,"
        " t.prev_time_ns / t.time_ns AS published_speedup_prev, t.first_time_ns / t.time_ns AS published_speedup_first,"
        " m.speedup_prev AS measured_speedup_prev, m.speedup_first AS measured_speedup_first, t.block AS published_block"
        " FROM stepped t LEFT JOIN metrics m ON m.family = t.family AND m.variant = t.variant AND m.size = t.size AND m.best = 1"
        " ORDER BY t.family, t.source, CAST(t.size AS INTEGER), t.size, t.variant";
    return write_table(explanation, "published_steps.csv", sql);
}

/* ---- the numbers behind an expression ----------------------------------------------------------------------------------------------------- */

/* Collects "name = value (before: value)" for the metrics that an expression names, each once. */
struct evidence {
    const struct records *records;
    const struct scope *row;     /* a row of the ladder */
    struct text numbers;
    struct text missing;         /* metrics that are absent */
    struct text seen;            /* " name name " */
};

static int is_metric(const struct records *records, const char *name)
{
    return records_find(records, RECORD_METRIC, name) || records_find(records, RECORD_FACT, name) ||
           records_find(records, RECORD_COUNTER, name) || !strcmp(name, "sweep");
}

static void append_value(struct text *text, const char *value)
{
    char *end = NULL;
    const double number = value ? strtod(value, &end) : 0;
    char buffer[32];
    if (!value) text_append(text, "absent");
    else if (end == value || *end) text_append(text, value);
    else text_append(text, csv_format_number(buffer, number));
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
    if (!is_metric(evidence->records, base)) return;
    snprintf(key, sizeof key, " %s ", full);
    if (strstr(text_string(&evidence->seen), key)) return;
    text_append(&evidence->seen, key);
    const char *value = scope_value(evidence->row, full, NULL);
    text_format(&evidence->numbers, "%s%s = ", evidence->numbers.length ? "; " : "", full);
    append_value(&evidence->numbers, value);
    if (value) return;
    /* What an absent metric is made of says more than its name; without a prefix its formula's names are this row's. */
    const struct record *metric = prev || first ? NULL : records_find(evidence->records, RECORD_METRIC, full);
    if (metric) text_identifiers(record_field(metric, "formula"), visit_name, evidence);
    else text_format(&evidence->missing, "%s%s", evidence->missing.length ? ", " : "", full);
}

static void evidence_free(struct evidence *evidence)
{
    text_free(&evidence->numbers);
    text_free(&evidence->missing);
    text_free(&evidence->seen);
}

/* ---- one expression over the ladder ------------------------------------------------------------------------------------------------------- */

struct judged {
    struct explanation *explanation;
    struct csv_writer *writer;
    const struct scope *claim;   /* row of claims, or NULL */
    int rows;                    /* that the claim was judged on */
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
    struct evidence evidence = {.records = &judged->explanation->records, .row = row};
    const char *outcome = row->value[0];
    text_identifiers(judged->expression, visit_name, &evidence);
    if (!outcome && evidence.missing.length) text_format(&evidence.numbers, "; needs %s", text_string(&evidence.missing));
    else if (!outcome) text_append(&evidence.numbers, "; these do not decide it");
    write_keys(writer, row);
    csv_text(writer, scope_value(judged->claim, "claim", NULL));
    csv_text(writer, scope_value(judged->claim, "says", NULL));
    csv_text(writer, scope_value(judged->claim, "source", NULL));
    csv_text(writer, scope_value(judged->claim, "place", NULL));
    csv_text(writer, judged->expression);
    csv_text(writer, !outcome ? "not measurable" : strtod(outcome, NULL) != 0 ? "confirmed" : "refuted");
    csv_text(writer, text_string(&evidence.numbers));
    csv_end(writer);
    judged->rows++;
    const int failed = evidence.numbers.failed || evidence.missing.failed || evidence.seen.failed;
    evidence_free(&evidence);
    return failed ? error_memory() : 0;
}

/* A claim about a size or a setting that the run does not have, or whose point failed, is not forgotten. */
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
    judged->claim = claim;
    judged->rows = 0;
    judged->expression = scope_value(claim, "expect", NULL);
    text_format(&place, "%s/claims.csv: claim %s of %s", judged->explanation->query.run->directory, scope_value(claim, "claim", NULL),
                scope_value(claim, "variant", NULL));
    text_format(&sql,
                "SELECT (%s) AS judgement, ladder.* FROM ladder WHERE family = :family AND variant = :variant AND CASE CAST(:at_sweep AS "
                "INTEGER) WHEN 0 THEN best = 1 ELSE sweep = CAST(:at_sweep AS INTEGER) END AND (:size IS NULL OR size = :size) ORDER BY "
                "CAST(size AS INTEGER), size, block",
                judged->expression);
    const int result = sql.failed || place.failed
                           ? error_memory()
                           : query_each(&judged->explanation->query, text_string(&place), text_string(&sql), claim, write_verdict, judged);
    text_free(&sql);
    text_free(&place);
    if (!result && judged->rows == 0) write_unjudged(judged);
    return result;
}

static void write_header(struct csv_writer *writer, enum table_id id)
{
    for (const struct column *column = tables[id].columns; column->name; column++) csv_text(writer, column->name);
    csv_end(writer);
}

static int make_verdicts(struct explanation *explanation)
{
    struct csv_writer writer = {.file = NULL};
    const int result = output_group_begin(&explanation->group, explanation->query.run->directory, "verdicts.csv", &writer.file);
    if (result) return result;
    struct judged judged = {.explanation = explanation, .writer = &writer};
    write_header(&writer, TABLE_VERDICTS);
    return query_each(&explanation->query, NULL, "SELECT * FROM claims ORDER BY family, variant, claim", NULL, judge_claim, &judged);
}

/* ---- findings: what moved, which rules speak ------------------------------------------------------------------------------------------------ */

struct search {
    const struct records *records;
    int timed;      /* some name in it leads to a clean time */
    int on_ladder;  /* some name in it is of another rung */
    int depth;
};

/* Follows the names of a formula down to facts and counters. */
static void search_name(const char *name, size_t length, void *context)
{
    enum { DEEPEST = 20 };
    struct search *search = context;
    if (length > 5 && !strncmp(name, "prev_", 5)) search->on_ladder = 1;
    if (length > 6 && !strncmp(name, "first_", 6)) search->on_ladder = 1;
    if (length > 8 && !strncmp(name, "library_", 8)) search->on_ladder = 1; /* beside the ladder, but of another variant all the same */
    if (length > 5 && !strncmp(name, "time_", 5)) search->timed = 1;
    if (search->depth == DEEPEST) return;
    for (int i = 0; i < search->records->count; i++) {
        const struct record *record = &search->records->record[i];
        if (record->kind != RECORD_METRIC || strlen(record->name) != length || strncmp(record->name, name, length)) continue;
        search->depth++;
        text_identifiers(record_field(record, "formula"), search_name, search);
        search->depth--;
    }
}

static int make_found(struct explanation *explanation)
{
    return query_write(&explanation->query, "CREATE TABLE found(family, variant, size, block, sweep, kind, name, before REAL, after REAL, "
                                            "noise REAL, verdict, text, advice, see)");
}

/* A metric has moved when it changed by more than its noise: the spread of both rungs over the repeats of their counters, and for what hangs
 * on a clean time the noise floor as well. Half a per cent is the least that is worth a line. A metric with a rate is told only of the families
 * whose speed is given so. */
static int add_moved(struct explanation *explanation, const struct record *metric)
{
    const char *name = metric->name, *title = record_field(metric, "title"), *rate = record_field(metric, "rate");
    struct search search = {.records = &explanation->records};
    text_identifiers(record_field(metric, "formula"), search_name, &search);
    if (!title || search.on_ladder) return 0; /* speed-ups have a table of their own */
    struct text floor = {0};
    if (search.timed) text_format(&floor, " + max(cur.floor_pct, prev.floor_pct) / 100.0 * max(abs(cur.%s), abs(prev.%s))", name, name);
    const int result =
        floor.failed
            ? error_memory()
            : query_write(&explanation->query,
                          "INSERT INTO found SELECT family, variant, size, block, sweep, 'moved', %Q, before, after, noise, CASE %Q WHEN "
                          "'neither' THEN 'changed' WHEN CASE WHEN after > before THEN 'higher' ELSE 'lower' END THEN 'better' ELSE "
                          "'worse' END, %Q, NULL, NULL"
                          " FROM (SELECT cur.family, cur.variant, cur.size, cur.block, cur.sweep, prev.%s AS before, cur.%s AS after,"
                          "  n.%s + q.%s%s AS noise"
                          " FROM metrics cur JOIN steps_of s ON s.family = cur.family AND s.variant = cur.variant"
                          " JOIN metrics prev ON prev.family = cur.family AND prev.variant = s.prev AND prev.size = cur.size AND "
                          "prev.block = cur.block AND prev.best = 1"
                          " JOIN noise n ON n.family = cur.family AND n.variant = cur.variant AND n.size = cur.size AND n.block = "
                          "cur.block AND n.sweep = cur.sweep"
                          " JOIN noise q ON q.family = prev.family AND q.variant = prev.variant AND q.size = prev.size AND q.block = "
                          "prev.block AND q.sweep = prev.sweep LEFT JOIN families f ON f.family = cur.family"
                          " WHERE cur.best = 1 AND (%Q IS NULL OR coalesce(f.rate, 'bytes') = %Q))"
                          " WHERE abs(after - before) > noise AND abs(after - before) > 0.005 * max(abs(after), abs(before))",
                          name, record_field(metric, "better"), title, name, name, name, name, text_string(&floor), rate, rate);
    text_free(&floor);
    return result;
}

/* "text {expression} text" as an SQL expression that puts it together. */
static int template_sql(const struct record *rule, const char *template, struct text *sql)
{
    text_append(sql, "''");
    while (*template) {
        const size_t plain = strcspn(template, "{");
        char *quoted = sqlite3_mprintf("%.*Q", (int)plain, template);
        if (!quoted) return error_memory();
        text_format(sql, " || %s", quoted);
        sqlite3_free(quoted);
        template += plain;
        if (*template != '{') break;
        const size_t length = strcspn(++template, "}");
        if (template[length] != '}') return error(FAIL_INPUT, "%s:%d: '{' without '}'", rule->file, record_line(rule, "because"));
        text_format(sql, " || coalesce(human(%.*s), 'absent')", (int)length, template);
        template += length + 1;
    }
    return sql->failed ? error_memory() : 0;
}

static void add_missing(const char *name, size_t length, void *context)
{
    struct evidence *evidence = context;
    char full[128];
    if (length >= sizeof full) return;
    memcpy(full, name, length);
    full[length] = 0;
    const char *base = full + (!strncmp(full, "prev_", 5) ? 5 : !strncmp(full, "first_", 6) ? 6 : 0);
    if (is_metric(evidence->records, base)) text_format(&evidence->numbers, " || CASE WHEN %s IS NULL THEN ' %s' ELSE '' END", full, full);
}

static int check_expression(struct query *query, const struct record *rule, const char *field, const char *expression)
{
    struct text sql = {0}, place = {0};
    char *value = NULL;
    text_format(&sql, "SELECT (%s) FROM ladder LIMIT 0", expression);
    text_format(&place, "%s:%d", rule->file, record_line(rule, field));
    const int result =
        sql.failed || place.failed ? error_memory() : query_text(query, text_string(&place), text_string(&sql), NULL, &value);
    free(value);
    text_free(&sql);
    text_free(&place);
    return result;
}

/* A rule with a rate speaks only of the families whose speed is given so. */
static int add_rule(struct explanation *explanation, const struct record *rule)
{
    const char *when = record_field(rule, "when"), *under = record_field(rule, "under"), *rate = record_field(rule, "rate");
    struct text because = {0};
    struct search search = {.records = &explanation->records};
    struct evidence missing = {.records = &explanation->records};
    const struct record *parent = under ? records_find(&explanation->records, RECORD_RULE, under) : NULL;
    if (under && !parent) return error(FAIL_INPUT, "%s:%d: no rule is called '%s'", rule->file, record_line(rule, "under"), under);
    if (under && parent >= rule) /* rules are judged in the order of the files */
        return error(FAIL_INPUT, "%s:%d: the rule '%s' must stand before what is under it", rule->file, record_line(rule, "under"), under);
    text_identifiers(when, search_name, &search);
    text_identifiers(when, add_missing, &missing);
    int result = template_sql(rule, record_field(rule, "because"), &because);
    if (!result) result = check_expression(&explanation->query, rule, "when", when);
    if (!result) result = check_expression(&explanation->query, rule, "because", text_string(&because));
    if (!result)
        result =
            query_write(&explanation->query,
                        "INSERT INTO found SELECT family, variant, size, block, sweep, 'rule', %Q, NULL, NULL, NULL, CASE WHEN (%s) IS "
                        "NULL THEN 'could not judge' ELSE 'applies' END,"
                        " CASE WHEN (%s) IS NULL THEN 'needs' %s ELSE %s END, %Q, %Q FROM ladder WHERE best = 1 AND kind <> 'cpu' AND coalesce((%s), 1)%s"
                        " AND (%Q IS NULL OR EXISTS (SELECT 1 FROM found f WHERE f.name = %Q AND f.verdict = 'applies' AND f.family = "
                        "ladder.family AND f.variant = ladder.variant AND f.size = ladder.size AND f.block = ladder.block))"
                        " AND (%Q IS NULL OR coalesce((SELECT rate FROM families f WHERE f.family = ladder.family), 'bytes') = %Q)",
                        rule->name, when, when, text_string(&missing.numbers), text_string(&because), record_field(rule, "try"),
                        record_field(rule, "see"), when, search.on_ladder ? " AND after IS NOT NULL" : "", under, under, rate, rate);
    text_free(&because);
    evidence_free(&missing);
    return result;
}

static int make_findings(struct explanation *explanation)
{
    int result = make_found(explanation);
    for (int i = 0; i < explanation->records.count && !result; i++) {
        const struct record *record = &explanation->records.record[i];
        if (record->kind == RECORD_METRIC) result = add_moved(explanation, record);
        if (record->kind == RECORD_RULE) result = add_rule(explanation, record);
    }
    if (!result)
        result = write_table(explanation, "findings.csv",
                             "SELECT * FROM found ORDER BY family, CAST(size AS INTEGER), size, variant, kind, rowid");
    return result;
}

/* ---- the ledger ---------------------------------------------------------------------------------------------------------------------------- */

/* The levels that the causes of steps are differences of; of each point they sum to its clean time. */
static const char levels_sql[] =
    "SELECT l.family, l.variant, l.size, l.block, l.sweep, l.cause, sum(l.cycles) * e.ns / e.cycles AS ns,"
    " (sum(l.cycles) - sqrt(sum(l.half * l.half))) * e.ns / e.cycles AS low_ns, (sum(l.cycles) + sqrt(sum(l.half * l.half))) * e.ns / e.cycles AS high_ns,"
    " 100 * sum(l.cycles) / e.cycles AS share_pct FROM ledger_cause l JOIN ledger e USING (family, variant, size, block, sweep) LEFT JOIN cause k USING (cause)"
    " WHERE e.part = 'elapsed' GROUP BY l.family, l.variant, l.size, l.block, l.sweep, l.cause ORDER BY l.family, CAST(l.size AS INTEGER), l.size, l.variant, k.place";

static int make_ledger(struct explanation *explanation)
{
    int result = lines_load(&explanation->query);
    if (!result) result = ledger_make(&explanation->query, &explanation->records);
    if (!result) result = write_table(explanation, "ledger.csv", "SELECT * FROM ledger");
    if (!result) result = causes_levels(&explanation->query, &explanation->records);
    if (!result) result = write_table(explanation, "levels.csv", levels_sql);
    if (!result) result = causes_make(&explanation->query, &explanation->records);
    if (!result) result = write_table(explanation, "causes.csv", "SELECT * FROM causes");
    return result ? result : write_table(explanation, "headlines.csv", "SELECT * FROM headlines");
}

/* ---- ablation ------------------------------------------------------------------------------------------------------------------------------- */

static int make_ablation(struct explanation *explanation)
{
    FILE *file;
    const int result = output_group_begin(&explanation->group, explanation->query.run->directory, "ablation.csv", &file);
    return result ? result : ablation_write(&explanation->query, file);
}

/* ---- all -------------------------------------------------------------------------------------------------------------------------------------- */

int explain_run(struct run *run)
{
    static const enum table_id needed[] = {TABLE_FAMILIES, TABLE_VARIANTS, TABLE_CLAIMS, TABLE_PUBLISHED, TABLE_POINTS, TABLE_METRICS, TABLE_NOISE, TABLE_CEILINGS};
    struct explanation explanation = {.group = {.count = 0}};
    char *directory = data_directory();
    int result = directory ? records_read(&explanation.records, directory) : FAIL_INPUT;
    free(directory);
    if (result) return result;
    result = query_open(&explanation.query, run);
    if (!result) {
        for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++) result = query_load(&explanation.query, needed[i]);
        if (!result) result = query_write(&explanation.query, "CREATE INDEX noise_key ON noise(family, variant, size, block, sweep)");
        if (!result) result = query_make_ladder(&explanation.query, "metrics");
        if (!result) result = make_steps(&explanation);
        if (!result) result = make_published_steps(&explanation);
        if (!result) result = make_verdicts(&explanation);
        if (!result) result = make_findings(&explanation);
        if (!result) result = make_predictions(&explanation.query, &explanation.group); /* reads the columns of metrics; the ledger may add some */
        if (!result) result = make_ledger(&explanation);
        if (!result) result = make_ablation(&explanation);
        if (!result) result = demands_write(&explanation.query, &explanation.records, &explanation.group);
        result = output_group_end(&explanation.group, result);
        query_close(&explanation.query);
    }
    records_free(&explanation.records);
    return result;
}

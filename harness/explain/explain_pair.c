#include "explain/explain_pair.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "explain/causes.h"
#include "explain/explain.h"
#include "explain/pair_ratios.sql.h"
#include "query/variant_names.h"
#include "query/verdict.h"

static const char *const fact_names[SIDE_FACTS] = {
    "family",  "variant",     "size",         "block",     "sweep", "device",
    "time_ns", "time_low_ns", "time_high_ns", "floor_pct", "title"};

/* Only the whole of the ledger is needed, and the numbers of the two sides. */
static int keeps_whole(void *context, const struct table_rows *row)
{
    const int term = table_rows_find(row, "term");
    (void)context;
    return term < 0 || !strcmp(row->reader.cell[term], "elapsed");
}

static int keeps_sides(void *context, const struct table_rows *row)
{
    const struct explain_pair *pair = context;
    const char *family = row->reader.cell[table_rows_find(row, "family")],
               *variant = row->reader.cell[table_rows_find(row, "variant")];
    const size_t length = strlen(family);
    const char *const names[] = {pair->before.name, pair->after.name};
    for (int i = 0; i < 2; i++)
        if (!strncmp(names[i], family, length) && names[i][length] == '/' &&
            !strcmp(names[i] + length + 1, variant))
            return 1;
    return 0;
}

/* Loads the tables of a run, unless the other side did. */
static int side_open(struct explain_pair *pair, struct side *side, struct query *query,
                     const char *word)
{
    static const struct variant_names_search search = {
        "SELECT DISTINCT family || '/' || variant FROM ledger ORDER BY 1", "ledger"};
    side->query = query;
    int result = QUERY_LOAD(query, TABLE_FAMILIES, TABLE_VARIANTS, TABLE_METRICS, TABLE_REMAINS,
                            TABLE_CAUSE_LINES, TABLE_STEPS, TABLE_POINTS);
    if (!result) result = query_load_some(query, TABLE_LEDGER, keeps_whole, NULL);
    if (!result) result = query_make_sizes(query);
    if (!result) result = causes_names(query, &pair->records);
    return result ? result : variant_names_find(query, &search, word, &side->name);
}

static void side_close(struct side *side)
{
    for (int i = 0; i < SIDE_FACTS; i++) free(side->fact[i]);
    free(side->name);
}

double side_number(const struct side *side, enum side_fact fact)
{
    return side->fact[fact] ? strtod(side->fact[fact], NULL) : NAN;
}

/* ---- which points ---------------------------------------------------------------------------- */

/* Chooses the size at which they are compared; the caller frees it. */
static int choose_size(struct side *before, struct side *after, const char *asked, char **size)
{
    static const char sizes_sql[] =
        "SELECT ',' || group_concat(DISTINCT size) || ',' FROM ledger JOIN metrics USING "
        "(" POINT_KEY ") WHERE family || '/' || variant = :name";
    static const char size_sql[] =
        "SELECT l.size FROM ledger l JOIN metrics m USING (" POINT_KEY ") "
        "LEFT JOIN sizes s USING (family, size) WHERE l.family || '/' || l.variant = :name AND "
        "instr(:sizes, ',' || l.size || ',') > 0 AND (:asked IS NULL OR "
        "instr(:asked, ',' || l.size || ',') > 0) "
        "ORDER BY s.place NULLS LAST LIMIT 1";
    static const char common_sql[] =
        "SELECT '; both have ' || group_concat(size, ', ') FROM (SELECT DISTINCT size FROM ledger "
        "WHERE family || '/' || variant = :name AND instr(:sizes, ',' || size || ',') > 0 ORDER BY "
        "CAST(size AS INTEGER), size)";
    char list[SIZE_LIST] = "", *sizes = NULL, *common = NULL;
    const char *const names[] = {"name", "sizes", "asked"};
    const char *values[] = {before->name, NULL, asked ? list : NULL};
    const struct scope scope = {NULL, 3, names, values};
    int result = asked ? size_list(asked, list) : 0;
    if (!result) result = query_text(before->query, NULL, sizes_sql, &scope, &sizes);
    values[0] = after->name;
    values[1] = sizes;
    if (!result) result = query_text(after->query, NULL, size_sql, &scope, size);
    if (!result && !*size) result = query_text(after->query, NULL, common_sql, &scope, &common);
    if (!result && !*size)
        result = error(
            FAIL_USAGE, "%s and %s have no size%s%s in common at which both were counted%s",
            before->name, after->name, asked ? " " : "", asked ? asked : "", common ? common : "");
    free(common);
    free(sizes);
    return result;
}

static int keep_facts(void *context, const struct scope *row)
{
    struct side *side = context;
    for (int i = 0; i < SIDE_FACTS; i++) {
        if (side->fact[i] || !row->value[i]) continue;
        side->fact[i] = strdup(row->value[i]);
        if (!side->fact[i]) return error_memory();
    }
    return 0;
}

/* The ledger must belong to the times in metrics.csv, which may have been evaluated anew. */
static int check_ledger(struct side *side, const struct scope *point)
{
    static const char sql[] = "SELECT 1 FROM ledger WHERE " CAUSES_POINT
                              " AND term = 'elapsed' AND abs(ns - :time_ns) <= 1e-6 * :time_ns";
    char *same = NULL;
    int result = query_text(side->query, NULL, sql, point, &same);
    const char *path = side->query->run->path;
    if (!result && !same)
        result = error(FAIL_INPUT,
                       "%s/ledger.csv does not match the times in metrics.csv; 'whyfast evaluate "
                       "%s' recomputes it",
                       path, path);
    free(same);
    return result;
}

/* The title names the block if the best settings of the family have several. */
static int side_take(struct side *side, const char *size)
{
    static const char sql[] =
        "SELECT " POINT_KEY_OF("m.") ", m.time_ns, m.time_low_ns, m.time_high_ns, m.floor_pct, "
                                     "v.rung || ' ' || v.title || coalesce(', ' || "
                                     "setting_text(v.sweep_name, v.sweep_text, m.sweep), "
                                     "'') || CASE WHEN (SELECT count(DISTINCT o.block) FROM "
                                     "metrics o WHERE o.best = 1 AND o.family = m.family) > 1 THEN "
                                     "', block ' || m.block ELSE '' END AS title FROM metrics m "
                                     "JOIN variants v USING (family, "
                                     "variant) WHERE m.family || '/' || m.variant = :name AND "
                                     "m.size = :size AND m.best = 1 AND "
                                     "EXISTS (SELECT 1 FROM ledger l WHERE l.family = m.family AND "
                                     "l.variant = m.variant AND "
                                     "l.size = m.size AND l.block = m.block AND l.sweep = m.sweep) "
                                     "ORDER BY m.time_ns LIMIT 1";
    const struct scope scope = SCOPE_OF(STRINGS("name", "size"), STRINGS(side->name, size));
    int result = query_each(side->query, NULL, sql, &scope, keep_facts, side);
    if (!result && !side->fact[TIME])
        result = error(FAIL_INPUT, "%s: %s has a ledger at size %s, but no time",
                       side->query->run->path, side->name, size);
    const struct scope point = {NULL, SIDE_FACTS, fact_names, (const char *const *)side->fact};
    if (!result) result = check_ledger(side, &point);
    return result ? result : sides_read(side->query, &point, &side->numbers);
}

/* ---- causes ---------------------------------------------------------------------------------- */

static int judge(struct explain_pair *pair, const struct explain_ratio *known)
{
    const struct side *before = &pair->before, *after = &pair->after;
    pair->ratio = side_number(before, TIME) / side_number(after, TIME);
    pair->low = side_number(before, TIME_LOW) / side_number(after, TIME_HIGH);
    pair->high = side_number(before, TIME_HIGH) / side_number(after, TIME_LOW);
    const double floor_before = side_number(before, FLOOR), floor_after = side_number(after, FLOOR);
    pair->floor_pct = isnan(floor_before) || floor_before > floor_after
                          ? floor_before
                          : floor_after; /* unknown if one is unknown */
    if (known) {
        pair->ratio = known->ratio;
        pair->low = known->low;
        pair->high = known->high;
        pair->floor_pct = known->floor_pct;
    }
    pair->evidence = strdup(verdict_words[verdict_of(pair->low, pair->high, pair->floor_pct)]);
    return pair->evidence ? 0 : error_memory();
}

static int take_ratio(void *context, const struct scope *row)
{
    struct explain_pair *pair = context;
    char *evidence = strdup(row->value[4] ? row->value[4] : "");
    if (!evidence) return error_memory();
    free(pair->evidence);
    pair->evidence = evidence;
    pair->ratio = row_number(row, 0);
    pair->low = row_number(row, 1);
    pair->high = row_number(row, 2);
    pair->floor_pct = row_number(row, 3);
    pair->in_rounds = row_number(row, 5) > 0;
    return 0;
}

/* A step of the run, and a rung beside its library, have a ratio with an interval of their own. */
static int judge_in_run(struct explain_pair *pair)
{
    static const char sql[] =
        "SELECT ratio, low, high, floor_pct, evidence, in_rounds FROM pair_ratios "
        "WHERE " CAUSES_POINT " AND family || '/' || after = :before AND after_block = "
        "CAST(:block_before AS INTEGER) LIMIT 1";
    const char *const name[] = {"before", "block_before"};
    const char *const value[] = {pair->before.name, pair->before.fact[BLOCK]};
    const struct scope point = {NULL, SIDE_FACTS, fact_names,
                                (const char *const *)pair->after.fact};
    const struct scope scope = {&point, 2, name, value};
    struct query *query = pair->after.query;
    if (pair->before.query->run != query->run) return 0;
    int result = query_make_library_ratios(query);
    if (!result && !query_has_column(query, "pair_ratios", NULL))
        result = query_write(query, "%s", pair_ratios_sql);
    return result ? result : query_each(query, NULL, sql, &scope, take_ratio, pair);
}

/* Sets the line at which a cause happened. */
static int take_line(void *context, const struct scope *row)
{
    return query_write(context,
                       "UPDATE causes SET %w = %Q WHERE cause = %Q AND status = 'resolved'",
                       row->value[2], row->value[1], row->value[0]);
}

static int set_lines(struct explain_pair *pair, struct side *side, const char *column)
{
    static const char sql[] = "SELECT cause, " CAUSE_LINE ", :column FROM cause_lines WHERE "
                              "family || '/' || variant = :name";
    const struct scope scope = SCOPE_OF(STRINGS("name", "column"), STRINGS(side->name, column));
    return query_each(side->query, NULL, sql, &scope, take_line, pair->after.query);
}

/* The name of the first point in tables about the second: its variant, or of another family its
 * full name. A variant of another run is none of theirs. */
static const char *name_of_first(const struct explain_pair *pair)
{
    const struct side *before = &pair->before, *after = &pair->after;
    if (before->query->run != after->query->run) return "another run";
    return strcmp(before->fact[FAMILY], after->fact[FAMILY]) ? before->name : before->fact[VARIANT];
}

static int make_table(struct explain_pair *pair, const struct scope *key)
{
    struct query *query = pair->after.query;
    int result = causes_tables(query);
    if (!result)
        result = causes_insert(query, &pair->records, &pair->before.numbers, &pair->after.numbers,
                               pair->evidence, key);
    if (!result) result = set_lines(pair, &pair->before, "line_before");
    return result ? result : set_lines(pair, &pair->after, "line_after");
}

/* Makes the table `said` as that of steps is made, with the pair as the only step. */
static int make_said(struct explain_pair *pair)
{
    const char *const name[] = {"after"}, *const value[] = {name_of_first(pair)};
    const struct scope point = {NULL, SIDE_FACTS, fact_names,
                                (const char *const *)pair->after.fact},
                       key = {&point, 1, name, value};
    int result = make_table(pair, &key);
    if (!result) result = query_write(pair->after.query, "DELETE FROM steps");
    if (!result)
        result = query_run(
            pair->after.query, &key,
            "INSERT INTO steps(" POINT_KEY ", after, speedup_prev, speedup_prev_low, "
            "speedup_prev_high, floor_pct, evidence) VALUES(:family, :variant, :size, :block, "
            ":sweep, :device, :after, ?, ?, ?, ?, ?)",
            "nnnnt", csv_written_number(pair->ratio), csv_written_number(pair->low),
            csv_written_number(pair->high), csv_written_number(pair->floor_pct), pair->evidence);
    if (!result) result = causes_said(pair->after.query);
    return result ? result
                  : query_text(pair->after.query, NULL, "SELECT sentence FROM said WHERE place = 0",
                               NULL, &pair->headline);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Finds the variant that another one follows in its ladder; the caller frees it. */
static int find_predecessor(struct query *query, const char *name, char **before)
{
    static const char sql[] = "SELECT family || '/' || after FROM variants WHERE family || '/' || "
                              "variant = :name AND after IS NOT NULL";
    const struct scope scope = SCOPE_OF(STRINGS("name"), STRINGS(name));
    int result = query_text(query, NULL, sql, &scope, before);
    if (!result && !*before)
        result = error(
            FAIL_USAGE, "%s %s; name the one to compare it with: 'whyfast explain %s %s'", name,
            run_fact(query->run, "imported") ? "is of a report, whose kernels have no order"
                                             : "follows no other variant of its ladder",
            run_fact(query->run, "imported") ? "REPORT OTHER" : "OTHER", name);
    return result;
}

static int open_sides(struct explain_pair *pair, struct query *first, struct query *second,
                      const char *before, const char *after)
{
    char *predecessor = NULL;
    int result = 0;
    if (before) result = side_open(pair, &pair->before, first, before);
    if (!result) result = side_open(pair, &pair->after, second, after);
    if (!result && !before) {
        result = find_predecessor(pair->after.query, pair->after.name, &predecessor);
        if (!result) result = side_open(pair, &pair->before, first, predecessor);
    }
    free(predecessor);
    return result;
}

int explain_pair_open(struct explain_pair *pair, struct query *first, struct query *second,
                      const char *before, const char *after, const char *asked,
                      const struct explain_ratio *known)
{
    char *size = NULL;
    memset(pair, 0, sizeof *pair);
    int result = records_read_own(&pair->records);
    if (!result) result = open_sides(pair, first, second, before, after);
    if (!result) result = query_load_some(first, TABLE_SIDES, keeps_sides, pair);
    if (!result) result = query_load_some(second, TABLE_SIDES, keeps_sides, pair);
    if (!result) result = choose_size(&pair->before, &pair->after, asked, &size);
    if (!result) result = side_take(&pair->before, size);
    if (!result) result = side_take(&pair->after, size);
    free(size);
    if (!result) result = judge(pair, known);
    if (!result && !known) result = judge_in_run(pair);
    return result ? result : make_said(pair);
}

int explain_pair_experiments(struct explain_pair *pair, struct print_table *table)
{
    static const struct print_column columns[] = {
        {.name = "knockout"},
        {.name = "title"},
        {.name = "before_ns", .head = "before", .kind = PRINT_PART},
        {.name = "after_ns", .head = "after", .kind = PRINT_PART},
        {.name = "saved_ns", .head = "change", .kind = PRINT_SAVED},
        {.name = "account_ns", .kind = PRINT_SAVED},
        {.name = "verdict"},
        {.name = "note"},
        {.name = "outcome"},
        {.name = "words", .head = "without", .place = PRINT_PATHS, .is_shown_only = 1},
    };
    *table = (struct print_table){.name = "experiments", PRINT_COLUMNS_OF(columns)};
    return query_print_rows(pair->after.query,
                            "SELECT *, title || coalesce(' (' || outcome || ')', '') AS words FROM "
                            "experiments",
                            NULL, table);
}

void explain_pair_close(struct explain_pair *pair)
{
    side_close(&pair->before);
    side_close(&pair->after);
    free(pair->evidence);
    free(pair->headline);
    records_free(&pair->records);
}

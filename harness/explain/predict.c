#include "explain/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "explain/predict_inputs.h"
#include "explain/predict_miss.h"
#include "query/query_guard.h"
#include "run/tables.h"

/* A rung at one size: what is known of it before it runs, and what is predicted. */
struct point_row {
    char *family, *variant, *size, *block;
    struct predict_rung rung; /* counts as declared, or as in the rung before */
    double declared[QUANTITY_COUNT];
    struct predict_result predicted;
    double speedup;
    char *missing; /* why there is no prediction, or NULL */
};

struct ledger {
    struct query *query;
    struct csv_writer *predictions, *declared;
    int count, capacity;
    struct point_row *row;
    const char *declares; /* of the variant at hand */
};

static void ledger_free(struct ledger *ledger)
{
    for (int i = 0; i < ledger->count; i++) {
        struct point_row *row = &ledger->row[i];
        free(row->family), free(row->variant), free(row->size), free(row->block),
            free(row->missing);
    }
    free(ledger->row);
}

/* ---- what is known before the rung runs ------------------------------------------------------ */

/* Facts of a rung that need no run. */
static const char *const known[] = {"launches",
                                    "grid_blocks",
                                    "block_threads",
                                    "registers",
                                    "static_shared_bytes",
                                    "dynamic_shared_bytes",
                                    "local_bytes",
                                    "blocks_per_sm",
                                    "theoretical_occupancy_pct",
                                    "max_block_threads",
                                    "sm_count",
                                    "useful_bytes",
                                    "useful_operations",
                                    "closed_form_excess_wavefronts",
                                    "closed_form_load_wavefronts",
                                    "closed_form_store_wavefronts",
                                    "closed_form_load_ideal",
                                    "closed_form_store_ideal",
                                    "sass_shuffles",
                                    "sass_warp_reductions",
                                    "sass_barriers",
                                    "sass_loop_barriers",
                                    "sass_float_adds"};

static int is_known(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i])) return 1;
    return 0;
}

static int add_column(void *context, const struct scope *row)
{
    static const char *const keys[] = {"family", "variant", "size", "block", "sweep", "best"};
    struct text *columns = context;
    const char *name = row->value[0];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(name, keys[i])) return 0;
    if (is_known(name)) text_format(columns, ", l.\"%s\"", name);
    text_format(columns, ", l.\"prev_%s\"", name);
    return 0;
}

/* Table `beforehand`: all that a prediction may read, in columns of which declarations are made. */
static int make_beforehand(struct query *query)
{
    struct text columns = {0};
    int result = query_columns(query, "metrics", add_column, &columns);
    if (!result && columns.failed) result = error_memory();
    if (!result)
        result = query_write(
            query,
            "CREATE TABLE beforehand AS WITH cut AS (SELECT l.*, v.factors, instr(l.size, 'x') AS "
            "first_x, substr(l.size, instr(l.size, "
            "'x') + 1) AS rest"
            "  FROM ladder l JOIN variants v ON v.family = l.family AND v.variant = l.variant "
            "WHERE l.best = 1 AND l.kind = 'kernel')"
            " SELECT l.family, l.variant, l.size, l.block AS point_block, l.sweep AS point_sweep, "
            "l.after, l.factors,"
            " CAST(l.block AS REAL) AS block, CAST(l.sweep AS REAL) AS sweep,"
            " CASE WHEN first_x > 0 THEN CAST(l.size AS REAL) END AS m,"
            " CASE WHEN first_x > 0 THEN CAST(rest AS REAL) ELSE CAST(l.size AS REAL) END AS n,"
            " CASE WHEN instr(rest, 'x') > 0 THEN CAST(substr(rest, instr(rest, 'x') + 1) AS REAL) "
            "END AS k,"
            " l.grid_blocks * l.block_threads / 32.0 AS warps%s FROM cut l;"
            "CREATE INDEX beforehand_key ON beforehand(family, variant)",
            text_string(&columns));
    text_free(&columns);
    return result;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static int bad_declaration(const struct scope *variant, const char *what, size_t length,
                           const char *expected)
{
    return error(FAIL_INPUT, "%s/%s declares '%.*s'; expected %s",
                 scope_value(variant, "family", NULL), scope_value(variant, "variant", NULL),
                 (int)length, what, expected);
}

/* "name = expression; ..." as columns ", (expression) AS declared_name". */
static int declared_columns(const struct scope *variant, const char *place, const char *declares,
                            struct text *columns)
{
    while (*declares) {
        declares += strspn(declares, " ;\n");
        const size_t length = strcspn(declares, ";"), name = strcspn(declares, " =;");
        const char *equals = memchr(declares, '=', length);
        int at = 0;
        if (!length) break;
        while (at < QUANTITY_COUNT && (strlen(predict_quantities[at].name) != name ||
                                       strncmp(predict_quantities[at].name, declares, name)))
            at++;
        if (at == QUANTITY_COUNT || !equals)
            return bad_declaration(variant, declares, length,
                                   "quantity = expression, with a quantity of metrics/README.md");
        char *expression = strndup(equals + 1, (size_t)(declares + length - equals - 1));
        const int result = expression ? query_guard_claim(place, expression) : error_memory();
        if (!result)
            text_format(columns, ", CAST((%s) AS REAL) AS \"declared_%s\"", expression,
                        predict_quantities[at].name);
        free(expression);
        if (result) return result;
        declares += length;
    }
    return columns->failed ? error_memory() : 0;
}

/* ---- predictions ----------------------------------------------------------------------------- */

/* Behind the rows of this family: rows stand by family, as they were added. */
static int family_end(const struct ledger *ledger, const char *family)
{
    int from = 0, to = ledger->count;
    while (from < to) {
        const int middle = from + (to - from) / 2;
        if (strcmp(ledger->row[middle].family, family) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static const struct point_row *find_row(const struct ledger *ledger, const struct scope *row,
                                        const char *variant, const char *block)
{
    const char *family = scope_value(row, "family", NULL);
    for (int i = family_end(ledger, family) - 1;
         variant && i >= 0 && !strcmp(ledger->row[i].family, family); i--) {
        const struct point_row *found = &ledger->row[i];
        if (!strcmp(found->variant, variant) &&
            !strcmp(found->size, scope_value(row, "size", NULL)) &&
            !strcmp(found->block, scope_value(row, block, NULL)))
            return found;
    }
    return NULL;
}

static struct point_row *add_row(struct ledger *ledger, const struct scope *row)
{
    if (ledger->count == ledger->capacity) {
        const int capacity = ledger->capacity ? 2 * ledger->capacity : 64;
        struct point_row *grown = realloc(ledger->row, (size_t)capacity * sizeof *grown);
        if (!grown) return NULL;
        ledger->row = grown;
        ledger->capacity = capacity;
    }
    struct point_row *added = &ledger->row[ledger->count++];
    *added = (struct point_row){
        .family = strdup(scope_value(row, "family", NULL)),
        .variant = strdup(scope_value(row, "variant", NULL)),
        .size = strdup(scope_value(row, "size", NULL)),
        .block = strdup(scope_value(row, "point_block", NULL)),
        .rung.launch = predict_read_launch(row, ""),
        .predicted.time_ns = NAN,
        .speedup = NAN,
    };
    return added->family && added->variant && added->size && added->block ? added : NULL;
}

/* The names of what the prediction needs and the rung before lacks. */
static char *lacking(const struct scope *row, const struct predict_rung *before)
{
    static const char *const needed[] = {
        "time_ns",           "sm_clock_mhz",           "dram_peak_gbs",
        "grid_blocks",       "blocks_per_sm",          "sm_count",
        "stall_total",       "stall_barrier",          "stall_long_scoreboard",
        "stall_lg_throttle", "stall_short_scoreboard", "stall_mio_throttle",
        "stall_wait",        "stall_no_instruction",   "stall_branch_resolving",
        "stall_other",       "stall_dispatch_stall",   "stall_not_selected"};
    struct text names = {0};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (isnan(predict_number(row, "prev_", needed[i])))
            text_format(&names, "%sprev_%s", names.length ? ", " : "", needed[i]);
    for (int i = 0; i < QUANTITY_COUNT; i++)
        for (int j = 0;
             j < PREDICT_SUMMANDS && predict_quantities[i].counter[j] && isnan(before->count[i]);
             j++)
            if (isnan(predict_number(row, "prev_", predict_quantities[i].counter[j])))
                text_format(&names, "%sprev_%s", names.length ? ", " : "",
                            predict_quantities[i].counter[j]);
    char *reason = text_new("needs %s",
                            names.length ? text_string(&names) : "what the rung lacks: its launch");
    text_free(&names);
    return reason;
}

static int is_declared(const struct scope *row, const char *name)
{
    char column[64];
    int known_name = 0;
    snprintf(column, sizeof column, "declared_%s", name);
    scope_value(row, column, &known_name);
    return known_name;
}

/* A row of beforehand with the declared quantities. */
static int predict_row(void *context, const struct scope *row)
{
    struct ledger *ledger = context;
    const char *after = scope_value(row, "after", NULL);
    const struct predict_measured measured = predict_read_measured(row, "prev_");
    const struct point_row *last = find_row(ledger, row, after, "point_block");
    const struct predict_rung before = predict_read_rung(row, "prev_", last ? &last->rung : NULL);
    struct point_row *point = add_row(ledger, row);
    if (!point) return error_memory();
    const char *absent = NULL;
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        point->declared[i] = predict_number(row, "declared_", predict_quantities[i].name);
        if (isnan(point->declared[i]) && is_declared(row, predict_quantities[i].name))
            absent = predict_quantities[i].name;
        /* Conflicts are told relative to the rung before; what a rung does not name is as before.
         */
        point->rung.count[i] = !isnan(point->declared[i]) || i == QUANTITY_REGISTER_CONFLICTS
                                   ? point->declared[i]
                                   : before.count[i];
    }
    if (!after) return 0;
    if (ledger->declares && !absent)
        point->predicted = predict_time(&point->rung, &before, &measured);
    point->speedup = measured.time_ns / point->predicted.time_ns;
    if (!isnan(point->speedup)) return 0;
    point->missing = absent
                         ? text_new("what it declares of %s needs something that is absent", absent)
                     : ledger->declares ? lacking(row, &before)
                                        : text_new("the rung declares nothing");
    return point->missing ? 0 : error_memory();
}

static int predict_variant(void *context, const struct scope *variant)
{
    struct ledger *ledger = context;
    struct text columns = {0}, sql = {0}, place = {0};
    ledger->declares = scope_value(variant, "declares", NULL);
    text_format(&place, "declaration of %s/%s", scope_value(variant, "family", NULL),
                scope_value(variant, "variant", NULL));
    int result = place.failed ? error_memory() : 0;
    if (!result && ledger->declares)
        result = declared_columns(variant, text_string(&place), ledger->declares, &columns);
    text_format(&sql, "SELECT *%s FROM beforehand WHERE family = :family AND variant = :variant",
                text_string(&columns));
    if (!result && sql.failed) result = error_memory();
    if (!result)
        result = query_judge(ledger->query, text_string(&place), text_string(&sql), variant,
                             predict_row, ledger);
    text_free(&columns);
    text_free(&sql);
    text_free(&place);
    return result;
}

/* ---- beside what was achieved: only here counters and times of the rung itself are read ------ */

/* A step whose gain is known has an error on the gain; one that shows none is right where the
 * prediction shows none either. */
static const char *verdict_of(const char *evidence, double speedup, double error_pct,
                              double floor_pct)
{
    if (isnan(speedup)) return "not predicted";
    if (!strcmp(evidence, "not measured")) return "no time to compare";
    if (!strcmp(evidence, "no evidence"))
        return fabs(100 * (speedup - 1)) <= fmax(floor_pct, 2) ? "no gain to predict: right"
                                                               : "no gain to predict: wrong";
    return error_pct <= 50 ? "within" : "missed";
}

static void write_keys(struct csv_writer *writer, const struct scope *row)
{
    static const char *const keys[] = {"family", "variant", "size", "block", "sweep"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        csv_text(writer, scope_value(row, keys[i], NULL));
}

static void write_declared(struct ledger *ledger, const struct scope *row,
                           const struct point_row *point)
{
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        const double declared = point->declared[i],
                     measured = predict_counted(row, "", (enum quantity)i);
        if (isnan(declared)) continue;
        write_keys(ledger->declared, row);
        csv_text(ledger->declared, predict_quantities[i].name);
        csv_number(ledger->declared, declared);
        csv_number(ledger->declared, measured);
        csv_number(ledger->declared, 100 * (declared / measured - 1));
        csv_end(ledger->declared);
    }
}

/* A row of metrics, joined with its step. */
static int compare_row(void *context, const struct scope *row)
{
    struct ledger *ledger = context;
    const struct point_row *point =
        find_row(ledger, row, scope_value(row, "variant", NULL), "block");
    const char *evidence = scope_value(row, "evidence", NULL);
    const double achieved = predict_number(row, "", "step_speedup"),
                 floor_pct = predict_number(row, "", "step_floor_pct");
    struct csv_writer *writer = ledger->predictions;
    struct text why = {0};
    if (!point) return 0;
    write_declared(ledger, row, point);
    if (!scope_value(row, "after", NULL)) return 0;
    const int has_gain = !strcmp(evidence, "faster") || !strcmp(evidence, "slower");
    const double error_pct =
        has_gain ? 100 * fabs(point->speedup - achieved) / fabs(achieved - 1) : NAN;
    const char *verdict = verdict_of(evidence, point->speedup, error_pct, floor_pct);
    if (point->missing)
        text_append(&why, point->missing);
    else if (!strcmp(verdict, "missed")) {
        const struct predict_measured measured = predict_read_measured(row, "");
        const struct predict_rung rung = predict_read_rung(row, "", &point->rung);
        predict_explain_miss(&why, &point->predicted, &point->rung, point->declared, &rung,
                             &measured);
    }
    write_keys(writer, row);
    csv_text(writer, scope_value(row, "after", NULL));
    csv_text(writer, scope_value(row, "declares", NULL));
    csv_text(writer, isnan(point->speedup) ? "none" : predict_term_names[point->predicted.limiter]);
    csv_number(writer, point->speedup);
    csv_number(writer, achieved);
    csv_number(writer, error_pct);
    csv_text(writer, evidence);
    csv_text(writer, verdict);
    csv_text(writer, why.length ? text_string(&why) : NULL);
    csv_end(writer);
    const int failed = why.failed;
    text_free(&why);
    return failed ? error_memory() : 0;
}

static int compare(struct ledger *ledger)
{
    static const char sql[] =
        "SELECT m.*, s.after AS after, s.evidence AS evidence, s.speedup_prev AS step_speedup, "
        "s.floor_pct AS "
        "step_floor_pct, v.declares AS declares"
        " FROM metrics m JOIN variants v ON v.family = m.family AND v.variant = m.variant AND "
        "v.kind = 'kernel'"
        " LEFT JOIN steps s ON s.family = m.family AND s.variant = m.variant AND s.size = m.size "
        "AND s.block = "
        "m.block AND s.sweep = m.sweep"
        " WHERE m.best = 1 ORDER BY m.family, CAST(m.size AS INTEGER), m.size, m.variant";
    return query_each(ledger->query, NULL, sql, NULL, compare_row, ledger);
}

static void write_header(struct csv_writer *writer, enum table_id id)
{
    for (const struct column *column = tables[id].columns; column->name; column++)
        csv_text(writer, column->name);
    csv_end(writer);
}

int make_predictions(struct query *query, struct atomic_files *group)
{
    static const char variants[] = "SELECT family, variant, declares FROM variants WHERE kind = "
                                   "'kernel' ORDER BY family, rung, variant";
    struct csv_writer predictions = {0}, declared = {0};
    struct ledger ledger = {.query = query, .predictions = &predictions, .declared = &declared};
    int result =
        atomic_files_begin(group, query->run->directory, "predictions.csv", &predictions.file);
    if (!result)
        result = atomic_files_begin(group, query->run->directory, "declared.csv", &declared.file);
    if (result) return result;
    write_header(&predictions, TABLE_PREDICTIONS);
    write_header(&declared, TABLE_DECLARED);
    result = make_beforehand(query);
    if (!result) result = query_each(query, NULL, variants, NULL, predict_variant, &ledger);
    if (!result) result = compare(&ledger);
    ledger_free(&ledger);
    return result;
}

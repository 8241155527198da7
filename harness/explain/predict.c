#include "explain/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "explain/predict_inputs.h"
#include "explain/predict_miss.h"
#include "query/query_guard.h"
#include "run/table_rows.h"

/* A rung at one size: the facts known before it runs, and the prediction. */
struct point_row {
    char *family, *variant, *size, *block;
    struct predict_rung rung; /* counts as declared, or as in the rung before */
    double declared[QUANTITY_COUNT];
    struct predict_result predicted;
    double speedup;
    char *missing; /* why there is no prediction, or NULL */
};

struct predictions {
    struct query *query;
    struct csv_writer *predictions, *declared;
    int count, capacity;
    struct point_row *row;
    const char *declares; /* of the variant at hand */
};

static void predictions_free(struct predictions *made)
{
    for (int i = 0; i < made->count; i++) {
        struct point_row *row = &made->row[i];
        free(row->family), free(row->variant), free(row->size), free(row->block),
            free(row->missing);
    }
    free(made->row);
}

/* ---- what is known before the rung runs ------------------------------------------------------ */

/* Facts of a rung that need no run, a blank on either side of each. */
static const char known[] =
    " launches grid_blocks block_threads registers static_shared_bytes dynamic_shared_bytes "
    "local_bytes blocks_per_sm theoretical_occupancy_pct max_block_threads sm_count useful_bytes "
    "useful_operations closed_form_excess_wavefronts closed_form_load_wavefronts "
    "closed_form_store_wavefronts closed_form_load_ideal closed_form_store_ideal sass_shuffles "
    "sass_warp_reductions sass_barriers sass_loop_barriers sass_float_adds ";

static int add_column(void *context, const struct scope *row)
{
    static const char keys[] = " family variant size block sweep best ";
    struct text *columns = context;
    const char *name = row->value[0];
    char word[128];
    snprintf(word, sizeof word, " %s ", name);
    if (strstr(keys, word)) return 0;
    if (strstr(known, word)) text_format(columns, ", l.\"%s\"", name);
    text_format(columns, ", l.\"prev_%s\"", name);
    return 0;
}

/* Makes the table `beforehand`: all columns that a prediction and its declaration may read. */
static int make_beforehand(struct query *query)
{
    static const char sql[] =
        "CREATE TABLE beforehand AS WITH cut AS (SELECT l.*, v.factors, instr(l.size, 'x') AS "
        "first_x, substr(l.size, instr(l.size, 'x') + 1) AS rest FROM ladder l JOIN variants v ON "
        "v.family = l.family AND v.variant = l.variant WHERE l.best = 1 AND l.kind = 'kernel') "
        "SELECT l.family, l.variant, l.size, l.block AS point_block, l.sweep AS point_sweep, "
        "l.after, l.factors, CAST(l.block AS REAL) AS block, CAST(l.sweep AS REAL) AS sweep, "
        "CASE WHEN first_x > 0 THEN CAST(l.size AS REAL) END AS m, "
        "CASE WHEN first_x > 0 THEN CAST(rest AS REAL) ELSE CAST(l.size AS REAL) END AS n, "
        "CASE WHEN instr(rest, 'x') > 0 THEN CAST(substr(rest, instr(rest, 'x') + 1) AS REAL) "
        "END AS k, l.grid_blocks * l.block_threads / 32.0 AS warps%s FROM cut l;"
        "CREATE INDEX beforehand_key ON beforehand(family, variant)";
    struct text columns = {0};
    int result = query_columns(query, "metrics", add_column, &columns);
    if (!result && columns.failed) result = error_memory();
    if (!result) result = query_write(query, sql, text_string(&columns));
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

/* The end of the rows of this family; rows are in the order of the families. */
static int family_end(const struct predictions *made, const char *family)
{
    int from = 0, to = made->count;
    while (from < to) {
        const int middle = from + (to - from) / 2;
        if (strcmp(made->row[middle].family, family) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static const struct point_row *find_row(const struct predictions *made, const struct scope *row,
                                        const char *variant, const char *block)
{
    const char *family = scope_value(row, "family", NULL);
    for (int i = family_end(made, family) - 1;
         variant && i >= 0 && !strcmp(made->row[i].family, family); i--) {
        const struct point_row *found = &made->row[i];
        if (!strcmp(found->variant, variant) &&
            !strcmp(found->size, scope_value(row, "size", NULL)) &&
            !strcmp(found->block, scope_value(row, block, NULL)))
            return found;
    }
    return NULL;
}

static struct point_row *add_row(struct predictions *made, const struct scope *row)
{
    if (made->count == made->capacity) {
        const int capacity = made->capacity ? 2 * made->capacity : 64;
        struct point_row *grown = realloc(made->row, (size_t)capacity * sizeof *grown);
        if (!grown) return NULL;
        made->row = grown;
        made->capacity = capacity;
    }
    struct point_row *added = &made->row[made->count++];
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

/* Names the inputs of the prediction that the rung before lacks. */
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
    char *reason =
        text_new("needs %s", names.length ? text_string(&names) : "the launch of the rung");
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
    struct predictions *made = context;
    const char *after = scope_value(row, "after", NULL);
    const struct predict_measured measured = predict_read_measured(row, "prev_");
    const struct point_row *last = find_row(made, row, after, "point_block");
    const struct predict_rung before = predict_read_rung(row, "prev_", last ? &last->rung : NULL);
    struct point_row *point = add_row(made, row);
    if (!point) return error_memory();
    const char *absent = NULL;
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        point->declared[i] = predict_number(row, "declared_", predict_quantities[i].name);
        if (isnan(point->declared[i]) && is_declared(row, predict_quantities[i].name))
            absent = predict_quantities[i].name;
        /* Register conflicts are relative to the rung before; other counts stay as they were. */
        point->rung.count[i] = !isnan(point->declared[i]) || i == QUANTITY_REGISTER_CONFLICTS
                                   ? point->declared[i]
                                   : before.count[i];
    }
    if (!after) return 0;
    if (made->declares && !absent)
        point->predicted = predict_time(&point->rung, &before, &measured);
    point->speedup = measured.time_ns / point->predicted.time_ns;
    if (!isnan(point->speedup)) return 0;
    point->missing = absent ? text_new("its declaration of %s needs an absent value", absent)
                     : made->declares ? lacking(row, &before)
                                      : text_new("the rung declares nothing");
    return point->missing ? 0 : error_memory();
}

static int predict_variant(void *context, const struct scope *variant)
{
    struct predictions *made = context;
    struct text columns = {0};
    char *place = text_new("declaration of %s/%s", scope_value(variant, "family", NULL),
                           scope_value(variant, "variant", NULL)),
         *sql = NULL;
    int result = place ? 0 : error_memory();
    made->declares = scope_value(variant, "declares", NULL);
    if (!result && made->declares)
        result = declared_columns(variant, place, made->declares, &columns);
    if (!result) {
        sql = text_new("SELECT *%s FROM beforehand WHERE family = :family AND variant = :variant",
                       text_string(&columns));
        result =
            sql ? query_judge(made->query, place, sql, variant, predict_row, made) : error_memory();
    }
    text_free(&columns);
    free(sql);
    free(place);
    return result;
}

/* ---- the result: only here counters and times of the rung itself are read -------------------- */

/* A step with a known gain has an error on the gain; for a step without evidence of a gain, a
 * prediction is right if it shows none either. */
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

static void write_declared(struct predictions *made, const struct scope *row,
                           const struct point_row *point)
{
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        const double declared = point->declared[i],
                     measured = predict_counted(row, "", (enum quantity)i);
        if (isnan(declared)) continue;
        write_keys(made->declared, row);
        csv_text(made->declared, predict_quantities[i].name);
        csv_number(made->declared, declared);
        csv_number(made->declared, measured);
        csv_number(made->declared, 100 * (declared / measured - 1));
        csv_end(made->declared);
    }
}

/* A row of metrics, joined with its step. */
static int compare_row(void *context, const struct scope *row)
{
    struct predictions *made = context;
    const struct point_row *point = find_row(made, row, scope_value(row, "variant", NULL), "block");
    const char *evidence = scope_value(row, "evidence", NULL);
    const double achieved = predict_number(row, "", "step_speedup"),
                 floor_pct = predict_number(row, "", "step_floor_pct");
    struct csv_writer *writer = made->predictions;
    struct text why = {0};
    if (!point) return 0;
    write_declared(made, row, point);
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

static int compare(struct predictions *made)
{
    static const char sql[] =
        "SELECT m.*, s.after AS after, s.evidence AS evidence, s.speedup_prev AS step_speedup, "
        "s.floor_pct AS step_floor_pct, v.declares AS declares FROM metrics m "
        "JOIN variants v ON v.family = m.family AND v.variant = m.variant AND v.kind = 'kernel' "
        "LEFT JOIN steps s ON s.family = m.family AND s.variant = m.variant AND s.size = m.size "
        "AND s.block = m.block AND s.sweep = m.sweep "
        "WHERE m.best = 1 ORDER BY m.family, CAST(m.size AS INTEGER), m.size, m.variant";
    return query_each(made->query, NULL, sql, NULL, compare_row, made);
}

int predictions_write(struct query *query, struct atomic_files *group)
{
    static const char variants[] = "SELECT family, variant, declares FROM variants WHERE kind = "
                                   "'kernel' ORDER BY family, rung, variant";
    struct csv_writer predictions = {0}, declared = {0};
    struct predictions made = {.query = query, .predictions = &predictions, .declared = &declared};
    int result =
        atomic_files_begin(group, query->run->directory, "predictions.csv", &predictions.file);
    if (!result)
        result = atomic_files_begin(group, query->run->directory, "declared.csv", &declared.file);
    if (result) return result;
    table_header(&predictions, TABLE_PREDICTIONS);
    table_header(&declared, TABLE_DECLARED);
    result = make_beforehand(query);
    if (!result) result = query_each(query, NULL, variants, NULL, predict_variant, &made);
    if (!result) result = compare(&made);
    predictions_free(&made);
    return result;
}

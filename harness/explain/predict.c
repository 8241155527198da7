/*
 * Predicts every step and compares the predictions and all declared counts with the measurements.
 *
 * A prediction uses the row of the rung before, the declaration, and those facts of the rung itself
 * that are known before it runs: its launch, its code and its address maps. Nothing else is read
 * before all predictions are made. The setting of the rung is its best one, known from its times.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "explain/explain_tables.h"
#include "explain/predict_model.h"
#include "query/number_texts.h"
#include "query/query_guard.h"
#include "run/table_rows.h"

/* ---- what is known before the rung runs ------------------------------------------------------ */

/* A rung at one size: the facts known before it runs, and the prediction. */
struct point_row {
    int is_made;
    struct predict_rung rung; /* counts as declared, or as in the rung before */
    double declared[QUANTITY_COUNT];
    struct predict_result predicted;
    double speedup;
    char *missing; /* why there is no prediction, or NULL */
};

struct predictions {
    struct query *query;
    struct csv_writer predictions, declared;
    int count;
    struct point_row *row; /* of each row of beforehand, by its rowid from 1 */
    const char *declares;  /* of the variant at hand */
};

/* Facts of a rung that need no run, a blank on either side of each. */
static const char known[] =
    " launches grid_blocks block_threads registers static_shared_bytes dynamic_shared_bytes "
    "local_bytes blocks_per_sm theoretical_occupancy_pct max_block_threads sm_count useful_bytes "
    "useful_operations closed_form_excess_wavefronts closed_form_load_wavefronts "
    "closed_form_store_wavefronts closed_form_matrix_wavefronts closed_form_load_ideal "
    "closed_form_store_ideal closed_form_matrix_ideal sass_shuffles "
    "sass_warp_reductions sass_barriers sass_loop_barriers sass_float_adds sass_shared_stores ";

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
        "CREATE INDEX beforehand_key ON beforehand(family, variant, size)";
    struct text columns = {0};
    int result = query_columns(query, "metrics", add_column, &columns);
    if (!result && columns.failed) result = error_memory();
    if (!result) result = query_write(query, sql, text_string(&columns));
    text_free(&columns);
    return result;
}

/* ---- declarations ---------------------------------------------------------------------------- */

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
            return error(FAIL_INPUT,
                         "%s/%s declares '%.*s'; expected quantity = expression, with a quantity "
                         "of metrics/README.md",
                         scope_value(variant, "family", NULL),
                         scope_value(variant, "variant", NULL), (int)length, declares);
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

/* The point whose rowid the column holds; NULL if it is NULL. */
static struct point_row *row_of(const struct predictions *made, const struct scope *row,
                                const char *column)
{
    const char *rowid = scope_value(row, column, NULL);
    return rowid ? &made->row[strtol(rowid, NULL, 10)] : NULL;
}

static void append_lacking(struct text *names, const struct scope *row, const char *name)
{
    if (isnan(predict_number(row, "prev_", name)))
        text_format(names, "%sprev_%s", names->length ? ", " : "", name);
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
        append_lacking(&names, row, needed[i]);
    /* Without the counters of tensor cores there is a prediction, too. */
    for (int i = 0; i < QUANTITY_COUNT; i++)
        for (int j = 0; j < PREDICT_SUMMANDS && predict_quantities[i].counter[j] &&
                        isnan(before->count[i]) && i != QUANTITY_TENSOR_CYCLES;
             j++)
            append_lacking(&names, row, predict_quantities[i].counter[j]);
    char *reason =
        text_new("needs %s", names.length ? text_string(&names) : "the launch of the rung");
    text_free(&names);
    return reason;
}

/* A row of beforehand with the declared quantities. */
static int predict_row(void *context, const struct scope *row)
{
    struct predictions *made = context;
    const char *after = scope_value(row, "after", NULL);
    const struct predict_measured measured = predict_read_measured(row, "prev_");
    const struct point_row *last = row_of(made, row, "last");
    const struct predict_rung before =
        predict_read_rung(row, "prev_", last && last->is_made ? &last->rung : NULL);
    struct point_row *point = row_of(made, row, "point");
    *point = (struct point_row){1, .rung.launch = predict_read_launch(row, ""),
                                .predicted.time_ns = NAN, .speedup = NAN};
    const char *absent = NULL;
    char column[64];
    int is_declared;
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        snprintf(column, sizeof column, "declared_%s", predict_quantities[i].name);
        scope_value(row, column, &is_declared);
        point->declared[i] = predict_number(row, "", column);
        if (isnan(point->declared[i]) && is_declared) absent = predict_quantities[i].name;
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
        sql =
            text_new("SELECT b.rowid AS point, (SELECT p.rowid FROM beforehand p WHERE p.family = "
                     "b.family AND p.variant = b.after AND p.size = b.size AND p.point_block = "
                     "b.point_block) AS last, *%s FROM beforehand b WHERE family = :family AND "
                     "variant = :variant",
                     text_string(&columns));
        result =
            sql ? query_judge(made->query, place, sql, variant, predict_row, made) : error_memory();
    }
    text_free(&columns);
    free(sql);
    free(place);
    return result;
}

/* ---- why a prediction misses ----------------------------------------------------------------- */

static void append_cycles(struct text *text, const char *what, double predicted, double measured)
{
    text_format(text, "; %s: ", what);
    number_text_append(text, predicted);
    text_append(text, " cycles predicted, ");
    number_text_append(text, measured);
    text_append(text, " by the counters");
}

/* The term that is furthest off, except `but`; -1 if none is off. */
static int furthest(const struct predict_result *predicted, const struct predict_result *found,
                    int but)
{
    int worst = -1;
    double most = 0;
    for (int i = 0; i < TERM_COUNT; i++) {
        const double off = fabs(predicted->term[i] - found->term[i]);
        if (i != but && off > most) worst = i, most = off;
    }
    return worst;
}

static void append_wrong_counts(struct text *why, const struct point_row *point,
                                const struct predict_rung *rung)
{
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        const double off = predict_quantities[i].counter[0]
                               ? 100 * (point->rung.count[i] / rung->count[i] - 1)
                               : 0;
        if (!(fabs(off) > 10) || !isfinite(off)) continue;
        text_format(why, "; %s %s %.0f %% %s", predict_quantities[i].name,
                    isnan(point->declared[i]) ? "assumed unchanged," : "declared", fabs(off),
                    off > 0 ? "too high" : "too low");
    }
}

/* Explains why a prediction misses, from the terms of the model: appends the two terms that are
 * furthest off, the part that the model omits, the measured limiter, and the counts that are off by
 * more than 10 %. `rung` and `measured` were measured. */
static void explain_miss(struct text *why, const struct point_row *point,
                         const struct predict_rung *rung, const struct predict_measured *measured)
{
    const struct predict_result *predicted = &point->predicted;
    const struct predict_result found = predict_analyse(rung, measured);
    if (isnan(found.efficiency)) {
        text_append(why, "the counters of the rung that would explain it are absent");
        return;
    }
    const int first = furthest(predicted, &found, -1), second = furthest(predicted, &found, first);
    const double untold = fabs(predicted->efficiency / found.efficiency - 1) * measured->time_ns *
                          measured->clock_ghz;
    if (first < 0 || untold > fabs(predicted->term[first] - found.term[first]))
        text_append(why, "The model omits the main effect. ");
    text_append(why, "Measured time over modelled time: ");
    number_text_append(why, predicted->efficiency);
    text_append(why, " for the rung before, ");
    number_text_append(why, found.efficiency);
    text_append(why, " for this rung");
    if (first >= 0)
        append_cycles(why, predict_term_names[first], predicted->term[first], found.term[first]);
    if (second >= 0)
        append_cycles(why, predict_term_names[second], predicted->term[second], found.term[second]);
    text_format(why, "; limiter by the counters: %s", predict_term_names[found.limiter]);
    append_wrong_counts(why, point, rung);
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

static void write_declared(struct csv_writer *writer, const struct scope *row,
                           const struct point_row *point)
{
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        const double declared = point->declared[i],
                     measured = predict_counted(row, "", (enum quantity)i);
        if (isnan(declared)) continue;
        CSV_TEXTS(writer, POINT_KEYS(row));
        csv_text(writer, predict_quantities[i].name);
        CSV_NUMBERS(writer, declared, measured, 100 * (declared / measured - 1));
        csv_end(writer);
    }
}

/* A row of metrics, joined with its step. */
static int compare_row(void *context, const struct scope *row)
{
    struct predictions *made = context;
    const struct point_row *point = row_of(made, row, "point");
    const char *evidence = scope_value(row, "evidence", NULL);
    const double achieved = predict_number(row, "", "step_speedup"),
                 floor_pct = predict_number(row, "", "step_floor_pct");
    struct csv_writer *writer = &made->predictions;
    struct text why = {0};
    write_declared(&made->declared, row, point);
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
        explain_miss(&why, point, &rung, &measured);
    }
    CSV_TEXTS(writer, POINT_KEYS(row));
    CSV_TEXTS(writer, scope_value(row, "after", NULL), scope_value(row, "declares", NULL),
              isnan(point->speedup) ? "none" : predict_term_names[point->predicted.limiter]);
    CSV_NUMBERS(writer, point->speedup, achieved, error_pct);
    CSV_TEXTS(writer, evidence, verdict, text_string(&why));
    csv_end(writer);
    const int failed = why.failed;
    text_free(&why);
    return failed ? error_memory() : 0;
}

static int compare(struct predictions *made)
{
    static const char sql[] =
        "SELECT m.*, b.rowid AS point, s.after AS after, s.evidence AS evidence, s.speedup_prev AS "
        "step_speedup, "
        "s.floor_pct AS step_floor_pct, v.declares AS declares FROM metrics m "
        "JOIN variants v ON v.family = m.family AND v.variant = m.variant AND v.kind = 'kernel' "
        "JOIN beforehand b ON b.family = m.family AND b.variant = m.variant AND b.size = m.size "
        "AND b.point_block = m.block AND b.point_sweep = m.sweep "
        "LEFT JOIN steps s ON s.family = m.family AND s.variant = m.variant AND s.size = m.size "
        "AND s.block = m.block AND s.sweep = m.sweep "
        "WHERE m.best = 1 ORDER BY m.family, CAST(m.size AS INTEGER), m.size, m.variant";
    return query_each(made->query, NULL, sql, NULL, compare_row, made);
}

int predictions_write(struct query *query, struct atomic_files *group)
{
    static const char variants[] = "SELECT family, variant, declares FROM variants WHERE kind = "
                                   "'kernel' ORDER BY family, rung, variant";
    struct predictions made = {.query = query};
    char *count = NULL;
    int result =
        atomic_files_begin(group, query->run->directory, "predictions.csv", &made.predictions.file);
    if (!result)
        result =
            atomic_files_begin(group, query->run->directory, "declared.csv", &made.declared.file);
    if (result) return result;
    table_header(&made.predictions, TABLE_PREDICTIONS);
    table_header(&made.declared, TABLE_DECLARED);
    result = make_beforehand(query);
    if (!result) result = query_text(query, NULL, "SELECT count(*) FROM beforehand", NULL, &count);
    made.count = count ? (int)strtol(count, NULL, 10) : 0;
    made.row = calloc((size_t)made.count + 1, sizeof *made.row);
    if (!result && !made.row) result = error_memory();
    if (!result) result = query_each(query, NULL, variants, NULL, predict_variant, &made);
    if (!result) result = compare(&made);
    for (int i = 0; made.row && i <= made.count; i++) free(made.row[i].missing);
    free(made.row);
    free(count);
    return result;
}

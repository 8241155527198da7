#include "explain/explain_tables.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/text.h"
#include "explain/ablation_effects.h"
#include "explain/ablation_grid.sql.h"
#include "run/table_rows.h"

/* ---- words ----------------------------------------------------------------------------------- */

/* "Double buffer, wide loads and async" */
static void append_names(struct text *text, const struct grid *grid, unsigned of, int capital)
{
    for (int f = 0; f < grid->factors; f++) {
        if (!(of >> f & 1)) continue;
        for (const char *name = grid->factor[f]; *name; name++, capital = 0) {
            const int letter = *name == '_' ? ' ' : *name;
            text_format(text, "%c", capital ? toupper(letter) : letter);
        }
        const int left = __builtin_popcount(of >> f >> 1);
        text_append(text, left == 0 ? "" : left == 1 ? " and " : ", ");
    }
}

/* Appends "double_buffer=0 async=1": the settings of these factors at a cell. */
static void append_settings(struct text *text, const struct grid *grid, unsigned of, unsigned cell)
{
    const char *blank = "";
    for (int f = 0; f < grid->factors; f++) {
        if (!(of >> f & 1)) continue;
        text_format(text, "%s%s=%u", blank, grid->factor[f], cell >> f & 1);
        blank = " ";
    }
}

static void append_estimate(struct text *text, const struct estimate *estimate)
{
    text_format(text, "%.3f×", exp(estimate->value));
    if (isfinite(estimate->low))
        text_format(text, " [%.3f – %.3f]", exp(estimate->low), exp(estimate->high));
}

/* Appends which of the other factors are on. */
static void append_others(struct text *text, const struct grid *grid, unsigned others, unsigned on)
{
    const int one = __builtin_popcount(others) == 1;
    text_append(text, one && !on     ? " without "
                      : one          ? " with "
                      : on == 0      ? " with none of the others"
                      : on == others ? " with all others"
                                     : " with ");
    if (one || (on && on != others)) append_names(text, grid, one ? others : on, 0);
    if (!one && on && on != others) text_append(text, " only");
}

/* Appends " (1.168× with async only to 1.954× with all others)" if the other factors change the
 * effect by more than noise. */
static void append_range(struct text *text, const struct effects *effects, int i)
{
    const struct factorial_effect *effect = &effects->effect[i];
    const struct grid *grid = effects->grid;
    const unsigned others = ((1u << grid->factors) - 1) & ~effects->of[i];
    const double floor = effects->floor_pct / 100 + 0.0005;
    if (!(exp(effect->most - effect->least) > 1 + floor)) return;
    text_format(text, " (%.3f×", exp(effect->least));
    append_others(text, grid, others, effect->least_at);
    text_format(text, " to %.3f×", exp(effect->most));
    append_others(text, grid, others, effect->most_at);
    text_append(text, ")");
}

/* Appends an estimate that is not resolved, and the reason. */
static void append_unresolved(struct text *text, const struct effects *effects,
                              const struct estimate *estimate)
{
    text_append(text, "unresolved, ");
    append_estimate(text, estimate);
    if (!isfinite(estimate->low))
        text_append(text, " with too few samples for an interval");
    else if (isfinite(effects->floor_pct))
        text_format(text, " at a noise floor of %.2f %%", effects->floor_pct);
    else
        text_append(text, " at an unknown noise floor");
}

static void append_either(struct text *text, const struct effects *effects,
                          const struct estimate *estimate)
{
    if (effects_resolved(effects, estimate))
        append_estimate(text, estimate);
    else
        append_unresolved(text, effects, estimate);
}

static void append_part(struct text *text, const struct effects *effects, int factor)
{
    const struct estimate *part = &effects->part[factor], *whole = effects->whole;
    text_format(text, "%.1f %% [%.1f – %.1f] of the whole %s of %.3f×", 100 * part->value,
                100 * part->low, 100 * part->high, whole->value > 0 ? "speed-up" : "slow-down",
                exp(whole->value));
}

/* A factor's share is given if it and the whole are more than noise. */
static int has_part(const struct effects *effects, int factor)
{
    return effects_resolved(effects, effects->whole) &&
           effects_resolved(effects, &effects->share[factor]) &&
           isfinite(effects->part[factor].low);
}

/* Appends the interaction with each other factor if it is more than noise. */
static void append_partners(struct text *text, const struct effects *effects, int factor)
{
    int said = 0;
    for (int i = 0; i < effects->count; i++) {
        const unsigned of = effects->of[i], partner = of & ~(1u << factor);
        if (__builtin_popcount(of) != 2 || partner == of ||
            !effects_resolved(effects, &effects->estimate[i]))
            continue;
        text_format(text, "%s%.3f×%s", said ? ", " : " Its speed-up is ",
                    exp(effects->estimate[i].value), said ? " with " : " as large with ");
        append_names(text, effects->grid, partner, 0);
        if (!said++) text_append(text, " as without");
    }
    if (said) text_append(text, ".");
}

static void say_main(struct text *text, const struct effects *effects, int i)
{
    const struct estimate *estimate = &effects->estimate[i];
    text_append(text, ": ");
    if (!effects_resolved(effects, estimate)) {
        text_append(text, "on average ");
        append_unresolved(text, effects, estimate);
    } else
        text_format(text, "%s%.3f× on average", estimate->value < 0 ? "slower, " : "",
                    exp(estimate->value));
    if (effects->effect[i].settings < 1 << (effects->grid->factors - 1))
        text_append(text, " over the available pairs");
    append_range(text, effects, i);
    if (has_part(effects, i)) {
        text_append(text, ", ");
        append_part(text, effects, i);
    }
    text_append(text, ".");
    append_partners(text, effects, i);
}

static void say_interaction(struct text *text, const struct effects *effects, int i)
{
    const struct estimate *estimate = &effects->estimate[i];
    const int three = __builtin_popcount(effects->of[i]) == 3;
    text_append(text, ": ");
    if (!effects_resolved(effects, estimate)) {
        append_unresolved(text, effects, estimate);
    } else {
        text_append(text, three ? "the interaction of two is " : "the speed-up of both is ");
        append_estimate(text, estimate);
        text_append(text, three ? " as large with the third as without it"
                                : " the product of their separate speed-ups");
    }
    append_range(text, effects, i);
    text_append(text, ".");
}

static void say_share(struct text *text, const struct effects *effects, int factor)
{
    text_append(text, ": ");
    if (has_part(effects, factor)) {
        append_part(text, effects, factor);
        text_append(text, ", a factor of ");
        append_estimate(text, &effects->share[factor]);
    } else
        append_either(text, effects, &effects->share[factor]);
    text_append(text, ".");
}

static void say_whole(struct text *text, const struct effects *effects, int factor)
{
    (void)factor;
    text_append(text, effects->grid->factors == 1 ? ": " : " together: ");
    append_either(text, effects, effects->whole);
    text_append(text, ".");
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct ablation {
    struct query *query;
    struct csv_writer writer;
    struct grid grid;
    const char *size;
    struct effects effects;
};

struct row {
    const char *kind;
    unsigned of;
    const struct estimate *estimate, *part; /* part: NULL if a row of this kind has none */
    const struct factorial_effect *effect;
    void (*say)(struct text *sentence, const struct effects *effects, int index);
    int index;
    unsigned step;      /* if it is absent, a cell is missing among every step-th one, */
    const char *absent; /* or this is the reason */
};

static const struct estimate unknown = {NAN, NAN, NAN};

/* Appends the first missing cell among every step-th one, with the reason, and the number of the
 * others. */
static void tell_missing(struct text *text, const struct grid *grid, unsigned step)
{
    const unsigned all = (1u << grid->factors) - 1;
    int count = 0;
    for (unsigned at = 0; at <= all; at += step) {
        const struct grid_cell *cell = &grid->cell[at];
        if (!cell->missing || count++) continue;
        append_settings(text, grid, all, at);
        if (cell->variant) text_format(text, " (%s)", cell->variant);
        text_format(text, ": %s", cell->missing);
    }
    if (count > 1) text_format(text, "; and %d more", count - 1);
}

static void append_status(struct text *status, const struct ablation *ablation,
                          const struct row *row)
{
    if (!isnan(row->estimate->value)) {
        const int resolved = effects_resolved(&ablation->effects, row->estimate);
        text_append(status, resolved ? "resolved" : "unresolved");
        return;
    }
    text_format(status, ABSENT "%s", row->absent ? row->absent : "");
    if (!row->absent) tell_missing(status, &ablation->grid, row->step);
}

/* Returns 1 or -1 for an effect that surely makes faster or slower, 0 for one that is not resolved,
 * NAN for an absent one. */
static double direction_of(const struct ablation *ablation, const struct estimate *estimate)
{
    if (isnan(estimate->value)) return NAN;
    if (!effects_resolved(&ablation->effects, estimate)) return 0;
    return estimate->value > 0 ? 1 : -1;
}

static int write_row(struct ablation *ablation, const struct row *row)
{
    enum { FACTORS, LEAST, MOST, STATUS, SENTENCE, TEXTS };
    struct text text[TEXTS] = {{0}};
    struct csv_writer *writer = &ablation->writer;
    const struct grid *grid = &ablation->grid;
    const unsigned others = ((1u << grid->factors) - 1) & ~row->of;
    const struct estimate *estimate = row->estimate, *part = row->part ? row->part : &unknown;
    const struct factorial_effect *effect =
        row->effect && row->effect->settings > 0 ? row->effect : NULL;
    int failed = 0;
    for (int f = 0; f < grid->factors; f++)
        if (row->of >> f & 1)
            text_format(&text[FACTORS], "%s%s", text[FACTORS].length ? " " : "", grid->factor[f]);
    if (effect) append_settings(&text[LEAST], grid, others, effect->least_at);
    if (effect) append_settings(&text[MOST], grid, others, effect->most_at);
    append_status(&text[STATUS], ablation, row);
    if (!isnan(estimate->value)) {
        append_names(&text[SENTENCE], grid, row->of, 1);
        row->say(&text[SENTENCE], &ablation->effects, row->index);
    }
    CSV_TEXTS(writer, grid->family, ablation->size, row->kind, text_string(&text[FACTORS]));
    CSV_NUMBERS(writer, exp(estimate->value), exp(estimate->low), exp(estimate->high),
                100 * part->value, 100 * part->low, 100 * part->high,
                exp(effect ? effect->least : NAN), exp(effect ? effect->most : NAN));
    CSV_TEXTS(writer, text_string(&text[LEAST]), text_string(&text[MOST]));
    csv_number(writer, ablation->effects.floor_pct);
    CSV_TEXTS(writer, text_string(&text[STATUS]), text_string(&text[SENTENCE]));
    csv_number(writer, direction_of(ablation, estimate));
    csv_end(writer);
    for (int i = 0; i < TEXTS; i++) {
        failed |= text[i].failed;
        text_free(&text[i]);
    }
    return failed ? error_memory() : 0;
}

static int write_effect(struct ablation *ablation, int i)
{
    static const char *const kinds[] = {"main", "interaction", "three_way"},
                             *const reasons[] = {"no two cells differ in it alone",
                                                 "no four cells differ in these two alone",
                                                 "no eight cells differ in these three alone"};
    const struct effects *effects = &ablation->effects;
    const int order = __builtin_popcount(effects->of[i]);
    return write_row(ablation, &(struct row){.kind = kinds[order - 1],
                                             .of = effects->of[i],
                                             .estimate = &effects->estimate[i],
                                             .effect = &effects->effect[i],
                                             .say = order == 1 ? say_main : say_interaction,
                                             .index = i,
                                             .absent = reasons[order - 1]});
}

/* Interactions of three are many and usually small: the largest stands for them. */
static int largest_three_way(const struct effects *effects)
{
    int largest = -1;
    for (int i = 0; i < effects->count; i++) {
        const double size = fabs(effects->estimate[i].value);
        if (__builtin_popcount(effects->of[i]) != 3 || isnan(size)) continue;
        if (largest < 0 || size > fabs(effects->estimate[largest].value)) largest = i;
    }
    return largest;
}

/* A family whose variants make no grid has one row at each size, with the reason. */
static int write_size(void *context, const struct scope *row)
{
    struct ablation *ablation = context;
    struct effects *effects = &ablation->effects;
    const struct grid *grid = &ablation->grid;
    const unsigned all = (1u << grid->factors) - 1;
    struct row whole = {"all", .of = all, .estimate = &unknown, .absent = grid->impossible};
    ablation->size = row->value[0];
    effects->floor_pct = NAN;
    if (grid->impossible) return write_row(ablation, &whole);
    int result = grid_read(&ablation->grid, ablation->query, row);
    if (!result) result = effects_find(effects, grid);
    if (result) return result;
    whole.estimate = effects->whole;
    const int three = largest_three_way(effects),
              resolved = effects_resolved(effects, whole.estimate);
    for (int i = 0; i < effects->count && !result; i++)
        if (__builtin_popcount(effects->of[i]) < 3 || i == three)
            result = write_effect(ablation, i);
    for (int f = 0; f < grid->factors && !result; f++) {
        const struct estimate *part = resolved ? &effects->part[f] : NULL;
        result = write_row(ablation, &(struct row){"shapley", 1u << f, &effects->share[f], part,
                                                   .say = say_share, .index = f, .step = 1});
    }
    whole.say = say_whole;
    whole.step = all;
    return result ? result : write_row(ablation, &whole);
}

static int write_family(void *context, const struct scope *row)
{
    static const char sizes[] =
        "SELECT DISTINCT p.size FROM points p JOIN variants v USING (family, variant) WHERE "
        "p.family = :family AND v.factors IS NOT NULL ORDER BY CAST(p.size AS INTEGER), p.size";
    struct ablation *ablation = context;
    int result = grid_open(&ablation->grid, ablation->query, row);
    if (!result && ablation->grid.factors > 0)
        result = query_each(ablation->query, NULL, sizes, row, write_size, ablation);
    grid_close(&ablation->grid);
    return result;
}

int ablation_write(struct query *query, struct atomic_files *group)
{
    static const char families[] =
        "SELECT DISTINCT family FROM variants WHERE factors IS NOT NULL ORDER BY family";
    struct ablation ablation = {.query = query};
    char *any = NULL;
    int result =
        atomic_files_begin(group, query->run->directory, "ablation.csv", &ablation.writer.file);
    if (!result) table_header(&ablation.writer, TABLE_ABLATION);
    if (!result) result = query_text(query, NULL, families, NULL, &any);
    if (result || !any) return result;
    free(any);
    result = query_load(query, TABLE_SAMPLES);
    if (!result) result = query_write(query, "%s", ablation_grid_sql);
    return result ? result : query_each(query, NULL, families, NULL, write_family, &ablation);
}

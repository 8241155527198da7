#include "explain/ablation.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/text.h"
#include "explain/ablation_effects.h"
#include "run/table_rows.h"

/* ---- words ----------------------------------------------------------------------------------- */

/* Appends a factor's name for a sentence. */
static void append_name(struct text *text, const char *name, int capital)
{
    for (; *name; name++, capital = 0) {
        const char letter = *name == '_' ? ' '
                            : capital    ? (char)toupper((unsigned char)*name)
                                         : *name;
        text_append_bytes(text, &letter, 1);
    }
}

/* "Double buffer, wide loads and async" */
static void append_names(struct text *text, const struct grid *grid, unsigned of, int capital)
{
    for (int f = 0; f < grid->factors; f++) {
        if (!(of >> f & 1)) continue;
        append_name(text, grid->factor[f], capital);
        capital = 0;
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
    if (__builtin_popcount(others) == 1) {
        text_append(text, on ? " with " : " without ");
        append_names(text, grid, others, 0);
    } else if (on == 0)
        text_append(text, " with none of the others");
    else if (on == others)
        text_append(text, " with all others");
    else {
        text_append(text, " with ");
        append_names(text, grid, on, 0);
        text_append(text, " only");
    }
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
    text_append(text, " (");
    text_format(text, "%.3f×", exp(effect->least));
    append_others(text, grid, others, effect->least_at);
    text_append(text, " to ");
    text_format(text, "%.3f×", exp(effect->most));
    append_others(text, grid, others, effect->most_at);
    text_append(text, ")");
}

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

static void append_part(struct text *text, const struct effects *effects, int factor)
{
    const struct estimate *part = effects_part(effects, factor), *whole = effects_whole(effects);
    text_format(text, "%.1f %% [%.1f – %.1f] of the whole %s of ", 100 * part->value,
                100 * part->low, 100 * part->high, whole->value > 0 ? "speed-up" : "slow-down");
    text_format(text, "%.3f×", exp(whole->value));
}

/* A factor's share is given if it and the whole are more than noise. */
static int has_part(const struct effects *effects, int factor)
{
    return effects_resolved(effects, effects_whole(effects)) &&
           effects_resolved(effects, effects_share(effects, factor)) &&
           isfinite(effects_part(effects, factor)->low);
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
        text_append(text, said ? ", " : " Its speed-up is ");
        text_format(text, "%.3f×", exp(effects->estimate[i].value));
        text_append(text, said ? " with " : " as large with ");
        append_names(text, effects->grid, partner, 0);
        if (!said++) text_append(text, " as without");
    }
    if (said) text_append(text, ".");
}

static void say_main(struct text *text, const struct effects *effects, int i)
{
    const struct estimate *estimate = &effects->estimate[i];
    append_name(text, effects->grid->factor[i], 1);
    text_append(text, ": ");
    if (!effects_resolved(effects, estimate)) {
        text_append(text, "on average ");
        append_unresolved(text, effects, estimate);
    } else {
        if (estimate->value < 0) text_append(text, "slower, ");
        text_format(text, "%.3f×", exp(estimate->value));
        text_append(text, " on average");
    }
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
    append_names(text, effects->grid, effects->of[i], 1);
    text_append(text, ": ");
    if (!effects_resolved(effects, estimate)) {
        append_unresolved(text, effects, estimate);
    } else {
        text_append(text, three ? "the interaction of two is " : "together they give ");
        append_estimate(text, estimate);
        text_append(text, three ? " as large with the third as without"
                                : " the product of what each gives without the other");
    }
    append_range(text, effects, i);
    text_append(text, ".");
}

static void say_share(struct text *text, const struct effects *effects, int factor)
{
    const struct estimate *estimate = effects_share(effects, factor);
    append_name(text, effects->grid->factor[factor], 1);
    text_append(text, ": ");
    if (has_part(effects, factor)) {
        append_part(text, effects, factor);
        text_append(text, ", which is ");
        append_estimate(text, estimate);
    } else if (effects_resolved(effects, estimate)) {
        append_estimate(text, estimate);
    } else {
        append_unresolved(text, effects, estimate);
    }
    text_append(text, ".");
}

static void say_whole(struct text *text, const struct effects *effects)
{
    const struct estimate *estimate = effects_whole(effects);
    append_names(text, effects->grid, (1u << effects->grid->factors) - 1, 1);
    text_append(text, effects->grid->factors == 1 ? ": " : " together: ");
    if (effects_resolved(effects, estimate))
        append_estimate(text, estimate);
    else
        append_unresolved(text, effects, estimate);
    text_append(text, ".");
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* One family at one size. */
struct analysis {
    struct csv_writer *writer;
    const char *size;
    struct effects effects;
    struct text missing, missing_end; /* why a cell is missing: any, or one of the two ends */
};

struct row {
    const char *kind;
    unsigned of;
    const struct estimate *estimate, *part; /* NULL if a row of this kind has none */
    const struct factorial_effect *effect;
    const char *absent; /* the reason, if it is absent */
    struct text sentence;
};

static void write_numbers(struct csv_writer *writer, const struct grid *grid, const struct row *row,
                          struct text *least, struct text *most)
{
    static const struct estimate nothing = {NAN, NAN, NAN};
    const struct estimate *part = row->part ? row->part : &nothing;
    const struct factorial_effect *effect =
        row->effect && row->effect->settings > 0 ? row->effect : NULL;
    const unsigned others = ((1u << grid->factors) - 1) & ~row->of;
    if (effect) append_settings(least, grid, others, effect->least_at);
    if (effect) append_settings(most, grid, others, effect->most_at);
    csv_number(writer, exp(row->estimate->value));
    csv_number(writer, exp(row->estimate->low));
    csv_number(writer, exp(row->estimate->high));
    csv_number(writer, 100 * part->value);
    csv_number(writer, 100 * part->low);
    csv_number(writer, 100 * part->high);
    csv_number(writer, exp(effect ? effect->least : NAN));
    csv_number(writer, exp(effect ? effect->most : NAN));
    csv_text(writer, text_string(least));
    csv_text(writer, text_string(most));
}

/* Ends the row's sentence. */
static int write_row(struct analysis *analysis, struct row *row)
{
    struct csv_writer *writer = analysis->writer;
    const struct grid *grid = analysis->effects.grid;
    const int is_absent = isnan(row->estimate->value);
    struct text factors = {0}, least = {0}, most = {0}, status = {0};
    for (int f = 0; f < grid->factors; f++)
        if (row->of >> f & 1)
            text_format(&factors, "%s%s", factors.length ? " " : "", grid->factor[f]);
    if (is_absent)
        text_format(&status, "absent: %s", row->absent);
    else
        text_append(&status, effects_resolved(&analysis->effects, row->estimate) ? "resolved"
                                                                                 : "unresolved");
    csv_text(writer, grid->family);
    csv_text(writer, analysis->size);
    csv_text(writer, row->kind);
    csv_text(writer, text_string(&factors));
    write_numbers(writer, grid, row, &least, &most);
    csv_number(writer, analysis->effects.floor_pct);
    csv_text(writer, text_string(&status));
    csv_text(writer, is_absent ? NULL : text_string(&row->sentence));
    csv_end(writer);
    text_free_piece(&factors, &row->sentence);
    text_free_piece(&least, &row->sentence);
    text_free_piece(&most, &row->sentence);
    text_free_piece(&status, &row->sentence);
    const int failed = row->sentence.failed;
    text_free(&row->sentence);
    return failed ? error_memory() : 0;
}

static int write_effect(struct analysis *analysis, int i)
{
    static const struct {
        const char *kind, *absent;
    } orders[] = {{"main", "no two cells differ in it alone"},
                  {"interaction", "no four cells differ in these two alone"},
                  {"three_way", "no eight cells differ in these three alone"}};
    const struct effects *effects = &analysis->effects;
    const int order = __builtin_popcount(effects->of[i]);
    struct row row = {.kind = orders[order - 1].kind,
                      .of = effects->of[i],
                      .estimate = &effects->estimate[i],
                      .effect = &effects->effect[i],
                      .absent = orders[order - 1].absent};
    if (order == 1)
        say_main(&row.sentence, effects, i);
    else
        say_interaction(&row.sentence, effects, i);
    return write_row(analysis, &row);
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

static int write_share(struct analysis *analysis, int factor)
{
    const struct effects *effects = &analysis->effects;
    struct row row = {.kind = "shapley",
                      .of = 1u << factor,
                      .estimate = effects_share(effects, factor),
                      .absent = text_string(&analysis->missing)};
    if (effects_resolved(effects, effects_whole(effects))) row.part = effects_part(effects, factor);
    say_share(&row.sentence, effects, factor);
    return write_row(analysis, &row);
}

static int write_whole(struct analysis *analysis)
{
    const struct effects *effects = &analysis->effects;
    struct row row = {.kind = "all",
                      .of = (1u << effects->grid->factors) - 1,
                      .estimate = effects_whole(effects),
                      .absent = text_string(&analysis->missing_end)};
    say_whole(&row.sentence, effects);
    return write_row(analysis, &row);
}

static int write_rows(struct analysis *analysis)
{
    const struct effects *effects = &analysis->effects;
    const int three = largest_three_way(effects);
    int result = 0;
    for (int i = 0; i < effects->count && !result; i++)
        if (__builtin_popcount(effects->of[i]) < 3 || i == three)
            result = write_effect(analysis, i);
    for (int f = 0; f < effects->grid->factors && !result; f++) result = write_share(analysis, f);
    return result ? result : write_whole(analysis);
}

/* A family whose variants make no grid has one row at each size, with the reason. */
static int write_impossible(struct analysis *analysis, const struct grid *grid)
{
    static const struct estimate nothing = {NAN, NAN, NAN};
    struct row row = {.kind = "all",
                      .of = (1u << grid->factors) - 1,
                      .estimate = &nothing,
                      .absent = grid->impossible};
    analysis->effects.grid = grid;
    analysis->effects.floor_pct = NAN;
    return write_row(analysis, &row);
}

/* ---- families and sizes ---------------------------------------------------------------------- */

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

static int analyse(struct analysis *analysis, const struct grid *grid)
{
    tell_missing(&analysis->missing, grid, 1);
    tell_missing(&analysis->missing_end, grid, (1u << grid->factors) - 1);
    int result = analysis->missing.failed || analysis->missing_end.failed
                     ? error_memory()
                     : effects_find(&analysis->effects, grid);
    if (!result) result = write_rows(analysis);
    text_free(&analysis->missing);
    text_free(&analysis->missing_end);
    return result;
}

struct family {
    struct query *query;
    struct csv_writer *writer;
    struct grid *grid;
};

static int write_size(void *context, const struct scope *row)
{
    const struct family *family = context;
    struct analysis analysis = {.writer = family->writer, .size = row->value[0]};
    if (family->grid->impossible) return write_impossible(&analysis, family->grid);
    const int result = grid_read(family->grid, family->query, row->value[0]);
    return result ? result : analyse(&analysis, family->grid);
}

static int write_family(void *context, const struct scope *row)
{
    struct family *family = context;
    struct grid grid;
    int result = grid_open(&grid, family->query, row->value[0]);
    if (result) return result;
    family->grid = &grid;
    if (grid.factors > 0)
        result = query_each(family->query, NULL,
                            "SELECT DISTINCT p.size FROM points p JOIN variants v USING (family, "
                            "variant) WHERE p.family = :family AND "
                            "v.factors IS NOT NULL ORDER BY CAST(p.size AS INTEGER), p.size",
                            row, write_size, family);
    grid_close(&grid);
    return result;
}

int ablation_write(struct query *query, struct atomic_files *group)
{
    static const char families[] =
        "SELECT DISTINCT family FROM variants WHERE factors IS NOT NULL ORDER BY family";
    struct csv_writer writer = {.file = NULL};
    struct family family = {query, &writer, NULL};
    char *any = NULL;
    int result = atomic_files_begin(group, query->run->directory, "ablation.csv", &writer.file);
    if (!result) table_header(&writer, TABLE_ABLATION);
    if (!result) result = query_text(query, NULL, families, NULL, &any);
    if (result || !any) return result;
    free(any);
    result = grid_make_tables(query);
    return result ? result : query_each(query, NULL, families, NULL, write_family, &family);
}

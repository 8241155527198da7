#include "explain/counterfactual.h"

#include <math.h>
#include <string.h>

int cause_group_has(void *group, const char *cause)
{
    const struct cause_group *of = group;
    if (!strcmp(cause, of->cause)) return 1;
    if (of->is_detail) return 0;
    const struct record *record = records_find(of->records, RECORD_CAUSE, cause);
    const char *within = record ? record_field(record, "within") : NULL;
    return within && !strcmp(within, of->cause);
}

/* Time that the change of a cause saves alone: the mean of changing it first and last. `whole_ns`
 * are the times of both sides. */
static double saved_alone(const struct time_point side[2], const double whole_ns[2],
                          struct cause_group *change)
{
    const double first = whole_ns[0] - time_model_ns(&side[0], &side[1], cause_group_has, change),
                 last = time_model_ns(&side[1], &side[0], cause_group_has, change) - whole_ns[1];
    return (first + last) / 2;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static double value_of(const struct time_point *point, enum time_input input)
{
    double sum = 0;
    for (int f = 0; f < point->count; f++)
        if (point->feature[f].input == input) sum += point->feature[f].value;
    return sum;
}

/* Joins bytes, bytes of a wait and cycles of a wait to one wait. */
static void join_waits(struct time_point *point)
{
    const double waits =
        value_of(point, FEATURE_LOADED_BYTES) / value_of(point, FEATURE_BYTES_PER_WAIT);
    for (int f = 0; f < point->count; f++) {
        struct time_feature *feature = &point->feature[f];
        if (feature->input == FEATURE_LOADED_BYTES) feature->value = 0;
        if (feature->input == FEATURE_BYTES_PER_WAIT) feature->value = 1;
        if (feature->input == FEATURE_WAIT_CYCLES)
            *feature = (struct time_feature){FEATURE_LONG, feature->cause, waits * feature->value};
    }
}

/* ---- waits and warps ------------------------------------------------------------------------- */

static double sum_of(const struct time_point *point, const enum time_input *input, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += value_of(point, input[i]);
    return sum;
}

/* Half as many warps that wait half as often wait as long as before. What the changes of waits and
 * of warps have in common is taken out of the waits of `after`, and left out of its warps: its time
 * stays the same. */
static void set_off(const struct time_point *before, struct time_point *after,
                    const enum time_input *waits, int count, double was, double is,
                    enum time_input slots)
{
    const double by_warps = log(value_of(after, FEATURE_WARPS) / value_of(before, FEATURE_WARPS));
    const double by_waits = log(is / was);
    if (!(by_warps * by_waits > 0) || after->count == TIME_FEATURES) return;
    const double common = fabs(by_warps) < fabs(by_waits) ? by_warps : by_waits;
    for (int f = 0; f < after->count; f++)
        for (int i = 0; i < count; i++)
            if (after->feature[f].input == waits[i]) after->feature[f].value *= exp(-common);
    after->feature[after->count++] = (struct time_feature){slots, "residency", exp(-common)};
}

static double memory_wait(const struct time_point *point)
{
    const double bytes = value_of(point, FEATURE_LOADED_BYTES);
    return bytes > 0 ? bytes / value_of(point, FEATURE_BYTES_PER_WAIT) *
                           value_of(point, FEATURE_WAIT_CYCLES)
                     : 0;
}

static void set_off_waits(struct time_point side[2])
{
    static const enum time_input few[] = {FEATURE_FIXED, FEATURE_SHORT, FEATURE_SHORT_QUEUE},
                                 many[] = {FEATURE_LONG, FEATURE_LONG_QUEUE, FEATURE_TURNOVER,
                                           FEATURE_LOADED_BYTES};
    const double long_before = sum_of(&side[0], many, 3) + memory_wait(&side[0]),
                 long_after = sum_of(&side[1], many, 3) + memory_wait(&side[1]);
    set_off(&side[0], &side[1], few, 3, sum_of(&side[0], few, 3), sum_of(&side[1], few, 3),
            FEATURE_SHORT_SLOTS);
    set_off(&side[0], &side[1], many, 4, long_before, long_after, FEATURE_LONG_SLOTS);
}

/* ---- rate and uneven work -------------------------------------------------------------------- */

static double product_of(const struct time_point *point, enum time_input input, const char *cause)
{
    double product = 1;
    for (int f = 0; f < point->count; f++)
        if (point->feature[f].input == input && (!cause || !strcmp(point->feature[f].cause, cause)))
            product *= point->feature[f].value;
    return product;
}

/* While some SMs are idle the others share the rate of device memory: uneven work costs less than
 * the busiest SM says, and the rate looks higher. As far as both changes offset each other, both
 * are taken out of `after`, whose time stays the same. */
static void set_off_rate(const struct time_point *before, struct time_point *after)
{
    const double evener = log(product_of(before, FEATURE_UNEVEN, NULL) /
                              product_of(after, FEATURE_UNEVEN, NULL)),
                 faster = log(product_of(after, FEATURE_DRAM_RATE, NULL) /
                              product_of(before, FEATURE_DRAM_RATE, NULL));
    if (!(evener * faster < 0)) return;
    const double common = fabs(evener) < fabs(faster) ? evener : -faster;
    for (int f = 0; f < after->count; f++) {
        struct time_feature *feature = &after->feature[f];
        if (feature->input == FEATURE_DRAM_RATE) feature->value *= exp(common);
        if (feature->input != FEATURE_UNEVEN) continue;
        const double was = product_of(before, FEATURE_UNEVEN, feature->cause);
        feature->value *= pow(was / feature->value, common / evener);
    }
}

/* ---- both points ----------------------------------------------------------------------------- */

/* Bytes in flight are a cause only if they are known on both sides. */
static void fit(struct time_point side[2])
{
    const int known[2] = {value_of(&side[0], FEATURE_BYTES_PER_WAIT) > 0,
                          value_of(&side[1], FEATURE_BYTES_PER_WAIT) > 0};
    const int saturated = time_model_saturated(&side[0]) && time_model_saturated(&side[1]);
    for (int s = 0; s < 2; s++) {
        if (known[s] && !known[1 - s]) join_waits(&side[s]);
        if (saturated)
            time_model_account(&side[s]);
        else
            time_model_fit(&side[s]);
    }
    if (saturated)
        set_off_rate(&side[0], &side[1]);
    else
        set_off_waits(side);
}

static int has_features(const struct time_point side[2], struct cause_group *change)
{
    for (int s = 0; s < 2; s++)
        for (int f = 0; f < side[s].count; f++)
            if (cause_group_has(change, side[s].feature[f].cause)) return 1;
    return 0;
}

static void add(struct counterfactual *result, const struct record *cause, double saved_ns)
{
    if (!cause || result->count == COUNTERFACTUAL_ROWS) return;
    result->row[result->count++] =
        (struct counterfactual_row){cause, record_field(cause, "within"), saved_ns};
}

void counterfactual_make(struct counterfactual *result, const struct records *records,
                         const struct time_point *before, const struct time_point *after)
{
    struct time_point side[2] = {*before, *after};
    struct cause_group residual = {records, "residual", 0};
    memset(result, 0, sizeof *result);
    fit(side);
    const double whole_ns[2] = {time_model_ns(&side[0], NULL, NULL, NULL),
                                time_model_ns(&side[1], NULL, NULL, NULL)};
    const double whole = whole_ns[0] - whole_ns[1],
                 unexplained = saved_alone(side, whole_ns, &residual);
    double sum = 0;
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        struct cause_group change = {records, record->name, record_field(record, "within") != NULL};
        if (record->kind != RECORD_CAUSE || !strcmp(record->name, "residual") ||
            !has_features(side, &change))
            continue;
        const double saved = saved_alone(side, whole_ns, &change);
        add(result, record, saved);
        if (!record_field(record, "within")) sum += saved;
    }
    const double change = before->time_ns - after->time_ns;
    add(result, records_find(records, RECORD_CAUSE, "interaction"), whole - unexplained - sum);
    add(result, records_find(records, RECORD_CAUSE, "residual"), change - whole + unexplained);
}

#include "explain/ablation_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"
#include "base/string_set.h"
#include "base/text.h"

/* ---- factors --------------------------------------------------------------------------------- */

struct setting {
    const char *name, *value;
    int name_length, value_length;
};

/* The next "name=value" of a list of them; 0 at its end. Words without '=' are passed over. */
static int next_setting(const char **list, struct setting *setting)
{
    for (;;) {
        const char *word = *list + strspn(*list, " ");
        const size_t length = strcspn(word, " "), name = strcspn(word, "= ");
        if (length == 0) return 0;
        *list = word + length;
        if (name == 0 || name == length) continue;
        *setting = (struct setting){word, word + name + 1, (int)name, (int)(length - name - 1)};
        return 1;
    }
}

static int is_value(const struct setting *setting, const char *value)
{
    return setting->value_length == (int)strlen(value) &&
           !strncmp(setting->value, value, strlen(value));
}

/* Every factor that a variant of the family names, in the order in which they come. */
struct names {
    int count;
    struct name {
        char *name;
        char *first; /* value in the first variant that names it */
        char *other; /* a value that is neither 0 nor 1 */
        int varies;
    } * name;
};

static int add_name(struct names *names, const struct setting *setting)
{
    struct name *name = NULL;
    for (int i = 0; i < names->count && !name; i++)
        if ((int)strlen(names->name[i].name) == setting->name_length &&
            !strncmp(names->name[i].name, setting->name, (size_t)setting->name_length))
            name = &names->name[i];
    if (!name) {
        struct name *grown = realloc(names->name, (size_t)(names->count + 1) * sizeof *grown);
        if (!grown) return error_memory();
        names->name = grown;
        name = &grown[names->count++];
        *name = (struct name){.name = strndup(setting->name, (size_t)setting->name_length),
                              .first = strndup(setting->value, (size_t)setting->value_length)};
        if (!name->name || !name->first) return error_memory();
    }
    if (!is_value(setting, name->first)) name->varies = 1;
    if (!name->other && !is_value(setting, "0") && !is_value(setting, "1")) {
        name->other = strndup(setting->value, (size_t)setting->value_length);
        if (!name->other) return error_memory();
    }
    return 0;
}

static int collect_names(void *context, const struct scope *row)
{
    const char *list = row->value[1];
    struct setting setting;
    int result = 0;
    while (!result && next_setting(&list, &setting)) result = add_name(context, &setting);
    return result;
}

static void variant_names_free(struct names *names)
{
    for (int i = 0; i < names->count; i++) {
        free(names->name[i].name);
        free(names->name[i].first);
        free(names->name[i].other);
    }
    free(names->name);
}

static int impossible(struct grid *grid, char *why)
{
    if (grid->impossible)
        free(why);
    else
        grid->impossible = why;
    return grid->impossible ? 0 : error_memory();
}

/* Factors beyond the most that there can be are counted, not kept. */
static int choose_factors(struct grid *grid, const struct names *names)
{
    int varying = 0, result = 0;
    for (int i = 0; i < names->count && !result; i++) {
        const struct name *name = &names->name[i];
        if (!name->varies) continue;
        if (name->other)
            result =
                impossible(grid, text_new("%s=%s is neither 0 nor 1", name->name, name->other));
        if (varying++ >= FACTORIAL_MOST || result) continue;
        grid->factor[grid->factors] = strdup(name->name);
        if (!grid->factor[grid->factors]) return error_memory();
        grid->factors++;
    }
    if (!result && varying > FACTORIAL_MOST)
        result = impossible(
            grid, text_new("%d factors, of which at most %d can be held against each other",
                           varying, FACTORIAL_MOST));
    return result;
}

/* The cell that a list of factors is; -1 where it does not name them all. */
static int find_cell(const struct grid *grid, const char *list)
{
    unsigned cell = 0, named = 0;
    struct setting setting;
    while (next_setting(&list, &setting))
        for (int f = 0; f < grid->factors; f++) {
            if ((int)strlen(grid->factor[f]) != setting.name_length ||
                strncmp(grid->factor[f], setting.name, (size_t)setting.name_length))
                continue;
            named |= 1u << f;
            if (is_value(&setting, "1")) cell |= 1u << f;
        }
    return named == (1u << grid->factors) - 1 ? (int)cell : -1;
}

static int place_variant(void *context, const struct scope *row)
{
    struct grid *grid = context;
    const int at = find_cell(grid, row->value[1]);
    if (at < 0) return 0;
    struct grid_cell *cell = &grid->cell[at];
    if (cell->variant)
        return impossible(
            grid, text_new("%s and %s have the same factors", cell->variant, row->value[0]));
    cell->variant = strdup(row->value[0]);
    return cell->variant ? 0 : error_memory();
}

int grid_open(struct grid *grid, struct query *query, const char *family)
{
    static const char variants[] = "SELECT variant, factors FROM variants WHERE family = :family "
                                   "AND factors IS NOT NULL ORDER BY rung, variant";
    static const char *const key = "family";
    const struct scope scope = {NULL, 1, &key, &family};
    struct names names = {.count = 0};
    memset(grid, 0, sizeof *grid);
    grid->family = strdup(family);
    int result = grid->family ? query_each(query, NULL, variants, &scope, collect_names, &names)
                              : error_memory();
    if (!result) result = choose_factors(grid, &names);
    if (!result && grid->factors > 0 && !grid->impossible)
        result = query_each(query, NULL, variants, &scope, place_variant, grid);
    variant_names_free(&names);
    if (result) grid_close(grid);
    return result;
}

/* ---- times ----------------------------------------------------------------------------------- */

static void clear_times(struct grid *grid)
{
    for (int i = 0; i < FACTORIAL_CELLS; i++) {
        struct grid_cell *cell = &grid->cell[i];
        free(cell->missing);
        free(cell->sample);
        *cell = (struct grid_cell){.variant = cell->variant, .time_ns = NAN, .floor_pct = NAN};
    }
}

void grid_close(struct grid *grid)
{
    clear_times(grid);
    for (int i = 0; i < FACTORIAL_CELLS; i++) free(grid->cell[i].variant);
    for (int f = 0; f < grid->factors; f++) free(grid->factor[f]);
    free(grid->family);
    free(grid->impossible);
    memset(grid, 0, sizeof *grid);
}

/* The key of a point as texts; whole numbers without zeros in front, as foreign files may have
 * them. */
static void point_key(const char *key[5], const char *const *cell)
{
    for (int i = 0; i < 5; i++) {
        key[i] = cell[i];
        while (i > 2 && *key[i] == '0' && key[i][1]) key[i]++;
    }
}

static int add_wanted(void *context, const struct scope *row)
{
    return string_set_add(context, row->value, 5);
}

/* The good samples of wanted points. */
static int is_wanted(void *context, const struct table_rows *row)
{
    enum { KIND = 6, COPY = 7, STATUS = 11 };
    const char *const *cell = (const char *const *)row->reader.cell, *key[5];
    if (strcmp(cell[KIND], "end_to_end") || strcmp(cell[COPY], "a") || strcmp(cell[STATUS], "ok"))
        return 0;
    point_key(key, cell);
    return string_set_has(context, key, 5);
}

/* Of cells in their best settings: no others are asked for. */
int grid_make_samples(struct query *query)
{
    static const char
        wanted_sql[] =
            "SELECT m.family, m.variant, m.size, m.block, m.sweep FROM metrics m JOIN variants v "
            "USING (family, variant) WHERE v.factors IS NOT NULL AND m.best = 1",
        samples_sql[] = "CREATE TABLE ablation_samples AS SELECT s.family, s.variant, s.size, "
                        "s.block, s.sweep, s.round, s.time_ns FROM samples s JOIN variants v USING"
                        " (family, variant) WHERE s.time_ns > 0 AND s.l2 = CASE v.kind WHEN 'cpu' "
                        "THEN 'warm' ELSE 'cold' END;"
                        "CREATE INDEX ablation_samples_key ON ablation_samples(family, variant, "
                        "size, block, sweep);"
                        "CREATE INDEX IF NOT EXISTS points_key ON points(family, variant)";
    struct string_set wanted = {NULL};
    int result = query_each(query, NULL, wanted_sql, NULL, add_wanted, &wanted);
    if (!result) result = query_load_some(query, TABLE_SAMPLES, is_wanted, &wanted);
    string_set_free(&wanted);
    return result ? result : query_write(query, "%s", samples_sql);
}

static int add_sample(void *context, const struct scope *row)
{
    struct grid_cell *cell = context;
    if (cell->count == cell->capacity) {
        const int capacity = cell->capacity ? 2 * cell->capacity : 64;
        struct grid_sample *sample = realloc(cell->sample, (size_t)capacity * sizeof *sample);
        if (!sample) return error_memory();
        cell->sample = sample;
        cell->capacity = capacity;
    }
    cell->sample[cell->count++] =
        (struct grid_sample){strtod(row->value[0], NULL), (int)strtol(row->value[1], NULL, 10)};
    return 0;
}

struct cell_read {
    struct query *query;
    struct grid_cell *cell;
};

/* Columns: time_ns, floor_pct and the keys. */
static int add_time(void *context, const struct scope *row)
{
    struct cell_read *read = context;
    read->cell->time_ns = strtod(row->value[0], NULL);
    if (row->value[1]) read->cell->floor_pct = strtod(row->value[1], NULL);
    return query_each(read->query, NULL,
                      "SELECT time_ns, round FROM ablation_samples WHERE family = :family AND "
                      "variant = :variant AND size = :size AND "
                      "block = CAST(:block AS INTEGER) AND sweep = CAST(:sweep AS INTEGER) ORDER "
                      "BY time_ns, round",
                      row, add_sample, read->cell);
}

static int read_cell(struct query *query, struct grid_cell *cell, const struct scope *scope)
{
    struct cell_read read = {query, cell};
    int result = query_each(query, NULL,
                            "SELECT time_ns, floor_pct, block, sweep FROM metrics WHERE family = "
                            ":family AND variant = :variant AND size = :size "
                            "AND best = 1 AND time_ns > 0 ORDER BY time_ns, block, sweep LIMIT 1",
                            scope, add_time, &read);
    if (!result && isnan(cell->time_ns))
        result = query_text(query, NULL,
                            "SELECT status || coalesce(': ' || reason, '') FROM points WHERE "
                            "family = :family AND variant = :variant AND size = "
                            ":size AND status <> 'ok' ORDER BY block, sweep LIMIT 1",
                            scope, &cell->missing);
    if (!result && isnan(cell->time_ns) && !cell->missing) {
        cell->missing = strdup("it was not measured");
        if (!cell->missing) result = error_memory();
    }
    return result;
}

int grid_read(struct grid *grid, struct query *query, const char *size)
{
    static const char *const keys[] = {"family", "variant", "size"};
    int result = 0;
    clear_times(grid);
    for (int i = 0; i < 1 << grid->factors && !result; i++) {
        struct grid_cell *cell = &grid->cell[i];
        const char *const values[] = {grid->family, cell->variant, size};
        const struct scope scope = {NULL, 3, keys, values};
        if (cell->variant) {
            result = read_cell(query, cell, &scope);
        } else {
            cell->missing = strdup("there is no such variant");
            if (!cell->missing) result = error_memory();
        }
    }
    return result;
}

void grid_values(const struct grid *grid, double *value)
{
    for (int i = 0; i < 1 << grid->factors; i++) value[i] = -log(grid->cell[i].time_ns);
}

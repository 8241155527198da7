#include "explain/ablation_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "explain/ablation_grid.sql.h"

int grid_make_tables(struct query *query)
{
    const int result = query_load(query, TABLE_SAMPLES);
    return result ? result : query_write(query, "%s", ablation_grid_sql);
}

/* ---- factors --------------------------------------------------------------------------------- */

/* The first reason counts. */
static int impossible(struct grid *grid, char *why)
{
    if (grid->impossible)
        free(why);
    else
        grid->impossible = why;
    return grid->impossible ? 0 : error_memory();
}

/* Columns: name, other, the number of factors. */
static int add_factor(void *context, const struct scope *row)
{
    struct grid *grid = context;
    const char *name = row->value[0], *other = row->value[1], *count = row->value[2];
    if (other && impossible(grid, text_new("%s=%s is neither 0 nor 1", name, other)))
        return error_memory();
    if (grid->factors == FACTORIAL_MOST)
        return impossible(
            grid, text_new("%s factors; at most %d can be compared", count, FACTORIAL_MOST));
    grid->factor[grid->factors] = strdup(name);
    return grid->factor[grid->factors++] ? 0 : error_memory();
}

/* Columns: cell, variant. */
static int place_variant(void *context, const struct scope *row)
{
    struct grid *grid = context;
    struct grid_cell *cell = &grid->cell[strtol(row->value[0], NULL, 10)];
    if (cell->variant)
        return impossible(
            grid, text_new("%s and %s have the same factors", cell->variant, row->value[1]));
    cell->variant = strdup(row->value[1]);
    return cell->variant ? 0 : error_memory();
}

int grid_open(struct grid *grid, struct query *query, const char *family)
{
    static const char factors[] = "SELECT name, other, count(*) OVER () FROM ablation_factor "
                                  "WHERE family = :family ORDER BY bit";
    static const char variants[] =
        "SELECT cell, variant FROM ablation_cell WHERE family = :family ORDER BY nth";
    static const char *const key = "family";
    const struct scope scope = {NULL, 1, &key, &family};
    memset(grid, 0, sizeof *grid);
    grid->family = strdup(family);
    int result =
        grid->family ? query_each(query, NULL, factors, &scope, add_factor, grid) : error_memory();
    if (!result && grid->factors > 0 && !grid->impossible)
        result = query_each(query, NULL, variants, &scope, place_variant, grid);
    if (result) grid_close(grid);
    return result;
}

/* ---- times ----------------------------------------------------------------------------------- */

static void clear_times(struct grid *grid)
{
    for (int i = 0; i < FACTORIAL_CELLS; i++) {
        struct grid_cell *cell = &grid->cell[i];
        free(cell->missing);
        free(cell->sample_ns);
        free(cell->round);
        *cell = (struct grid_cell){.variant = cell->variant, .time_ns = NAN, .floor_pct = NAN};
    }
    grid->rounds = 0;
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

/* Columns: cell, time, floor, the reason if the time is missing. */
static int add_time(void *context, const struct scope *row)
{
    struct grid_cell *cell = &((struct grid *)context)->cell[strtol(row->value[0], NULL, 10)];
    if (row->value[1]) cell->time_ns = strtod(row->value[1], NULL);
    if (row->value[2]) cell->floor_pct = strtod(row->value[2], NULL);
    if (row->value[3]) cell->missing = strdup(row->value[3]);
    return row->value[3] && !cell->missing ? error_memory() : 0;
}

/* Columns: cell, time, round. */
static int add_sample(void *context, const struct scope *row)
{
    struct grid *grid = context;
    struct grid_cell *cell = &grid->cell[strtol(row->value[0], NULL, 10)];
    if (cell->count == cell->capacity) {
        const size_t capacity = cell->capacity ? 2 * (size_t)cell->capacity : 64;
        double *sample_ns = realloc(cell->sample_ns, capacity * sizeof *sample_ns);
        if (sample_ns) cell->sample_ns = sample_ns;
        int *round = realloc(cell->round, capacity * sizeof *round);
        if (round) cell->round = round;
        if (!sample_ns || !round) return error_memory();
        cell->capacity = (int)capacity;
    }
    const int round = (int)strtol(row->value[2], NULL, 10);
    cell->sample_ns[cell->count] = strtod(row->value[1], NULL);
    cell->round[cell->count++] = round;
    if (round >= grid->rounds) grid->rounds = round + 1;
    return 0;
}

int grid_read(struct grid *grid, struct query *query, const char *size)
{
    static const char times[] =
        "SELECT c.cell, t.time_ns, t.floor_pct, CASE WHEN t.time_ns IS NULL THEN coalesce((SELECT "
        "status || coalesce(': ' || reason, '') FROM points p WHERE p.family = c.family AND "
        "p.variant = c.variant AND p.size = :size AND status <> 'ok' ORDER BY block, sweep "
        "LIMIT 1), 'it was not measured') END FROM ablation_cell c LEFT JOIN ablation_time t ON "
        "t.family = c.family AND t.variant = c.variant AND t.size = :size "
        "WHERE c.family = :family";
    static const char samples[] = "SELECT cell, time_ns, round FROM ablation_sample "
                                  "WHERE family = :family AND size = :size ORDER BY cell, time_ns";
    static const char *const keys[] = {"family", "size"};
    const char *const values[] = {grid->family, size};
    const struct scope scope = {NULL, 2, keys, values};
    clear_times(grid);
    int result = query_each(query, NULL, times, &scope, add_time, grid);
    if (!result) result = query_each(query, NULL, samples, &scope, add_sample, grid);
    for (int i = 0; i < 1 << grid->factors && !result; i++) {
        if (grid->cell[i].variant) continue;
        grid->cell[i].missing = strdup("no variant has this setting");
        if (!grid->cell[i].missing) result = error_memory();
    }
    return result;
}

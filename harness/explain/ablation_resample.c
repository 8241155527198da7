#include "explain/ablation_resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"

/* As for other intervals of medians: fewer than six samples say too little. */
int grid_can_resample(const struct grid *grid)
{
    enum { LEAST = 6, MOST = 65535 };
    for (int i = 0; i < 1 << grid->factors; i++)
        if (!grid->cell[i].missing && (grid->cell[i].count < LEAST || grid->cell[i].count > MOST))
            return 0;
    return 1;
}

static int compare_rounds(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The rounds of a cell, ascending, each once; how many. */
static int list_rounds(const struct grid_cell *cell, int *round)
{
    int count = 0;
    for (int i = 0; i < cell->count; i++) round[i] = cell->sample[i].round;
    if (cell->count > 0) qsort(round, (size_t)cell->count, sizeof *round, compare_rounds);
    for (int i = 0; i < cell->count; i++)
        if (i == 0 || round[i] != round[i - 1]) round[count++] = round[i];
    return count;
}

/* Keeps of the ascending list `common` what the ascending list `round` has, too; how many are
 * left. */
static int intersect(int *common, int common_count, const int *round, int round_count)
{
    int kept = 0;
    for (int i = 0, k = 0; i < common_count; i++) {
        while (k < round_count && round[k] < common[i]) k++;
        if (k < round_count && round[k] == common[i]) common[kept++] = common[i];
    }
    return kept;
}

/* The common rounds, ascending, which the caller frees; NULL when memory is short. */
static int *find_common(const struct grid *grid, int *count)
{
    int most = 1, seen = 0;
    for (int i = 0; i < 1 << grid->factors; i++)
        if (grid->cell[i].count > most) most = grid->cell[i].count;
    int *common = malloc((size_t)most * sizeof *common),
        *round = malloc((size_t)most * sizeof *round);
    *count = 0;
    for (int i = 0; common && round && i < 1 << grid->factors; i++) {
        const struct grid_cell *cell = &grid->cell[i];
        if (cell->missing) continue;
        const int rounds = list_rounds(cell, seen ? round : common);
        *count = seen++ ? intersect(common, *count, round, rounds) : rounds;
    }
    if (!round) {
        free(common);
        common = NULL;
    }
    free(round);
    return common;
}

int grid_draws_open(struct grid_draws *draws, const struct grid *grid)
{
    int result = 0;
    memset(draws, 0, sizeof *draws);
    draws->grid = grid;
    int *common = find_common(grid, &draws->common);
    draws->round_drawn = calloc((size_t)draws->common + 1, sizeof *draws->round_drawn);
    if (!common || !draws->round_drawn) result = error_memory();
    for (int i = 0; i < 1 << grid->factors && !result; i++) {
        const struct grid_cell *cell = &grid->cell[i];
        const size_t count = (size_t)cell->count + 1;
        draws->slot[i] = malloc(count * sizeof *draws->slot[i]);
        draws->sorted[i] = malloc(count * sizeof *draws->sorted[i]);
        draws->drawn[i] = malloc(count * sizeof *draws->drawn[i]);
        draws->alone[i] = malloc(count * sizeof *draws->alone[i]);
        if (!draws->alone[i] || !draws->slot[i] || !draws->sorted[i] || !draws->drawn[i])
            result = error_memory();
        for (int k = 0; k < cell->count && !result; k++) {
            const int *found = bsearch(&cell->sample[k].round, common, (size_t)draws->common,
                                       sizeof *common, compare_rounds);
            draws->slot[i][k] = found ? (int)(found - common) : -1;
            draws->sorted[i][k] = cell->sample[k].time_ns;
        }
    }
    free(common);
    if (result) grid_draws_close(draws);
    return result;
}

void grid_draws_close(struct grid_draws *draws)
{
    for (int i = 0; i < FACTORIAL_CELLS; i++) {
        free(draws->slot[i]);
        free(draws->sorted[i]);
        free(draws->drawn[i]);
        free(draws->alone[i]);
    }
    free(draws->round_drawn);
    memset(draws, 0, sizeof *draws);
}

/* How often each sample of a cell is in the resample: as often as its round, or as it was itself
 * drawn among those outside of the common rounds. */
static void draw_cell(struct grid_draws *draws, int at, uint64_t *random)
{
    const int count = draws->grid->cell[at].count, *slot = draws->slot[at];
    unsigned short *drawn = draws->drawn[at];
    int *alone = draws->alone[at], own = 0;
    for (int k = 0; k < count; k++) {
        drawn[k] = slot[k] < 0 ? 0 : draws->round_drawn[slot[k]];
        if (slot[k] < 0) alone[own++] = k;
    }
    for (int k = 0; k < own; k++) drawn[alone[stats_draw(random, (size_t)own)]]++;
}

void grid_resample(struct grid_draws *draws, uint64_t *random, double *value)
{
    for (int k = 0; k < draws->common; k++) draws->round_drawn[k] = 0;
    for (int k = 0; k < draws->common; k++)
        draws->round_drawn[stats_draw(random, (size_t)draws->common)]++;
    for (int i = 0; i < 1 << draws->grid->factors; i++) {
        const struct grid_cell *cell = &draws->grid->cell[i];
        value[i] = NAN;
        if (cell->missing) continue;
        draw_cell(draws, i, random);
        value[i] =
            -log(stats_counted_median(draws->sorted[i], draws->drawn[i], (size_t)cell->count));
    }
}

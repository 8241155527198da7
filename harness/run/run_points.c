#include "run/run_points.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "run/table_rows.h"

enum { STATUS = POINT_KEY_COLUMNS };

/* Adds the point of a row if it was verified. */
static int add_row(struct selection *selection, const struct csv_reader *row)
{
    char **cell = row->cell;
    if (strcmp(cell[STATUS], "ok")) return 0;
    const struct point_key key = {cell[0], cell[1], cell[2], (int)strtol(cell[3], NULL, 10),
                                  (int)strtol(cell[4], NULL, 10)};
    struct selected selected = {.family = registry_family(key.family),
                                .variant = registry_variant(key.family, key.variant),
                                .point = {.block = key.block, .sweep = key.sweep}};
    if (!selected.family || !selected.variant)
        return error(FAIL_INPUT, "%s:%d: this program carries no variant %s/%s", row->path,
                     row->line, key.family, key.variant);
    if (shape_parse(&selected.point.shape, key.size, selected.family->rank))
        return error(FAIL_INPUT, "%s:%d: expected a size", row->path, row->line);
    return selection_add(selection, &selected);
}

int selection_of_run(struct selection *selection, const struct run *run)
{
    struct table_rows rows;
    memset(selection, 0, sizeof *selection);
    int result = table_rows_open(&rows, run, TABLE_POINTS);
    if (result) return result;
    while (!result && (result = table_rows_next(&rows)) > 0)
        result = add_row(selection, &rows.reader);
    table_rows_close(&rows);
    if (result) selection_free(selection);
    return result;
}

#include "run/run_points.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/message.h"
#include "catalog/point_key.h"

enum { STATUS = POINT_KEY_COLUMNS };

struct points {
    struct selection *selection;
    int width; /* of the header */
};

/* Adds the point of a row if it was verified. Earlier runs lack the later columns. */
static int add_row(void *context, const struct csv_reader *reader)
{
    struct points *points = context;
    char **cell = reader->cell;
    if (reader->line == 1) points->width = reader->count;
    if (reader->count != points->width || reader->count <= STATUS)
        return error(FAIL_INPUT, "%s:%d: %d cells; expected %d", reader->path, reader->line,
                     reader->count,
                     points->width > STATUS ? points->width : table_width(&tables[TABLE_POINTS]));
    if (strcmp(cell[STATUS], "ok")) return 0;
    const struct point_key key = {cell[0], cell[1], cell[2], (int)strtol(cell[3], NULL, 10),
                                  (int)strtol(cell[4], NULL, 10)};
    struct selected selected = {.family = registry_family(key.family),
                                .variant = registry_variant(key.family, key.variant),
                                .point = {.block = key.block, .sweep = key.sweep}};
    if (!selected.family || !selected.variant)
        return error(FAIL_INPUT, "%s:%d: this program carries no variant %s/%s", reader->path,
                     reader->line, key.family, key.variant);
    if (shape_parse(&selected.point.shape, key.size, selected.family->rank))
        return error(FAIL_INPUT, "%s:%d: expected a size", reader->path, reader->line);
    return selection_add(points->selection, &selected);
}

int selection_of_run(struct selection *selection, const struct run *run)
{
    struct points points = {.selection = selection};
    memset(selection, 0, sizeof *selection);
    char *path = run_file(run, "points.csv");
    const int result = path ? csv_each(path, add_row, &points) : FAIL_OUTPUT;
    free(path);
    if (result) selection_free(selection);
    return result;
}

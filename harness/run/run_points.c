#include "run/run_points.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/message.h"

enum { STATUS = 5 }; /* the column behind those that name a point */

/* One row of points.csv: family, variant, size, block, sweep, status, ... Earlier runs lack
 * later columns: as many cells as the header has. */
static int add_row(struct selection *selection, const struct csv_reader *reader, int width)
{
    if (reader->count != width || width < STATUS + 1)
        return error(FAIL_INPUT, "%s:%d: %d cells; expected %d", reader->path, reader->line,
                     reader->count, width > STATUS ? width : table_width(&tables[TABLE_POINTS]));
    if (strcmp(reader->cell[STATUS], "ok")) return 0;
    struct selected selected = {.family = registry_family(reader->cell[0]),
                                .variant = registry_variant(reader->cell[0], reader->cell[1])};
    if (!selected.family || !selected.variant)
        return error(FAIL_INPUT, "%s:%d: this program carries no variant %s/%s", reader->path,
                     reader->line, reader->cell[0], reader->cell[1]);
    if (shape_parse(&selected.point.shape, reader->cell[2], selected.family->rank))
        return error(FAIL_INPUT, "%s:%d: expected a size", reader->path, reader->line);
    selected.point.block = (int)strtol(reader->cell[3], NULL, 10);
    selected.point.sweep = (int)strtol(reader->cell[4], NULL, 10);
    return selection_add(selection, &selected);
}

int selection_of_run(struct selection *selection, const struct run *run)
{
    struct csv_reader reader;
    memset(selection, 0, sizeof *selection);
    char *path = run_file(run, "points.csv");
    int result = path ? csv_open(&reader, path) : FAIL_OUTPUT;
    if (!result) {
        int more = csv_next(&reader); /* the header */
        const int width = reader.count;
        while (more > 0 && !result && (more = csv_next(&reader)) > 0)
            result = add_row(selection, &reader, width);
        if (more < 0) result = more;
        csv_close(&reader);
    }
    free(path);
    if (result) selection_free(selection);
    return result;
}

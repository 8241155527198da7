#include "evaluate/nvtx_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "catalog/registry.h"
#include "run/nvtx.h"

/* Reads "1024x1024x1024". A malformed size has no dimensions: a mark cannot report it. */
static struct shape shape_of(const char *text)
{
    struct shape shape = {0};
    char *end;
    for (; shape.rank < SHAPE_RANK; text = end + 1) {
        shape.dim[shape.rank] = strtoull(text, &end, 10);
        if (end == text) break;
        shape.rank++;
        if (*end != 'x') break;
    }
    return shape;
}

static uint32_t colour_of(const char *kind, const char *variant)
{
    return rung_colour_colour(!strcmp(kind, "cpu")       ? PALETTE_CPU
                              : !strcmp(kind, "library") ? PALETTE_LIBRARY
                                                         : variant_rung(variant));
}

enum { VALUES = 5 };

/* Columns: family, variant, kind, size, block, sweep, useful_bytes, and the values of struct
 * nvtx_result. */
static int announce_row(void *context, const struct scope *row)
{
    const char *const *cell = row->value;
    double value[VALUES];
    (void)context;
    for (int i = 0; i < VALUES; i++) value[i] = row_number(row, 6 + i);
    const struct nvtx_point point = {
        .family = cell[0],
        .variant = cell[1],
        .colour = colour_of(cell[2], cell[1]),
        .point = {.shape = shape_of(cell[3]),
                  .block = (int)row_integer(row, 4),
                  .sweep = (int)row_integer(row, 5)},
        .useful_bytes = value[0],
    };
    nvtx_result(&point, &(struct nvtx_result){value[1], value[2], value[3], value[4]});
    return 0;
}

/* Appends the median of a metric, or NULL if the records do not have it. */
static void add_column(struct text *sql, const struct records *records, const char *name)
{
    const int known =
        records_find(records, RECORD_METRIC, name) || records_find(records, RECORD_FACT, name);
    text_format(sql, known ? ", median(m.%s)" : ", NULL AS %s", name);
}

int nvtx_results_announce(struct query *query, const struct records *records)
{
    struct text sql = {0};
    if (!nvtx_listening()) return 0;
    text_append(&sql, "SELECT m.family, m.variant, v.kind, m.size, m.block, m.sweep");
    add_column(&sql, records, "useful_bytes");
    add_column(&sql, records, "time_ns");
    add_column(&sql, records, "effective_gbs");
    add_column(&sql, records, "shared_excess_wavefronts");
    add_column(&sql, records, "shared_conflicts_hw");
    text_append(
        &sql,
        " FROM m JOIN variants v ON v.family = m.family AND v.variant = m.variant WHERE m.best"
        " GROUP BY " POINT_KEY_OF("m.") " ORDER BY m.family, m.size, "
                                        "m.variant, m.block");
    const int result = sql.failed
                           ? error_memory()
                           : query_each(query, NULL, text_string(&sql), NULL, announce_row, NULL);
    text_free(&sql);
    return result;
}

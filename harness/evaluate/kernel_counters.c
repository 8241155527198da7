#include "evaluate/kernel_counters.h"

#include <stdlib.h>

#include "base/message.h"
#include "base/stats.h"

struct writing {
    const struct counter_rows *counters;
    struct csv_writer writer;
    double *value; /* `capacity` for each column */
    size_t *known; /* of each column */
    size_t capacity;
};

/* Collects the values of a launch by column, one for each repeat. */
static int collect_values(struct writing *writing, int64_t point, int64_t launch)
{
    const struct counter_rows *counters = writing->counters;
    const size_t columns = (size_t)counters->columns, from = counter_rows_find(counters, point, 0);
    size_t to = from;
    while (to < counters->count && counters->row[to].point == point) to++;
    if (to - from > writing->capacity) {
        double *grown = realloc(writing->value, (to - from) * (columns + 1) * sizeof *grown);
        if (!grown) return error_memory();
        writing->value = grown;
        writing->capacity = to - from;
    }
    for (size_t i = from; i < to; i++) {
        const struct counter_row *row = &counters->row[i];
        if (row->launch == launch && row->column >= 0 && row->value == row->value)
            writing
                ->value[(size_t)row->column * writing->capacity + writing->known[row->column]++] =
                row->value;
    }
    return 0;
}

/* Columns: kernel, launch, and its point, NULL unless the kernel is alone in its launch. */
static int write_kernel(void *context, const struct scope *row)
{
    struct writing *writing = context;
    for (int c = 0; c < writing->counters->columns; c++) writing->known[c] = 0;
    const int result = row->value[2] ? collect_values(writing, strtoll(row->value[2], NULL, 10),
                                                      strtoll(row->value[1], NULL, 10))
                                     : 0;
    csv_text(&writing->writer, row->value[0]);
    for (int c = 0; c < writing->counters->columns && !result; c++) {
        double *value = writing->value + (size_t)c * writing->capacity;
        stats_sort(value, writing->known[c]);
        csv_number(&writing->writer, stats_quantile(value, writing->known[c], 0.5));
    }
    csv_end(&writing->writer);
    return result;
}

int kernel_counters_write(struct query *query, const struct counter_rows *counters,
                          struct atomic_files *group)
{
    static const char kernels[] =
        "SELECT k.kernel, k.launch, CASE WHEN count(*) OVER (PARTITION BY k.family, k.variant, "
        "k.size, k.block, k.sweep, k.launch) = 1 THEN p.rowid END FROM kernels k LEFT JOIN points "
        "p USING (family, variant, size, block, sweep) ORDER BY k.kernel";
    const size_t columns = (size_t)counters->columns;
    struct writing writing = {.counters = counters, .capacity = 1};
    writing.value = calloc(columns + 1, sizeof *writing.value);
    writing.known = calloc(columns + 1, sizeof *writing.known);
    int result = writing.value && writing.known ? query_load(query, TABLE_KERNELS) : error_memory();
    if (!result)
        result = atomic_files_begin(group, query->run->directory, "kernel_counters.csv",
                                    &writing.writer.file);
    if (!result) {
        csv_text(&writing.writer, "kernel");
        for (int c = 0; c < counters->columns; c++)
            csv_text(&writing.writer, counters->record[c]->name);
        csv_end(&writing.writer);
        result = query_each(query, NULL, kernels, NULL, write_kernel, &writing);
    }
    free(writing.value);
    free(writing.known);
    return result;
}

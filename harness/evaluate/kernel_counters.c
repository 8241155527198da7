#include "evaluate/kernel_counters.h"

#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/stats.h"

/* A row of kernels.csv. */
struct counted_kernel {
    int64_t kernel, point, launch;
    int alone; /* no other row is of the same launch */
};

struct counted_kernels {
    int count, capacity;
    struct counted_kernel *kernel;
};

static int compare_launches(const void *a, const void *b)
{
    const struct counted_kernel *x = a, *y = b;
    if (x->point != y->point) return x->point < y->point ? -1 : 1;
    return (x->launch > y->launch) - (x->launch < y->launch);
}

static int compare_kernels(const void *a, const void *b)
{
    const struct counted_kernel *x = a, *y = b;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static int add_kernel(struct counted_kernels *kernels, const struct counted_kernel *kernel)
{
    if (kernels->count == kernels->capacity) {
        const int capacity = kernels->capacity ? 2 * kernels->capacity : 256;
        struct counted_kernel *grown = realloc(kernels->kernel, (size_t)capacity * sizeof *grown);
        if (!grown) return error_memory();
        kernels->kernel = grown;
        kernels->capacity = capacity;
    }
    kernels->kernel[kernels->count++] = *kernel;
    return 0;
}

/* Rows: kernel, the key of its point, launch. */
static int read_kernels(struct counted_kernels *kernels, struct query *query,
                        struct point_index *points)
{
    enum { KERNEL, POINT, LAUNCH = 6 };
    struct table_rows rows;
    int more = 0, result = table_rows_open(&rows, query->run, TABLE_KERNELS);
    if (result) return result;
    rows.keeps = query->keeps;
    rows.context = query->keeps_context;
    while (!result && (more = table_rows_next(&rows)) > 0) {
        char **cell = rows.reader.cell;
        int64_t point;
        result = point_index_find(points, &rows, POINT, &point);
        if (!result)
            result =
                add_kernel(kernels, &(struct counted_kernel){strtoll(cell[KERNEL], NULL, 10), point,
                                                             strtoll(cell[LAUNCH], NULL, 10), 1});
    }
    table_rows_close(&rows);
    if (!result) result = more;
    if (result || kernels->count == 0) return result;
    qsort(kernels->kernel, (size_t)kernels->count, sizeof *kernels->kernel, compare_launches);
    for (int i = 1; i < kernels->count; i++)
        if (!compare_launches(&kernels->kernel[i - 1], &kernels->kernel[i]))
            kernels->kernel[i - 1].alone = kernels->kernel[i].alone = 0;
    qsort(kernels->kernel, (size_t)kernels->count, sizeof *kernels->kernel, compare_kernels);
    return 0;
}

/* The median over the repeats of a launch, rows from `from` on; NAN where there is none. */
static double over_repeats(const struct counter_rows *counters, int from, int count, int64_t launch,
                           int column, double *value)
{
    size_t known = 0;
    for (int i = from; i < from + count; i++) {
        const double one =
            counters
                ->value[(size_t)counters->row[i].at * (size_t)counters->columns + (size_t)column];
        if (counters->row[i].launch == launch && !isnan(one)) value[known++] = one;
    }
    stats_sort(value, known);
    return stats_quantile(value, known, 0.5);
}

static int write_kernels(const struct counted_kernels *kernels, const struct counter_rows *counters,
                         FILE *file)
{
    struct csv_writer writer = {.file = file};
    double *value = malloc(((size_t)counters->count + 1) * sizeof *value);
    if (!value) return error_memory();
    csv_text(&writer, "kernel");
    for (int c = 0; c < counters->columns; c++) csv_text(&writer, counters->record[c]->name);
    csv_end(&writer);
    for (int i = 0; i < kernels->count; i++) {
        const struct counted_kernel *kernel = &kernels->kernel[i];
        int count = 0, from = kernel->alone && kernel->point
                                  ? counter_rows_find(counters, kernel->point, &count)
                                  : 0;
        csv_integer(&writer, kernel->kernel);
        for (int c = 0; c < counters->columns; c++)
            csv_number(&writer, over_repeats(counters, from, count, kernel->launch, c, value));
        csv_end(&writer);
    }
    free(value);
    return 0;
}

int kernel_counters_write(struct query *query, const struct counter_rows *counters,
                          struct point_index *points, struct atomic_files *group)
{
    struct counted_kernels kernels = {0};
    FILE *file;
    int result = read_kernels(&kernels, query, points);
    if (!result)
        result = atomic_files_begin(group, query->run->directory, "kernel_counters.csv", &file);
    if (!result) result = write_kernels(&kernels, counters, file);
    free(kernels.kernel);
    return result;
}

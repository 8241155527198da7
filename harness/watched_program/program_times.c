#include "watched_program/program_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/print_table.h"
#include "base/stats.h"

static const struct print_column columns[] = {
    {.name = "rank", .head = "rank", .kind = PRINT_NUMBER},
    {.name = "launches", .head = "launches", .kind = PRINT_NUMBER},
    {.name = "total_ns", .head = "total", .kind = PRINT_TIME},
    {.name = "median_ns", .head = "median", .kind = PRINT_TIME, .is_apart = 1},
    {.name = "share_pct", .head = "share %", .kind = PRINT_NUMBER, .digits = 1},
    {.name = "kernel", .head = "kernel", .place = PRINT_WORDS},
};

static double median_time(const struct program_kernel *kernel)
{
    double *time = malloc((kernel->launch_count + 1) * sizeof *time);
    if (!time) return NAN;
    for (size_t i = 0; i < kernel->launch_count; i++)
        time[i] = kernel->launch[i].end_ns - kernel->launch[i].begin_ns;
    stats_sort_times(time, kernel->launch_count);
    const double median = stats_quantile(time, kernel->launch_count, 0.5);
    free(time);
    return median;
}

int program_times_print(const struct program_choice *choice, const struct program_names *names)
{
    struct print_table table = {.name = "kernels", PRINT_COLUMNS_OF(columns)};
    const struct terminal screen = {.columns = terminal_of_stdout().columns};
    struct text page = {0};
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    message_level_set(level);
    if (level == MESSAGE_QUIET) return 0;
    for (int k = 0; k < choice->count; k++) {
        const struct program_kernel *kernel = choice->kernel[k];
        const struct program_point *point = program_names_chosen(names, k);
        char name[2 * NAMED_KERNEL];
        snprintf(name, sizeof name, "%s/%s", point->family, point->variant);
        print_table_number(&table, k + 1);
        print_table_number(&table, (double)kernel->launch_count);
        print_table_number(&table, kernel->total_ns);
        print_table_number(&table, median_time(kernel));
        print_table_number(&table, 100 * kernel->total_ns / choice->total_ns);
        print_table_text(&table, name);
    }
    print_table_append(&page, &table, &screen);
    print_table_free(&table);
    return page_print(stderr, &page, 0);
}

#include "lines/annotation_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* The columns of each statement before the metrics. */
enum { SOURCE, LINE, OWN_SOURCE, OWN_LINE, DEPTH, PC, SASS, INLINED_AT, FIRST_METRIC };

/* Copies the row's strings into one piece of memory; copy[i] is the copy of value[i]. */
static char *copy_strings(const struct scope *row, const char **copy)
{
    size_t length = 1;
    for (int i = 0; i < row->count; i++) length += row->value[i] ? strlen(row->value[i]) + 1 : 0;
    char *storage = malloc(length), *p = storage;
    for (int i = 0; i < row->count && storage; i++) {
        copy[i] = row->value[i] ? p : NULL;
        if (row->value[i]) p = stpcpy(p, row->value[i]) + 1;
    }
    return storage;
}

static int number_of(const char *text)
{
    return text ? (int)strtol(text, NULL, 10) : -1;
}

static int add_row(void *context, const struct scope *row)
{
    struct annotation_rows *rows = context;
    const char *copy[FIRST_METRIC + LINE_METRIC_COUNT] = {NULL};
    if (rows->count == rows->capacity) {
        const int capacity = rows->capacity ? 2 * rows->capacity : 64;
        struct annotation_row *grown = realloc(rows->row, (size_t)capacity * sizeof *grown);
        if (!grown) return error_memory();
        rows->row = grown;
        rows->capacity = capacity;
    }
    struct annotation_row *added = &rows->row[rows->count];
    *added = (struct annotation_row){.source = number_of(row->value[SOURCE]),
                                     .line = number_of(row->value[LINE]),
                                     .own_source = number_of(row->value[OWN_SOURCE]),
                                     .own_line = number_of(row->value[OWN_LINE]),
                                     .depth = number_of(row->value[DEPTH]),
                                     .storage = copy_strings(row, copy)};
    if (!added->storage) return error_memory();
    added->pc = copy[PC];
    added->sass = copy[SASS];
    added->inlined_at = copy[INLINED_AT];
    memcpy(added->value, copy + FIRST_METRIC, sizeof added->value);
    rows->count++;
    return 0;
}

int annotation_rows_read(struct annotation_rows *rows, struct query *query, const char *kernel,
                         int are_instructions, int sort)
{
    const struct scope scope = SCOPE_OF(STRINGS("kernel"), STRINGS(kernel));
    struct text sql = {0};
    memset(rows, 0, sizeof *rows);
    text_format(&sql, "SELECT x.source, x.line, %s",
                are_instructions ? "x.own_source, x.own_line, x.depth, x.pc, x.sass, x.inlined_at"
                                 : "NULL, NULL, NULL, NULL, NULL, NULL");
    for (int i = 0; i < LINE_METRIC_COUNT; i++) text_format(&sql, ", x.%s", line_metrics[i].column);
    text_format(&sql,
                " FROM %s x JOIN kernels k ON k.kernel = x.kernel LEFT JOIN source_state s ON "
                "s.source = x.source WHERE x.kernel = :kernel ORDER BY ",
                are_instructions ? "instructions" : "line_sums");
    if (sort >= 0)
        text_format(&sql, "x.%s IS NULL, x.%s DESC, ", line_metrics[sort].column,
                    line_metrics[sort].column);
    text_format(&sql,
                "x.source IS NULL, s.path = 'kernels/' || k.family || '/' || k.variant || '.cu' "
                "DESC, s.path, x.source, x.line%s",
                are_instructions ? ", x.inlined_at, x.depth, x.own_source, x.own_line, x.pc" : "");
    const int result = sql.failed
                           ? error_memory()
                           : query_each(query, NULL, text_string(&sql), &scope, add_row, rows);
    text_free(&sql);
    return result;
}

double annotation_rows_sum(const struct annotation_rows *rows, int metric)
{
    double sum = 0;
    for (int i = 0; i < rows->count; i++)
        if (rows->row[i].value[metric]) sum += strtod(rows->row[i].value[metric], NULL);
    return sum;
}

/* `least` has the value from which a row is hot, for each metric; 0 for one that does not count. */
static int is_hot(const struct annotation_row *row, const double *least)
{
    for (int m = 0; m < LINE_METRIC_COUNT; m++)
        if (least[m] > 0 && row->value[m] && strtod(row->value[m], NULL) >= least[m]) return 1;
    return 0;
}

int annotation_rows_keep_hot(struct annotation_rows *rows, const int *metric, int metric_count,
                             double least_pct)
{
    static const char *const counting[] = {"samples", "excess", "global_excess", "local_sectors"};
    enum { COUNTING = sizeof counting / sizeof *counting };
    double least[LINE_METRIC_COUNT] = {0};
    int hot = 0, kept = 0;
    for (int i = 0; i < COUNTING + metric_count; i++) {
        const int m = i < COUNTING ? line_column_find(counting[i]) : metric[i - COUNTING];
        if (line_metrics[m].adds_up) least[m] = least_pct / 100 * annotation_rows_sum(rows, m);
    }
    for (int i = 0; i < rows->count; i++) hot += is_hot(&rows->row[i], least);
    const int left_out = hot ? rows->count - hot : 0;
    for (int i = 0; i < rows->count && left_out; i++)
        if (is_hot(&rows->row[i], least))
            rows->row[kept++] = rows->row[i];
        else
            free(rows->row[i].storage);
    if (left_out) rows->count = kept;
    return left_out;
}

void annotation_rows_free(struct annotation_rows *rows)
{
    for (int i = 0; i < rows->count; i++) free(rows->row[i].storage);
    free(rows->row);
    memset(rows, 0, sizeof *rows);
}

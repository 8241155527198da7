#include "lines/annotation_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* ---- rows ------------------------------------------------------------------------------------ */

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

/* Reads rows of a view. The variant's own file comes first, then the others by path; rows without a
 * line come last. */
static int read_rows(struct annotation_rows *rows, struct query *query, const char *kernel,
                     const char *view, const char *columns, int sort, const char *last)
{
    const char *const name = "kernel";
    const struct scope scope = {NULL, 1, &name, &kernel};
    struct text sql = {0};
    memset(rows, 0, sizeof *rows);
    text_format(&sql, "SELECT x.source, x.line, %s", columns);
    for (int i = 0; i < LINE_METRIC_COUNT; i++) text_format(&sql, ", x.%s", line_metrics[i].column);
    text_format(&sql,
                " FROM %s x JOIN kernels k ON k.kernel = x.kernel LEFT JOIN source_state s ON "
                "s.source = x.source WHERE x.kernel = :kernel ORDER BY ",
                view);
    if (sort >= 0)
        text_format(&sql, "x.%s IS NULL, x.%s DESC, ", line_metrics[sort].column,
                    line_metrics[sort].column);
    text_format(&sql,
                "x.source IS NULL, s.path = 'kernels/' || k.family || '/' || k.variant || '.cu' "
                "DESC, s.path, x.source, x.line%s",
                last);
    const int result = sql.failed
                           ? error_memory()
                           : query_each(query, NULL, text_string(&sql), &scope, add_row, rows);
    text_free(&sql);
    if (result) annotation_rows_free(rows);
    return result;
}

int annotation_rows_read_lines(struct annotation_rows *rows, struct query *query,
                               const char *kernel, int sort)
{
    return read_rows(rows, query, kernel, "line_sums", "NULL, NULL, NULL, NULL, NULL, NULL", sort,
                     "");
}

int annotation_rows_read_instructions(struct annotation_rows *rows, struct query *query,
                                      const char *kernel)
{
    return read_rows(rows, query, kernel, "instructions",
                     "x.own_source, x.own_line, x.depth, x.pc, x.sass, x.inlined_at", -1,
                     ", x.inlined_at, x.depth, x.own_source, x.own_line, x.pc");
}

void annotation_rows_free(struct annotation_rows *rows)
{
    for (int i = 0; i < rows->count; i++) free(rows->row[i].storage);
    free(rows->row);
    memset(rows, 0, sizeof *rows);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int add_file(void *context, const struct scope *row)
{
    struct annotation_files *files = context;
    struct annotation_file *grown =
        realloc(files->file, (size_t)(files->count + 1) * sizeof *grown);
    if (!grown) return error_memory();
    files->file = grown;
    struct annotation_file *file = &grown[files->count++];
    *file = (struct annotation_file){.source = number_of(row->value[0]),
                                     .path = strdup(row->value[1]),
                                     .state = strdup(row->value[2])};
    return file->path && file->state ? 0 : error_memory();
}

static int add_text(void *context, const struct scope *row)
{
    struct annotation_file *file = annotation_files_find(context, number_of(row->value[0]));
    if (!file) return 0;
    if (file->count == file->capacity) {
        const int capacity = file->capacity ? 2 * file->capacity : 128;
        char **grown = realloc(file->line, (size_t)capacity * sizeof *grown);
        if (!grown) return error_memory();
        file->line = grown;
        file->capacity = capacity;
    }
    file->line[file->count] = strdup(row->value[1] ? row->value[1] : "");
    return file->line[file->count++] ? 0 : error_memory();
}

int annotation_files_read(struct annotation_files *files, struct query *query, const char *kernel)
{
    static const char texts[] = "SELECT source, text FROM source_text WHERE source IN (SELECT "
                                "source FROM line_counts WHERE kernel = :kernel) ORDER BY source, "
                                "line";
    const char *const name = "kernel";
    const struct scope scope = {NULL, 1, &name, &kernel};
    memset(files, 0, sizeof *files);
    int result = query_each(query, NULL, "SELECT source, path, state FROM source_state", NULL,
                            add_file, files);
    if (!result) result = query_each(query, NULL, texts, &scope, add_text, files);
    if (result) annotation_files_free(files);
    return result;
}

struct annotation_file *annotation_files_find(const struct annotation_files *files, int source)
{
    for (int i = 0; i < files->count; i++)
        if (files->file[i].source == source) return &files->file[i];
    return NULL;
}

void annotation_files_free(struct annotation_files *files)
{
    for (int i = 0; i < files->count; i++) {
        for (int j = 0; j < files->file[i].count; j++) free(files->file[i].line[j]);
        free(files->file[i].line);
        free(files->file[i].path);
        free(files->file[i].state);
    }
    free(files->file);
    memset(files, 0, sizeof *files);
}

#include "lines/annotation_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* What each statement selects, in this order, before the metrics. */
enum { SOURCE, LINE, PC, SASS, OWN_SOURCE, OWN_LINE, INLINED_AT, DEPTH, FIRST_METRIC };

/* Copies the row's strings into one piece of memory; `copy` gets where each of them is. */
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

static int as_number(const char *text)
{
    return text ? (int)strtol(text, NULL, 10) : -1;
}

static int add_row(void *context, const struct scope *row)
{
    struct line_rows *rows = context;
    const char *copy[FIRST_METRIC + LINE_METRIC_COUNT] = {NULL};
    if (rows->count == rows->capacity) {
        const int capacity = rows->capacity ? 2 * rows->capacity : 64;
        struct line_row *grown = realloc(rows->row, (size_t)capacity * sizeof *grown);
        if (!grown) return error_memory();
        rows->row = grown;
        rows->capacity = capacity;
    }
    struct line_row *added = &rows->row[rows->count];
    added->storage = copy_strings(row, copy);
    if (!added->storage) return error_memory();
    added->source = as_number(copy[SOURCE]);
    added->line = as_number(copy[LINE]);
    added->pc = copy[PC];
    added->sass = copy[SASS];
    added->own_source = copy[OWN_SOURCE];
    added->own_line = copy[OWN_LINE];
    added->inlined_at = copy[INLINED_AT];
    added->depth = copy[DEPTH] ? as_number(copy[DEPTH]) : 0;
    memcpy(added->value, copy + FIRST_METRIC, sizeof added->value);
    rows->count++;
    return 0;
}

static void append_metrics(struct text *sql)
{
    for (int i = 0; i < LINE_METRIC_COUNT; i++) text_format(sql, ", x.%s", line_metrics[i].column);
}

static int read_rows(struct line_rows *rows, struct query *query, const char *kernel,
                     struct text *sql)
{
    const char *const name = "kernel";
    const struct scope scope = {NULL, 1, &name, &kernel};
    memset(rows, 0, sizeof *rows);
    const int result = sql->failed
                           ? error_memory()
                           : query_each(query, NULL, text_string(sql), &scope, add_row, rows);
    text_free(sql);
    if (result) line_rows_free(rows);
    return result;
}

/* The variant's own file first, then by path; what has no line comes last. */
#define SOURCE_ORDER                                                                               \
    "x.source IS NULL, s.path = 'kernels/' || k.family || '/' || k.variant || '.cu' DESC, "        \
    "s.path, x.source, x.line"

int line_rows_read(struct line_rows *rows, struct query *query, const char *kernel, int sort)
{
    struct text sql = {0};
    text_append(&sql, "SELECT x.source, x.line, NULL, NULL, NULL, NULL, NULL, NULL");
    append_metrics(&sql);
    text_append(&sql, " FROM line_sums x JOIN kernels k ON k.kernel = x.kernel LEFT JOIN "
                      "source_state s ON s.source = x.source "
                      "WHERE x.kernel = :kernel ORDER BY ");
    if (sort >= 0)
        text_format(&sql, "x.%s IS NULL, x.%s DESC, ", line_metrics[sort].column,
                    line_metrics[sort].column);
    text_append(&sql, SOURCE_ORDER);
    return read_rows(rows, query, kernel, &sql);
}

int instruction_rows_read(struct line_rows *rows, struct query *query, const char *kernel)
{
    struct text sql = {0};
    text_append(
        &sql,
        "SELECT x.source, x.line, x.pc, x.sass, x.own_source, x.own_line, x.inlined_at, x.depth");
    append_metrics(&sql);
    text_append(&sql, " FROM instructions x JOIN kernels k ON k.kernel = x.kernel LEFT JOIN "
                      "source_state s ON s.source = x.source "
                      "WHERE x.kernel = :kernel ORDER BY " SOURCE_ORDER
                      ", x.inlined_at, x.depth, x.own_source, x.own_line, x.pc");
    return read_rows(rows, query, kernel, &sql);
}

void line_rows_free(struct line_rows *rows)
{
    for (int i = 0; i < rows->count; i++) free(rows->row[i].storage);
    free(rows->row);
    memset(rows, 0, sizeof *rows);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int add_file(void *context, const struct scope *row)
{
    struct line_files *files = context;
    struct line_file *grown = realloc(files->file, (size_t)(files->count + 1) * sizeof *grown);
    if (!grown) return error_memory();
    files->file = grown;
    struct line_file *file = &grown[files->count++];
    memset(file, 0, sizeof *file);
    file->source = as_number(row->value[0]);
    file->path = strdup(row->value[1]);
    file->state = strdup(row->value[2]);
    return file->path && file->state ? 0 : error_memory();
}

static int find_file(const struct line_files *files, int source)
{
    int i = files->count - 1;
    while (i >= 0 && files->file[i].source != source) i--;
    return i;
}

static int add_text(void *context, const struct scope *row)
{
    const struct line_files *files = context;
    const int at = find_file(files, as_number(row->value[0]));
    if (at < 0) return 0;
    struct line_file *file = &files->file[at];
    if (file->count == file->capacity) {
        const int capacity = file->capacity ? 2 * file->capacity : 128;
        char **grown = realloc(file->line, (size_t)capacity * sizeof *grown);
        if (!grown) return error_memory();
        file->line = grown;
        file->capacity = capacity;
    }
    file->line[file->count] = strdup(row->value[2] ? row->value[2] : "");
    if (!file->line[file->count]) return error_memory();
    file->count++;
    return 0;
}

int line_files_read(struct line_files *files, struct query *query, const char *kernel)
{
    static const char texts[] = "SELECT source, line, text FROM source_text WHERE source IN "
                                "(SELECT source FROM line_counts WHERE kernel = "
                                ":kernel) ORDER BY source, line";
    const char *const name = "kernel";
    const struct scope scope = {NULL, 1, &name, &kernel};
    memset(files, 0, sizeof *files);
    int result = query_each(query, NULL, "SELECT source, path, state FROM source_state", NULL,
                            add_file, files);
    if (!result) result = query_each(query, NULL, texts, &scope, add_text, files);
    if (result) line_files_free(files);
    return result;
}

const struct line_file *line_files_find(const struct line_files *files, int source)
{
    const int at = find_file(files, source);
    return at < 0 ? NULL : &files->file[at];
}

void line_files_free(struct line_files *files)
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

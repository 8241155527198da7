#include "explain/explained_part.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "evaluate/evaluate.h"
#include "explain/explain.h"
#include "run/run_stages.h"
#include "run/table_rows.h"

int explained_part_is_whole(const struct run *run)
{
    return file_exists(path_in(run->directory, "metrics.csv").at) &&
           file_exists(path_in(run->directory, "ledger.csv").at);
}

struct wanted {
    const char *family, *size; /* NULL: all */
    char lines_size[72];       /* of the family, or "" */
    int family_column;         /* of the table that is read, or -1 */
    struct string_set kernels;
};

/* Returns the cell of a column, or NULL if the table lacks the column. */
static const char *cell_of(const struct table_rows *row, const char *name)
{
    const int at = table_rows_find(row, name);
    return at < 0 ? NULL : row->reader.cell[at];
}

static int is_wanted(const struct wanted *wanted, const struct table_rows *row, enum table_id id)
{
    if (id == TABLE_LINES) {
        const char *const kernel = row->reader.cell[0];
        return string_set_has(&wanted->kernels, &kernel, 1);
    }
    /* Claims and published times name other families, and sizes that were not measured. */
    if (wanted->family_column < 0 || id == TABLE_FAMILIES || id == TABLE_VARIANTS) return 1;
    if (wanted->family && strcmp(row->reader.cell[wanted->family_column], wanted->family)) return 0;
    if (!wanted->size || row->size_column < 0 || id == TABLE_CLAIMS || id == TABLE_PUBLISHED ||
        id == TABLE_KERNELS)
        return 1;
    const char *size = row->reader.cell[row->size_column];
    return !strcmp(size, wanted->size) || !strcmp(size, wanted->lines_size);
}

/* Remembers what decides about the rows of later tables. */
static int remember(struct wanted *wanted, const struct table_rows *row, enum table_id id)
{
    const char *const kernel = row->reader.cell[0];
    if (id == TABLE_KERNELS) return string_set_add(&wanted->kernels, &kernel, 1);
    if (id != TABLE_FAMILIES || !wanted->family || strcmp(kernel, wanted->family)) return 0;
    const char *size = cell_of(row, "lines_size");
    snprintf(wanted->lines_size, sizeof wanted->lines_size, "%s", size ? size : "");
    return 0;
}

struct copying {
    struct wanted *wanted;
    enum table_id id;
};

static int keeps(void *context, const struct table_rows *row)
{
    const struct copying *copying = context;
    return is_wanted(copying->wanted, row, copying->id);
}

static int copy_rows(struct wanted *wanted, struct table_rows *rows, enum table_id id, FILE *file)
{
    struct csv_writer writer = {.file = file};
    struct copying copying = {wanted, id};
    int more, result = 0;
    csv_texts(&writer, rows->width, (const char *const *)rows->name);
    csv_end(&writer);
    wanted->family_column = table_rows_find(rows, "family");
    rows->keeps = keeps;
    rows->context = &copying;
    while (!result && (more = table_rows_next(rows)) != 0) {
        if (more < 0) return more;
        csv_texts(&writer, rows->width, (const char *const *)rows->reader.cell);
        csv_end(&writer);
        result = remember(wanted, rows, id);
    }
    return result;
}

static int copy_table(struct explained_part *part, const struct run *from, struct wanted *wanted,
                      enum table_id id)
{
    struct table_rows rows;
    int result = table_rows_open(&rows, from, id);
    if (result) return result;
    const struct path path = path_in(part->directory, strrchr(rows.path, '/') + 1);
    FILE *file = rows.is_there ? fopen(path.at, "w") : NULL;
    if (rows.is_there && !file) result = error(FAIL_OUTPUT, "%s: cannot create", path.at);
    if (file) {
        result = copy_rows(wanted, &rows, id, file);
        if (fclose(file) && !result) result = error(FAIL_OUTPUT, "%s: cannot write", path.at);
    }
    table_rows_close(&rows);
    return result;
}

static int copy_tables(struct explained_part *part, const struct run *from, struct wanted *wanted)
{
    int result = file_copy(path_in(from->directory, "run.txt").at, part->directory, "run.txt");
    for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++) {
        if (id == TABLE_TRACES || id == TABLE_ACTIVITIES || id == TABLE_TRACE_SAMPLES) continue;
        result = interrupted() ? FAIL_INTERRUPTED : copy_table(part, from, wanted, id);
    }
    return result;
}

/* Warnings belong to `evaluate`, which keeps its results. */
static int compute(struct explained_part *part)
{
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    int result = evaluate_run(&part->run);
    message_level_set(level);
    progress_next(1, STAGE_EXPLAIN);
    message_level_set(MESSAGE_QUIET);
    if (!result) result = interrupted() ? FAIL_INTERRUPTED : explain_run(&part->run);
    message_level_set(level);
    return result;
}

int explained_part_make(struct explained_part *part, const struct run *from, const char *family,
                        const char *size)
{
    struct wanted wanted = {family, size, "", -1, {NULL}};
    memset(part, 0, sizeof *part);
    part->directory = temporary_directory();
    if (!part->directory) return FAIL_OUTPUT;
    progress_begin("evaluating", "stages", 3);
    progress_next(1, "reading");
    int result = copy_tables(part, from, &wanted);
    string_set_free(&wanted.kernels);
    if (!result) result = run_open(&part->run, part->directory);
    part->is_open = !result;
    if (!result && !(part->run.source = strdup(from->directory))) result = error_memory();
    part->run.copied = ~0u;
    progress_next(1, STAGE_EVALUATE);
    if (!result) result = compute(part);
    if (!result) {
        free(part->run.path);
        part->run.path = strdup(from->path);
        if (!part->run.path) result = error_memory();
    }
    return progress_end(result);
}

void explained_part_remove(struct explained_part *part)
{
    if (part->is_open) run_close(&part->run);
    if (part->directory) directory_remove(part->directory);
    free(part->directory);
    memset(part, 0, sizeof *part);
}

#include "fleet/merge_rows.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "run/table_rows.h"

/* The new numbers of one run by the old ones. */
struct numbers {
    int *now; /* -1: unknown */
    size_t count;
};

/* Each run numbers these on its own: rows of sources.csv, kernels.csv and traces.csv. */
enum numbered { SOURCES, KERNELS, TRACES, NUMBERED };
static const char *const number_column[NUMBERED] = {"source", "kernel", "trace"};

#define POINT "family variant size block sweep device"
#define HAS(what) (1u << (what))

/* How the rows of each raw table are merged. To add a table, add its row. */
static const struct merge_rule {
    const char *key;    /* the columns that name a row; NULL: all of them */
    unsigned numbers;   /* which columns are numbers of other rows, or of its own */
    int defines;        /* 1: the first of them numbers the table's own rows */
    int shifts;         /* 1: begin_ns and end_ns count from the begin of the run */
    const char *agrees; /* the column whose values must only be near to each other */
} rules[TABLE_RAW_COUNT] = {
    [TABLE_FAMILIES] = {"family", 0, 0, 0, NULL},
    [TABLE_VARIANTS] = {"family variant", 0, 0, 0, NULL},
    [TABLE_CLAIMS] = {"family variant claim", 0, 0, 0, NULL},
    [TABLE_PUBLISHED] = {"family variant source size block sweep row", 0, 0, 0, NULL},
    [TABLE_POINTS] = {POINT, 0, 0, 0, NULL},
    [TABLE_LAUNCHES] = {POINT " launch", 0, 0, 0, NULL},
    [TABLE_ACCESSES] = {POINT " launch access", 0, 0, 0, NULL},
    [TABLE_SERIES] = {POINT " l2 kind copy", 0, 0, 0, NULL},
    [TABLE_SAMPLES] = {POINT " l2 kind copy round", 0, 0, 0, NULL},
    [TABLE_COUNTERS] = {POINT " launch repeat counter_set counter", 0, 0, 0, NULL},
    [TABLE_SOURCES] = {"path", HAS(SOURCES), 1, 0, NULL},
    [TABLE_SOURCE_FILES] = {"source", HAS(SOURCES), 0, 0, NULL},
    [TABLE_KERNELS] = {POINT " launch symbol", HAS(KERNELS), 1, 0, NULL},
    [TABLE_LINES] = {"kernel pc", HAS(KERNELS) | HAS(SOURCES), 0, 0, NULL},
    [TABLE_CEILINGS] = {"ceiling", 0, 0, 0, "value"},
    [TABLE_POWER] = {POINT, 0, 0, 0, NULL},
    [TABLE_STAGES] = {NULL, 0, 0, 1, NULL},
    [TABLE_TRACES] = {POINT " counter_set", HAS(TRACES), 1, 1, NULL},
    [TABLE_ACTIVITIES] = {"trace repeat launch", HAS(TRACES), 0, 0, NULL},
    [TABLE_TRACE_SAMPLES] = {"trace track sample", HAS(TRACES), 0, 0, NULL},
};

/* A row that was written, with its cells one after another. */
struct seen {
    char *key;
    char *cells;
    const struct table_rows *rows; /* where it is from: its table in another run */
    int line;
    int number; /* its new number, if it has one */
};

struct merging {
    const struct run *const *run;
    int count;
    const char *directory;
    struct numbers (*numbers)[NUMBERED]; /* of each run */
    int next[NUMBERED];                  /* the next new number */
    int64_t *shift_ns;                   /* of each run */

    /* The table that is being merged. */
    enum table_id id;
    const struct merge_rule *rule;
    struct table_rows *rows; /* of each run */
    void *seen;              /* a tree of struct seen */
    struct csv_writer writer;
    struct line_codes codes;
};

/* The row at hand. */
struct row {
    const struct table_rows *rows;
    int at;             /* the number of its run */
    const char **cell;  /* with new numbers and times */
    struct text *fresh; /* the texts of the cells that are new */
    int number;         /* the old number of its own */
};

/* ---- numbers --------------------------------------------------------------------------------- */

static int numbers_set(struct numbers *numbers, long old, int now)
{
    const size_t needed = (size_t)old + 1;
    if (needed > numbers->count) {
        const size_t room = needed + needed / 2 + 16;
        int *grown = realloc(numbers->now, room * sizeof *grown);
        if (!grown) return error_memory();
        for (size_t i = numbers->count; i < room; i++) grown[i] = -1;
        numbers->now = grown;
        numbers->count = room;
    }
    numbers->now[old] = now;
    return 0;
}

/* Returns the new number for the digits at the beginning of a text, or -1. */
static int numbers_get(const struct numbers *numbers, const char *digits)
{
    char *end;
    const long old = strtol(digits, &end, 10);
    return end != digits && old >= 0 && (size_t)old < numbers->count ? numbers->now[old] : -1;
}

/* Appends the list "source:line source:line ..." of inlined functions with new numbers. Returns the
 * rest of the list from the first unknown number on, or NULL. */
static const char *numbers_append_list(struct text *text, const struct numbers *sources,
                                       const char *list)
{
    while (*list) {
        const int now = numbers_get(sources, list);
        const size_t digits = strspn(list, "0123456789"), length = strcspn(list, " ");
        if (now < 0 || !digits || digits > length) return list;
        text_format(text, "%d%.*s%s", now, (int)(length - digits), list + digits,
                    list[length] ? " " : "");
        list += length + (list[length] == ' ');
    }
    return NULL;
}

static void numbers_free(struct numbers *numbers)
{
    free(numbers->now);
    *numbers = (struct numbers){NULL, 0};
}

enum { MOST_NUMBER = 100000000 };

static int damaged(const struct table_rows *rows, const char *column, enum numbered what,
                   const char *cell)
{
    return error(FAIL_INPUT, "%s:%d: column '%s': there is no %s %s", rows->path, rows->reader.line,
                 column, number_column[what], cell);
}

static int renumber_list(const struct merging *merging, struct row *row, int column)
{
    struct text *fresh = &row->fresh[column];
    const char *wrong =
        numbers_append_list(fresh, &merging->numbers[row->at][SOURCES], row->cell[column]);
    if (wrong) return damaged(row->rows, "inlined_at", SOURCES, wrong);
    row->cell[column] = text_string(fresh);
    return fresh->failed ? error_memory() : 0;
}

/* Gives a cell that refers to a numbered row its new number. */
static int renumber(const struct merging *merging, struct row *row, int column, enum numbered what)
{
    const char *old = row->cell[column];
    if (!*old) return 0;
    const int now = numbers_get(&merging->numbers[row->at][what], old);
    if (now < 0) return damaged(row->rows, number_column[what], what, old);
    text_format(&row->fresh[column], "%d", now);
    if (row->fresh[column].failed) return error_memory();
    row->cell[column] = text_string(&row->fresh[column]);
    return 0;
}

static int shift(const struct merging *merging, struct row *row, int column)
{
    const long long time = strtoll(row->cell[column], NULL, 10);
    text_format(&row->fresh[column], "%lld", time + (long long)merging->shift_ns[row->at]);
    if (row->fresh[column].failed) return error_memory();
    row->cell[column] = text_string(&row->fresh[column]);
    return 0;
}

/* Converts one cell. The number of the row itself follows when its key is known. */
static int convert(const struct merging *merging, struct row *row, int column)
{
    const struct merge_rule *rule = merging->rule;
    const char *name = row->rows->name[column];
    for (enum numbered what = 0; what < NUMBERED; what++) {
        if (!(rule->numbers & HAS(what)) || strcmp(name, number_column[what])) continue;
        if (!rule->defines) return renumber(merging, row, column, what);
        const long number = strtol(row->cell[column], NULL, 10);
        if (number < 0 || number > MOST_NUMBER)
            return damaged(row->rows, name, what, row->cell[column]);
        row->number = (int)number;
        row->cell[column] = "";
        return 0;
    }
    if (rule->shifts && (!strcmp(name, "begin_ns") || !strcmp(name, "end_ns")))
        return shift(merging, row, column);
    if (merging->id == TABLE_LINES && !strcmp(name, "inlined_at") && *row->cell[column])
        return renumber_list(merging, row, column);
    return 0;
}

/* ---- rows that are there already ------------------------------------------------------------- */

static int compare_seen(const void *a, const void *b)
{
    return strcmp(((const struct seen *)a)->key, ((const struct seen *)b)->key);
}

static void seen_free(void *pointer)
{
    struct seen *seen = pointer;
    free(seen->key);
    free(seen->cells);
    free(seen);
}

static int is_key(const struct merge_rule *rule, const char *name)
{
    const size_t length = strlen(name);
    if (!rule->key) return 1;
    for (const char *p = rule->key; (p = strstr(p, name)); p += length)
        if ((p == rule->key || p[-1] == ' ') && (!p[length] || p[length] == ' ')) return 1;
    return 0;
}

/* Cells are joined by a byte that no table needs. */
enum { BETWEEN = 0x01 };

static char *join(const struct merge_rule *rule, const struct row *row, int keys_only)
{
    struct text joined = {0};
    for (int i = 0; i < row->rows->width; i++)
        if (!keys_only || is_key(rule, row->rows->name[i]))
            text_format(&joined, "%s%c", row->cell[i], BETWEEN);
    return text_taken(&joined);
}

/* Returns the number of the first column in which the joined rows differ, or -1, with the lengths
 * of both cells. */
static int difference(const char **a, const char **b)
{
    const char between[] = {BETWEEN, 0};
    for (int i = 0; **a && **b; i++) {
        const size_t length = strcspn(*a, between);
        if (length != strcspn(*b, between) || strncmp(*a, *b, length)) return i;
        *a += length + 1;
        *b += length + 1;
    }
    return -1;
}

static int agree(const struct merging *merging, const struct row *row, const struct seen *seen)
{
    const int at = table_rows_find(row->rows, merging->rule->agrees);
    const char *p = seen->cells;
    for (int i = 0; i < at; i++) p = strchr(p, BETWEEN) + 1;
    const double before = strtod(p, NULL), now = strtod(row->cell[at], NULL);
    return *p == BETWEEN || !*row->cell[at] ||
           fabs(now - before) <= CEILINGS_AGREE_PCT / 100.0 * fabs(before);
}

static int contradict(const struct merging *merging, const struct row *row, const struct seen *seen,
                      const char *cells)
{
    const char *before = seen->cells, between[] = {BETWEEN, 0};
    int column = difference(&before, &cells);
    if (column < 0) return 0;
    if (merging->rule->agrees) {
        if (agree(merging, row, seen)) return 0;
        column = table_rows_find(row->rows, merging->rule->agrees);
        before = seen->cells;
        for (int i = 0; i < column; i++) before = strchr(before, BETWEEN) + 1;
        cells = row->cell[column];
    }
    struct text key = {0};
    for (int i = 0; i < row->rows->width; i++)
        if (is_key(merging->rule, row->rows->name[i]) && merging->rule->key)
            text_format(&key, "%s%s", key.length ? "," : "", row->cell[i]);
    const int result =
        error(FAIL_INPUT, "%s:%d: contradicts %s:%d: the row %s has %s '%.*s', not '%.*s'",
              row->rows->path, row->rows->reader.line, seen->rows->path, seen->line,
              text_string(&key), row->rows->name[column], (int)strcspn(cells, between), cells,
              (int)strcspn(before, between), before);
    text_free(&key);
    return result;
}

/* ---- one row --------------------------------------------------------------------------------- */

/* Which number the rows of the table have. */
static enum numbered defined(const struct merge_rule *rule)
{
    return rule->numbers & HAS(KERNELS) ? KERNELS : rule->numbers & HAS(TRACES) ? TRACES : SOURCES;
}

static int write_row(struct merging *merging, struct row *row, int number)
{
    const int code_of = row->rows->code_column;
    if (code_of >= 0 && line_codes_shorten(&merging->codes, row->cell, code_of)) return FAIL_OUTPUT;
    for (int i = 0; i < row->rows->width; i++) {
        if (number >= 0 && !strcmp(row->rows->name[i], number_column[defined(merging->rule)]))
            csv_integer(&merging->writer, number);
        else
            csv_text(&merging->writer, row->cell[i]);
    }
    csv_end(&merging->writer);
    return 0;
}

static int add_row(struct merging *merging, struct row *row)
{
    const struct merge_rule *rule = merging->rule;
    struct seen *fresh = calloc(1, sizeof *fresh);
    if (!fresh) return error_memory();
    *fresh = (struct seen){.key = join(rule, row, 1),
                           .cells = join(rule, row, 0),
                           .rows = row->rows,
                           .line = row->rows->reader.line,
                           .number = -1};
    struct seen **found =
        fresh->key && fresh->cells ? tsearch(fresh, &merging->seen, compare_seen) : NULL;
    if (!found) {
        seen_free(fresh);
        return error_memory();
    }
    struct seen *seen = *found;
    int result = 0;
    if (seen != fresh && seen->rows == row->rows && rule->key)
        result = error(FAIL_INPUT, "%s:%d: the row of line %d once more", row->rows->path,
                       row->rows->reader.line, seen->line);
    else if (seen != fresh)
        result = contradict(merging, row, seen, fresh->cells);
    else if (rule->defines)
        seen->number = merging->next[defined(rule)]++;
    if (!result && seen == fresh) result = write_row(merging, row, seen->number);
    if (!result && rule->defines)
        result = numbers_set(&merging->numbers[row->at][defined(rule)], row->number, seen->number);
    if (seen != fresh) seen_free(fresh);
    return result;
}

static int add_rows(struct merging *merging, int at)
{
    struct table_rows *rows = &merging->rows[at];
    const size_t width = (size_t)rows->width;
    struct row row = {.rows = rows,
                      .at = at,
                      .cell = calloc(width + 1, sizeof *row.cell),
                      .fresh = calloc(width + 1, sizeof *row.fresh)};
    int result = row.cell && row.fresh ? 0 : error_memory(), more = 0;
    while (!result && (more = table_rows_next(rows)) > 0) {
        for (int i = 0; i < rows->width && !result; i++) {
            row.cell[i] = rows->reader.cell[i];
            row.fresh[i].length = 0;
            result = convert(merging, &row, i);
        }
        if (!result) result = add_row(merging, &row);
        if (!result && interrupted()) result = FAIL_INTERRUPTED;
    }
    for (size_t i = 0; i < width && row.fresh; i++) text_free(&row.fresh[i]);
    free(row.fresh);
    free(row.cell);
    return result ? result : more;
}

/* ---- one table ------------------------------------------------------------------------------- */

static int same_columns(const struct table_rows *a, const struct table_rows *b)
{
    int same = a->width == b->width;
    for (int i = 0; i < a->width && same; i++) same = !strcmp(a->name[i], b->name[i]);
    return same ? 0
                : error(FAIL_INPUT, "%s:1: other columns than in %s; the runs are of two programs",
                        b->path, a->path);
}

static int open_tables(struct merging *merging, const struct table_rows **first)
{
    int result = 0;
    *first = NULL;
    for (int i = 0; i < merging->count && !result; i++) {
        result = table_rows_open(&merging->rows[i], merging->run[i], merging->id);
        if (result || !merging->rows[i].is_there) continue;
        if (*first) result = same_columns(*first, &merging->rows[i]);
        if (!*first) *first = &merging->rows[i];
    }
    return result;
}

/* `first` is NULL for a table that interrupted runs have not begun. */
static int write_table(struct merging *merging, const struct table_rows *first)
{
    const struct path path = table_path(merging->directory, merging->id);
    FILE *file = fopen(path.at, "wbe");
    if (!file) return error(FAIL_OUTPUT, "%s: cannot write: %s", path.at, strerror(errno));
    int result = 0;
    merging->writer = (struct csv_writer){.file = file};
    if (first) {
        csv_texts(&merging->writer, first->width, (const char *const *)first->name);
        csv_end(&merging->writer);
    } else {
        table_header(&merging->writer, merging->id);
    }
    for (int i = 0; i < merging->count && !result; i++)
        if (merging->rows[i].is_there) result = add_rows(merging, i);
    const int failed = ferror(file);
    if ((fclose(file) || failed) && !result)
        result = error(FAIL_OUTPUT, "%s: cannot write: %s", path.at, strerror(errno));
    return result;
}

static int merge_table(struct merging *merging)
{
    const struct table_rows *first;
    merging->rule = &rules[merging->id];
    memset(merging->rows, 0, (size_t)merging->count * sizeof *merging->rows);
    int result = open_tables(merging, &first);
    if (!result && (first || !tables[merging->id].later)) result = write_table(merging, first);
    tdestroy(merging->seen, seen_free);
    merging->seen = NULL;
    line_codes_free(&merging->codes);
    for (int i = 0; i < merging->count; i++) table_rows_close(&merging->rows[i]);
    return result;
}

/* ---- all tables ------------------------------------------------------------------------------ */

static void find_shifts(struct merging *merging)
{
    unsigned long long earliest = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < merging->count; i++) {
            const char *told = run_fact(merging->run[i], "epoch_ns");
            const unsigned long long epoch = told ? strtoull(told, NULL, 10) : 0;
            if (epoch && (!earliest || epoch < earliest)) earliest = epoch;
            merging->shift_ns[i] = epoch ? (int64_t)(epoch - earliest) : 0;
        }
}

int merge_rows(const struct run *const *run, int count, const char *directory)
{
    const size_t runs = (size_t)count;
    struct merging merging = {.run = run,
                              .count = count,
                              .directory = directory,
                              .numbers = calloc(runs, sizeof *merging.numbers),
                              .shift_ns = calloc(runs, sizeof *merging.shift_ns),
                              .rows = calloc(runs, sizeof *merging.rows)};
    int result = merging.numbers && merging.shift_ns && merging.rows ? 0 : error_memory();
    if (!result) find_shifts(&merging);
    for (merging.id = 0; merging.id < TABLE_RAW_COUNT && !result; merging.id++)
        result = merge_table(&merging);
    for (size_t i = 0; i < runs && merging.numbers; i++)
        for (int what = 0; what < NUMBERED; what++) numbers_free(&merging.numbers[i][what]);
    free(merging.numbers);
    free(merging.shift_ns);
    free(merging.rows);
    return result;
}

/* Reads all rows of a table; *is_there tells whether the run has it. */
static int check_rows(const struct run *run, enum table_id id, int *is_there)
{
    struct table_rows rows;
    int more = 0, result = table_rows_open(&rows, run, id);
    if (result) return result;
    *is_there = rows.is_there;
    while (!interrupted() && (more = table_rows_next(&rows)) > 0) continue;
    table_rows_close(&rows);
    return interrupted() ? FAIL_INTERRUPTED : more;
}

int merge_copy(const struct run *run, const char *directory)
{
    int result = 0;
    for (enum table_id id = 0; id < TABLE_RAW_COUNT && !result; id++) {
        const struct path path = table_path(run->directory, id);
        int is_there = 0;
        result = check_rows(run, id, &is_there);
        if (!result && is_there) result = file_copy(path.at, directory, strrchr(path.at, '/') + 1);
    }
    return result;
}

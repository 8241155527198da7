#include "evaluate/counter_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/message.h"

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    struct counter_rows *rows;
    const struct query *query;
    int failed; /* to note a repeat */
    int slots;
    int *slot;        /* rows by their key: 1 + index, 0 for none */
    int last;         /* row found last */
    int names, *name; /* columns by the name of the counter, likewise */
    int column,
        *follows; /* the column found last; which one came after each when it was found last */
};

static int choose_columns(struct counter_rows *rows, const struct records *records)
{
    rows->record = calloc((size_t)records->count + 1, sizeof *rows->record);
    if (!rows->record) return error_memory();
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == RECORD_COUNTER)
            rows->record[rows->columns++] = &records->record[i];
    return 0;
}

static uint64_t hash_name(const char *name)
{
    return hash_bytes(HASH_START, name, strlen(name));
}

static int index_names(struct reading *reading)
{
    const struct counter_rows *rows = reading->rows;
    for (reading->names = 64; reading->names < 4 * rows->columns; reading->names *= 2) continue;
    reading->name = calloc((size_t)reading->names, sizeof *reading->name);
    reading->follows = calloc((size_t)rows->columns + 1, sizeof *reading->follows);
    if (!reading->name || !reading->follows) return error_memory();
    for (int i = 0; i < rows->columns; i++) {
        uint64_t at = hash_name(rows->record[i]->name) & (uint64_t)(reading->names - 1);
        while (reading->name[at]) at = (at + 1) & (uint64_t)(reading->names - 1);
        reading->name[at] = i + 1;
    }
    return 0;
}

/* The column of a counter, -1 for one without a record. They come in the same order again and
 * again. */
static int find_column(struct reading *reading, const char *name)
{
    const struct counter_rows *rows = reading->rows;
    const int expected = rows->columns ? reading->follows[reading->column] : -1;
    if (expected >= 0 && !strcmp(rows->record[expected]->name, name))
        return reading->column = expected;
    uint64_t at = hash_name(name) & (uint64_t)(reading->names - 1);
    while (reading->name[at] && strcmp(rows->record[reading->name[at] - 1]->name, name))
        at = (at + 1) & (uint64_t)(reading->names - 1);
    if (!reading->name[at]) return -1;
    reading->follows[reading->column] = reading->name[at] - 1;
    return reading->column = reading->name[at] - 1;
}

static uint64_t hash_row(int64_t point, int64_t launch, int64_t repeat)
{
    uint64_t hash = (uint64_t)point * 0x9E3779B97F4A7C15u ^ (uint64_t)launch * 0xBF58476D1CE4E5B9u ^
                    (uint64_t)repeat * 0x94D049BB133111EBu;
    return hash ^ hash >> 29;
}

static int *find_slot(const struct reading *reading, int64_t point, int64_t launch, int64_t repeat)
{
    const struct counter_row *row = reading->rows->row;
    uint64_t at = hash_row(point, launch, repeat) & (uint64_t)(reading->slots - 1);
    for (; reading->slot[at]; at = (at + 1) & (uint64_t)(reading->slots - 1)) {
        const struct counter_row *found = &row[reading->slot[at] - 1];
        if (found->point == point && found->launch == launch && found->repeat == repeat) break;
    }
    return &reading->slot[at];
}

static int grow(struct reading *reading)
{
    struct counter_rows *rows = reading->rows;
    const int capacity = rows->capacity ? 2 * rows->capacity : 256;
    const size_t values = (size_t)capacity * (size_t)rows->columns + 1;
    struct counter_row *row = realloc(rows->row, (size_t)capacity * sizeof *row);
    if (row) rows->row = row;
    double *value = realloc(rows->value, values * sizeof *value);
    if (value) rows->value = value;
    unsigned char *is_there = realloc(rows->is_there, values);
    if (is_there) rows->is_there = is_there;
    int *slot = calloc(2 * (size_t)capacity, sizeof *slot);
    if (!row || !value || !is_there || !slot) {
        free(slot);
        return error_memory();
    }
    free(reading->slot);
    reading->slot = slot;
    reading->slots = 2 * capacity;
    rows->capacity = capacity;
    for (int i = 0; i < rows->count; i++)
        *find_slot(reading, row[i].point, row[i].launch, row[i].repeat) = i + 1;
    return 0;
}

/* The row of this launch and repeat in reading->last, a new one where there is none yet. */
static int find_row(struct reading *reading, int64_t point, int64_t launch, int64_t repeat)
{
    struct counter_rows *rows = reading->rows;
    if (reading->last >= 0) {
        const struct counter_row *last = &rows->row[reading->last];
        if (last->point == point && last->launch == launch && last->repeat == repeat) return 0;
    }
    const int result = rows->count == rows->capacity ? grow(reading) : 0;
    if (result) return result;
    int *slot = find_slot(reading, point, launch, repeat);
    if (!*slot) {
        const size_t from = (size_t)rows->count * (size_t)rows->columns;
        for (int i = 0; i < rows->columns; i++) rows->value[from + (size_t)i] = NAN;
        memset(rows->is_there + from, 0, (size_t)rows->columns);
        rows->row[rows->count] = (struct counter_row){point, launch, repeat, rows->count};
        *slot = ++rows->count;
    }
    reading->last = *slot - 1;
    return 0;
}

/* A row of counters.csv: the key, launch, repeat, counter_set, passes, counter, source, value,
 * status. */
enum { LAUNCH = 5, REPEAT, COUNTER = 9, VALUE = 11 };

static int note_repeat(struct counter_rows *rows, int64_t repeat)
{
    if (rows->repeat_count > 0 && rows->repeat[rows->repeat_count - 1] == repeat) return 0;
    if (rows->repeat_count == rows->repeat_capacity) {
        const int capacity = rows->repeat_capacity ? 2 * rows->repeat_capacity : 16;
        int64_t *grown = realloc(rows->repeat, (size_t)capacity * sizeof *grown);
        if (!grown) return error_memory();
        rows->repeat = grown;
        rows->repeat_capacity = capacity;
    }
    rows->repeat[rows->repeat_count++] = repeat;
    return 0;
}

/* A row_filter that has seen each row's repeat. */
static int keeps(void *context, const struct table_rows *file)
{
    struct reading *reading = context;
    if (!reading->failed)
        reading->failed = note_repeat(reading->rows, strtoll(file->reader.cell[REPEAT], NULL, 10));
    return !reading->query->keeps || reading->query->keeps(reading->query->keeps_context, file);
}

static int take_row(struct reading *reading, const struct table_rows *file, int64_t point)
{
    struct counter_rows *rows = reading->rows;
    char **cell = file->reader.cell;
    const int column = find_column(reading, cell[COUNTER]);
    const int result =
        find_row(reading, point, strtoll(cell[LAUNCH], NULL, 10), strtoll(cell[REPEAT], NULL, 10));
    if (result || column < 0) return result;
    const size_t at = (size_t)reading->last * (size_t)rows->columns + (size_t)column;
    if (rows->is_there[at])
        return error(FAIL_INPUT, "%s:%d: the counter '%s' of this launch and repeat is there twice",
                     file->path, file->reader.line, cell[COUNTER]);
    rows->is_there[at] = 1;
    if (*cell[VALUE]) rows->value[at] = file->number[VALUE];
    return 0;
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Those noted, each once. */
static void settle_repeats(struct counter_rows *rows)
{
    int different = 0;
    if (rows->repeat_count > 1)
        qsort(rows->repeat, (size_t)rows->repeat_count, sizeof *rows->repeat, compare_numbers);
    for (int i = 0; i < rows->repeat_count; i++)
        if (i == 0 || rows->repeat[i] != rows->repeat[i - 1])
            rows->repeat[different++] = rows->repeat[i];
    rows->repeat_count = different;
}

static int compare_rows(const void *a, const void *b)
{
    const struct counter_row *x = a, *y = b;
    if (x->point != y->point) return x->point < y->point ? -1 : 1;
    if (x->repeat != y->repeat) return x->repeat < y->repeat ? -1 : 1;
    return (x->launch > y->launch) - (x->launch < y->launch);
}

int counter_rows_read(struct counter_rows *rows, struct query *query, const struct records *records,
                      struct point_index *points)
{
    struct reading reading = {.rows = rows, .query = query, .last = -1};
    struct table_rows file;
    memset(rows, 0, sizeof *rows);
    int more = 0, result = table_rows_open(&file, query->run, TABLE_COUNTERS);
    if (result) return result;
    result = choose_columns(rows, records);
    if (!result) result = index_names(&reading);
    file.keeps = keeps;
    file.context = &reading;
    while (!result && (more = table_rows_next(&file)) > 0) {
        query->guard.rows++;
        int64_t point;
        result = point_index_find(points, &file, 0, &point);
        if (!result && point) result = take_row(&reading, &file, point);
    }
    table_rows_close(&file);
    free(reading.slot);
    free(reading.name);
    free(reading.follows);
    if (!result) result = more < 0 ? more : reading.failed;
    if (result) {
        counter_rows_free(rows);
        return result;
    }
    settle_repeats(rows);
    if (rows->count > 1) qsort(rows->row, (size_t)rows->count, sizeof *rows->row, compare_rows);
    return result;
}

void counter_rows_free(struct counter_rows *rows)
{
    free(rows->record);
    free(rows->row);
    free(rows->value);
    free(rows->is_there);
    free(rows->repeat);
    memset(rows, 0, sizeof *rows);
}

int counter_rows_find(const struct counter_rows *rows, int64_t point, int *count)
{
    int from = 0, to = rows->count;
    while (from < to) {
        const int middle = from + (to - from) / 2;
        if (rows->row[middle].point < point)
            from = middle + 1;
        else
            to = middle;
    }
    for (*count = 0; from + *count < rows->count && rows->row[from + *count].point == point;)
        ++*count;
    return from;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* What a record says of how launches are taken together: 1 for their sum, 0 for the first one;
 * FAIL_INPUT for anything else. */
static int counter_is_sum(const struct record *record)
{
    const char *over = record_field(record, "over");
    const int sum = !strcmp(over, "sum");
    if (sum || !strcmp(over, "first")) return sum;
    return error(FAIL_INPUT, "%s:%d: over '%s'; expected sum or first", record->file,
                 record_line(record, "over"), over);
}

static int insert_repeat(struct query *query, sqlite3_stmt *insert, int64_t point, int64_t repeat)
{
    sqlite3_bind_int64(insert, 1, point);
    sqlite3_bind_int64(insert, 2, repeat);
    const int status = sqlite3_step(insert);
    sqlite3_reset(insert);
    return status == SQLITE_DONE ? 0 : query_error(query, NULL, sqlite3_sql(insert));
}

int counter_rows_make_repeats(const struct counter_rows *rows, struct query *query)
{
    sqlite3_stmt *insert = NULL;
    int result = query_write(query, "CREATE TABLE repeats(point INTEGER, repeat INTEGER); BEGIN");
    if (!result) result = query_prepare_write(query, "INSERT INTO repeats VALUES(?, ?)", &insert);
    for (int i = 0; i < rows->repeat_count && !result; i++)
        result = insert_repeat(query, insert, 0, rows->repeat[i]);
    for (int i = 0; i < rows->count && !result; i++) {
        const struct counter_row *row = &rows->row[i];
        if (i == 0 || row[-1].point != row->point || row[-1].repeat != row->repeat)
            result = insert_repeat(query, insert, row->point, row->repeat);
    }
    sqlite3_finalize(insert);
    return result ? result
                  : query_write(query, "COMMIT; CREATE INDEX repeats_point ON repeats(point)");
}

/* A counter over the launches of one repeat, rows from `from` on: NAN where there is none, or
 * where one that is there has no value. */
static double over_launches(const struct counter_rows *rows, int from, int count, int column,
                            int is_sum)
{
    double sum = 0;
    int known = 0;
    for (int i = from; i < from + count; i++) {
        const size_t at = (size_t)rows->row[i].at * (size_t)rows->columns + (size_t)column;
        if (!rows->is_there[at] || (!is_sum && rows->row[i].launch != 0)) continue;
        sum += rows->value[at];
        known++;
    }
    return known ? sum : NAN;
}

struct table_making {
    const struct counter_rows *rows;
    struct query *query;
    const int *is_sum; /* of each column */
    sqlite3_stmt *read, *insert;
};

static int insert_row(const struct table_making *making)
{
    const struct counter_rows *rows = making->rows;
    const int64_t repeat = sqlite3_column_int64(making->read, 2);
    int count, launches = 0,
               from = counter_rows_find(rows, sqlite3_column_int64(making->read, 1), &count);
    for (; count > 0 && rows->row[from].repeat != repeat; from++) count--;
    while (launches < count && rows->row[from + launches].repeat == repeat) launches++;
    sqlite3_bind_int64(making->insert, 1, sqlite3_column_int64(making->read, 0));
    for (int i = 0; i < rows->columns; i++)
        sqlite3_bind_double(making->insert, 2 + i,
                            over_launches(rows, from, launches, i, making->is_sum[i]));
    const int status = sqlite3_step(making->insert);
    sqlite3_reset(making->insert);
    return status == SQLITE_DONE ? 0
                                 : query_error(making->query, NULL, sqlite3_sql(making->insert));
}

static int prepare_table(struct table_making *making, const char *name)
{
    const struct counter_rows *rows = making->rows;
    struct text table = {0}, insert = {0};
    text_format(&table, "CREATE TABLE %s(row_id INTEGER PRIMARY KEY", name);
    text_format(&insert, "INSERT INTO %s VALUES(?", name);
    for (int i = 0; i < rows->columns; i++) {
        text_format(&table, ", %s REAL", rows->record[i]->name);
        text_append(&insert, ", ?");
    }
    text_append(&table, "); BEGIN");
    text_append(&insert, ")");
    int result = table.failed || insert.failed
                     ? error_memory()
                     : query_write(making->query, "%s", text_string(&table));
    if (!result) result = query_prepare_write(making->query, text_string(&insert), &making->insert);
    if (!result)
        result = query_prepare_write(
            making->query, "SELECT row_id, point, repeat FROM m ORDER BY row_id", &making->read);
    text_free(&table);
    text_free(&insert);
    return result;
}

int counter_rows_make_table(const struct counter_rows *rows, struct query *query, const char *name)
{
    int *is_sum = calloc((size_t)rows->columns + 1, sizeof *is_sum);
    struct table_making making = {rows, query, is_sum, NULL, NULL};
    int result = is_sum ? 0 : error_memory(), status = SQLITE_DONE;
    for (int i = 0; i < rows->columns && !result; i++) {
        is_sum[i] = counter_is_sum(rows->record[i]);
        if (is_sum[i] < 0) result = is_sum[i];
    }
    if (!result) result = prepare_table(&making, name);
    while (!result && (status = sqlite3_step(making.read)) == SQLITE_ROW)
        result = insert_row(&making);
    if (!result && status != SQLITE_DONE) result = query_error(query, NULL, "reading m");
    sqlite3_finalize(making.read);
    sqlite3_finalize(making.insert);
    free(is_sum);
    return result ? result : query_write(query, "COMMIT");
}

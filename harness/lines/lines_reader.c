#include "lines/lines_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* ---- kernels and sources --------------------------------------------------------------------- */

/* Numbers are dense as they are written; one far beyond is not. */
enum { MOST_SOURCES = 1000000, MOST_KERNELS = 100000000 };

static int add_source(void *context, const struct scope *row)
{
    struct lines_reader *read = context;
    const long number = strtol(row->value[0], NULL, 10);
    if (number < 0 || number >= MOST_SOURCES)
        return error(FAIL_INPUT, "%s/sources.csv: source %s; expected a number below %d",
                     read->query->run->path, row->value[0], MOST_SOURCES);
    if (number >= read->source_count) {
        const int count = 2 * (int)number + 64;
        unsigned char *source = realloc(read->source, (size_t)count);
        if (!source) return error_memory();
        memset(source + read->source_count, 0, (size_t)(count - read->source_count));
        read->source = source;
        read->source_count = count;
    }
    read->source[number] = 1;
    return 0;
}

static int add_kernel(void *context, const struct scope *row)
{
    struct lines_reader *read = context;
    const long long number = strtoll(row->value[0], NULL, 10);
    if (number < 0 || number >= MOST_KERNELS)
        return error(FAIL_INPUT, "%s/kernels.csv: kernel %s; expected a number below %d",
                     read->query->run->path, row->value[0], MOST_KERNELS);
    if (number >= read->kernel_count) {
        const int64_t count = 2 * number + 64;
        struct read_kernel *kernel = realloc(read->kernel, (size_t)count * sizeof *kernel);
        if (!kernel) return error_memory();
        memset(kernel + read->kernel_count, 0,
               (size_t)(count - read->kernel_count) * sizeof *kernel);
        read->kernel = kernel;
        read->kernel_count = count;
    }
    read->kernel[number].is_there = 1;
    return 0;
}

static int keep_kernel(void *context, const struct scope *row)
{
    struct lines_reader *read = context;
    read->kernel[strtoll(row->value[0], NULL, 10)].is_kept = 1;
    return 0;
}

int lines_reader_open(struct lines_reader *read, struct query *query, const char *kept)
{
    memset(read, 0, sizeof *read);
    read->query = query;
    int result = table_rows_open(&read->rows, query->run, TABLE_LINES);
    if (result) return result;
    result = query_each(query, NULL, "SELECT source FROM sources", NULL, add_source, read);
    if (!result)
        result = query_each(query, NULL, "SELECT kernel FROM kernels", NULL, add_kernel, read);
    if (!result) result = query_each(query, NULL, kept, NULL, keep_kernel, read);
    if (result) lines_reader_close(read);
    return result;
}

void lines_reader_close(struct lines_reader *read)
{
    table_rows_close(&read->rows);
    free(read->source);
    free(read->kernel);
    line_tally_free(&read->tally);
    memset(read, 0, sizeof *read);
}

/* ---- one row --------------------------------------------------------------------------------- */

#define PLACE_OF_ROW "%s/lines.csv: kernel %lld, pc %lld: "
#define ROW_AT(read)                                                                               \
    (read)->query->run->path, (long long)(read)->kernel_at, (long long)(read)->pc_at

static int check_place(const struct lines_reader *read, const struct place *place)
{
    if (place->source < read->source_count && read->source[place->source]) return 0;
    return error(FAIL_INPUT, PLACE_OF_ROW "source %d is not in sources.csv", ROW_AT(read),
                 place->source);
}

/* The instruction's own line, before what it was inlined into. */
static struct place own_place(const struct lines_reader *read)
{
    const struct table_rows *rows = &read->rows;
    if (!*rows->reader.cell[LINE_SOURCE]) return (struct place){-1, 0};
    return (struct place){(int)rows->number[LINE_SOURCE],
                          *rows->reader.cell[LINE_LINE] ? (int)rows->number[LINE_LINE] : 0};
}

static int check_places(const struct lines_reader *read)
{
    char **cell = read->rows.reader.cell;
    const double source = *cell[LINE_SOURCE] ? read->rows.number[LINE_SOURCE] : 0,
                 line = *cell[LINE_LINE] ? read->rows.number[LINE_LINE] : 0;
    const char *chain = cell[LINE_INLINED_AT];
    struct place place;
    int result = 0, more;
    if (*cell[LINE_SOURCE]) {
        if (source != floor(source) || line != floor(line) || !(source >= 0 && source < 1e6) ||
            !(line >= 0 && line < 1e9))
            return error(FAIL_INPUT, PLACE_OF_ROW "source %g, line %g; expected whole numbers",
                         ROW_AT(read), source, line);
        place = own_place(read);
        result = check_place(read, &place);
    }
    while (!result && (more = place_next(&chain, &place)) != 0)
        result = more < 0
                     ? error(FAIL_INPUT,
                             PLACE_OF_ROW "inlined_at '%s'; expected source:line source:line ...",
                             ROW_AT(read), cell[LINE_INLINED_AT])
                     : check_place(read, &place);
    return result;
}

static int check_stalls(const struct lines_reader *read)
{
    const char *list = read->rows.reader.cell[LINE_STALLS];
    struct stall stall;
    int more;
    while ((more = stall_next(&list, &stall)) > 0) continue;
    if (more == 0) return 0;
    return error(FAIL_INPUT, PLACE_OF_ROW "stalls '%s'; expected reason=samples/not_issued ...",
                 ROW_AT(read), read->rows.reader.cell[LINE_STALLS]);
}

/* A kernel's instructions come in the order of their pc: then none is there twice. */
static int check_key(struct lines_reader *read)
{
    char **cell = read->rows.reader.cell;
    read->kernel_at = strtoll(cell[LINE_KERNEL], NULL, 10);
    read->pc_at = strtoll(cell[LINE_PC], NULL, 10);
    if (read->kernel_at >= read->kernel_count || !read->kernel[read->kernel_at].is_there)
        return error(FAIL_INPUT, "%s/lines.csv: kernel %s is not in kernels.csv",
                     read->query->run->path, cell[LINE_KERNEL]);
    struct read_kernel *kernel = &read->kernel[read->kernel_at];
    if (read->pc_at < kernel->next_pc)
        read->out_of_order = 1;
    else
        kernel->next_pc = read->pc_at + 1;
    return 0;
}

/* Counts that cannot be are absent. */
static int check_counts(struct lines_reader *read)
{
    static char nothing[1];
    struct table_rows *rows = &read->rows;
    double count[LINE_COUNTS];
    int result = 0;
    for (int i = 0; i < LINE_COUNTS; i++)
        count[i] = *rows->reader.cell[LINE_EXECUTED + i] ? rows->number[LINE_EXECUTED + i] : NAN;
    const unsigned emptied = line_check(count, read->kernel_at, &read->tally, &result);
    for (int column = LINE_EXECUTED; column <= LINE_STALLS && emptied; column++)
        if (emptied >> column & 1) rows->reader.cell[column] = nothing;
    return result;
}

/* ---- instructions that do not come in their order -------------------------------------------- */

struct line_key {
    int64_t kernel, pc;
};

static int compare_keys(const void *a, const void *b)
{
    const struct line_key *x = a, *y = b;
    if (x->kernel != y->kernel) return x->kernel < y->kernel ? -1 : 1;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

static int say_twice(const struct lines_reader *read, struct line_key *key, size_t count)
{
    if (count > 1) qsort(key, count, sizeof *key, compare_keys);
    for (size_t i = 1; i < count; i++)
        if (!compare_keys(&key[i - 1], &key[i]))
            return error(FAIL_INPUT, "%s/lines.csv: kernel %lld, pc %lld is there twice",
                         read->query->run->path, (long long)key[i].kernel, (long long)key[i].pc);
    return 0;
}

/* Reads the file once more, for its keys alone. */
static int check_all_keys(const struct lines_reader *read)
{
    struct table_rows rows;
    struct line_key *key = NULL;
    size_t count = 0, capacity = 0;
    int more = 0, result = table_rows_open(&rows, read->query->run, TABLE_LINES);
    if (result) return result;
    while (!result && (more = table_rows_next(&rows)) > 0) {
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            struct line_key *grown = realloc(key, capacity * sizeof *grown);
            if (!grown) {
                result = error_memory();
                break;
            }
            key = grown;
        }
        key[count++] = (struct line_key){strtoll(rows.reader.cell[LINE_KERNEL], NULL, 10),
                                         strtoll(rows.reader.cell[LINE_PC], NULL, 10)};
    }
    if (!result) result = more;
    if (!result) result = say_twice(read, key, count);
    free(key);
    table_rows_close(&rows);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

int lines_reader_next(struct lines_reader *read)
{
    int more;
    while ((more = table_rows_next(&read->rows)) > 0) {
        int result = check_key(read);
        if (!result) result = check_places(read);
        if (!result) result = check_stalls(read);
        if (result) return result;
        if (!read->kernel[read->kernel_at].is_kept) continue;
        result = check_counts(read);
        return result ? result : 1;
    }
    return more ? more : read->out_of_order ? check_all_keys(read) : 0;
}

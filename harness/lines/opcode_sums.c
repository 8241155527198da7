#include "lines/opcode_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lines/lines_reader.h"

enum { NAME_SIZE = 64 };

/* Sums by name, in the order in which the names came. */
struct named_sums {
    int count, capacity;
    struct named_sum {
        char name[NAME_SIZE];
        double sum;
        int is_known; /* of one addend at least */
    } * sum;
};

struct summing {
    struct query *query;
    struct lines_reader read;
    int64_t kernel; /* whose sums they are; -1 for none */
    struct named_sums opcodes, reasons;
    sqlite3_stmt *opcode, *reason;
};

static struct named_sum *find_sum(struct named_sums *sums, const char *name, size_t length)
{
    for (int i = 0; i < sums->count; i++)
        if (!strncmp(sums->sum[i].name, name, length) && !sums->sum[i].name[length])
            return &sums->sum[i];
    if (sums->count == sums->capacity) {
        const int capacity = sums->capacity ? 2 * sums->capacity : 64;
        struct named_sum *grown = realloc(sums->sum, (size_t)capacity * sizeof *grown);
        if (!grown) return NULL;
        sums->sum = grown;
        sums->capacity = capacity;
    }
    struct named_sum *added = &sums->sum[sums->count++];
    memset(added, 0, sizeof *added);
    memcpy(added->name, name, length);
    return added;
}

static int insert_sums(const struct summing *summing, struct named_sums *sums, sqlite3_stmt *insert)
{
    int result = 0;
    for (int i = 0; i < sums->count && !result; i++) {
        if (!sums->sum[i].is_known) continue;
        sqlite3_bind_int64(insert, 1, summing->kernel);
        if (*sums->sum[i].name)
            sqlite3_bind_text(insert, 2, sums->sum[i].name, -1, SQLITE_STATIC);
        else
            sqlite3_bind_null(insert, 2);
        sqlite3_bind_double(insert, 3, sums->sum[i].sum);
        if (sqlite3_step(insert) != SQLITE_DONE)
            result = query_error(summing->query, NULL, sqlite3_sql(insert));
        sqlite3_reset(insert);
    }
    sums->count = 0;
    return result;
}

static int finish_kernel(struct summing *summing)
{
    const int result = insert_sums(summing, &summing->opcodes, summing->opcode);
    return result ? result : insert_sums(summing, &summing->reasons, summing->reason);
}

static int add(struct named_sums *sums, const char *name, size_t length, double value)
{
    struct named_sum *sum = find_sum(sums, name, length < NAME_SIZE ? length : NAME_SIZE - 1);
    if (!sum) return error_memory();
    sum->sum += value;
    sum->is_known = 1;
    return 0;
}

static int add_row(struct summing *summing)
{
    const struct table_rows *rows = &summing->read.rows;
    const char *list = rows->reader.cell[LINE_STALLS];
    struct stall stall;
    int result = 0;
    if (*rows->reader.cell[LINE_EXECUTED]) {
        size_t length;
        const char *opcode = query_opcode(rows->reader.cell[LINE_SASS], &length);
        result = add(&summing->opcodes, opcode, length, rows->number[LINE_EXECUTED]);
    }
    while (!result && stall_next(&list, &stall) > 0)
        result = add(&summing->reasons, stall.reason, strlen(stall.reason), stall.not_issued);
    return result;
}

static int sum_rows(struct summing *summing)
{
    int more, result = 0;
    while (!result && (more = lines_reader_next(&summing->read)) > 0) {
        if (summing->read.kernel_at != summing->kernel) result = finish_kernel(summing);
        summing->kernel = summing->read.kernel_at;
        if (!result) result = add_row(summing);
    }
    return result ? result : more < 0 ? more : finish_kernel(summing);
}

int opcode_sums_load(struct query *query)
{
    static const char tables_sql[] =
        "CREATE UNIQUE INDEX kernels_key ON kernels(kernel);"
        "CREATE TABLE opcode_sums(kernel INTEGER, opcode TEXT, executed REAL);"
        "CREATE TABLE reason_sums(kernel INTEGER, reason TEXT, not_issued REAL)",
                      best_sql[] = "SELECT k.kernel FROM kernels k JOIN metrics m USING (family, "
                                   "variant, size, block, sweep) WHERE m.best = 1";
    struct summing summing = {.query = query, .kernel = -1};
    int result = query_load(query, TABLE_KERNELS);
    if (!result) result = query_load(query, TABLE_SOURCES);
    if (!result) result = query_write(query, "%s", tables_sql);
    if (!result) result = lines_reader_open(&summing.read, query, best_sql);
    if (result) return result;
    result = query_write(query, "BEGIN");
    if (!result)
        result =
            query_prepare_write(query, "INSERT INTO opcode_sums VALUES(?, ?, ?)", &summing.opcode);
    if (!result)
        result =
            query_prepare_write(query, "INSERT INTO reason_sums VALUES(?, ?, ?)", &summing.reason);
    if (!result) result = sum_rows(&summing);
    if (!result) result = line_checks_write(query, &summing.read.tally);
    sqlite3_finalize(summing.opcode);
    sqlite3_finalize(summing.reason);
    lines_reader_close(&summing.read);
    free(summing.opcodes.sum);
    free(summing.reasons.sum);
    return result ? result : query_write(query, "COMMIT");
}

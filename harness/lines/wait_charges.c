#include "lines/wait_charges.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "code/code_idioms.h"
#include "code/wait_producers.h"

/* Columns of the inserted rows. */
enum { KERNEL = 1, PC, REASON, CLASS, KIND, PRODUCER, IDIOM, ROLE, SAMPLES, NOT_ISSUED };

struct charged_kernel {
    struct query *query;
    sqlite3_stmt *stalls, *charge, *idiom; /* reads the samples; write the two tables */
    long long kernel;
    int count;
    long long *id; /* of the rows in lines */
    long long *pc;
    char **text; /* NULL if unknown */
    double *executed;
    struct sass *sass;
    struct wait_producers waits;
    struct code_idioms idioms;
};

/* ---- reading --------------------------------------------------------------------------------- */

static int add_instruction(struct charged_kernel *kernel, sqlite3_stmt *row)
{
    const size_t count = (size_t)kernel->count;
    const char *text = (const char *)sqlite3_column_text(row, 1);
    long long *id = array_with_room(kernel->id, count, sizeof *id);
    if (id) kernel->id = id;
    long long *pc = array_with_room(kernel->pc, count, sizeof *pc);
    if (pc) kernel->pc = pc;
    char **texts = array_with_room(kernel->text, count, sizeof *texts);
    if (texts) kernel->text = texts;
    double *executed = array_with_room(kernel->executed, count, sizeof *executed);
    if (executed) kernel->executed = executed;
    if (!id || !pc || !texts || !executed) return error_memory();
    id[count] = sqlite3_column_int64(row, 0);
    texts[count] = text ? text_new("%s", text) : NULL;
    executed[count] = sqlite3_column_double(row, 2);
    pc[count] = sqlite3_column_int64(row, 3);
    kernel->count++;
    return text && !texts[count] ? error_memory() : 0;
}

/* Finds the kernel whose rows have the whole code: the kernel itself, or, if only its samples were
 * kept, the same one at the size at which its instructions were counted. */
static int find_code(const struct charged_kernel *kernel, long long *code)
{
    char number[24], *found = NULL;
    const char *const name[] = {"kernel"}, *const value[] = {number};
    const struct scope scope = {NULL, 1, name, value};
    snprintf(number, sizeof number, "%lld", kernel->kernel);
    const int result = query_text(
        kernel->query, NULL,
        "SELECT c.kernel FROM kernels k JOIN kernels c ON c.family = k.family AND c.variant = "
        "k.variant AND c.symbol = k.symbol WHERE k.kernel = CAST(:kernel AS INTEGER) AND "
        "c.counts_status = 'ok' AND c.sass_status = 'ok' ORDER BY c.kernel = k.kernel DESC, "
        "c.kernel LIMIT 1",
        &scope, &found);
    *code = found ? strtoll(found, NULL, 10) : kernel->kernel;
    free(found);
    return result;
}

/* Reads the instructions of the kernel, with the rows of its own samples. Code with a gap, or
 * without text, is not analysed, because jumps are known by address. */
static int read_instructions(struct charged_kernel *kernel, int *is_whole)
{
    sqlite3_stmt *read = NULL;
    long long code = 0;
    int status = SQLITE_DONE, result = find_code(kernel, &code);
    if (!result)
        result = query_prepare_write(
            kernel->query,
            "SELECT coalesce(own.rowid, 0), code.sass, code.executed, code.pc FROM lines code LEFT "
            "JOIN lines own ON own.kernel = ?1 AND own.pc = code.pc WHERE code.kernel = ?2 "
            "ORDER BY code.pc",
            &read);
    *is_whole = 1;
    if (!result) sqlite3_bind_int64(read, 1, kernel->kernel);
    if (!result) sqlite3_bind_int64(read, 2, code);
    while (!result && (status = sqlite3_step(read)) == SQLITE_ROW) {
        *is_whole &= sqlite3_column_int64(read, 3) == 16LL * kernel->count &&
                     sqlite3_column_type(read, 1) != SQLITE_NULL;
        result = add_instruction(kernel, read);
    }
    if (!result && status != SQLITE_DONE)
        result = query_error(kernel->query, NULL, "reading lines");
    sqlite3_finalize(read);
    return result;
}

static int analyse(struct charged_kernel *kernel, int is_whole)
{
    const int count = is_whole ? kernel->count : 0;
    kernel->sass = calloc((size_t)kernel->count + 1, sizeof *kernel->sass);
    if (!kernel->sass) return error_memory();
    for (int i = 0; i < count; i++) kernel->sass[i] = sass_read(kernel->text[i]);
    const int result = wait_producers_find(&kernel->waits, kernel->sass, count);
    return result ? result : code_idioms_find(&kernel->idioms, kernel->sass, count);
}

static void free_kernel(struct charged_kernel *kernel)
{
    for (int i = 0; i < kernel->count; i++) free(kernel->text[i]);
    free(kernel->text);
    free(kernel->id);
    free(kernel->pc);
    free(kernel->executed);
    free(kernel->sass);
    wait_producers_free(&kernel->waits);
    code_idioms_free(&kernel->idioms);
}

/* ---- charging -------------------------------------------------------------------------------- */

struct stall_row {
    int instruction;
    const char *reason;
    double samples, not_issued;
};

static int insert(struct query *query, sqlite3_stmt *statement)
{
    const int status = sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status == SQLITE_DONE ? 0 : query_error(query, NULL, sqlite3_sql(statement));
}

/* Charges a part of a stall to an instruction; `producer` is -1 for an unknown one. */
static int charge(const struct charged_kernel *kernel, const struct stall_row *stall, int producer,
                  const char *kind, double part)
{
    sqlite3_stmt *row = kernel->charge;
    sqlite3_bind_int64(row, KERNEL, kernel->kernel);
    sqlite3_bind_int64(row, PC, kernel->pc[stall->instruction]);
    sqlite3_bind_text(row, REASON, stall->reason, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(row, KIND, kind, -1, SQLITE_STATIC);
    sqlite3_bind_double(row, SAMPLES, part * stall->samples);
    sqlite3_bind_double(row, NOT_ISSUED, part * stall->not_issued);
    if (producer >= 0) {
        const char *role = wait_role_name(kernel->waits.role[producer]);
        sqlite3_bind_text(row, CLASS, wait_class_name(wait_class_of(&kernel->sass[producer])), -1,
                          SQLITE_STATIC);
        sqlite3_bind_int64(row, PRODUCER, kernel->pc[producer]);
        if (kernel->idioms.of[producer] >= 0)
            sqlite3_bind_int(row, IDIOM, kernel->idioms.of[producer]);
        if (*role) sqlite3_bind_text(row, ROLE, role, -1, SQLITE_STATIC);
    }
    return insert(kernel->query, row);
}

/* Charges a stall to the producers whose class has its reason, of the most certain kind. */
static int charge_producers(const struct charged_kernel *kernel, const struct stall_row *stall)
{
    const struct wait_producers *waits = &kernel->waits;
    const struct wait *wait = waits->wait;
    const int first = waits->first[stall->instruction], end = waits->first[stall->instruction + 1];
    int kind = WAIT_KINDS, count = 0, result = 0;
    double executed = 0;
    for (int w = first; w < end; w++) {
        if (strcmp(wait_class_reason(wait[w].wait_class), stall->reason)) continue;
        if ((int)wait[w].kind < kind) kind = (int)wait[w].kind;
        if ((int)wait[w].kind != kind) continue;
        executed += kernel->executed[wait[w].producer];
        count++;
    }
    for (int w = first; w < end && !result; w++) {
        if ((int)wait[w].kind != kind ||
            strcmp(wait_class_reason(wait[w].wait_class), stall->reason) != 0)
            continue;
        const double part =
            executed > 0 ? kernel->executed[wait[w].producer] / executed : 1.0 / count;
        if (part > 0)
            result = charge(kernel, stall, wait[w].producer, wait_kind_name(wait[w].kind), part);
    }
    return count > 0 || result ? result : charge(kernel, stall, -1, "unknown", 1);
}

/* Returns the instruction for whose unit one waits in a queue, or -1. Before asynchronous copies
 * the compiler writes accesses that never happen ("@!PT LDS RZ, [RZ]"): they belong to the copy. */
static int queued(const struct charged_kernel *kernel, int instruction)
{
    while (instruction + 1 < kernel->count && kernel->sass[instruction].is_never) instruction++;
    return wait_class_of(&kernel->sass[instruction]) ? instruction : -1;
}

static int charge_stall(const struct charged_kernel *kernel, const struct stall_row *stall,
                        int is_analysed)
{
    if (!is_analysed) return charge(kernel, stall, -1, "unknown", 1);
    if (!strstr(stall->reason, "_throttle")) return charge_producers(kernel, stall);
    return charge(kernel, stall, queued(kernel, stall->instruction), "queue", 1);
}

static int charge_stalls(const struct charged_kernel *kernel, int is_analysed)
{
    sqlite3_stmt *read = kernel->stalls;
    int result = 0;
    for (int i = 0; i < kernel->count && !result; i++) {
        int status = SQLITE_DONE;
        sqlite3_bind_int64(read, 1, kernel->id[i]);
        while (!result && (status = sqlite3_step(read)) == SQLITE_ROW) {
            const struct stall_row stall = {i, (const char *)sqlite3_column_text(read, 0),
                                            sqlite3_column_double(read, 1),
                                            sqlite3_column_double(read, 2)};
            result = charge_stall(kernel, &stall, is_analysed);
        }
        sqlite3_reset(read);
        if (!result && status != SQLITE_DONE)
            result = query_error(kernel->query, NULL, sqlite3_sql(read));
    }
    return result;
}

static int write_idioms(const struct charged_kernel *kernel)
{
    int result = 0;
    for (int i = 0; i < kernel->count && kernel->idioms.count > 0 && !result; i++) {
        const int idiom = kernel->idioms.of[i];
        if (idiom < 0) continue;
        sqlite3_bind_int64(kernel->idiom, 1, kernel->kernel);
        sqlite3_bind_int(kernel->idiom, 2, idiom);
        sqlite3_bind_int64(kernel->idiom, 3, kernel->pc[i]);
        sqlite3_bind_text(kernel->idiom, 4, kernel->idioms.idiom[idiom].name, -1, SQLITE_STATIC);
        result = insert(kernel->query, kernel->idiom);
    }
    return result;
}

static int charge_kernel(const struct charged_kernel *statements, long long number)
{
    struct charged_kernel kernel = *statements;
    int is_whole = 0;
    kernel.kernel = number;
    int result = read_instructions(&kernel, &is_whole);
    if (!result) result = analyse(&kernel, is_whole);
    if (!result) result = charge_stalls(&kernel, is_whole);
    if (!result) result = write_idioms(&kernel);
    free_kernel(&kernel);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int make_tables(struct query *query)
{
    return query_write(
        query,
        "CREATE TABLE wait_charges(kernel INTEGER, pc INTEGER, reason TEXT, class TEXT, kind TEXT, "
        "producer_pc INTEGER, idiom INTEGER, role TEXT, samples REAL, not_issued REAL);"
        "CREATE TABLE code_idioms(kernel INTEGER, idiom INTEGER, pc INTEGER, name TEXT);"
        "CREATE INDEX IF NOT EXISTS line_stalls_key ON line_stalls(id)");
}

/* Columns: kernel. */
static int charge_row(void *context, const struct scope *row)
{
    return charge_kernel(context, strtoll(row->value[0], NULL, 10));
}

int wait_charges_make(struct query *query)
{
    struct charged_kernel statements = {.query = query};
    int result = query_write(query, "BEGIN");
    if (!result) result = make_tables(query);
    if (!result)
        result = query_prepare_write(query,
                                     "SELECT reason, samples, not_issued FROM line_stalls WHERE id "
                                     "= ? AND reason IN ('long_scoreboard', 'short_scoreboard', "
                                     "'gmma', 'mio_throttle', 'lg_throttle', 'tex_throttle')",
                                     &statements.stalls);
    if (!result)
        result = query_prepare_write(
            query, "INSERT INTO wait_charges VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            &statements.charge);
    if (!result)
        result = query_prepare_write(query, "INSERT INTO code_idioms VALUES(?, ?, ?, ?)",
                                     &statements.idiom);
    if (!result)
        result = query_each(query, NULL, "SELECT DISTINCT kernel FROM lines ORDER BY kernel", NULL,
                            charge_row, &statements);
    sqlite3_finalize(statements.stalls);
    sqlite3_finalize(statements.charge);
    sqlite3_finalize(statements.idiom);
    if (!result)
        result = query_write(query, "CREATE INDEX wait_charges_key ON wait_charges(kernel, pc)");
    return result ? result : query_write(query, "COMMIT");
}

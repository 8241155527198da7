#include "lines/wait_charges.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "machine_code/code_idioms.h"
#include "machine_code/wait_producers.h"

/* A kernel and its code, which is that of all sizes of a variant that have the same symbol. */
struct charged_kernel {
    struct query *query;
    long long kernel, code; /* the kernel, and the one whose rows have its code */
    int is_whole; /* 0: code with a gap, or without text, has no producers: jumps need addresses */
    int has_products; /* 1: it multiplies on tensor cores */
    int count, at;    /* at: the instruction whose samples are charged */
    long long *pc;    /* ascending */
    char **text;      /* NULL if unknown */
    double *executed;
    struct sass *sass;
    struct wait_producers waits;
    struct code_idioms idioms;
};

/* ---- reading --------------------------------------------------------------------------------- */

/* Columns: pc, sass, executed. */
static int add_instruction(void *context, const struct scope *row)
{
    struct charged_kernel *kernel = context;
    const size_t count = (size_t)kernel->count;
    const char *text = row->value[1];
    if (!ARRAY_GROWS(kernel->pc, count) || !ARRAY_GROWS(kernel->text, count) ||
        !ARRAY_GROWS(kernel->executed, count))
        return error_memory();
    kernel->pc[count] = row_integer(row, 0);
    kernel->text[count] = text ? strdup(text) : NULL;
    kernel->executed[count] = row->value[2] ? row_number(row, 2) : 0;
    kernel->is_whole &= kernel->pc[count] == 16LL * kernel->count && text;
    kernel->count++;
    return text && !kernel->text[count] ? error_memory() : 0;
}

/* Returns 1 for a product of matrices on tensor cores. */
static int is_product(const struct sass *sass)
{
    static const char *const list[] = {"HMMA",  "IMMA",  "DMMA",  "BMMA",  "QMMA", "OMMA",
                                       "HGMMA", "IGMMA", "QGMMA", "BGMMA", NULL};
    return sass_is_any(sass, list);
}

static int analyse(struct charged_kernel *kernel)
{
    const int count = kernel->is_whole ? kernel->count : 0;
    kernel->sass = calloc((size_t)kernel->count + 1, sizeof *kernel->sass);
    if (!kernel->sass) return error_memory();
    for (int i = 0; i < kernel->count; i++) {
        if (kernel->text[i]) kernel->sass[i] = sass_read(kernel->text[i]);
        kernel->has_products |= is_product(&kernel->sass[i]);
    }
    const int result = wait_producers_find(&kernel->waits, kernel->sass, count);
    return result ? result : code_idioms_find(&kernel->idioms, kernel->sass, count);
}

static void free_code(struct charged_kernel *kernel)
{
    for (int i = 0; i < kernel->count; i++) free(kernel->text[i]);
    free(kernel->text);
    free(kernel->pc);
    free(kernel->executed);
    free(kernel->sass);
    wait_producers_free(&kernel->waits);
    code_idioms_free(&kernel->idioms);
    *kernel = (struct charged_kernel){.query = kernel->query, .code = -1, .is_whole = 1};
}

/* ---- charging -------------------------------------------------------------------------------- */

struct stall_row {
    int instruction;
    const char *reason;
    double samples, not_issued;
};

/* Charges a stall to an unknown instruction; to its class, unless that is WAIT_NONE. */
static int charge_unknown(const struct charged_kernel *kernel, const struct stall_row *stall,
                          const char *kind, enum wait_class wait_class)
{
    return query_run(kernel->query, NULL,
                     "INSERT INTO wait_charges VALUES(?, ?, ?, ?, ?, NULL, NULL, NULL, ?, ?)",
                     "lltttnn", kernel->kernel, kernel->pc[stall->instruction], stall->reason,
                     wait_class ? wait_class_name(wait_class) : NULL, kind, stall->samples,
                     stall->not_issued);
}

static int charge(const struct charged_kernel *kernel, const struct stall_row *stall, int producer,
                  const char *kind, double part)
{
    static const char known[] = "INSERT INTO wait_charges VALUES(?, ?, ?, ?, ?, ?, nullif(?, -1), "
                                "nullif(?, ''), ?, ?)";
    const long long pc = kernel->pc[stall->instruction];
    const double samples = part * stall->samples, not_issued = part * stall->not_issued;
    const struct sass *sass = &kernel->sass[producer];
    const enum wait_class wait_class = is_product(sass) ? WAIT_TENSOR : wait_class_of(sass);
    return query_run(kernel->query, NULL, known, "lltttlitnn", kernel->kernel, pc, stall->reason,
                     wait_class_name(wait_class), kind, kernel->pc[producer],
                     kernel->idioms.of[producer], wait_role_name(kernel->waits.role[producer]),
                     samples, not_issued);
}

/* Returns 1 if instructions wait for this class with this reason. The counters call the waits of a
 * warpgroup gmma; the sampler calls them warpgroup_arrive, or barrier until products have ended. */
static int has_reason(enum wait_class wait_class, const char *reason)
{
    const char *of_class = wait_class_reason(wait_class);
    return !strcmp(of_class, reason) ||
           (wait_class == WAIT_TENSOR &&
            (!strcmp(reason, "warpgroup_arrive") || !strcmp(reason, "barrier")));
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
        if (!has_reason(wait[w].wait_class, stall->reason)) continue;
        if ((int)wait[w].kind < kind) kind = (int)wait[w].kind;
        if ((int)wait[w].kind != kind) continue;
        executed += kernel->executed[wait[w].producer];
        count++;
    }
    for (int w = first; w < end && !result; w++) {
        if ((int)wait[w].kind != kind || !has_reason(wait[w].wait_class, stall->reason)) continue;
        const double part =
            executed > 0 ? kernel->executed[wait[w].producer] / executed : 1.0 / count;
        if (part > 0)
            result = charge(kernel, stall, wait[w].producer, wait_kind_name(wait[w].kind), part);
    }
    return count > 0 || result ? result : charge_unknown(kernel, stall, "unknown", WAIT_NONE);
}

/* Returns the instruction for whose unit one waits in a queue, or -1. Before asynchronous copies
 * the compiler writes accesses that never happen ("@!PT LDS RZ, [RZ]"): they belong to the copy. */
static int queued(const struct charged_kernel *kernel, int instruction)
{
    while (instruction + 1 < kernel->count && kernel->sass[instruction].is_never) instruction++;
    return wait_class_of(&kernel->sass[instruction]) ? instruction : -1;
}

/* A busy pipe tells of tensor cores only at a product. Without products the whole reason is left to
 * the arithmetic pipes. */
static int charge_busy_pipe(const struct charged_kernel *kernel, const struct stall_row *stall)
{
    const int i = stall->instruction;
    if (!kernel->has_products) return 0;
    return is_product(&kernel->sass[i]) && kernel->is_whole
               ? charge(kernel, stall, i, "queue", 1)
               : charge_unknown(kernel, stall, "queue",
                                is_product(&kernel->sass[i]) ? WAIT_TENSOR : WAIT_NONE);
}

/* Only at an instruction for a warpgroup (WARPGROUP.DEPBAR) is it a wait for products. Without
 * products the whole reason is left to the barriers. */
static int charge_barrier(const struct charged_kernel *kernel, const struct stall_row *stall)
{
    const int is_for_products = sass_is(&kernel->sass[stall->instruction], "WARPGROUP");
    if (!kernel->has_products && !is_for_products) return 0;
    return is_for_products && kernel->is_whole
               ? charge_producers(kernel, stall)
               : charge_unknown(kernel, stall, "unknown",
                                is_for_products ? WAIT_TENSOR : WAIT_NONE);
}

/* A full queue holds up the instruction itself, whose class is known without producers, too. */
static int charge_queue(const struct charged_kernel *kernel, const struct stall_row *stall)
{
    const int producer = queued(kernel, stall->instruction);
    if (kernel->is_whole && producer >= 0) return charge(kernel, stall, producer, "queue", 1);
    return charge_unknown(kernel, stall, "queue",
                          producer < 0 ? WAIT_NONE : wait_class_of(&kernel->sass[producer]));
}

static int charge_stall(const struct charged_kernel *kernel, const struct stall_row *stall)
{
    if (!strcmp(stall->reason, "barrier")) return charge_barrier(kernel, stall);
    if (!strcmp(stall->reason, "math_pipe_throttle")) return charge_busy_pipe(kernel, stall);
    if (strstr(stall->reason, "_throttle")) return charge_queue(kernel, stall);
    return kernel->is_whole ? charge_producers(kernel, stall)
                            : charge_unknown(kernel, stall, "unknown", WAIT_NONE);
}

/* Columns: pc, reason, samples, not_issued; ascending by pc. */
static int charge_row(void *context, const struct scope *row)
{
    struct charged_kernel *kernel = context;
    const long long pc = row_integer(row, 0);
    while (kernel->at < kernel->count && kernel->pc[kernel->at] < pc) kernel->at++;
    if (kernel->at == kernel->count || kernel->pc[kernel->at] != pc) return 0;
    const struct stall_row stall = {kernel->at, row->value[1], row_number(row, 2),
                                    row_number(row, 3)};
    return charge_stall(kernel, &stall);
}

static int write_idioms(const struct charged_kernel *kernel)
{
    int result = 0;
    for (int i = 0; i < kernel->count && kernel->idioms.count > 0 && !result; i++) {
        const int idiom = kernel->idioms.of[i];
        if (idiom < 0) continue;
        result =
            query_run(kernel->query, NULL, "INSERT INTO code_idioms VALUES(?, ?, ?, ?)", "lilt",
                      kernel->kernel, idiom, kernel->pc[i], kernel->idioms.idiom[idiom].name);
    }
    return result;
}

/* Columns: kernel, code. Of code that was not counted only instructions with samples are known: if
 * there are many samples, what is between them does nothing that matters. */
static int charge_kernel(void *context, const struct scope *row)
{
    static const char
        code_sql[] =
            "WITH RECURSIVE known AS (SELECT pc, sass, executed, executed IS NULL AND "
            "total(samples) OVER () >= 16 * count(*) OVER () AS is_dense FROM lines WHERE kernel = "
            ":code), gap(pc) AS (SELECT 0 FROM known WHERE is_dense UNION SELECT pc + 16 FROM gap "
            "WHERE pc < (SELECT max(pc) FROM known)) SELECT pc, sass, executed FROM known UNION "
            "ALL SELECT pc, 'NOP', NULL FROM gap WHERE pc NOT IN (SELECT pc FROM known) ORDER BY 1",
        stalls_sql[] =
            "SELECT l.pc, s.reason, s.samples, s.not_issued FROM lines l JOIN line_stalls s ON "
            "s.id = l.rowid WHERE l.kernel = :kernel AND s.reason IN ('long_scoreboard', "
            "'short_scoreboard', 'gmma', 'warpgroup_arrive', 'mio_throttle', 'lg_throttle', "
            "'tex_throttle', 'math_pipe_throttle', 'barrier') ORDER BY l.pc, s.place";
    struct charged_kernel *kernel = context;
    const long long code = row_integer(row, 1);
    int result = 0;
    if (kernel->code != code) {
        free_code(kernel);
        kernel->code = code;
        result = query_each(kernel->query, NULL, code_sql, row, add_instruction, kernel);
        if (!result) result = analyse(kernel);
    }
    kernel->kernel = row_integer(row, 0);
    kernel->at = 0;
    if (!result) result = query_each(kernel->query, NULL, stalls_sql, row, charge_row, kernel);
    return result ? result : write_idioms(kernel);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int make_tables(struct query *query)
{
    return query_write(
        query,
        "CREATE TABLE wait_charges(kernel INTEGER, pc INTEGER, reason TEXT, class TEXT, kind TEXT, "
        "producer_pc INTEGER, idiom INTEGER, role TEXT, samples REAL, not_issued REAL);"
        "CREATE TABLE code_idioms(kernel INTEGER, idiom INTEGER, pc INTEGER, name TEXT);"
        "CREATE INDEX IF NOT EXISTS kernels_of_code ON kernels(family, variant, symbol)");
}

/* A kernel of which only the samples were kept has the code of the same one at the size at which
 * its instructions were counted. */
int wait_charges_make(struct query *query)
{
    static const char kernels[] =
        "SELECT kernel, coalesce((SELECT c.kernel FROM kernels k JOIN kernels c ON "
        "c.family = k.family AND c.variant = k.variant AND c.symbol = k.symbol WHERE "
        "k.kernel = l.kernel AND c.counts_status = 'ok' AND c.sass_status = 'ok' "
        "ORDER BY c.kernel = k.kernel DESC, c.kernel LIMIT 1), kernel) AS code FROM "
        "(SELECT DISTINCT kernel FROM lines) l ORDER BY code, kernel";
    struct charged_kernel kernel = {.query = query, .code = -1};
    int result = query_write(query, "BEGIN");
    if (!result) result = make_tables(query);
    if (!result) result = query_each(query, NULL, kernels, NULL, charge_kernel, &kernel);
    free_code(&kernel);
    if (!result)
        result = query_write(query, "CREATE INDEX wait_charges_key ON wait_charges(kernel, pc)");
    return result ? result : query_write(query, "COMMIT");
}

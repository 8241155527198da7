#include "lines/lines_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "machine_code/source_file.h"
#include "lines/lines_format.h"

/* Columns of several tables and views of the script: sums over instructions, and shares of the
 * totals of a kernel. */
#define SUMS                                                                                       \
    "sum(instructions) AS instructions, sum(executed) AS executed, sum(threads) AS threads, "      \
    "sum(threads_on) AS threads_on, sum(branches_uniform) AS branches_uniform, "                   \
    "sum(branches_divergent) AS branches_divergent, sum(shared_wavefronts) AS shared_wavefronts, " \
    "sum(shared_ideal) AS shared_ideal, sum(excess) AS excess, "                                   \
    "sum(other_excess) AS other_excess, sum(atomic_excess) AS atomic_excess, sum(async_excess) "   \
    "AS async_excess, "                                                                            \
    "sum(global_sectors) AS global_sectors, sum(global_ideal) AS global_ideal, "                   \
    "sum(global_excess) AS global_excess, sum(local_sectors) AS local_sectors, "                   \
    "sum(samples) AS samples, sum(not_issued) AS not_issued"
#define SHARES                                                                                     \
    "c.threads_on / nullif(c.executed, 0) AS lanes, "                                              \
    "c.branches_uniform + c.branches_divergent AS branches, "                                      \
    "c.shared_wavefronts / nullif(c.shared_wavefronts - c.excess, 0) AS ways, "                    \
    "100.0 * c.excess / nullif(t.pipe_cycles, 0) AS pipe_pct, "                                    \
    "100.0 * c.executed / nullif(t.all_executed, 0) AS executed_pct, "                             \
    "100.0 * c.samples / nullif(t.all_samples, 0) AS sample_pct, "                                 \
    "100.0 * c.not_issued / nullif(t.all_not_issued, 0) AS not_issued_pct"
#include "lines/lines_tables.sql.h"

/* Makes a table of these columns of another one; a column, or the whole table, that the run lacks
 * is NULL: it may have been computed by other records. */
static int make_known(struct query *query, const char *name, const char *from, const char *keys,
                      const char *const *columns)
{
    const int is_there = query_has_column(query, from, NULL);
    struct text sql = {0};
    text_format(&sql, "CREATE TABLE %s AS SELECT %s", name, keys);
    for (; *columns; columns++)
        text_format(&sql, ", %s AS %s", query_has_column(query, from, *columns) ? *columns : "NULL",
                    *columns);
    text_format(&sql, is_there ? " FROM %s; " : " FROM kernels WHERE 0; ", from);
    text_format(&sql, "CREATE INDEX %s_key ON %s(%s)", name, name, keys);
    return query_script(query, &sql);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static int load_kernels(struct query *query)
{
    const int result = query_load(query, TABLE_KERNELS);
    return result ? result
                  : query_write(query,
                                "CREATE UNIQUE INDEX IF NOT EXISTS kernels_key ON kernels(kernel)");
}

int lines_tables_load_kernels(struct query *query)
{
    static const char *const columns[] = {"best", "time_kernels_ns", "sm_clock_mhz", "launches",
                                          NULL};
    if (query_has_column(query, "clean_points", NULL)) return 0;
    int result = load_kernels(query);
    if (!result && file_exists(table_path(query->run->directory, TABLE_METRICS).at))
        result = query_load(query, TABLE_METRICS);
    return result ? result : make_known(query, "clean_points", "metrics", POINT_KEY, columns);
}

/* ---- rows of lines.csv ----------------------------------------------------------------------- */

struct wanted {
    sqlite3_stmt *find;
    long long kernel; /* of the last row */
    int is_wanted;
};

static int keeps_wanted(void *context, const struct table_rows *row)
{
    struct wanted *wanted = context;
    const long long kernel = strtoll(row->reader.cell[0], NULL, 10);
    if (kernel == wanted->kernel) return wanted->is_wanted;
    sqlite3_bind_int64(wanted->find, 1, kernel);
    wanted->kernel = kernel;
    wanted->is_wanted = sqlite3_step(wanted->find) == SQLITE_ROW;
    sqlite3_reset(wanted->find);
    return wanted->is_wanted;
}

static int load_lines(struct query *query, const char *kernels)
{
    struct wanted wanted = {.kernel = -1};
    if (!kernels) return query_load(query, TABLE_LINES);
    int result = query_write(query,
                             "CREATE TABLE wanted_kernels(kernel INTEGER PRIMARY KEY);"
                             "INSERT INTO wanted_kernels SELECT DISTINCT kernel FROM (%s)",
                             kernels);
    if (!result && query_has_column(query, "lines", NULL))
        return query_write(query, "DELETE FROM lines WHERE kernel NOT IN wanted_kernels");
    if (!result)
        result = query_prepare_write(query, "SELECT 1 FROM wanted_kernels WHERE kernel = ?",
                                     &wanted.find);
    if (!result) result = query_load_some(query, TABLE_LINES, keeps_wanted, &wanted);
    sqlite3_finalize(wanted.find);
    return result;
}

/* Columns: the words of a message about lines.csv. */
static int fail(void *context, const struct scope *row)
{
    const struct query *query = context;
    return error(FAIL_INPUT, "%s/lines.csv: %s", run_source(query->run, TABLE_LINES),
                 row->value[0]);
}

/* Every instruction belongs to a known kernel, and is there once. */
static int check_keys(struct query *query)
{
    static const char wrong[] =
        "SELECT 'kernel ' || kernel || ' is not in kernels.csv' FROM lines WHERE kernel NOT IN "
        "(SELECT kernel FROM kernels) UNION ALL SELECT 'kernel ' || kernel || ', pc ' || pc || "
        "' is there twice' FROM lines GROUP BY kernel, pc HAVING count(*) > 1";
    const int result = query_write(query, "CREATE INDEX lines_key ON lines(kernel, pc)");
    return result ? result : query_each(query, NULL, wrong, NULL, fail, query);
}

/* ---- counts that contradict each other ------------------------------------------------------- */

/* What `fails` at an instruction, which is what `holds` elsewhere, and the counts that are emptied
 * for it. An absent count contradicts nothing. */
static const struct {
    const char *fails, *holds, *because, *emptied;
} line_checks[] = {
    {"threads > 32 * executed", "threads <= 32 * executed", "A warp has 32 lanes.",
     "executed = NULL, threads = NULL, threads_on = NULL"},
    {"threads_on > threads", "threads_on <= threads",
     "The lanes not predicated off are among the active ones.",
     "threads = NULL, threads_on = NULL"},
    {"not_issued > samples", "not_issued <= samples",
     "The samples in which the scheduler issued nothing are among all samples.",
     "samples = NULL, not_issued = NULL, stalls = NULL"},
    /* The inserted code counts executions and branch targets one after the other, and diverged
     * lanes of a warp pass it each for itself. So where lanes were missing, there may be more
     * targets than executions (435 and 303 in a loop in which four lanes of a warp of cuBLAS wait,
     * on an H200), but no more than lanes. */
    {"branches_uniform + branches_divergent > executed AND coalesce(threads >= 32 * executed, 1)",
     "branches_uniform + branches_divergent <= executed",
     "An instruction has one branch target each time that it is executed.",
     "executed = NULL, branches_uniform = NULL, branches_divergent = NULL"},
    {"branches_uniform + branches_divergent > threads",
     "branches_uniform + branches_divergent <= threads",
     "At least one lane goes to each branch target.",
     "threads = NULL, threads_on = NULL, branches_uniform = NULL, branches_divergent = NULL"},
    {"0 > min(coalesce(executed, 0), coalesce(threads, 0), coalesce(threads_on, 0), "
     "coalesce(branches_uniform, 0), coalesce(branches_divergent, 0), coalesce(shared_wavefronts, "
     "0), coalesce(shared_ideal, 0), coalesce(global_sectors, 0), coalesce(global_ideal, 0), "
     "coalesce(local_sectors, 0), coalesce(samples, 0), coalesce(not_issued, 0))",
     "every count >= 0", "No count is below 0.",
     "executed = NULL, threads = NULL, threads_on = NULL, branches_uniform = NULL, "
     "branches_divergent = NULL, shared_wavefronts = NULL, shared_ideal = NULL, global_sectors = "
     "NULL, global_ideal = NULL, local_sectors = NULL, samples = NULL, not_issued = NULL, stalls = "
     "NULL"},
};

/* Few instructions are looked at closely: those that fail a check before anything is emptied. */
static int check_counts(struct query *query)
{
    enum { CHECKS = sizeof line_checks / sizeof *line_checks };
    struct text sql = {0};
    text_append(&sql, "CREATE TABLE impossible_lines(kernel INTEGER, holds TEXT, because TEXT, "
                      "instructions INTEGER, first TEXT, first_pc INTEGER);"
                      "CREATE TABLE suspect_lines AS SELECT rowid AS id FROM lines WHERE 0");
    for (int i = 0; i < CHECKS; i++) text_format(&sql, " OR %s", line_checks[i].fails);
    for (int i = 0; i < CHECKS; i++)
        text_format(&sql,
                    "; INSERT INTO impossible_lines SELECT kernel, '%s', '%s', count(*), sass, "
                    "min(pc) FROM lines WHERE rowid IN suspect_lines AND %s GROUP BY kernel;"
                    "UPDATE lines SET %s WHERE rowid IN suspect_lines AND %s",
                    line_checks[i].holds, line_checks[i].because, line_checks[i].fails,
                    line_checks[i].emptied, line_checks[i].fails);
    text_append(&sql, "; DROP TABLE suspect_lines");
    return query_script(query, &sql);
}

/* ---- cells of lists -------------------------------------------------------------------------- */

struct splitting {
    struct query *query;
    sqlite3_stmt *read;
};

/* Columns of the statement that reads. */
enum { ID, KERNEL, PC, SOURCE, LINE, INLINED_AT, STALLS, IS_FIRST };

/* The text of a cell, "" if it is empty. */
static const char *cell_of(const struct splitting *split, int column)
{
    const char *cell = (const char *)sqlite3_column_text(split->read, column);
    return cell ? cell : "";
}

static int malformed(const struct splitting *split, const char *name, int column,
                     const char *expected)
{
    return error(FAIL_INPUT, "%s/lines.csv: kernel %s, pc %s: %s '%s'; expected %s",
                 run_source(split->query->run, TABLE_LINES), cell_of(split, KERNEL),
                 cell_of(split, PC), name, cell_of(split, column), expected);
}

static int add_location(const struct splitting *split, int depth, const struct location *location)
{
    return query_run(split->query, NULL, "INSERT INTO line_locations VALUES(?, ?, ?, ?)", "liii",
                     (long long)sqlite3_column_int64(split->read, ID), depth, location->source,
                     location->line);
}

/* The instruction's own location is at depth 0 of its chain. */
static int add_own_location(const struct splitting *split)
{
    const double source = sqlite3_column_double(split->read, SOURCE),
                 line = sqlite3_column_double(split->read, LINE);
    if (sqlite3_column_type(split->read, SOURCE) == SQLITE_NULL) return 0;
    if (source == floor(source) && line == floor(line) && source >= 0 && source < 1e9 &&
        line >= 0 && line < 1e9)
        return add_location(split, 0, &(struct location){(int)source, (int)line});
    return error(FAIL_INPUT,
                 "%s/lines.csv: kernel %s, pc %s: source %g, line %g; expected whole numbers",
                 run_source(split->query->run, TABLE_LINES), cell_of(split, KERNEL),
                 cell_of(split, PC), source, line);
}

static int split_row(const struct splitting *split)
{
    const char *chain = cell_of(split, INLINED_AT), *list = cell_of(split, STALLS);
    struct location location;
    struct stall stall;
    const int is_first = sqlite3_column_int(split->read, IS_FIRST);
    int more, result = is_first ? add_own_location(split) : 0;
    for (int depth = 1; is_first && !result && (more = location_next(&chain, &location)) != 0;
         depth++)
        result = more < 0
                     ? malformed(split, "inlined_at", INLINED_AT, "source:line source:line ...")
                     : add_location(split, depth, &location);
    for (int place = 0; !result && (more = stall_next(&list, &stall)) != 0; place++) {
        if (more < 0) return malformed(split, "stalls", STALLS, "reason=samples/not_issued ...");
        result = query_run(split->query, NULL, "INSERT INTO line_stalls VALUES(?, ?, ?, ?, ?)",
                           "litnn", (long long)sqlite3_column_int64(split->read, ID), place,
                           stall.reason, stall.samples, stall.not_issued);
    }
    return result;
}

/* Few inlining chains occur at many instructions: each is split once, where it is first. */
static int split_lists(struct query *query)
{
    static const char tables_sql[] =
        "CREATE TABLE chains(chain INTEGER PRIMARY KEY, source, line, inlined_at);"
        "CREATE UNIQUE INDEX chains_key ON chains(inlined_at, line, source);"
        "INSERT OR IGNORE INTO chains SELECT rowid, coalesce(source, ''), coalesce(line, ''), "
        "coalesce(inlined_at, '') FROM lines;"
        "CREATE TABLE line_chains(id INTEGER PRIMARY KEY, chain INTEGER);"
        "INSERT INTO line_chains SELECT l.rowid, c.chain FROM lines l CROSS JOIN chains c ON "
        "(c.inlined_at, c.line, c.source) = (coalesce(l.inlined_at, ''), coalesce(l.line, ''), "
        "coalesce(l.source, ''));"
        "CREATE TABLE line_locations(chain INTEGER, depth INTEGER, source INTEGER, line "
        "INTEGER, PRIMARY KEY(chain, depth)) WITHOUT ROWID;"
        "CREATE TABLE line_stalls(id INTEGER, place INTEGER, reason TEXT, samples REAL, "
        "not_issued REAL, PRIMARY KEY(id, place)) WITHOUT ROWID",
                      read_sql[] = "SELECT rowid, kernel, pc, source, line, inlined_at, stalls, "
                                   "rowid IN (SELECT chain FROM chains) FROM lines";
    struct splitting split = {.query = query};
    int status = SQLITE_DONE, result = query_write(query, tables_sql);
    if (!result) result = query_prepare_write(query, read_sql, &split.read);
    while (!result && (status = sqlite3_step(split.read)) == SQLITE_ROW) result = split_row(&split);
    if (!result && status != SQLITE_DONE) result = query_error(query, NULL, "reading lines");
    sqlite3_finalize(split.read);
    return result;
}

int lines_tables_load_rows(struct query *query, const char *kernels)
{
    int result = load_kernels(query);
    if (!result) result = load_lines(query, kernels);
    if (!result) result = query_write(query, "BEGIN");
    if (!result) result = check_keys(query);
    if (!result) result = check_counts(query);
    if (!result) result = split_lists(query);
    return result ? result : query_write(query, "COMMIT");
}

int lines_tables_sum_opcodes(struct query *query, const char *kernels)
{
    static const char sums[] = "CREATE TABLE opcode_sums AS SELECT kernel, opcode_of(sass) AS "
                               "opcode, sum(executed) AS executed FROM lines WHERE executed IS NOT "
                               "NULL GROUP BY kernel, opcode_of(sass);"
                               "CREATE TABLE reason_sums AS SELECT l.kernel, s.reason, "
                               "sum(s.samples) AS samples, sum(s.not_issued) AS not_issued FROM "
                               "line_stalls s JOIN lines l ON "
                               "l.rowid = s.id GROUP BY l.kernel, s.reason";
    const int result = lines_tables_load_rows(query, kernels);
    return result ? result : query_write(query, "%s", sums);
}

/* ---- sources --------------------------------------------------------------------------------- */

/* Columns: source, path, hash, status, text. The context is the query. */
static int add_source(void *context, const struct scope *row)
{
    const struct source_record record = {row->value[1], row->value[2], row->value[3],
                                         row->value[4]};
    struct source source;
    int result = source_open(&source, &record);
    if (result) return result;
    result = query_run(context, NULL, "INSERT INTO source_state VALUES(?, ?, ?, ?)", "tttt",
                       row->value[0], record.path, source.state, source.message);
    for (int i = 0; i < source.line_count && !result; i++)
        result = query_run(context, NULL, "INSERT INTO source_text VALUES(?, ?, ?)", "tit",
                           row->value[0], i + 1, source.line[i]);
    source_free(&source);
    return result;
}

static int make_sources(struct query *query)
{
    int result =
        query_write(query, "CREATE TABLE source_state(source INTEGER PRIMARY KEY, path TEXT, state "
                           "TEXT, message TEXT);"
                           "CREATE TABLE source_text(source INTEGER, line INTEGER, text TEXT, "
                           "PRIMARY KEY(source, line)) WITHOUT ROWID");
    if (!result)
        result = query_each(query, NULL,
                            "SELECT source, path, hash, status, text FROM sources LEFT JOIN "
                            "source_files USING (source)",
                            NULL, add_source, query);
    return result ? result
                  : query_each(query, NULL,
                               "SELECT 'kernel ' || l.kernel || ', pc ' || l.pc || ': source ' || "
                               "x.source || ' is not in sources.csv' FROM line_locations x JOIN "
                               "line_chains USING (chain) JOIN lines l ON l.rowid = id WHERE "
                               "x.source NOT IN (SELECT source FROM source_state) LIMIT 1",
                               NULL, fail, query);
}

/* ---- all ------------------------------------------------------------------------------------- */

int lines_tables_load(struct query *query, const char *kernels)
{
    static const char *const counters[] = {"shared_conflicts_all", "shared_arbitration", NULL};
    int result =
        QUERY_LOAD(query, TABLE_SOURCES, TABLE_SOURCE_FILES, TABLE_LAUNCHES, TABLE_KERNEL_COUNTERS);
    if (!result) result = lines_tables_load_kernels(query);
    if (!result) result = lines_tables_load_rows(query, kernels);
    if (!result && conflict_sentences_add(query) != SQLITE_OK)
        result = query_error(query, NULL, "functions of lines");
    if (!result) result = query_write(query, "BEGIN");
    if (!result) result = make_sources(query);
    if (!result)
        result = make_known(query, "counted_launches", "kernel_counters", "kernel", counters);
    if (!result) result = query_write(query, "%s", lines_tables_sql);
    return result ? result : query_write(query, "COMMIT");
}

static int say_impossible(void *context, const struct scope *row)
{
    int *count = context;
    ++*count;
    error(FAIL_CHECK,
          "%s/%s, size %s: impossible counts at %s of its instructions: %s does not hold. %s These "
          "counts are left empty. The first instruction is %s",
          row->value[0], row->value[1], row->value[2], row->value[3], row->value[4], row->value[5],
          row->value[6] ? row->value[6] : "unknown");
    return 0;
}

int lines_tables_impossible(struct query *query, int *count)
{
    *count = 0;
    return query_each(
        query, NULL,
        "SELECT k.family, k.variant, k.size, sum(i.instructions), i.holds, i.because, i.first FROM "
        "impossible_lines i JOIN kernels k USING (kernel) GROUP BY i.holds ORDER BY min(i.rowid)",
        NULL, say_impossible, count);
}

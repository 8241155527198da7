#include "lines/lines_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data_directory.h"
#include "base/message.h"
#include "base/text.h"
#include "code/source_file.h"
#include "lines/line_checks.h"
#include "lines/lines_format.h"

/* ---- statements ------------------------------------------------------------------------------ */

static int insert(struct query *query, sqlite3_stmt *statement)
{
    const int status = sqlite3_step(statement);
    sqlite3_reset(statement);
    return status == SQLITE_DONE ? 0 : query_error(query, NULL, sqlite3_sql(statement));
}

static void bind_place(sqlite3_stmt *statement, int column, const struct place *place)
{
    if (place->source < 0) {
        sqlite3_bind_null(statement, column);
        sqlite3_bind_null(statement, column + 1);
    } else {
        sqlite3_bind_int(statement, column, place->source);
        sqlite3_bind_int(statement, column + 1, place->line);
    }
}

/* ---- sources --------------------------------------------------------------------------------- */

struct sources {
    struct query *query;
    const char *root; /* directory that holds kernels/ */
    sqlite3_stmt *state, *text;
    int count, capacity;
    unsigned char *known; /* by number of the source: 0 none, 1 foreign, 2 of the project */
};

static int remember_source(struct sources *sources, int number, int of_project)
{
    if (number >= sources->capacity) {
        const int capacity = 2 * number + 64;
        unsigned char *known = realloc(sources->known, (size_t)capacity);
        if (!known) return error_memory();
        memset(known + sources->capacity, 0, (size_t)(capacity - sources->capacity));
        sources->known = known;
        sources->capacity = capacity;
    }
    sources->known[number] = (unsigned char)(1 + of_project);
    return 0;
}

static int insert_text(struct sources *sources, int number, const struct source *source)
{
    int result = 0;
    for (int i = 0; i < source->line_count && !result; i++) {
        sqlite3_bind_int(sources->text, 1, number);
        sqlite3_bind_int(sources->text, 2, i + 1);
        sqlite3_bind_text(sources->text, 3, source->line[i], -1, SQLITE_STATIC);
        result = insert(sources->query, sources->text);
    }
    return result;
}

static int add_source(void *context, const struct scope *row)
{
    struct sources *sources = context;
    const char *number_text = row->value[0];
    const struct source_record record = {row->value[1], row->value[2], row->value[3],
                                         run_fact(sources->query->run, "date"), row->value[4]};
    struct source source;
    if (strlen(number_text) > 6)
        return error(FAIL_INPUT, "%s/sources.csv: source %s; expected a number below 1000000",
                     sources->query->run->path, number_text);
    const int number = (int)strtol(number_text, NULL, 10);
    int result = source_open(&source, sources->root, &record);
    if (result) return result;
    sqlite3_bind_int(sources->state, 1, number);
    sqlite3_bind_text(sources->state, 2, record.path, -1, SQLITE_STATIC);
    sqlite3_bind_text(sources->state, 3, source_state_name(source.state), -1, SQLITE_STATIC);
    sqlite3_bind_text(sources->state, 4, source.message, -1, SQLITE_STATIC);
    result = insert(sources->query, sources->state);
    if (!result) result = insert_text(sources, number, &source);
    if (!result) result = remember_source(sources, number, source.state != SOURCE_FOREIGN);
    source_free(&source);
    return result;
}

static int load_sources(struct sources *sources)
{
    struct query *query = sources->query;
    int result = query_write(query, "CREATE TABLE source_state(source INTEGER PRIMARY KEY, path "
                                    "TEXT, state TEXT, message TEXT);"
                                    "CREATE TABLE source_text(source INTEGER, line INTEGER, text "
                                    "TEXT, PRIMARY KEY(source, line)) WITHOUT ROWID");
    if (!result)
        result = query_prepare_write(query, "INSERT INTO source_state VALUES(?, ?, ?, ?)",
                                     &sources->state);
    if (!result)
        result =
            query_prepare_write(query, "INSERT INTO source_text VALUES(?, ?, ?)", &sources->text);
    if (!result)
        result = query_each(query, NULL,
                            "SELECT source, path, hash, status, text FROM sources LEFT JOIN "
                            "source_files USING (source)",
                            NULL, add_source, sources);
    sqlite3_finalize(sources->state);
    sqlite3_finalize(sources->text);
    return result;
}

/* ---- instructions ---------------------------------------------------------------------------- */

struct instructions {
    struct query *query;
    const struct sources *sources;
    sqlite3_stmt *read, *place, *stall;
};

/* Columns of the statement that reads. */
enum { ID, KERNEL, PC, SOURCE, LINE, INLINED_AT, STALLS };

/* A cell of the row, NULL where it is empty. */
static int read_cell(const struct instructions *load, int column, const char **cell)
{
    *cell = (const char *)sqlite3_column_text(load->read, column);
    return *cell || sqlite3_column_type(load->read, column) == SQLITE_NULL ? 0 : error_memory();
}

static int malformed(const struct instructions *load, const char *column, const char *expected)
{
    const char *cell = (const char *)sqlite3_column_text(
        load->read, !strcmp(column, "stalls") ? STALLS : INLINED_AT);
    return error(FAIL_INPUT, "%s/lines.csv: kernel %d, pc %lld: %s '%s'; expected %s",
                 load->query->run->path, sqlite3_column_int(load->read, KERNEL),
                 (long long)sqlite3_column_int64(load->read, PC), column, cell ? cell : "",
                 expected);
}

static int check_place(const struct instructions *load, const struct place *place)
{
    const struct sources *sources = load->sources;
    if (place->source < sources->capacity && sources->known[place->source]) return 0;
    return error(FAIL_INPUT, "%s/lines.csv: kernel %d, pc %lld: source %d is not in sources.csv",
                 load->query->run->path, sqlite3_column_int(load->read, KERNEL),
                 (long long)sqlite3_column_int64(load->read, PC), place->source);
}

/* The instruction's own line, before what it was inlined into; source -1 where there is none. */
static int own_place(const struct instructions *load, struct place *place)
{
    const double source = sqlite3_column_double(load->read, SOURCE),
                 line = sqlite3_column_double(load->read, LINE);
    *place = (struct place){-1, 0};
    if (sqlite3_column_type(load->read, SOURCE) == SQLITE_NULL) return 0;
    if (source != floor(source) || line != floor(line) || !(source >= 0 && source < 1e6) ||
        !(line >= 0 && line < 1e9))
        return error(FAIL_INPUT,
                     "%s/lines.csv: kernel %d, pc %lld: source %g, line %g; expected whole numbers",
                     load->query->run->path, sqlite3_column_int(load->read, KERNEL),
                     (long long)sqlite3_column_int64(load->read, PC), source, line);
    *place = (struct place){(int)source, (int)line};
    return check_place(load, place);
}

/* To which place of its chain the instruction is charged, and how many places lie further in.
 * The whole chain is checked. */
static int charge(const struct instructions *load, struct place *charged, int *depth)
{
    const char *chain;
    struct place place;
    int found, more;
    *depth = 0;
    int result = own_place(load, charged);
    if (!result) result = read_cell(load, INLINED_AT, &chain);
    if (result || !chain) return result;
    found = charged->source >= 0 && load->sources->known[charged->source] == 2;
    for (int i = 1; (more = place_next(&chain, &place)) > 0; i++) {
        result = check_place(load, &place);
        if (result) return result;
        if (found || load->sources->known[place.source] != 2) continue;
        found = 1;
        *charged = place;
        *depth = i;
    }
    return more < 0 ? malformed(load, "inlined_at", "source:line source:line ...") : 0;
}

/* Warps that issued did not wait; of reasons with as many samples the first by name leads, as in
 * the views. */
static int leads(const struct stall *stall, const struct stall *leading)
{
    if (!strcmp(stall->reason, "selected") || stall->samples < leading->samples ||
        stall->samples == 0)
        return 0;
    return stall->samples > leading->samples || strcmp(stall->reason, leading->reason) < 0;
}

/* Splits the cell into rows of stalls; the reason with most samples in *leading. */
static int split_stalls(const struct instructions *load, const struct place *place,
                        struct stall *leading)
{
    const char *list;
    struct stall stall;
    int result = read_cell(load, STALLS, &list), more = 0;
    leading->samples = 0;
    while (!result && list && (more = stall_next(&list, &stall)) > 0) {
        sqlite3_bind_int64(load->stall, 1, sqlite3_column_int64(load->read, KERNEL));
        sqlite3_bind_int64(load->stall, 2, sqlite3_column_int64(load->read, PC));
        bind_place(load->stall, 3, place);
        sqlite3_bind_text(load->stall, 5, stall.reason, -1, SQLITE_STATIC);
        sqlite3_bind_double(load->stall, 6, stall.samples);
        sqlite3_bind_double(load->stall, 7, stall.not_issued);
        result = insert(load->query, load->stall);
        if (leads(&stall, leading)) *leading = stall;
    }
    return more < 0 ? malformed(load, "stalls", "reason=samples/not_issued ...") : result;
}

static int add_instruction(const struct instructions *load)
{
    struct place place;
    struct stall leading;
    int depth;
    int result = charge(load, &place, &depth);
    if (!result) result = split_stalls(load, &place, &leading);
    if (result) return result;
    sqlite3_bind_int64(load->place, 1, sqlite3_column_int64(load->read, ID));
    bind_place(load->place, 2, &place);
    sqlite3_bind_int(load->place, 4, depth);
    if (leading.samples > 0) {
        sqlite3_bind_text(load->place, 5, leading.reason, -1, SQLITE_STATIC);
        sqlite3_bind_double(load->place, 6, leading.samples);
    } else {
        sqlite3_bind_null(load->place, 5);
        sqlite3_bind_null(load->place, 6);
    }
    return insert(load->query, load->place);
}

static int load_instructions(struct query *query, const struct sources *sources)
{
    struct instructions load = {.query = query, .sources = sources};
    int result = query_write(query, "CREATE TABLE places(id INTEGER PRIMARY KEY, source INTEGER, "
                                    "line INTEGER, depth INTEGER, reason TEXT, "
                                    "reason_samples REAL);"
                                    "CREATE TABLE stalls(kernel INTEGER, pc INTEGER, source "
                                    "INTEGER, line INTEGER, reason TEXT, samples REAL, "
                                    "not_issued REAL)");
    if (!result)
        result =
            query_prepare_write(query, "INSERT INTO places VALUES(?, ?, ?, ?, ?, ?)", &load.place);
    if (!result)
        result = query_prepare_write(query, "INSERT INTO stalls VALUES(?, ?, ?, ?, ?, ?, ?)",
                                     &load.stall);
    if (!result)
        result = query_prepare_write(
            query, "SELECT rowid, kernel, pc, source, line, inlined_at, stalls FROM lines",
            &load.read);
    int status = SQLITE_DONE;
    while (!result && (status = sqlite3_step(load.read)) == SQLITE_ROW)
        result = add_instruction(&load);
    if (!result && status != SQLITE_DONE) result = query_error(query, NULL, "reading lines");
    sqlite3_finalize(load.place);
    sqlite3_finalize(load.stall);
    sqlite3_finalize(load.read);
    return result;
}

static int say_orphan(void *context, const struct scope *row)
{
    const struct query *query = context;
    return error(FAIL_INPUT, "%s/lines.csv: kernel %s is not in kernels.csv", query->run->path,
                 row->value[0]);
}

static int say_twice(void *context, const struct scope *row)
{
    const struct query *query = context;
    return error(FAIL_INPUT, "%s/lines.csv: kernel %s, pc %s is there twice", query->run->path,
                 row->value[0], row->value[1]);
}

/* Every instruction is of a kernel that there is, and is there once. */
static int check_keys(struct query *query)
{
    int result = query_write(query, "CREATE UNIQUE INDEX kernels_key ON kernels(kernel); CREATE "
                                    "INDEX lines_key ON lines(kernel, pc)");
    if (!result)
        result = query_each(
            query, NULL,
            "SELECT DISTINCT kernel FROM lines WHERE kernel NOT IN (SELECT kernel FROM kernels)",
            NULL, say_orphan, query);
    if (!result)
        result = query_each(query, NULL,
                            "SELECT kernel, pc FROM lines GROUP BY kernel, pc HAVING count(*) > 1",
                            NULL, say_twice, query);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The tables of the run that are not loaded yet. */
static int load_raw(struct query *query)
{
    static const enum table_id needed[] = {TABLE_SOURCES,        TABLE_SOURCE_FILES, TABLE_KERNELS,
                                           TABLE_LINES,          TABLE_LAUNCHES,     TABLE_METRICS,
                                           TABLE_KERNEL_COUNTERS};
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++) {
        if (query_has_column(query, tables[needed[i]].name, NULL)) continue;
        char *metrics = run_file(query->run, "metrics.csv");
        if (!metrics)
            result = error_memory();
        else if (needed[i] != TABLE_METRICS || access(metrics, F_OK) == 0)
            result = query_load(query, needed[i]);
        free(metrics);
    }
    return result;
}

/* A table of these columns of another one, NULL where the run does not have them: without that
 * table, or computed by other records. */
static int make_known(struct query *query, const char *name, const char *from, const char *keys,
                      const char *const *columns, const char *const *names)
{
    struct text sql = {0};
    const int is_there = query_has_column(query, from, NULL);
    text_format(&sql, "CREATE TABLE %s AS SELECT %s", name, keys);
    for (int i = 0; columns[i]; i++)
        text_format(&sql, ", %s AS %s",
                    query_has_column(query, from, columns[i]) ? columns[i] : "NULL", names[i]);
    if (is_there)
        text_format(&sql, " FROM %s; CREATE INDEX %s_key ON %s(%s)", from, name, name, keys);
    else
        text_format(&sql, " FROM kernels WHERE 0");
    const int result = sql.failed ? error_memory() : query_write(query, "%s", text_string(&sql));
    text_free(&sql);
    return result;
}

/* clean_points: what metrics says of each point. counted_launches: what the counters say of each
 * kernel's launch, and in hardware what of that is compared. */
static int make_measured(struct query *query)
{
    static const char *const columns[] = {"best", "time_kernels_ns", "sm_clock_mhz", "launches",
                                          NULL};
    static const char *const counters[] = {"shared_conflicts_load", "shared_conflicts_store",
                                           "shared_arbitration", "shared_async_instructions", NULL};
    int result = make_known(query, "clean_points", "metrics", "family, variant, size, block, sweep",
                            columns, columns);
    if (!result)
        result =
            make_known(query, "counted_launches", "kernel_counters", "kernel", counters, counters);
    return result
               ? result
               : query_write(query, "CREATE VIEW hardware AS SELECT kernel, shared_conflicts_load "
                                    "+ shared_conflicts_store AS hw_conflicts, "
                                    "shared_arbitration AS arbitration, shared_async_instructions "
                                    "AS copies FROM counted_launches");
}

static int apply_checks(struct query *query)
{
    struct line_tally tally = {0, 0, NULL};
    int result = line_checks_apply(query, &tally);
    if (!result) result = line_checks_write(query, &tally);
    line_tally_free(&tally);
    return result;
}

static int say_impossible(void *context, const struct scope *row)
{
    int *count = context;
    ++*count;
    error(FAIL_CHECK,
          "%s/%s, size %s: what was counted at %s of its instructions cannot be: %s does not hold. "
          "%s Left empty: these counts",
          row->value[0], row->value[1], row->value[2], row->value[3], row->value[4], row->value[5]);
    return 0;
}

int lines_tables_impossible(struct query *query, int *count)
{
    *count = 0;
    return query_each(
        query, NULL,
        "SELECT k.family, k.variant, k.size, sum(i.instructions), i.holds, i.because FROM "
        "impossible_lines i JOIN kernels k USING (kernel) GROUP BY i.holds ORDER BY min(i.rowid)",
        NULL, say_impossible, count);
}

int lines_tables_load(struct query *query)
{
    struct sources sources = {.query = query};
    char *root = data_directory();
    int result = root ? load_raw(query) : FAIL_INPUT;
    sources.root = root;
    if (!result && lines_tables_add_functions(query) != SQLITE_OK)
        result = query_error(query, NULL, "functions of lines");
    if (!result) result = query_write(query, "BEGIN");
    if (!result) result = check_keys(query);
    if (!result) result = apply_checks(query);
    if (!result) result = load_sources(&sources);
    if (!result) result = load_instructions(query, &sources);
    if (!result) result = make_measured(query);
    if (!result) result = lines_tables_make_views(query);
    if (!result) result = query_write(query, "COMMIT");
    free(sources.known);
    free(root);
    return result;
}

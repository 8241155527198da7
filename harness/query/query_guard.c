#include "query/query_guard.h"

#include <ctype.h>
#include <string.h>

#include "base/message.h"

/* A foreign statement may take WORK_LEAST steps, which is some seconds, and WORK_PER_ROW more for
 * each row of the run. Steps are counted by the STRIDE. */
enum { STRIDE = 10000, WORK_PER_ROW = 2000, MOST_CHARACTERS = 20000 };
static const long long WORK_LEAST = 100000000;

/* The longest value of a foreign statement, and the memory of SQLite as a whole. */
enum { VALUE_BYTES = 4 << 20, HEAP_MEGABYTES = 4096 };

/* SQLite's own functions that are safe. A function belongs here if it sees nothing but its
 * arguments and its result is no longer than they are, or is held by the limit on values. LIKE and
 * GLOB are called by these names, too. */
static const char safe[] =
    "-> ->> abs avg ceil ceiling char coalesce count cume_dist dense_rank exp first_value "
    "floor format glob group_concat hex ifnull iif instr json json_array json_array_length "
    "json_extract json_group_array json_group_object json_object json_patch json_quote "
    "json_type json_valid lag last_value lead length like likelihood likely ln log log10 log2 "
    "lower ltrim max min mod nth_value ntile nullif percent_rank pi pow power printf quote "
    "rank replace round row_number rtrim sign strftime substr substring sum total trim trunc "
    "typeof unicode unlikely upper";

/* The functions that an expression of a run may call. */
static const char arithmetic[] =
    "abs ceil coalesce exp floor ifnull iif ln log10 log2 max min nullif pow round sqrt";

static int is_listed(const char *words, const char *name)
{
    const size_t length = strlen(name);
    for (const char *word = words; *word; word += strcspn(word, " "), word += strspn(word, " "))
        if (strcspn(word, " ") == length && !sqlite3_strnicmp(word, name, (int)length)) return 1;
    return 0;
}

static int may_call(const struct query_guard *guard, const char *name)
{
    if (!name) return 0;
    if (guard->of_run) return is_listed(arithmetic, name);
    for (int i = 0; i < guard->function_count; i++)
        if (!sqlite3_stricmp(guard->function[i], name)) return 1;
    return is_listed(safe, name);
}

/* Whether this program's own statements may do this beyond reading. */
static int may_write(int action, const char *first)
{
    switch (action) {
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_VIEW:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_VIEW:
    case SQLITE_ALTER_TABLE:
    case SQLITE_REINDEX:
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_TRANSACTION: return 1;
    case SQLITE_PRAGMA: return first && !strcmp(first, "table_info");
    default: return 0;
    }
}

static int authorize(void *opaque, int action, const char *first, const char *second,
                     const char *database, const char *view)
{
    const struct query_guard *guard = opaque;
    (void)database;
    (void)view;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ: return SQLITE_OK;
    case SQLITE_RECURSIVE: return guard->of_run ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION:
        /* ALTER TABLE rewrites the schema by functions of its own. */
        if (guard->writable && second && !strncmp(second, "sqlite_rename_", 14)) return SQLITE_OK;
        return may_call(guard, second) ? SQLITE_OK : SQLITE_DENY;
    default: return guard->writable && may_write(action, first) ? SQLITE_OK : SQLITE_DENY;
    }
}

/* Called every STRIDE steps; a result other than 0 ends the statement. */
static int on_progress(void *opaque)
{
    struct query_guard *guard = opaque;
    if (interrupted()) return 1;
    if (!guard->work) return 0;
    *guard->work -= STRIDE;
    return *guard->work < 0;
}

int query_guard_open(struct query_guard *guard, sqlite3 *database)
{
    static const int limits[][2] = {
        {SQLITE_LIMIT_ATTACHED, 0},       {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
        {SQLITE_LIMIT_WORKER_THREADS, 0}, {SQLITE_LIMIT_EXPR_DEPTH, 500},
        {SQLITE_LIMIT_FUNCTION_ARG, 100}, {SQLITE_LIMIT_COMPOUND_SELECT, 200},
        {SQLITE_LIMIT_VDBE_OP, 1000000},  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 500},
    };
    static const int switches[][2] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
    };
    int status = SQLITE_OK;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(database, limits[i][0], limits[i][1]);
    for (size_t i = 0; i < sizeof switches / sizeof *switches && status == SQLITE_OK; i++)
        status = sqlite3_db_config(database, switches[i][0], switches[i][1], (int *)NULL);
    if (status == SQLITE_OK) status = sqlite3_drop_modules(database, NULL);
    if (status == SQLITE_OK) status = sqlite3_set_authorizer(database, authorize, guard);
    sqlite3_progress_handler(database, STRIDE, on_progress, guard);
    sqlite3_hard_heap_limit64((sqlite3_int64)HEAP_MEGABYTES << 20);
    return status;
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* Returns the end of the quoted string or name that begins at p, in which a doubled quote is a
 * quote, or NULL if it never ends. */
static const char *skip_quoted(const char *p)
{
    const char end = *p == '[' ? ']' : *p;
    for (p++; *p; p++) {
        if (*p != end) continue;
        if (end == ']' || p[1] != end) return p + 1;
        p++;
    }
    return NULL;
}

static int refuse(const char *origin, const char *what, const char *expected)
{
    return error(FAIL_INPUT, "%s: %s; expected %s", origin, what, expected);
}

/* The brackets that are open, and whether each still needs a comma: with one argument max and min
 * are aggregates over all rows. */
enum { MOST_OPEN = 200 };
struct brackets {
    int open;
    char wants_comma[MOST_OPEN];
};

/* Follows one character outside of quotes; `word` are the `length` characters right before it. */
static int follow(struct brackets *brackets, const char *origin, char character, const char *word,
                  size_t length)
{
    static const char one[] = "one expression";
    if (character == '(') {
        if (brackets->open == MOST_OPEN) return refuse(origin, "brackets nested too deep", one);
        brackets->wants_comma[brackets->open++] =
            length == 3 && (!sqlite3_strnicmp(word, "max", 3) || !sqlite3_strnicmp(word, "min", 3));
    } else if (character == ',' && brackets->open) {
        brackets->wants_comma[brackets->open - 1] = 0;
    } else if (character == ')') {
        if (brackets->open == 0) return refuse(origin, "a ')' without its '('", one);
        if (brackets->wants_comma[--brackets->open])
            return refuse(origin, "max or min of one value, which is an aggregate",
                          "two values or more");
    }
    return 0;
}

/* `selects` says whether a SELECT is allowed. */
static int check_expression(const char *origin, const char *p, int selects)
{
    static const char one[] = "one expression";
    struct brackets brackets = {.open = 0};
    const char *word = "";
    size_t length = 0;
    int result = 0;
    if (strlen(p) > MOST_CHARACTERS)
        return refuse(origin, "an expression of many thousand characters", "a short one");
    while (*p && !result) {
        if (strchr("'\"`[", *p)) {
            word = p + 1;
            p = skip_quoted(p);
            if (!p) return refuse(origin, "a quote is not closed", one);
            length = (size_t)(p - word) - 1; /* names can be quoted, those of functions too */
        } else if (isalpha((unsigned char)*p) || *p == '_' || (unsigned char)*p >= 0x80) {
            word = p;
            while (isalnum((unsigned char)*p) || *p == '_' || *p == '$' ||
                   (unsigned char)*p >= 0x80)
                p++;
            length = (size_t)(p - word);
            if (!selects && length == 6 && !sqlite3_strnicmp(word, "select", 6))
                return refuse(origin, "it reads other rows", "an expression without SELECT");
        } else {
            if (*p == ';') return refuse(origin, "a ';'", one);
            if ((*p == '-' && p[1] == '-') || (*p == '/' && p[1] == '*'))
                return refuse(origin, "a comment", one);
            result = follow(&brackets, origin, *p, word, selects ? 0 : length);
            if (!isspace((unsigned char)*p)) length = 0;
            p++;
        }
    }
    return result || !brackets.open ? result : refuse(origin, "a '(' without its ')'", one);
}

int query_guard_expression(const char *origin, const char *expression)
{
    return check_expression(origin, expression, 1);
}

int query_guard_claim(const char *origin, const char *expression)
{
    return check_expression(origin, expression, 0);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

long long query_guard_work(const struct query_guard *guard)
{
    return guard->work_most > 0 ? guard->work_most : WORK_LEAST + WORK_PER_ROW * guard->rows;
}

/* Steps the statement, or runs the text if that is NULL. */
static int run_bounded(struct query_guard *guard, sqlite3 *database, sqlite3_stmt *statement,
                       const char *sql, long long *work)
{
    const int value_bytes = sqlite3_limit(database, SQLITE_LIMIT_LENGTH, VALUE_BYTES);
    guard->work = work;
    const int status =
        statement ? sqlite3_step(statement) : sqlite3_exec(database, sql, NULL, NULL, NULL);
    guard->work = NULL;
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, value_bytes);
    return status;
}

int query_guard_step(struct query_guard *guard, sqlite3_stmt *statement, long long *work)
{
    return work ? run_bounded(guard, sqlite3_db_handle(statement), statement, NULL, work)
                : sqlite3_step(statement);
}

int query_guard_run(struct query_guard *guard, sqlite3 *database, const char *sql)
{
    long long work = query_guard_work(guard);
    return run_bounded(guard, database, NULL, sql, &work);
}

int query_guard_ended(const struct query_guard *guard, int status, const char *origin)
{
    if (status == SQLITE_INTERRUPT && interrupted()) return FAIL_INTERRUPTED;
    if (!origin) return 0;
    if (status == SQLITE_INTERRUPT)
        return error(FAIL_INPUT,
                     "%s: stopped after %lld steps; expected a statement that finishes sooner",
                     origin, query_guard_work(guard));
    if (status == SQLITE_TOOBIG)
        return error(FAIL_INPUT, "%s: produces a value of more than %d bytes; expected less",
                     origin, VALUE_BYTES);
    return 0;
}

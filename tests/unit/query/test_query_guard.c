#include "queried.h"

#include <signal.h>
#include <sys/wait.h>

#include "query/query.h"

static int open_ladder(void **state)
{
    if (open_query(state)) return -1;
    return query_write(&query, "CREATE TABLE ladder(family, variant, time_ns REAL, prev_time_ns "
                               "REAL); INSERT INTO ladder VALUES('f', '01_a', 4, 2)");
}

/* Runs a foreign statement. */
static int foreign(const char *sql)
{
    OWNED char *value = NULL;
    const int result = query_text(&query, "a.metric:7", sql, NULL, &value);
    return result;
}

static int keep(void *context, const struct scope *row)
{
    snprintf(context, 64, "%s", row->value[0] ? row->value[0] : "NULL");
    return 0;
}

TEST_WITHIN(a_statement_is_one_that_reads, open_ladder, close_query)
{
    static const char *const rows[][2] = {
        {"SELECT 1; SELECT 2", "more than one statement"},
        {"SELECT 1; DROP TABLE run", "more than one statement"},
        {"  ", "the statement is empty"},
        {"-- nothing", "the statement is empty"},
        {"SELECT nonsense", "no such column: nonsense"},
        {"SELECT :nonsense", "no enclosing row has a column ':nonsense'"},
        {"SELECT ?", "no enclosing row has a column"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FAILS(foreign(rows[i][0]), FAIL_INPUT, "a.metric:7: ");
        FAILS(foreign(rows[i][0]), FAIL_INPUT, rows[i][1]);
    }
}

/* Judges an expression as claims are judged. */
static int judge(const char *expression, char value[64])
{
    OWNED_BY(text_free) struct text sql = {0};
    text_format(&sql, "SELECT (%s) AS judgement, ladder.* FROM ladder WHERE family = 'f'",
                expression);
    int result = query_guard_claim("claims.csv: claim 1", expression);
    if (!result)
        result = query_judge(&query, "claims.csv: claim 1", text_string(&sql), NULL, keep, value);
    return result;
}

TEST_WITHIN(claims_are_arithmetic, open_ladder, close_query)
{
    static const char *const good[][2] = {
        {"time_ns > prev_time_ns", "1"},
        {"abs(time_ns - 3) <= 1 AND max(1, 2, time_ns) = 4.0", "1"},
        {"coalesce(nullif(time_ns, 4), 7)", "7"},
        {"CASE WHEN time_ns > 3 THEN 'a;b -- (' ELSE 0 END", "a;b -- ("},
        {"variant IN ('01_a', 'it''s')", "1"},
        {"round(sqrt(time_ns), 3) - -1", "3.0"},
        {"\"time_ns\" BETWEEN [prev_time_ns] AND `time_ns`", "1"},
    };
    static const char *const bad[] = {
        "",
        "1; DROP TABLE ladder",
        "1) FROM ladder; --",
        "1) AS judgement FROM ladder WHERE (1",
        "1 -- rest",
        "1 /* rest",
        "(1",
        "1)",
        "'never closed",
        "\"never closed",
        "(SELECT value FROM run)",
        "EXISTS (seLEct 1)",
        "(WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n)",
        "load_extension('x')",
        "readfile('/etc/passwd')",
        "writefile('x', 'y')",
        "randomblob(1000000000)",
        "zeroblob(1000000000)",
        "printf('%.*c', 1000000000, 'x')",
        "replace(hex(variant), '0', variant)",
        "group_concat(variant)",
        "median(time_ns)",
        "random()",
        "sqlite_version()",
        "time_ns LIKE '%'",
        "1 IN pragma_table_info('run')",
        "1, 2",
        "ATTACH 'x' AS y",
        "json('[1]')",
        "RAISE(ABORT, 'x')",
    };
    char value[64];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(judge(good[i][0], value), 0);
        assert_string_equal(value, good[i][1]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        FAILS(judge(bad[i], value), FAIL_INPUT, "claims.csv: claim 1: ");
    assert_int_equal(judge("1", value), 0); /* nothing was dropped */
}

TEST_WITHIN(an_expression_cannot_end_the_one_around_it, open_ladder, close_query)
{
    struct text deep = {0};
    WORKS(query_guard_expression("here:1", "(SELECT max(value) FROM run WHERE key = ')')"));
    FAILS(query_guard_expression("here:1", "1); DROP TABLE m; SELECT (1"), FAIL_INPUT,
          "here:1: a ')' without its '('; expected one expression");
    FAILS(query_guard_expression("here:1", "1; 2"), FAIL_INPUT, "here:1: a ';'");
    FAILS(query_guard_expression("here:1", "1 -- 2"), FAIL_INPUT, "here:1: a comment");
    FAILS(query_guard_expression("here:1", "1 /* 2 */"), FAIL_INPUT, "here:1: a comment");
    FAILS(query_guard_expression("here:1", "((1)"), FAIL_INPUT, "here:1: a '(' without its ')'");
    FAILS(query_guard_expression("here:1", "[x"), FAIL_INPUT, "here:1: a quote is not closed");
    FAILS(query_guard_claim("here:1", "1 + (SELECT 1)"), FAIL_INPUT,
          "here:1: it reads other rows; expected an expression without SELECT");
    FAILS(query_guard_claim("here:1", "time_ns < max(prev_time_ns)"), FAIL_INPUT,
          "here:1: max or min of one value, which is an aggregate");
    FAILS(query_guard_claim("here:1", "time_ns < \"MIN\" ((prev_time_ns))"), FAIL_INPUT,
          "here:1: max or min of one value");
    assert_int_equal(query_guard_claim("here:1", "max((1), min(2, abs(3)))"), 0);
    assert_int_equal(query_guard_expression("here:1", "max(1)"), 0);
    assert_int_equal(query_guard_claim("here:1", "selected + preselect + 'select'"), 0);
    for (int i = 0; i < 30000; i++) text_append(&deep, "(");
    FAILS(query_guard_claim("here:1", text_string(&deep)), FAIL_INPUT,
          "here:1: an expression of many thousand characters");
    text_free(&deep);
    for (int i = 0; i < 4000; i++) text_append(&deep, "-(");
    text_append(&deep, "1");
    for (int i = 0; i < 4000; i++) text_append(&deep, ")");
    FAILS(foreign(text_string(&deep)), FAIL_INPUT, "a.metric:7: ");
    text_free(&deep);
}

/* Bounds are counts of steps: the same statements end on any machine. */
TEST_WITHIN(work_is_bounded, open_ladder, close_query)
{
    static const char *const endless[] = {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT "
        "count(*) FROM n a, n b, n c",
    };
    static const char *const large[] = {
        "SELECT length(replace(hex(printf('%.*c', 100000, 'x')), '7', printf('%.*c', 100000, "
        "'x')))",
        "WITH RECURSIVE n(i, t) AS (SELECT 1, 'xxxxxxxx' UNION ALL SELECT i + 1, t || t FROM n "
        "WHERE i < 60) SELECT max(length(t)) FROM n",
    };
    query.guard.work_most = 2000000;
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
        FAILS(foreign(endless[i]), FAIL_INPUT,
              "a.metric:7: stopped after 2000000 steps; expected a statement that finishes sooner");
    WORKS(foreign("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
                  "i < 1000) SELECT max(i) FROM n"));
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        FAILS(foreign(large[i]), FAIL_INPUT,
              "a.metric:7: produces a value of more than 4194304 bytes");
    /* SQLite returns no value instead of one that long. */
    char *bomb = NULL;
    WORKS(query_text(&query, "a.metric:7", "SELECT length(printf('%.*c', 10000000, 'x'))", NULL,
                     &bomb));
    assert_true(!bomb || strtol(bomb, NULL, 10) <= 4 << 20);
    free(bomb);
    query.guard.work_most = 0;
    const long long work = query_guard_work(&query.guard);
    query.guard.rows += 5000000;
    assert_true(query_guard_work(&query.guard) >=
                work + 5000000LL * 1000); /* a large run has more to do */
    query.guard.rows -= 5000000;
    /* This program's own statements have no such bounds. */
    OWNED char *length = NULL;
    WORKS(query_text(&query, NULL, "SELECT length(printf('%.*c', 10000000, 'x'))", NULL, &length));
    assert_string_equal(length, "10000000");
}

TEST_WITHIN(nothing_outside_is_reached, open_ladder, close_query)
{
    static const char *const own[] = {
        "ATTACH 'other.db' AS other",
        "DETACH main",
        "PRAGMA writable_schema = 1",
        "PRAGMA temp_store_directory = '/'",
        "VACUUM INTO 'other.db'",
        "CREATE VIRTUAL TABLE t USING fts5(x)",
        "CREATE TRIGGER t AFTER INSERT ON ladder BEGIN SELECT 1; END",
        "SELECT load_extension('x')",
        "SELECT randomblob(10)",
        "ANALYZE",
        "INSERT INTO sqlite_master VALUES('table', 'x', 'x', 0, 'CREATE TABLE x(y)')",
        "UPDATE ladder SET time_ns = random()",
    };
    static const char *const not_foreign[] = {
        "ATTACH 'other.db' AS other",
        "PRAGMA table_list",
        "CREATE TABLE t(x)",
        "CREATE TEMP TABLE t(x)",
        "INSERT INTO run VALUES('a', 1)",
        "UPDATE run SET value = 1",
        "DELETE FROM run",
        "DROP TABLE run",
        "VACUUM",
        "BEGIN",
        "ALTER TABLE run ADD COLUMN x",
        "CREATE VIEW v AS SELECT 1",
        "ANALYZE",
        "DETACH main",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('x', 'y')",
        "SELECT * FROM json_each('[1]')",
        "SELECT * FROM pragma_table_info('run')",
        "SELECT random()",
        "SELECT datetime('now')",
        "SELECT sqlite_version()",
        "SELECT last_insert_rowid()",
        "SELECT fts5('x')",
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        FAILS(query_write(&query, "%s", own[i]), FAIL_INPUT, own[i]);
    for (size_t i = 0; i < sizeof not_foreign / sizeof *not_foreign; i++)
        FAILS(foreign(not_foreign[i]), FAIL_INPUT, "a.metric:7: ");
    WORKS(query_write(
        &query,
        "CREATE VIEW v AS SELECT human(time_ns) AS words FROM ladder; CREATE TABLE w AS SELECT "
        "* FROM v; "
        "ALTER TABLE w ADD COLUMN x; ALTER TABLE w RENAME TO u; DROP TABLE u; DROP VIEW v"));
    assert_int_equal(sqlite3_limit(query.database, SQLITE_LIMIT_ATTACHED, -1), 0);
    assert_int_equal(sqlite3_limit(query.database, SQLITE_LIMIT_WORKER_THREADS, -1), 0);
    int on = 0;
    assert_int_equal(sqlite3_db_config(query.database, SQLITE_DBCONFIG_DEFENSIVE, -1, &on),
                     SQLITE_OK);
    assert_int_equal(on, 1);
    assert_int_equal(sqlite3_db_config(query.database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &on),
                     SQLITE_OK);
    assert_int_equal(on, 0);
    assert_int_equal(
        sqlite3_db_config(query.database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, -1, &on),
        SQLITE_OK);
    assert_int_equal(on, 0);
}

static int run_in_child(const char *sql)
{
    const pid_t child = fork();
    if (child == 0) {
        interrupt_watch();
        raise(SIGINT);
        _exit(-query_write(&query, "%s", sql));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? -WEXITSTATUS(status) : -99;
}

/* This holds even for a statement of this program. */
TEST_WITHIN(ctrl_c_ends_a_statement, open_ladder, close_query)
{
    assert_int_equal(run_in_child("CREATE TABLE endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION "
                                  "ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"),
                     FAIL_INTERRUPTED);
}

RUN_TESTS(fixture_open, fixture_close)

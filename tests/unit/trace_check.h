/*
 * Checks a trace for events that a viewer would drop or misread, by the rules of Perfetto's
 * importer of JSON, and for statements that a trace of this program must not make. The database is
 * the checker's during a call; the message stays valid until the next one.
 */
#ifndef TESTS_UNIT_TRACE_CHECK_H
#define TESTS_UNIT_TRACE_CHECK_H

#include <sqlite3.h>

#include "fixture.h"

static sqlite3 *trace_database;
static char trace_words[400];

/* Copies the first cell of the first row to the message; returns 1 if there is a row. */
static int trace_finds(const char *sql)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(trace_database, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s in: %s", sqlite3_errmsg(trace_database), sql);
    const int status = sqlite3_step(statement);
    if (status == SQLITE_ROW)
        snprintf(trace_words, sizeof trace_words, "%s",
                 (const char *)sqlite3_column_text(statement, 0));
    else if (status != SQLITE_DONE)
        fail_msg("%s in: %s", sqlite3_errmsg(trace_database), sql);
    sqlite3_finalize(statement);
    return status == SQLITE_ROW;
}

/* Table events, before any check. */
static void trace_load(const char *json)
{
    sqlite3_stmt *statement;
    static const char sql[] = "CREATE TABLE events AS SELECT key AS n, value AS event, type FROM "
                              "json_each(?1, '$.traceEvents')";
    assert_int_equal(sqlite3_prepare_v2(trace_database, sql, -1, &statement, NULL), SQLITE_OK);
    sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
    sqlite3_finalize(statement);
}

/* Tables x, c, m of the events of each phase, and the table sampled, if there were samples. Events
 * with args.from are kernels as their samples show them. */
static void trace_sort(void)
{
    static const char *const sql[] = {
        /* Times as Perfetto reads them: ns, cut off. */
        "CREATE TABLE x AS SELECT n, event ->> 'pid' AS pid, event ->> 'tid' AS tid, event ->> "
        "'name' AS name, event ->> 'cat' AS cat, event -> 'args' AS args,"
        " CAST((event ->> 'ts') * 1000.0 AS INTEGER) AS begin, CAST((event ->> 'ts') * 1000.0 AS "
        "INTEGER) + CAST((event ->> 'dur') * 1000.0 AS INTEGER) AS end"
        " FROM events WHERE event ->> 'ph' = 'X'",
        "CREATE TABLE c AS SELECT n, event ->> 'pid' AS pid, event ->> 'name' || ' ' || a.key AS "
        "name, a.value AS value, a.type AS kind,"
        " CAST((event ->> 'ts') * 1000.0 AS INTEGER) AS at FROM events, json_each(event, '$.args') "
        "a WHERE event ->> 'ph' = 'C'",
        "CREATE TABLE m AS SELECT n, event ->> 'pid' AS pid, event ->> 'tid' AS tid, event ->> "
        "'name' AS name, event -> 'args' AS args FROM events WHERE event ->> 'ph' = 'M'",
        "CREATE INDEX m_key ON m(name, pid)",
        "CREATE TABLE sampled AS SELECT x.pid AS pid, x.begin AS begin, x.end AS end FROM x JOIN m "
        "USING (pid, tid) WHERE m.name = 'thread_name' AND m.args ->> 'name' = 'counters sampled'"
        " AND x.args ->> 'from' IS NULL",
        "CREATE INDEX sampled_key ON sampled(pid, begin)",
    };
    for (size_t i = 0; i < sizeof sql / sizeof *sql; i++)
        if (sqlite3_exec(trace_database, sql[i], NULL, NULL, NULL) != SQLITE_OK)
            fail_msg("%s in: %s", sqlite3_errmsg(trace_database), sql[i]);
}

#define TRACE_NUMBER(field) "json_type(event, '$." field "') IN ('integer', 'real')"

/* Checks of single events, made first: each has the fields that its phase needs. To add a rule: a
 * row here. */
static const char *const trace_fields[] = {
    "SELECT 'event ' || n || ' is no object' FROM events WHERE type <> 'object'",
    "SELECT 'event ' || n || ' has no name' FROM events WHERE json_type(event, '$.name') IS NOT "
    "'text' OR event ->> 'name' = ''",
    "SELECT 'event ' || n || ' has an unknown phase' FROM events WHERE json_type(event, '$.ph') IS "
    "NOT 'text' OR event ->> 'ph' NOT IN ('X', 'C', 'M')",
    "SELECT 'event ' || n || ' is of no process' FROM events WHERE json_type(event, '$.pid') IS "
    "NOT 'integer' OR event ->> 'pid' NOT BETWEEN 1 AND 4294967295",
    "SELECT 'event ' || n || ' is of no thread' FROM events WHERE json_type(event, '$.tid') IS NOT "
    "'integer' OR event ->> 'tid' NOT BETWEEN 1 AND 4294967295",
    "SELECT 'event ' || n || ' has no time' FROM events WHERE event ->> 'ph' <> 'M' AND (NOT "
    "coalesce(" TRACE_NUMBER("ts") ", 0) OR event ->> 'ts' < 0)",
    "SELECT 'event ' || n || ' has no duration' FROM events WHERE event ->> 'ph' = 'X' AND (NOT "
    "coalesce(" TRACE_NUMBER("dur") ", 0) OR event ->> 'dur' < 0)",
    "SELECT 'event ' || n || ' has no args' FROM events WHERE json_type(event, '$.args') IS NOT "
    "'object'",
    "SELECT 'event ' || n || ' has an absent value' FROM events, json_tree(event, '$.args') a "
    "WHERE a.type = 'null'",
    "SELECT 'counter ' || n || ' has no value' FROM events WHERE event ->> 'ph' = 'C' AND event -> "
    "'args' = '{}'",
    "SELECT 'counter ' || n || ' is no number' FROM events, json_each(event, '$.args') a WHERE "
    "event ->> 'ph' = 'C' AND a.type NOT IN ('integer', 'real')",
};

#define TRACE_IS_KERNEL "coalesce(args ->> 'kernel', args ->> 'from') IS NOT NULL"

/* Checks of the events together. */
static const char *const trace_rules[] = {
    "SELECT 'process ' || pid || ' has ' || count(args) || ' names' FROM (SELECT pid FROM x UNION "
    "SELECT pid FROM c UNION SELECT pid FROM m)"
    " LEFT JOIN (SELECT pid, args FROM m WHERE name = 'process_name' AND coalesce(args ->> 'name', "
    "'') <> '') USING (pid) GROUP BY pid HAVING count(args) <> 1",
    "SELECT 'process ' || pid || ' has no place' FROM (SELECT pid FROM m EXCEPT SELECT pid FROM m "
    "WHERE name = 'process_sort_index' AND json_type(args, '$.sort_index') = 'integer')",
    "SELECT 'two processes are named ' || (args ->> 'name') FROM m WHERE name = 'process_name' "
    "GROUP BY args ->> 'name' HAVING count(*) > 1",
    "SELECT 'thread ' || tid || ' has ' || count(args) || ' names' FROM (SELECT DISTINCT pid, tid "
    "FROM x)"
    " LEFT JOIN (SELECT pid, tid, args FROM m WHERE name = 'thread_name' AND coalesce(args ->> "
    "'name', '') <> '') USING (pid, tid) GROUP BY pid, tid HAVING count(args) <> 1",
    "SELECT 'two threads of process ' || pid || ' are named ' || (args ->> 'name') FROM m WHERE "
    "name = 'thread_name' GROUP BY pid, args ->> 'name' HAVING count(*) > 1",
    "SELECT 'thread ' || tid || ' is of two processes' FROM (SELECT tid, pid FROM x UNION SELECT "
    "tid, pid FROM m) GROUP BY tid HAVING count(*) > 1",
    "SELECT 'counter ' || n || ' does not come after the one before' FROM (SELECT n, at, lag(at) "
    "OVER (PARTITION BY pid, name ORDER BY n) AS earlier FROM c) WHERE at <= earlier",
    "SELECT 'counter ' || n || ' has a value where nothing was sampled' FROM c WHERE NOT EXISTS "
    "(SELECT 1 FROM sampled s WHERE s.pid = c.pid AND c.at >= s.begin"
    " AND c.at < s.end) AND NOT (value = 0 AND EXISTS (SELECT 1 FROM sampled s WHERE s.pid = c.pid "
    "AND c.at = s.end))",
    "SELECT 'kernel ' || n || ' runs outside of its stage' FROM x WHERE " TRACE_IS_KERNEL
    " AND NOT EXISTS (SELECT 1 FROM x h WHERE h.pid = 1"
    " AND h.args ->> 'stage' = 'timeline' AND h.args ->> 'family' = x.args ->> 'family' AND h.args "
    "->> 'size' = x.args ->> 'size' AND x.begin >= h.begin AND x.end <= h.end)",
    "SELECT 'kernel ' || n || ' was not sampled' FROM x WHERE args ->> 'from' = 'samples' AND NOT "
    "EXISTS (SELECT 1 FROM sampled s WHERE s.pid = x.pid"
    " AND x.begin >= s.begin AND x.end <= s.end)",
    "SELECT 'kernel ' || n || ' is in the process of another family' FROM x WHERE " TRACE_IS_KERNEL
    " AND args ->> 'family' IS NOT"
    " (SELECT m.args ->> 'name' FROM m WHERE m.pid = x.pid AND m.name = 'process_name')",
};

/* Events of one track are nested or separate: Perfetto drops an event that crosses the end of
 * another. Of two that begin together the first is the outer one. */
static int trace_crosses(void)
{
    enum { DEPTH = 16 };
    long long end[DEPTH], track = -1;
    int depth = 0, found = 0;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(
                         trace_database,
                         "SELECT n, pid << 32 | tid, begin, end FROM x ORDER BY pid, tid, begin, n",
                         -1, &statement, NULL),
                     SQLITE_OK);
    while (!found && sqlite3_step(statement) == SQLITE_ROW) {
        const long long at = sqlite3_column_int64(statement, 2),
                        until = sqlite3_column_int64(statement, 3);
        if (sqlite3_column_int64(statement, 1) != track) depth = 0;
        track = sqlite3_column_int64(statement, 1);
        while (depth && end[depth - 1] <= at) depth--;
        found = depth && until > end[depth - 1];
        if (found)
            snprintf(trace_words, sizeof trace_words, "event %d crosses the end of another",
                     sqlite3_column_int(statement, 0));
        assert_in_range(depth, 0, DEPTH - 1);
        end[depth++] = until;
    }
    sqlite3_finalize(statement);
    return found;
}

/* Returns the first error of a trace in words, or "". */
static const char *trace_fault(const char *json)
{
    char is_array[8] = "";
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(":memory:", &trace_database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(
                         trace_database,
                         "SELECT CASE WHEN json_valid(?1) THEN json_type(?1, '$.traceEvents') END",
                         -1, &statement, NULL),
                     SQLITE_OK);
    sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    snprintf(is_array, sizeof is_array, "%s",
             sqlite3_column_type(statement, 0) == SQLITE_NULL
                 ? ""
                 : (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    int found = strcmp(is_array, "array") != 0;
    snprintf(trace_words, sizeof trace_words, "%s",
             found ? "this is no JSON with traceEvents" : "");
    if (!found) trace_load(json);
    for (size_t i = 0; i < sizeof trace_fields / sizeof *trace_fields && !found; i++)
        found = trace_finds(trace_fields[i]);
    if (!found) trace_sort();
    for (size_t i = 0; i < sizeof trace_rules / sizeof *trace_rules && !found; i++)
        found = trace_finds(trace_rules[i]);
    if (!found) trace_crosses();
    sqlite3_close(trace_database);
    return trace_words;
}

#endif

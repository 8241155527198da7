/*
 * Queries the tables of a run: of one in the scratch directory, after ask_run, or of the run that
 * the tests read (fixture_run.h), after ask_fixture_run. The run and the tables are the header's
 * until another one is asked, or the group's teardown.
 */
#ifndef TESTS_UNIT_ASKED_H
#define TESTS_UNIT_ASKED_H

#include "fixture_run.h"

#include "catalog/records.h"
#include "query/query.h"

static struct run run;
static struct query query;
static struct records records; /* for the tests that read some */

UNUSED_IS_FINE static void close_asked(void)
{
    query_close(&query);
    run_close(&run);
    records_free(&records);
}

/* Opens this run of the scratch directory in place of the one before. */
UNUSED_IS_FINE static int ask_run(const char *name)
{
    close_asked();
    const int result = run_open(&run, place(name));
    return result ? result : query_open(&query, &run);
}

/* Loads these tables of the run. Returns 0, or what query_load returns. */
UNUSED_IS_FINE static int load_tables(const enum table_id *table, size_t count)
{
    int result = 0;
    for (size_t i = 0; i < count && !result; i++) result = query_load(&query, table[i]);
    return result;
}
#define LOAD_TABLES(...)                                                                           \
    load_tables((const enum table_id[]){__VA_ARGS__},                                              \
                sizeof((const enum table_id[]){__VA_ARGS__}) / sizeof(enum table_id))

/* Opens the fixture, and the run that the tests read in it. */
UNUSED_IS_FINE static int ask_fixture_run(void **state)
{
    setenv("WHYFAST_DATA", root(), 1);
    return fixture_run_open(state) ? -1 : query_open(&query, &fixture_run);
}

/* Group teardown, after either. */
UNUSED_IS_FINE static int asked_close(void **state)
{
    close_asked();
    return fixture_run_close(state);
}

/* Returns the first cell of the statement, "NULL" for none; it stays valid until the next call. */
__attribute__((format(printf, 1, 2))) UNUSED_IS_FINE static const char *ask(const char *format, ...)
{
    static char *last;
    char sql[8192];
    va_list arguments;
    va_start(arguments, format);
    assert_in_range(vsnprintf(sql, sizeof sql, format, arguments), 1, sizeof sql - 1);
    va_end(arguments);
    free(last);
    last = NULL;
    assert_int_equal(query_text(&query, "here:1", sql, NULL, &last), 0);
    return last ? last : "NULL";
}

/* Asserts that this is the first cell of the statement. */
UNUSED_IS_FINE static void finds(const char *sql, const char *expected)
{
    const char *found = ask("%s", sql);
    if (strcmp(found, expected)) fail_msg("'%s' instead of '%s': %s", found, expected, sql);
}

/* How often a statement has asked for wrong(CONDITION), a function that returns its condition. */
static int looked_at;
static void look(sqlite3_context *context, int count, sqlite3_value **condition)
{
    looked_at += count;
    sqlite3_result_value(context, condition[0]);
}

/* Asserts that the statement finds nothing, and that it looked at `least` rows or more; otherwise
 * the test fails with its first result. */
UNUSED_IS_FINE static void finds_nothing(double least, const char *sql)
{
    looked_at = 0;
    sqlite3_set_authorizer(query.database, NULL, NULL); /* which knows no functions of tests */
    assert_int_equal(
        sqlite3_create_function(query.database, "wrong", 1, SQLITE_UTF8, NULL, look, NULL, NULL),
        SQLITE_OK);
    const char *found = ask("%s", sql);
    if (strcmp(found, "NULL")) fail_msg("%s", found);
    if (looked_at < least) fail_msg("%d rows were looked at, not %.0f: %s", looked_at, least, sql);
    print_message("# %d rows were looked at\n", looked_at);
}

/* Asserts that the statement, in which %s stands for the name of each word, gives its value. */
UNUSED_IS_FINE static void values_are(const char *statement, const char *words)
{
    const char *end = strstr(statement, "%s");
    assert_true(*words);
    for (struct word word; next_word(&words, &word);) {
        const char *found =
            ask("%.*s%s%s", (int)(end - statement), statement, word.name, end + strlen("%s"));
        if (!same_value(found, *word.value ? word.value : "NULL"))
            fail_msg("'%s' instead of %s=%s: %s", found, word.name, word.value, statement);
    }
}

/* Asserts that these columns of a row, what follows FROM, have these values. */
#define row_is(row, words) values_are("SELECT %s FROM " row, words)

UNUSED_IS_FINE static double number(const char *sql)
{
    return strtod(ask("%s", sql), NULL);
}

/* Asserts that there are as many rows (what follows FROM) as a statement needs to be about
 * something. */
UNUSED_IS_FINE static void finds_at_least(double least, const char *rows)
{
    const double count = strtod(ask("SELECT count(*) FROM %s", rows), NULL);
    if (count < least) fail_msg("%.0f rows, not %.0f: %s", count, least, rows);
}

#endif

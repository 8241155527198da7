/*
 * Shared by the unit tests: a scratch directory of the test program, files in it, hand-made runs,
 * and the messages of the code under test on stderr. The directory is the fixture's until
 * fixture_close; strings returned here stay valid until the next call of the same function.
 */
#ifndef TESTS_UNIT_FIXTURE_H
#define TESTS_UNIT_FIXTURE_H

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/csv.h"
#include "base/message.h"
#include "base/atomic_file.h"
#include "run/tables.h"
#include "base/text.h"

#define UNUSED_IS_FINE __attribute__((unused))

/* Variables of a block that a function takes at its end, as text_free does; OWNED: a pointer that
 * free() takes. */
#define OWNED_BY(release) __attribute__((cleanup(release)))
UNUSED_IS_FINE static void free_owned(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}
#define OWNED OWNED_BY(free_owned)

static char scratch[256];
static int stderr_was = -1;

/* Group setup and teardown. */
UNUSED_IS_FINE static int fixture_open(void **state)
{
    const char *place = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/whyfast-unit-XXXXXX", place && *place ? place : "/tmp");
    return mkdtemp(scratch) ? 0 : -1;
}

UNUSED_IS_FINE static int fixture_close(void **state)
{
    return directory_remove(scratch);
}

/* Returns the project's root: set by the Makefile, else the working directory. */
UNUSED_IS_FINE static const char *root(void)
{
    const char *told = getenv("ROOT");
    return told && *told ? told : ".";
}

/* "<scratch>/<name>" */
UNUSED_IS_FINE static const char *place(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    return path;
}

UNUSED_IS_FINE static const char *write_bytes(const char *name, const char *bytes, size_t count)
{
    const char *path = place(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    return path;
}

UNUSED_IS_FINE static const char *write_text(const char *name, const char *text)
{
    return write_bytes(name, text, strlen(text));
}

/* Returns the contents of a file in the scratch directory; "(absent)" if there is none. */
UNUSED_IS_FINE static const char *read_text(const char *name)
{
    static char *last;
    free(last);
    last = text_read_file(place(name), NULL);
    return last ? last : "(absent)";
}

/* Returns 1 if there is a file of that name, or one that matches a pattern such as "x*.tmp". */
UNUSED_IS_FINE static int exists(const char *name)
{
    glob_t found;
    const int status = glob(place(name), 0, NULL, &found);
    if (!status) globfree(&found);
    return !status;
}

UNUSED_IS_FINE static void make_directory(const char *name)
{
    assert_int_equal(directory_make(place(name)), 0);
}

/* Assert that the text has these words in it, or has them not. */
UNUSED_IS_FINE static void holds(const char *text, const char *words)
{
    if (!text || !strstr(text, words))
        fail_msg("'%s' is not in:\n%s", words, text ? text : "(none)");
}
UNUSED_IS_FINE static void lacks(const char *text, const char *words)
{
    if (!text || strstr(text, words)) fail_msg("'%s' is in:\n%s", words, text ? text : "(none)");
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* The tests of the program, in the order of their lines. */
static struct CMUnitTest listed_tests[100];
static size_t listed_count;

/* TEST_WITHIN(name, set_up, tear_down) { ... } defines a test and lists it. */
#define TEST_WITHIN(test, set_up, tear_down)                                                       \
    static void test(void **state);                                                                \
    __attribute__((constructor(1000 + __LINE__))) static void list_##test(void)                    \
    {                                                                                              \
        assert_true(listed_count < sizeof listed_tests / sizeof *listed_tests);                    \
        listed_tests[listed_count++] =                                                             \
            (struct CMUnitTest)cmocka_unit_test_setup_teardown(test, set_up, tear_down);           \
    }                                                                                              \
    static void test(void **state UNUSED_IS_FINE)
#define TEST(test) TEST_WITHIN(test, NULL, NULL)

UNUSED_IS_FINE static int run_listed_tests(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    return _cmocka_run_group_tests("tests", listed_tests, listed_count, set_up, tear_down);
}

/* The last line of a program of tests. */
#define RUN_TESTS(set_up, tear_down)                                                               \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_listed_tests(set_up, tear_down);                                                \
    }

/* Skips the test with the reason, which is printed above its line of TAP. */
#define SKIP(...)                                                                                  \
    do {                                                                                           \
        print_message("# skipped: ");                                                              \
        print_message(__VA_ARGS__);                                                                \
        print_message("\n");                                                                       \
        skip();                                                                                    \
    } while (0)

/* ---- words ----------------------------------------------------------------------------------- */

/* Inputs and results stand as words, "name=value name= ...": after the '=' nothing for an empty
 * value, and "-" where a row is not expected. */
struct word {
    char name[96], value[96];
};

/* Takes the first word off the list. Returns 0 at its end. */
UNUSED_IS_FINE static int next_word(const char **words, struct word *word)
{
    const char *p = *words + strspn(*words, " ");
    const int length = (int)strcspn(p, " "), name = (int)strcspn(p, "=");
    if (!*p) return 0;
    assert_true(name < length && length < (int)sizeof word->name);
    snprintf(word->name, sizeof word->name, "%.*s", name, p);
    snprintf(word->value, sizeof word->value, "%.*s", length - name - 1, p + name + 1);
    *words = p + length;
    return 1;
}

/* Finds the first word with this name. Returns 0 if there is none. */
UNUSED_IS_FINE static int find_word(const char *words, const char *name, struct word *word)
{
    while (next_word(&words, word))
        if (!strcmp(word->name, name)) return 1;
    return 0;
}

/* Appends the words as columns of a SELECT, ", value AS name". The first of a name counts: SQLite
 * renames the others. */
UNUSED_IS_FINE static void append_columns(struct text *columns, const char *words)
{
    for (struct word word; next_word(&words, &word);)
        text_format(columns, ", 1.0 * %s AS %s", *word.value ? word.value : "NULL", word.name);
}

/* Returns 1 for equal texts, and for numbers that agree but for rounding. */
UNUSED_IS_FINE static int same_value(const char *found, const char *expected)
{
    char *ends[2];
    const double a = strtod(found, &ends[0]), b = strtod(expected, &ends[1]);
    const double apart = a > b ? a - b : b - a, size = b < 0 ? -b : b;
    if (!*found || !*expected || *ends[0] || *ends[1]) return !strcmp(found, expected);
    return apart <= 1e-8 * size;
}

/* ---- messages -------------------------------------------------------------------------------- */

UNUSED_IS_FINE static void listen_to_stderr(void)
{
    fflush(stderr);
    stderr_was = dup(STDERR_FILENO);
    const int file = open(place("stderr"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDERR_FILENO);
    close(file);
}

UNUSED_IS_FINE static const char *heard(void)
{
    fflush(stderr);
    dup2(stderr_was, STDERR_FILENO);
    close(stderr_was);
    return read_text("stderr");
}

/* Asserts that the call returns 0. */
#define WORKS(call) assert_int_equal((call), 0)

/* Asserts that the call fails with this status and this message. */
#define FAILS(call, failure, words)                                                                \
    do {                                                                                           \
        listen_to_stderr();                                                                        \
        const int outcome = (call);                                                                \
        const char *said = heard();                                                                \
        if (!strstr(said, (words)))                                                                \
            fail_msg("%s\n said: %s instead of: %s", #call, said, (words));                        \
        assert_int_equal(outcome, (failure));                                                      \
    } while (0)

/* Asserts that the call succeeds with this message; "" for none. */
#define SUCCEEDS(call, words)                                                                      \
    do {                                                                                           \
        listen_to_stderr();                                                                        \
        const int outcome = (call);                                                                \
        const char *said = heard();                                                                \
        if (outcome || !strstr(said, (words)) || (!*(words) && *said))                             \
            fail_msg("%s\n gave %d and said: %s", #call, outcome, said);                           \
    } while (0)

/* ---- hand-made runs -------------------------------------------------------------------------- */

static const char run_facts[] =
    "whyfast run 1\nstatus: complete\ndate: 2026-01-02T03:04:05Z\ndevice_name: Test "
    "GPU\ndevice_compute_capability: 9.0\n"
    "device_sm_count: 10\ndevice_dram_clock_khz: 1000000\ndevice_dram_bus_bits: 800\n";

/* Returns the number of columns of a table. */
UNUSED_IS_FINE static int table_width(const struct table *table)
{
    int width = 0;
    while (table->columns[width].name) width++;
    return width;
}

/* Returns the column for the number of the device, or -1. */
UNUSED_IS_FINE static int device_column(const struct table *table)
{
    for (int i = 0; i < table_width(table); i++)
        if (table->columns[i].kind == COLUMN_COUNT && !strcmp(table->columns[i].name, "device"))
            return i;
    return -1;
}

/* Writes a table of the run, as those of one device: without the number of the device. The rows,
 * one a line, are filled up to the width of the table: with 0 if the column is a required count,
 * else with empty cells. */
UNUSED_IS_FINE static void write_table(const char *run, enum table_id id, const char *rows)
{
    OWNED_BY(text_free) struct text text = {0};
    char name[128];
    const struct table *table = &tables[id];
    const int device = device_column(table);
    for (int i = 0; i < table_width(table); i++)
        if (i != device) text_format(&text, "%s%s", i ? "," : "", table->columns[i].name);
    text_append(&text, "\n");
    while (*rows) {
        const size_t length = strcspn(rows, "\n");
        int cells = device >= 0 ? 2 : 1, quoted = 0;
        for (size_t i = 0; i < length; i++) {
            if (rows[i] == '"') quoted = !quoted;
            cells += rows[i] == ',' && !quoted;
        }
        text_append_bytes(&text, rows, length);
        for (; cells < table_width(table); cells++)
            text_append(&text, table->columns[cells].kind == COLUMN_COUNT ? ",0" : ",");
        text_append(&text, "\n");
        rows += length + (rows[length] == '\n');
    }
    snprintf(name, sizeof name, "%s/%s.csv", run, table->name);
    write_text(name, text_string(&text));
}

/* Writes the variants of the run: rows "family,variant,rung,title,after,kind", one a line; the
 * columns between the last two stay empty. */
UNUSED_IS_FINE static void write_variants(const char *run, const char *rows)
{
    const struct table *table = &tables[TABLE_VARIANTS];
    OWNED_BY(text_free) struct text text = {0};
    while (*rows) {
        const size_t length = strcspn(rows, "\n");
        size_t kind = length;
        while (kind > 0 && rows[kind - 1] != ',') kind--;
        text_append_bytes(&text, rows, kind - 1);
        for (int i = 5; table->columns[i].name && strcmp(table->columns[i].name, "kind"); i++)
            text_append(&text, ",");
        text_append_bytes(&text, rows + kind - 1, length - kind + 1);
        text_append(&text, "\n");
        rows += length + (rows[length] == '\n');
    }
    write_table(run, TABLE_VARIANTS, text_string(&text));
}

/* Makes a run with empty tables. */
UNUSED_IS_FINE static void make_run(const char *run)
{
    char name[128];
    make_directory(run);
    snprintf(name, sizeof name, "%s/run.txt", run);
    write_text(name, run_facts);
    for (enum table_id id = 0; id < TABLE_RAW_COUNT; id++) write_table(run, id, "");
}

/* Makes a directory data/ with this project's facts and these other records; WHYFAST_DATA names it
 * from now on. */
UNUSED_IS_FINE static void make_data(const char *counters_and_metrics)
{
    char from[600], to[512];
    make_directory("data/metrics/devices");
    snprintf(to, sizeof to, "%s", place("data/metrics"));
    snprintf(from, sizeof from, "%s/metrics/facts.metric", root());
    assert_int_equal(file_copy(from, to, "facts.metric"), 0);
    snprintf(from, sizeof from, "%s/metrics/ceilings.metric", root());
    assert_int_equal(file_copy(from, to, "ceilings.metric"), 0);
    write_text("data/metrics/sets.metric", "set one\n    collector range\n    means One set.\n");
    write_text("data/metrics/test.metric", counters_and_metrics);
    write_text("data/metrics/devices/test.device",
               "device test\n    compute_capability 9.0\n    title Test\n    dram_data_rate 2\n    "
               "schedulers_per_sm 4\n    fp32_lanes_per_sm 128\n");
    setenv("WHYFAST_DATA", place("data"), 1);
}

/* Returns a cell of a CSV file of the scratch directory: in the first row whose leading cells are
 * `key` ("a,b,c", no quotes), and in the column of this name. "(no row)" and "(no column)" if there
 * is none. */
UNUSED_IS_FINE static const char *cell(const char *file, const char *key, const char *column)
{
    static char value[1024];
    struct csv_reader reader;
    int at = -1;
    assert_int_equal(csv_open(&reader, place(file)), 0);
    assert_int_equal(csv_next(&reader), 1);
    for (int i = 0; i < reader.count; i++)
        if (!strcmp(reader.cell[i], column)) at = i;
    snprintf(value, sizeof value, "%s", at < 0 ? "(no column)" : "(no row)");
    for (int found = 0; at >= 0 && !found && csv_next(&reader) > 0;) {
        const char *p = key;
        for (int i = 0; i < reader.count && p; i++) {
            const size_t length = strcspn(p, ",");
            if (strlen(reader.cell[i]) != length || strncmp(reader.cell[i], p, length)) break;
            found = p[length] == 0;
            p = found ? NULL : p + length + 1;
        }
        if (found) snprintf(value, sizeof value, "%s", reader.cell[at]);
    }
    csv_close(&reader);
    return value;
}

/* Asserts that this row has these cells. */
UNUSED_IS_FINE static void cells_are(const char *file, const char *key, const char *words)
{
    assert_true(*words);
    for (struct word word; next_word(&words, &word);) {
        const char *found = cell(file, key, word.name);
        const char *expected = strcmp(word.value, "-") ? word.value : "(no row)";
        if (!same_value(found, expected))
            fail_msg("%s: %s: %s is '%s' instead of '%s'", file, key, word.name, found, expected);
    }
}

#endif

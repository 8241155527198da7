#include "fixture.h"

#include <math.h>

/* Reads the file and writes each record as "line|cell|cell\n". */
static int read_all(const char *path, struct text *out)
{
    struct csv_reader reader;
    int more = csv_open(&reader, path);
    if (more) return more;
    while ((more = csv_next(&reader)) > 0) {
        text_format(out, "%d", reader.line);
        for (int i = 0; i < reader.count; i++) text_format(out, "|%s", reader.cell[i]);
        text_append(out, "\n");
    }
    csv_close(&reader);
    return more;
}

TEST(reads_the_dialect)
{
    static const struct {
        const char *file, *records;
    } rows[] = {
        {"a,b\n1,2\n", "1|a|b\n2|1|2\n"},
        {"a,b\r\n1,2\r\n", "1|a|b\n2|1|2\n"},
        {"a,b\n1,2", "1|a|b\n2|1|2\n"},
        {"\"a,\"\"b\"\"\",\"\"\n", "1|a,\"b\"|\n"},
        {"\"two\nlines\",x\nnext,y\n", "1|two\nlines|x\n3|next|y\n"},
        {"\"two\r\nlines\"\r\nnext\r\n", "1|two\r\nlines\n3|next\n"},
        {",\n\n,,\n", "1||\n2|\n3|||\n"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED_BY(text_free) struct text out = {0};
        assert_int_equal(read_all(write_text("x.csv", rows[i].file), &out), 0);
        assert_string_equal(text_string(&out), rows[i].records);
    }
}

TEST(says_where_it_is_damaged)
{
    static const struct {
        const char *file, *words;
    } rows[] = {
        {"a\n\"b\nc\n", "x.csv:2: a quote is not closed"},
        {"a\nb\n\"c\"d\n", "x.csv:3: text after a closing quote"},
        {"a\nb\"c\n", "x.csv:2: a quote inside a cell"},
        {"a\rb\n", "x.csv:1: a carriage return without a line feed"},
        {"a\n\"x\ny\"\nb\"\n", "x.csv:4: a quote inside a cell"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED_BY(text_free) struct text out = {0};
        write_text("x.csv", rows[i].file);
        FAILS(read_all(place("x.csv"), &out), FAIL_INPUT, rows[i].words);
    }
    OWNED_BY(text_free) struct text out = {0};
    write_bytes("x.csv", "a,b\n\0c\n", 7);
    FAILS(read_all(place("x.csv"), &out), FAIL_INPUT, "x.csv: a NUL byte after 4 bytes");
    FAILS(read_all(place("absent.csv"), &out), FAIL_INPUT, "absent.csv: cannot read: No such file");
}

TEST(what_is_written_reads_the_same)
{
    static const char *const cells[] = {"plain",      "",           "a,b",
                                        "say \"no\"", "two\nlines", "cr\r\nlf",
                                        "\"",         ",",          "caf\xC3\xA9 \xE2\x86\x92",
                                        " blanks "};
    enum { COUNT = sizeof cells / sizeof *cells };
    OWNED_BY(csv_close) struct csv_reader reader;
    FILE *file = fopen(place("round.csv"), "wb");
    struct csv_writer writer = {.file = file};
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < COUNT; i++) csv_text(&writer, cells[i]);
        csv_text(&writer, NULL);
        csv_number(&writer, NAN);
        csv_integer(&writer, INT64_MIN);
        csv_end(&writer);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(csv_open(&reader, place("round.csv")), 0);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(csv_next(&reader), 1);
        assert_int_equal(reader.count, COUNT + 3);
        for (int i = 0; i < COUNT; i++) assert_string_equal(reader.cell[i], cells[i]);
        assert_string_equal(reader.cell[COUNT], "");
        assert_string_equal(reader.cell[COUNT + 1], "");
        assert_string_equal(reader.cell[COUNT + 2], "-9223372036854775808");
    }
    assert_int_equal(csv_next(&reader), 0);
}

TEST(many_cells)
{
    OWNED_BY(text_free) struct text text = {0};
    OWNED_BY(csv_close) struct csv_reader reader;
    for (int i = 0; i < 1000; i++) text_format(&text, "%s%d", i ? "," : "", i);
    text_append(&text, "\n");
    assert_int_equal(csv_open(&reader, write_text("wide.csv", text_string(&text))), 0);
    assert_int_equal(csv_next(&reader), 1);
    assert_int_equal(reader.count, 1000);
    assert_string_equal(reader.cell[999], "999");
}

TEST(numbers)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},
                {-0.0, "0"},
                {1, "1"},
                {-3, "-3"},
                {0.1, "0.1"},
                {1e300, "1e+300"},
                {1.0 / 3, "0.333333333"},
                {9007199254740991.0, "9007199254740991"},
                {1e16, "1e+16"},
                {NAN, ""},
                {INFINITY, ""},
                {-INFINITY, ""},
                {536870912, "536870912"},
                {4294967296.5, "4.2949673e+09"},
                {1e-9, "1e-09"},
                {-1e-320, "-9.99988867e-321"}};
    char buffer[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(csv_format_number(buffer, rows[i].value), rows[i].text);
    for (int sign = -1; sign < 2; sign += 2)
        assert_true(strlen(csv_format_number(buffer, sign * 1.7976931348623157e308)) <
                    sizeof buffer);
}

/* Also where the ninth digit is rounded up or down by little, and for many digits before a point.
 */
TEST(a_written_number_is_what_is_read)
{
    static const double values[] = {0.1,         1.0 / 3,         -2e-7 / 3,    123456789.5,
                                    99999999.95, 2.5e17 / 3,      8862886021.4, 1e-30 / 7,
                                    1e16 + 2,    0.12345678949999};
    char buffer[32];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_true(csv_written_number(values[i]) ==
                    strtod(csv_format_number(buffer, values[i]), NULL));
    assert_true(isnan(csv_written_number(NAN)));
}

RUN_TESTS(fixture_open, fixture_close)

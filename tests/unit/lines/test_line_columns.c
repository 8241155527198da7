/* Tests the format of numbers in lines, and that --help names all their columns. */
#include "fixture.h"

#include "command_line/arguments.h"
#include "lines/line_columns.h"

TEST(numbers_are_short)
{
    static const struct {
        enum line_format format;
        const char *value, *shown;
    } cases[] = {{LINE_COUNT, "0.0", "0"},
                 {LINE_COUNT, "99999", "99999"},
                 {LINE_COUNT, "99999.4", "99999.4"},
                 {LINE_COUNT, "100000", "100.0k"},
                 {LINE_COUNT, "123456", "123.5k"},
                 {LINE_COUNT, "999949", "999.9k"},
                 {LINE_COUNT, "999950", "1.000M"},
                 {LINE_COUNT, "1234567", "1.235M"},
                 {LINE_COUNT, "12345678", "12.35M"},
                 {LINE_COUNT, "220200960", "220.2M"},
                 {LINE_COUNT, "5e12", "5.000T"},
                 {LINE_COUNT, "-250000", "-250.0k"},
                 {LINE_COUNT, "1e18", "1000000.0T"},
                 {LINE_PERCENT, "0", "0.0"},
                 {LINE_PERCENT, "0.049", "<0.1"},
                 {LINE_PERCENT, "0.05", "0.1"},
                 {LINE_PERCENT, "100", "100.0"},
                 {LINE_RATIO, "1", "1.00"},
                 {LINE_RATIO, "3.926", "3.93"},
                 {LINE_RATIO, "32", "32.0"},
                 {LINE_RATIO, "9.996", "10.0"},
                 {LINE_WORD, "wait", "wait"},
                 {LINE_COUNT, NULL, ""},
                 {LINE_WORD, NULL, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct line_metric metric = {.format = cases[i].format};
        OWNED_BY(text_free) struct text text = {0};
        line_column_append(&text, &metric, cases[i].value);
        assert_string_equal(text_string(&text), cases[i].shown);
    }
}

/* The help of the command lists them. */
TEST(every_metric_is_in_the_help)
{
    const struct command *command = command_find("lines");
    assert_non_null(command);
    for (int i = 0; i < LINE_METRIC_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, " %s%s", line_metrics[i].name,
                 i + 1 < LINE_METRIC_COUNT ? "," : ".");
        if (!strstr(command->description, name)) fail_msg("'%s' is not in the help", name);
    }
}

RUN_TESTS(fixture_open, fixture_close)

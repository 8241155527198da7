#include "fixture.h"

#include <math.h>

#include "base/print_table.h"

static enum terminal_style style_of(const char *verdict)
{
    return strcmp(verdict, "slower") ? STYLE_PLAIN : STYLE_HOT;
}

static const struct print_column columns[] = {
    {.name = "family", .head = "", .place = PRINT_GROUP},
    {.name = "verdict", .head = "verdict", .style = style_of},
    {.name = "time_ns", .head = "time", .kind = PRINT_TIME},
    {.name = "ratio", .head = "ratio", .kind = PRINT_NUMBER, .digits = 3},
    {.name = "count", .head = "count", .kind = PRINT_NUMBER, .digits = PRINT_ALL},
    {.name = "is_exact", .head = "exact", .kind = PRINT_FLAG},
    {.name = "name", .head = "kernel", .place = PRINT_WORDS},
    {.name = "why", .head = "", .place = PRINT_NOTE},
    {.name = "lines", .kind = PRINT_JSON},
    {.name = "shown", .head = "", .place = PRINT_CODE, .is_shown_only = 1},
    {.name = "reason"},
};
static struct print_table table;

static void begin(void)
{
    table = (struct print_table){.name = "rows", PRINT_COLUMNS_OF(columns)};
}

static void add(const char *const cell[])
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) print_table_cell(&table, cell[i]);
}

static void fill(void)
{
    begin();
    add((const char *const[]){"f", "slower", "22960", "1.03", "3", "1", "f/01_a", "It waits.",
                              "[{\"line\":24.0}]", "  x = 1;", NULL});
    add((const char *const[]){"f", "faster", "1234567", "-0.0001", "33554432", "0", "f/02_b", NULL,
                              NULL, NULL, "absent: no, never"});
    add((const char *const[]){"g", "faster", NULL, NULL, NULL, NULL, "g/01_c", "", NULL, "", NULL});
}

static const char *shown(int width, int colour)
{
    static char page[8192];
    const struct terminal screen = {width, colour};
    OWNED_BY(text_free) struct text text = {0};
    print_table_append(&text, &table, &screen);
    assert_false(text.failed);
    snprintf(page, sizeof page, "%s", text_string(&text));
    return page;
}

TEST(a_remark_stands_below_the_cells_if_it_does_not_fit)
{
    static const struct print_column remarked[] = {
        {.name = "rung", .head = "rung"},
        {.name = "cause", .head = "cause", .place = PRINT_REMARK},
    };
    table = (struct print_table){.name = "rows", PRINT_COLUMNS_OF(remarked)};
    print_table_cell(&table, "01_first_of_the_rungs");
    print_table_cell(&table, "exposed latency");
    print_table_cell(&table, "02_second");
    print_table_cell(&table, NULL);
    assert_string_equal(shown(30, 0), "rung\n01_first_of_the_rungs\n    exposed latency\n"
                                      "02_second\n");
    assert_string_equal(shown(80, 0), "rung                   cause\n"
                                      "01_first_of_the_rungs  exposed latency\n02_second\n");
    print_table_free(&table);
}

TEST(words_stand_beside_the_cells_if_they_fit)
{
    fill();
    assert_string_equal(shown(80, 0), "  verdict  time, \u00b5s  ratio     count  exact  kernel\n"
                                      "f\n"
                                      "  slower      22.96  1.030         3    yes  f/01_a\n"
                                      "      It waits.\n"
                                      "          x = 1;\n"
                                      "  faster    1235     0.000  33554432     no  f/02_b\n"
                                      "\n"
                                      "g\n"
                                      "  faster          -      -         -      -  g/01_c\n");
    print_table_free(&table);
}

TEST(a_narrow_screen_has_them_above)
{
    fill();
    assert_string_equal(shown(48, 0), "      verdict  time, \u00b5s  ratio     count  exact\n"
                                      "f\n"
                                      "  f/01_a\n"
                                      "      slower      22.96  1.030         3    yes\n"
                                      "      It waits.\n"
                                      "          x = 1;\n"
                                      "  f/02_b\n"
                                      "      faster    1235     0.000  33554432     no\n"
                                      "\n"
                                      "g\n"
                                      "  g/01_c\n"
                                      "      faster          -      -         -      -\n");
    holds(shown(40, 0), "\n      faster    1235     0.000  33554432\n");
    lacks(shown(40, 0), "exact");
    print_table_free(&table);
}

TEST(a_column_without_any_value_is_not_shown)
{
    begin();
    add((const char *const[]){"f", "", NULL, "1.03", NULL, NULL, "f/01_a", NULL, NULL, NULL, NULL});
    add((const char *const[]){"f", NULL, NULL, NULL, NULL, "0", "f/02_b", NULL, NULL, NULL, NULL});
    assert_string_equal(shown(80, 0), "  ratio  exact  kernel\nf\n"
                                      "  1.030      -  f/01_a\n"
                                      "      -     no  f/02_b\n");
    print_table_free(&table);
}

TEST(no_line_is_wider_than_the_screen)
{
    static char wide[400], line[2048];
    for (size_t i = 0; i + 3 < sizeof wide; i += 3) memcpy(wide + i, "\xE6\xBC\xA2", 4);
    for (int width = 40; width <= 240; width++) {
        int lines = 0;
        fill();
        add((const char *const[]){wide, wide, "1", "2", "3", "1", wide,
                                  "many words of a sentence "
                                  "that goes on for longer than a narrow screen is wide",
                                  NULL, wide, NULL});
        for (const char *page = shown(width, 1); *page; lines++) {
            const size_t length = strcspn(page, "\n");
            snprintf(line, sizeof line, "%.*s", (int)length, page);
            assert_true(terminal_width(line) <= width);
            page += length + 1;
        }
        assert_true(lines > 12);
        print_table_free(&table);
    }
}

TEST(harmful_characters_are_shown_as_such)
{
    begin();
    add((const char *const[]){"f\033[2J", "a\rb", "1", "2", "3", "1", "x\033]0;y\a \xE2\x80\xAEz",
                              "n\nm", NULL, "\x9B 1m", NULL});
    const char *page = shown(100, 0);
    for (const char *p = page; *p; p++) assert_true(*p == '\n' || (unsigned char)*p >= ' ');
    holds(page, "f\xEF\xBF\xBD[2J\n");
    holds(page, "x\xEF\xBF\xBD]0;y\xEF\xBF\xBD \xEF\xBF\xBDz\n");
    holds(page, "n\xEF\xBF\xBDm\n");
    print_table_free(&table);
}

TEST(the_style_follows_from_a_cell)
{
    fill();
    const char *page = shown(100, 1);
    holds(page, "\033[1;31m  slower ");
    lacks(page, "\033[1;31m  faster ");
    assert_int_equal(strncmp(page, "\033[1m  verdict", 13), 0);
    print_table_free(&table);
}

TEST(the_times_of_a_column_have_one_unit)
{
    static const struct print_column times[] = {
        {.name = "time_ns", .head = "time", .kind = PRINT_TIME},
        {.name = "part_ns", .head = "part", .kind = PRINT_PART},
        {.name = "saved_ns", .head = "change", .kind = PRINT_SAVED},
        {.name = "median_ns", .head = "median", .kind = PRINT_TIME, .is_apart = 1}};
    static const double rows[][4] = {
        {9999400, NAN, 12345, 616.2}, {123000, 2000.4, 0, 9999}, {616.2, 40, -100000, NAN}};
    table = (struct print_table){.name = "times", PRINT_COLUMNS_OF(times)};
    assert_string_equal(shown(80, 0), "");
    for (int i = 0; i < 12; i++) print_table_number(&table, rows[i / 4][i % 4]);
    assert_string_equal(shown(80, 0), " time, \u00b5s  part, \u00b5s  change, \u00b5s  median, ns\n"
                                      "9999              -       \u221212.3       616.2\n"
                                      " 123.0        2.000         0        9999\n"
                                      "   0.6162     0.040      +100.0           -\n");
    print_table_free(&table);
    for (int i = 0; i < 12; i++) print_table_number(&table, i % 4 ? NAN : 9999600);
    assert_string_equal(shown(80, 0), "time, ms\n   10.00\n   10.00\n   10.00\n");
    print_table_free(&table);
}

TEST(times_have_the_unit_of_the_words_above_if_they_can)
{
    static const struct print_column parts[] = {
        {.name = "saved_ns", .head = "saves", .kind = PRINT_PART}};
    static const struct {
        double above, saved[2];
        const char *shown;
    } rows[] = {
        {10370, {6929, 3646}, "saves, \u00b5s\n    6.929\n    3.646\n"},
        {9999.4, {6929, 100}, "saves, \u00b5s\n    6.929\n    0.100\n"},
        {999.94, {692, 364}, "saves, ns\n    692.0\n    364.0\n"},
        {10370, {6929, 90}, "saves, ns\n     6929\n       90\n"},
        {2e6, {1286000, 300000}, "saves, ms\n    1.286\n    0.300\n"},
        {NAN, {6929, 3646}, "saves, ns\n     6929\n     3646\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        table = (struct print_table){
            .name = "saved", PRINT_COLUMNS_OF(parts), .above_ns = rows[i].above};
        print_table_number(&table, rows[i].saved[0]);
        print_table_number(&table, rows[i].saved[1]);
        assert_string_equal(shown(80, 0), rows[i].shown);
        print_table_free(&table);
    }
}

TEST(paths_are_not_cut)
{
    static const struct print_column paths[] = {
        {.name = "check", .head = "check"},
        {.name = "path", .head = "finding", .place = PRINT_PATHS}};
    static const char path[] = "/a/very/long/path/that/needs/more/columns/than/there/are/here";
    table = (struct print_table){.name = "paths", PRINT_COLUMNS_OF(paths)};
    print_table_text(&table, "output");
    print_table_text(&table, path);
    holds(shown(40, 0), path);
    print_table_free(&table);
}

static const char *data(enum print_form form)
{
    FILE *file = fopen(place("data"), "w");
    assert_non_null(file);
    assert_int_equal(print_table_print(&table, form, "test/1", file), 0);
    assert_int_equal(fclose(file), 0);
    return read_text("data");
}

TEST(it_is_data_for_programs)
{
    begin();
    assert_string_equal(data(PRINT_AS_CSV),
                        "family,verdict,time_ns,ratio,count,is_exact,name,why,reason\n");
    assert_string_equal(data(PRINT_AS_JSON), "{\"schema\":\"whyfast.test/1\",\"rows\":[]}\n");
    fill();
    assert_string_equal(data(PRINT_AS_CSV),
                        "family,verdict,time_ns,ratio,count,is_exact,name,why,reason\n"
                        "f,slower,22960,1.03,3,1,f/01_a,It waits.,\n"
                        "f,faster,1234567,-0.0001,33554432,0,f/02_b,,\"absent: no, never\"\n"
                        "g,faster,,,,,g/01_c,,\n");
    assert_string_equal(
        data(PRINT_AS_JSON),
        "{\"schema\":\"whyfast.test/1\",\"rows\":["
        "{\"family\":\"f\",\"verdict\":\"slower\",\"time_ns\":22960,\"ratio\":1.03,\"count\":3,"
        "\"is_exact\":true,\"name\":\"f/01_a\",\"why\":\"It waits.\",\"lines\":[{\"line\":24}],"
        "\"reason\":null},\n"
        "{\"family\":\"f\",\"verdict\":\"faster\",\"time_ns\":1234567,\"ratio\":-0.0001,"
        "\"count\":33554432,\"is_exact\":false,\"name\":\"f/02_b\",\"why\":null,\"lines\":null,"
        "\"reason\":\"absent: no, never\"},\n"
        "{\"family\":\"g\",\"verdict\":\"faster\",\"time_ns\":null,\"ratio\":null,\"count\":null,"
        "\"is_exact\":null,\"name\":\"g/01_c\",\"why\":\"\",\"lines\":null,\"reason\":null}]}\n");
    print_table_free(&table);
}

RUN_TESTS(fixture_open, fixture_close)

#include "fixture.h"

#include "base/terminal.h"

/* Returns the part of a string that is shown in this many columns; *used is its width. */
static const char *shown(const char *string, int columns, int *used)
{
    static char line[512];
    OWNED_BY(text_free) struct text text = {0};
    const int width = terminal_append(&text, string, columns);
    if (used) *used = width;
    snprintf(line, sizeof line, "%s", text_string(&text));
    return line;
}

TEST(short_lines_stay_as_they_are)
{
    int used;
    assert_string_equal(shown("", 10, &used), "");
    assert_int_equal(used, 0);
    assert_string_equal(shown("abc", 3, &used), "abc");
    assert_int_equal(used, 3);
    assert_string_equal(shown("abc", 0, &used), "");
    assert_int_equal(used, 0);
    assert_string_equal(shown("abc", -5, &used), "");
}

TEST(long_lines_end_in_an_ellipsis)
{
    int used;
    assert_string_equal(shown("abcdef", 4, &used), "abc\xE2\x80\xA6");
    assert_int_equal(used, 4);
    assert_string_equal(shown("abcdef", 1, &used), "\xE2\x80\xA6");
    assert_int_equal(used, 1);
}

/* e with acute takes two bytes and one column, a Chinese character three bytes and two, a
 * combining accent none. */
TEST(characters_are_not_cut_through)
{
    int used;
    assert_string_equal(shown("\xC3\xA9\xC3\xA9\xC3\xA9", 2, &used), "\xC3\xA9\xE2\x80\xA6");
    assert_int_equal(used, 2);
    assert_string_equal(shown("\xE6\xBC\xA2\xE5\xAD\x97", 4, &used), "\xE6\xBC\xA2\xE5\xAD\x97");
    assert_int_equal(used, 4);
    assert_string_equal(shown("\xE6\xBC\xA2\xE5\xAD\x97", 3, &used), "\xE6\xBC\xA2\xE2\x80\xA6");
    assert_int_equal(used, 3);
    assert_string_equal(shown("\xE6\xBC\xA2\xE5\xAD\x97x", 4, &used),
                        "\xE6\xBC\xA2\xE2\x80\xA6"); /* half a character does not fit */
    assert_int_equal(used, 3);
    assert_string_equal(shown("e\xCC\x81x", 2, &used), "e\xCC\x81x");
    assert_int_equal(used, 2);
}

TEST(tabs_become_blanks)
{
    int used;
    assert_string_equal(shown("\tx", 20, &used), "        x");
    assert_int_equal(used, 9);
    assert_string_equal(shown("ab\tx", 20, NULL), "ab      x");
    assert_string_equal(shown("12345678\tx", 20, NULL), "12345678        x");
    assert_string_equal(shown("\tx", 8, NULL), "\xE2\x80\xA6");
}

#define REPLACED "\xEF\xBF\xBD"

TEST(no_orders_reach_the_terminal)
{
    assert_string_equal(shown("a\033[31mb", 20, NULL), "a" REPLACED "[31mb");
    assert_string_equal(shown("a\rb\bc\x7F", 20, NULL), "a" REPLACED "b" REPLACED "c" REPLACED);
    assert_string_equal(shown("\xC2\x9B\x31m", 20, NULL), REPLACED "1m"); /* CSI in eight bits */
    assert_string_equal(shown("a\xE2\x80\xAE"
                              "b",
                              20, NULL),
                        "a" REPLACED "b"); /* from right to left */
    assert_string_equal(shown("a\xE2\x80\x8B"
                              "b\xEF\xBB\xBF",
                              20, NULL),
                        "a" REPLACED "b" REPLACED);
    for (int byte = 1; byte < 0x20; byte++) {
        const char string[] = {'a', (char)byte, 'b', 0};
        if (byte == '\t') continue;
        assert_string_equal(shown(string, 20, NULL), "a" REPLACED "b");
    }
}

TEST(bytes_that_are_no_utf8_are_replaced)
{
    int used;
    assert_string_equal(shown("a\xFF"
                              "b",
                              20, &used),
                        "a" REPLACED "b");
    assert_int_equal(used, 3);
    assert_string_equal(shown("\xC3", 20, NULL), REPLACED); /* cut off */
    assert_string_equal(shown("\xE6\xBC", 20, NULL), REPLACED REPLACED);
    assert_string_equal(shown("\xC0\xAF", 20, NULL),
                        REPLACED REPLACED); /* a slash in too many bytes */
    assert_string_equal(shown("\xE0\x80\xAF", 20, NULL), REPLACED REPLACED REPLACED);
    assert_string_equal(shown("\xED\xA0\x80", 20, NULL),
                        REPLACED REPLACED REPLACED); /* half of a pair */
    assert_string_equal(shown("\xF4\x90\x80\x80", 20, NULL), REPLACED REPLACED REPLACED REPLACED);
    assert_string_equal(shown("\xF0\x9F\x98\x80", 20, &used), "\xF0\x9F\x98\x80");
    assert_int_equal(used, 2);
}

TEST(colours_have_no_width)
{
    const struct terminal plain = {80, 0}, coloured = {80, 1};
    struct text text = {0};
    terminal_style(&text, &plain, STYLE_HOT);
    text_append(&text, "abc");
    terminal_style(&text, &plain, STYLE_PLAIN);
    assert_string_equal(text_string(&text), "abc");
    text_free(&text);
    terminal_style(&text, &coloured, STYLE_HOT);
    terminal_append(&text, "a\xC3\xA9", 10);
    terminal_style(&text, &coloured, STYLE_PLAIN);
    terminal_blanks(&text, 2);
    terminal_blanks(&text, -2);
    assert_string_equal(text_string(&text), "\033[1;31ma\xC3\xA9\033[0m  ");
    assert_int_equal(terminal_width(text_string(&text)), 4);
    text_free(&text);
}

TEST(paragraphs_break_between_words)
{
    const struct terminal ten = {10, 0}, twelve = {12, 0}, coloured = {10, 1};
    struct text text = {0};
    terminal_paragraph(&text, &twelve, STYLE_PLAIN, 5, "cost", "one two  three");
    assert_string_equal(text_string(&text), "cost one two\n     three\n");
    text_free(&text);
    terminal_paragraph(&text, &ten, STYLE_PLAIN, 2, "", "a word_that_is_too_long b");
    assert_string_equal(text_string(&text), "  a\n  word_th\xE2\x80\xA6\n  b\n");
    text_free(&text);
    terminal_paragraph(&text, &ten, STYLE_PLAIN, 2, "", "");
    assert_string_equal(text_string(&text), "  \n");
    text_free(&text);
    terminal_paragraph(
        &text, &coloured, STYLE_HEADING, 2, "",
        "one two three"); /* a style ends with its line, because another page may stand beside it */
    assert_string_equal(text_string(&text), "\033[1m  one two\033[0m\n\033[1m  three\033[0m\n");
    text_free(&text);
}

TEST(a_number_keeps_its_unit)
{
    const struct terminal ten = {10, 0};
    struct text text = {0};
    terminal_paragraph(&text, &ten, STYLE_PLAIN, 0, "", "it took 12 us, 5 % more");
    assert_string_equal(text_string(&text), "it took\n12 us, 5 %\nmore\n");
    text_free(&text);
    terminal_paragraph(&text, &ten, STYLE_PLAIN, 0, "", "in 3 usual ways 4 \xC2\xB5s.");
    assert_string_equal(text_string(&text), "in 3 usual\nways 4 \xC2\xB5s.\n");
    text_free(&text);
}

TEST(a_command_is_one_word)
{
    const struct terminal twenty = {20, 0};
    struct text text = {0};
    terminal_paragraph(&text, &twenty, STYLE_PLAIN, 2, "", "Say 'whyfast list gemm' or 'that is'.");
    assert_string_equal(text_string(&text), "  Say\n  'whyfast list gemm'\n  or 'that is'.\n");
    text_free(&text);
    terminal_paragraph(&text, &twenty, STYLE_PLAIN, 2, "", "a 'whyfast explain a/path b', b");
    assert_string_equal(text_string(&text), "  a\n  'whyfast explain a/path b',\n  b\n");
    text_free(&text);
    program_name_set("build/whyfast");
    terminal_paragraph(&text, &twenty, STYLE_PLAIN, 2, "", "a 'whyfast list' b");
    program_name_set("whyfast");
    assert_string_equal(text_string(&text), "  a\n  'build/whyfast list'\n  b\n");
    text_free(&text);
}

TEST(the_width_is_what_it_is_told_to_be)
{
    static const struct {
        const char *told;
        int columns;
    } cases[] = {{"120", 120},
                 {"1", SCREEN_LEAST},
                 {"", SCREEN_PIPED},
                 {"0", SCREEN_PIPED},
                 {"-3", SCREEN_PIPED},
                 {"80x", SCREEN_PIPED},
                 {"99999999999999999999", SCREEN_PIPED}};
    if (isatty(STDOUT_FILENO)) SKIP("stdout is a terminal");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("COLUMNS", cases[i].told, 1);
        const struct terminal screen = terminal_of_stdout();
        assert_int_equal(screen.columns, cases[i].columns);
        assert_int_equal(screen.colour, 0);
    }
    unsetenv("COLUMNS");
    assert_int_equal(terminal_of_stdout().columns, SCREEN_PIPED);
}

RUN_TESTS(fixture_open, fixture_close)

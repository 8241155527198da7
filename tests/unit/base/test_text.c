#include "fixture.h"

#include <errno.h>

TEST(grows_past_its_buffer)
{
    struct text text = {0};
    assert_string_equal(text_string(&text), "");
    for (int i = 0; i < 1000; i++) text_format(&text, "%d,", i);
    assert_int_equal(text.failed, 0);
    assert_int_equal(text.length, strlen(text.data));
    assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4);
    assert_string_equal(text.data + text.length - 8, "998,999,");
    text_append_bytes(&text, "a\0b", 3);
    assert_memory_equal(text.data + text.length - 3, "a\0b", 4);
    text_free(&text);
    assert_null(text.data);
}

TEST(a_failed_text_stays_as_it_is)
{
    OWNED_BY(text_free) struct text text = {0};
    text_append(&text, "kept");
    text.failed = 1;
    text_append(&text, " and more");
    text_format(&text, "%d", 1);
    assert_string_equal(text_string(&text), "kept");
}

TEST(a_failed_piece_fails_the_whole)
{
    struct text whole = {0}, piece = {0};
    text_append(&piece, "a");
    text_free_piece(&piece, &whole);
    assert_int_equal(whole.failed, 0);
    assert_null(piece.data);
    piece.failed = 1;
    text_free_piece(&piece, &whole);
    assert_int_equal(whole.failed, 1);
    assert_int_equal(piece.failed, 0);
}

TEST(new_text)
{
    OWNED char *text = text_new("%s/%s.%d", "a", "b", 7);
    assert_string_equal(text, "a/b.7");
}

TEST(reads_whole_files)
{
    size_t length = 0;
    char *large = malloc(200000);
    memset(large, 'x', 200000);
    large[100000] = 0;
    char *text = text_read_file(write_bytes("large", large, 200000), &length);
    assert_non_null(text);
    assert_int_equal(length, 200000);
    assert_memory_equal(text, large, 200000);
    assert_int_equal(text[200000], 0);
    free(text);
    text = text_read_file(write_text("empty", ""), &length);
    assert_non_null(text);
    assert_int_equal(length, 0);
    assert_string_equal(text, "");
    free(text);
    free(large);
    assert_null(text_read_file(place("not there"), NULL));
    assert_null(text_read_file(scratch, NULL));
    assert_int_equal(errno, EISDIR);
    assert_int_equal(mkfifo(place("pipe"), 0600), 0);
    assert_null(text_read_file(place("pipe"), NULL)); /* and does not wait for a writer */
    assert_int_equal(errno, ENOTSUP);
    assert_null(text_read_file("/dev/zero", NULL));
}

static const char *written(void (*write)(FILE *file, const char *string), const char *string)
{
    static char buffer[200];
    OWNED char *out = NULL;
    size_t length;
    FILE *file = open_memstream(&out, &length);
    assert_non_null(file);
    write(file, string);
    fclose(file);
    snprintf(buffer, sizeof buffer, "%s", out);
    return buffer;
}

#define GONE "\xEF\xBF\xBD"

TEST(what_is_shown_gives_no_orders)
{
    assert_string_equal(written(text_write_visible, "plain \xC3\xA9 100 %s\ttab\nline\n"),
                        "plain \xC3\xA9 100 %s\ttab\nline\n");
    assert_string_equal(written(text_write_visible, "a\033[2Jb\rc\ad\x7F"),
                        "a" GONE "[2Jb" GONE "c" GONE "d" GONE);
    assert_string_equal(written(text_write_visible, "\xC2\x9B"
                                                    "1m\x9B\xE2\x80\xAEx"),
                        GONE "1m" GONE GONE
                             "x"); /* CSI in UTF-8 and in eight bits; right to left */
    assert_string_equal(written(text_write_json, "{\"a\":\"\\u001b \xC3\xA9\"}"),
                        "{\"a\":\"\\u001b \xC3\xA9\"}");
    assert_string_equal(written(text_write_json, "\"\x7F\xC2\x9B\xFF\""),
                        "\"\\u007f\\u009b" GONE "\"");
}

TEST(matches_like_a_shell)
{
    static const struct {
        const char *pattern, *name;
        int matches;
    } rows[] = {{"reduce/0*", "reduce/01_x", 1},   {"*", "reduce/01_x", 1},
                {"reduce/0?_x", "reduce/01_x", 1}, {"reduce/0[12]_x", "reduce/03_x", 0},
                {"reduce", "reduce/01_x", 0},      {"", "", 1},
                {"0*", "reduce/01_x", 0},          {"[", "[", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (text_matches(rows[i].pattern, rows[i].name) != rows[i].matches)
            fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].name);
}

TEST(nearest_name)
{
    static const char *const names[] = {"measure", "collect", "evaluate", "explain",
                                        "shared_conflicts_hw"};
    char long_name[400];
    assert_string_equal(text_nearest("mesure", names, 5), "measure");
    assert_string_equal(text_nearest("explian", names, 5), "explain");
    assert_string_equal(text_nearest("conflicts", names, 5), "shared_conflicts_hw");
    assert_null(text_nearest("xyzzy", names, 5));
    assert_null(text_nearest("", names, 5));
    assert_null(text_nearest("measure", names, 0));
    memset(long_name, 'q', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    assert_null(text_nearest(long_name, names, 5));
}

static void collect_name(const char *name, size_t length, void *context)
{
    struct text *text = context;
    text_append_bytes(text, name, length);
    text_append(text, " ");
}

/* Too short, too long, beyond the last character, half of a pair: each byte counts as one
 * U+FFFD. */
TEST(characters_of_utf8)
{
    static const struct {
        const char *string;
        uint32_t character;
        int bytes;
    } cases[] = {
        {"a", 'a', 1},
        {"\xC3\xBC", 0xFC, 2},
        {"\xE2\x82\xAC", 0x20AC, 3},
        {"\xF0\x9F\x98\x80", 0x1F600, 4},
        {"\xFF", 0xFFFD, 1},
        {"\x80", 0xFFFD, 1},
        {"\xC3(", 0xFFFD, 1},
        {"\xC3", 0xFFFD, 1},
        {"\xC1\x81", 0xFFFD, 1},
        {"\xE0\x80\x80", 0xFFFD, 1},
        {"\xED\xA0\x80", 0xFFFD, 1},
        {"\xF4\x90\x80\x80", 0xFFFD, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *p = cases[i].string;
        assert_int_equal(text_character(&p), cases[i].character);
        assert_int_equal(p - cases[i].string, cases[i].bytes);
    }
}

TEST(the_last_part_of_a_path)
{
    assert_string_equal(text_base_name("/a/b.cu"), "b.cu");
    assert_string_equal(text_base_name("b.cu"), "b.cu");
    assert_string_equal(text_base_name("a/"), "");
}

TEST(times_in_their_unit)
{
    static const struct {
        double ns;
        const char *text;
    } rows[] = {
        {0, "0 ns"},          {0.25, "0.250 ns"},     {9.9996, "10.00 ns"},  {99.996, "100.0 ns"},
        {999.94, "999.9 ns"}, {999.96, "1.000 µs"},   {31415.9, "31.42 µs"}, {2e6, "2.000 ms"},
        {3.5e9, "3.500 s"},   {12345e9, "12345.0 s"}, {-1500, "-1.500 µs"},  {-0.5, "-0.500 ns"},
    };
    char buffer[24];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(text_time(buffer, rows[i].ns), rows[i].text);
}

TEST(identifiers_of_an_expression)
{
    static const struct {
        const char *expression, *names;
    } rows[] = {
        {"a + prev_b1*(c_d)", "a prev_b1 c_d "},
        {"x > 1e9 AND y < 0x10 AND z = 'not this' AND \"nor this\" = w", "x AND y AND z AND w "},
        {"'it''s' || _u", "_u "},
        {"", ""},
        {"'never closed a", ""},
        {"1.5e3f", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED_BY(text_free) struct text text = {0};
        text_identifiers(rows[i].expression, collect_name, &text);
        assert_string_equal(text_string(&text), rows[i].names);
    }
}

TEST(beginnings_of_uuids)
{
    assert_true(text_begins_uuid("12ab", "GPU-12ab34"));
    assert_true(text_begins_uuid("GPU-12AB34", "12ab34"));
    assert_true(text_begins_uuid("gpu-12ab-", "GPU-12ab-34"));
    assert_false(text_begins_uuid("MIG-12ab", "GPU-12ab34"));
    assert_false(text_begins_uuid("12a", "12ab34"));
    assert_false(text_begins_uuid("GPU-", "GPU-12ab34"));
    assert_false(text_begins_uuid("12ab345", "12ab34"));
    assert_false(text_begins_uuid("absent", "absent: not told"));
}

RUN_TESTS(fixture_open, fixture_close)

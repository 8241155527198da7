/*
 * Tests that the colours of rungs are those of plots/style.gp: the program and the charts show a
 * rung alike.
 */
#include "fixture.h"

#include "catalog/registry.h"

static char *style;

static int read_style(void **state)
{
    char path[600];
    snprintf(path, sizeof path, "%s/plots/style.gp", root());
    (void)state;
    style = text_read_file(path, NULL);
    return style ? 0 : -1;
}

static int free_style(void **state)
{
    (void)state;
    free(style);
    return 0;
}

/* Returns the text after `words` in the script. */
static const char *after(const char *words)
{
    const char *found = strstr(style, words);
    if (!found) fail_msg("plots/style.gp has no '%s'", words);
    return found + strlen(words);
}

static void rungs_have_the_palette_in_its_order(void **state)
{
    const char *word = after("\npalette = '");
    int count = 0;
    (void)state;
    for (char *end; *word != '\''; word = end + strspn(end, " ")) {
        assert_int_equal(rung_colour_colour(++count), strtoul(word, &end, 16));
        assert_true(end != word);
    }
    assert_int_equal(count, 8);
    assert_int_equal(strtoul(after("word(palette, (int(rung) - 1) % "), NULL, 10), count);
    for (int rung = 1; rung <= count; rung++)
        assert_int_equal(rung_colour_colour(rung + count), rung_colour_colour(rung));
}

static void what_is_no_rung_is_grey(void **state)
{
    (void)state;
    assert_int_equal(rung_colour_colour(0),
                     strtoul(after("colour(rung) = rung == 0 ? "), NULL, 16));
    assert_int_equal(rung_colour_colour(-1), strtoul(after(" : rung < 0 ? "), NULL, 16));
}

static void host(const struct work *work)
{
    (void)work;
}

static int call(const struct work *work, void *stream)
{
    (void)work;
    (void)stream;
    return 0;
}

static void a_variant_has_the_colour_of_its_kind(void **state)
{
    const struct variant rung = {.family = "f", .name = "03_rung"},
                         library = {.family = "f", .name = "90_library", .call = call};
    const struct variant cpu = {.family = "f", .name = "91_cpu", .host = host};
    (void)state;
    assert_int_equal(rung_colour_variant(&rung), rung_colour_colour(3));
    assert_int_equal(rung_colour_variant(&library), rung_colour_colour(0));
    assert_int_equal(rung_colour_variant(&cpu), rung_colour_colour(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rungs_have_the_palette_in_its_order, read_style,
                                        free_style),
        cmocka_unit_test_setup_teardown(what_is_no_rung_is_grey, read_style, free_style),
        cmocka_unit_test(a_variant_has_the_colour_of_its_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Tests the colours of rungs in traces: eight, then again from the first; what is no rung is grey.
 */
#include "fixture.h"

#include "catalog/registry.h"

enum { COLOURS = 8 };

TEST(eight_rungs_have_different_colours)
{
    for (int rung = 1; rung <= COLOURS; rung++) {
        assert_int_equal(rung_colour_colour(rung + COLOURS), rung_colour_colour(rung));
        for (int other = 1; other < rung; other++)
            assert_int_not_equal(rung_colour_colour(other), rung_colour_colour(rung));
    }
}

/* Grey has the same share of red, green and blue. */
TEST(what_is_no_rung_is_grey)
{
    assert_int_equal(rung_colour_colour(0) % 0x10101, 0);
    assert_int_equal(rung_colour_colour(-1) % 0x10101, 0);
    assert_int_not_equal(rung_colour_colour(-1), rung_colour_colour(0));
}

static void host(const struct work *work)
{
}

static int call(const struct work *work, void *stream)
{
    return 0;
}

TEST(a_variant_has_the_colour_of_its_kind)
{
    const struct variant rung = {.family = "f", .name = "03_rung"},
                         library = {.family = "f", .name = "90_library", .call = call};
    const struct variant cpu = {.family = "f", .name = "91_cpu", .host = host};
    assert_int_equal(rung_colour_variant(&rung), rung_colour_colour(3));
    assert_int_equal(rung_colour_variant(&library), rung_colour_colour(0));
    assert_int_equal(rung_colour_variant(&cpu), rung_colour_colour(-1));
}

RUN_TESTS(NULL, NULL)

/*
 * Tests the words for the reasons why clocks are limited.
 */
#include "fixture.h"

#include "driver/nvml.h"

static void expect_words(unsigned long long reasons, const char *expected,
                         unsigned long long expected_slowing)
{
    OWNED_BY(text_free) struct text words = {0};
    const unsigned long long slowing = nvml_clock_words(&words, reasons);
    assert_string_equal(text_string(&words), expected);
    if (slowing != expected_slowing) fail_msg("0x%llx: 0x%llx slow down", reasons, slowing);
}

TEST(every_bit_has_its_words)
{
    expect_words(0, "", 0);
    expect_words(0x1, "idle", 0);
    expect_words(0x2, "clocks set for applications", 0x2);
    expect_words(0x4, "power cap", 0x4);
    expect_words(0x8, "hardware slowdown", 0x8);
    expect_words(0x10, "sync boost with other GPUs", 0x10);
    expect_words(0x20, "thermal slowdown by software", 0x20);
    expect_words(0x40, "thermal slowdown by hardware", 0x40);
    expect_words(0x80, "power brake from outside", 0x80);
    expect_words(0x100, "clocks set for the display", 0x100);
}

TEST(several_stand_together)
{
    expect_words(0x1 | 0x4 | 0x40, "idle, power cap, thermal slowdown by hardware", 0x44);
}

/* A newer driver may know more reasons. */
TEST(unknown_bits_are_told_and_count)
{
    expect_words(0x8000000000000000u, "unknown reasons 0x8000000000000000", 0x8000000000000000u);
    expect_words(0x201, "idle, unknown reasons 0x200", 0x200);
}

RUN_TESTS(fixture_open, fixture_close)

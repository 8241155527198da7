#include "fixture.h"

#include "driver/device_choice.h"

static const char visible[] = "CUDA_VISIBLE_DEVICES";

/* Returns the device that the word shows alone, of those in the list. */
static const char *chosen(const char *list, const char *word)
{
    setenv(visible, list, 1);
    assert_int_equal(device_choice_use(word), 0);
    return getenv(visible);
}

static void refused(const char *list, const char *word, enum failure failure, const char *words)
{
    setenv(visible, list, 1);
    FAILS(device_choice_use(word), failure, words);
    assert_string_equal(getenv(visible), list);
}

TEST(a_device_of_the_visible_is_shown_alone)
{
    static const char list[] = "3,GPU-aaaa-11-1,,MIG-aaaa-22-2";
    assert_string_equal(chosen(list, "0"), "3");
    assert_string_equal(chosen(list, "2"), "MIG-aaaa-22-2");
    assert_string_equal(chosen(list, "MIG-aaaa"), "MIG-aaaa-22-2");
    assert_string_equal(chosen(list, "aaaa-11"), "GPU-aaaa-11-1");
    assert_string_equal(chosen(list, "AAAA-2"), "MIG-aaaa-22-2");
}

TEST(what_names_no_device_is_refused)
{
    static const char list[] = "3,GPU-aaaa-11-1,MIG-aaaa-22-2";
    refused(list, "3", FAIL_USAGE, "there is no device '3'; there are 3, counted from 0");
    refused(list, "aaaa", FAIL_USAGE, "several devices have the UUID 'aaaa'");
    refused(list, "aaa", FAIL_USAGE, "there is no device 'aaa'");
    refused(list, "GPU-", FAIL_USAGE, "there is no device 'GPU-'");
    refused(list, "all", FAIL_USAGE, "there is no device 'all'");
    refused("", "0", FAIL_GPU, "hides every GPU");
}

RUN_TESTS(fixture_open, fixture_close)

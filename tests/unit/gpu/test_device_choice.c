#include "fixture.h"

#include "gpu/device_choice.h"

static const char visible[] = "CUDA_VISIBLE_DEVICES";

/* Chooses by up to two words, and joins what CUDA is to see by blanks. */
static const char *chosen(const char *first, const char *second)
{
    static char joined[256];
    const char *const words[] = {first, second};
    struct device_choice choice;
    assert_int_equal(device_choice_make(&choice, words, second ? 2 : 1), 0);
    joined[0] = 0;
    for (int i = 0; i < choice.count; i++) {
        strcat(joined, choice.visible[i]);
        strcat(joined, " ");
    }
    device_choice_free(&choice);
    return joined;
}

static void refused(const char *first, const char *second, enum failure failure, const char *words)
{
    const char *const word[] = {first, second};
    struct device_choice choice;
    FAILS(device_choice_make(&choice, word, second ? 2 : 1), failure, words);
    assert_int_equal(choice.count, 0);
}

static void devices_are_found_among_the_visible(void **state)
{
    (void)state;
    setenv(visible, "3,GPU-aaaa-11-1,,MIG-aaaa-22-2", 1);
    assert_string_equal(chosen("0", NULL), "3 ");
    assert_string_equal(chosen("2", "1"), "MIG-aaaa-22-2 GPU-aaaa-11-1 ");
    assert_string_equal(chosen("MIG-aaaa", NULL), "MIG-aaaa-22-2 ");
    assert_string_equal(chosen("aaaa-11", NULL), "GPU-aaaa-11-1 ");
    assert_string_equal(chosen("AAAA-2", "0"), "MIG-aaaa-22-2 3 ");
    assert_string_equal(chosen("all", NULL), "3 GPU-aaaa-11-1 MIG-aaaa-22-2 ");
}

static void what_names_no_device_is_refused(void **state)
{
    (void)state;
    setenv(visible, "3,GPU-aaaa-11-1,MIG-aaaa-22-2", 1);
    refused("3", NULL, FAIL_USAGE, "there is no device '3'; there are 3, counted from 0");
    refused("aaaa", NULL, FAIL_USAGE, "several devices have the UUID 'aaaa'");
    refused("aaa", NULL, FAIL_USAGE, "there is no device 'aaa'");
    refused("GPU-", NULL, FAIL_USAGE, "there is no device 'GPU-'");
    refused("1", "GPU-aaaa-11", FAIL_USAGE, "'GPU-aaaa-11' is named twice");
    setenv(visible, "", 1);
    refused("0", NULL, FAIL_GPU, "hides every GPU");
}

static void one_is_shown_alone(void **state)
{
    const char *const word = "1";
    struct device_choice choice;
    (void)state;
    setenv(visible, "5,7", 1);
    assert_int_equal(device_choice_make(&choice, &word, 1), 0);
    assert_int_equal(device_choice_use(&choice, 0), 0);
    assert_string_equal(getenv(visible), "7");
    device_choice_free(&choice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_found_among_the_visible),
        cmocka_unit_test(what_names_no_device_is_refused),
        cmocka_unit_test(one_is_shown_alone),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

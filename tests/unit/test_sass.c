#include "fixture.h"

#include "registry.h"
#include "sass.h"
#include "version.h"

/* Architectures of the build, from its own compiler flags: "code=sm_90a" is 90. */
static int built_for(int architecture[32])
{
    int count = 0;
    for (const char *p = WHYFAST_NVCC_FLAGS; count < 32 && (p = strstr(p, "code=sm_")); p++)
        architecture[count++] = (int)strtol(p + strlen("code=sm_"), NULL, 10);
    return count;
}

static void every_variant_has_its_own_hash(void **state)
{
    int architecture[32];
    const int count = built_for(architecture);
    (void)state;
    if (!registry_variants[0]) SKIP("this build carries no variants");
    assert_true(count > 0);
    for (int a = 0; a < count; a++) {
        char hash[256][17], reason[120];
        int variants = 0;
        for (; registry_variants[variants] && variants < 256; variants++) {
            reason[0] = 0;
            if (!sass_hash(registry_variants[variants]->file, architecture[a], hash[variants], reason))
                fail_msg("%s, sm_%d: %s", registry_variants[variants]->file, architecture[a], reason);
            assert_int_equal(strspn(hash[variants], "0123456789abcdef"), 16);
            for (int i = 0; i < variants; i++)
                if (!strcmp(hash[i], hash[variants]))
                    fail_msg("%s and %s have the same hash", registry_variants[i]->file, registry_variants[variants]->file);
        }
        char again[17];
        assert_true(sass_hash(registry_variants[0]->file, architecture[a], again, reason));
        assert_string_equal(again, hash[0]);
    }
}

static void what_is_not_there_has_a_reason(void **state)
{
    char hash[17] = "untouched", reason[120];
    int architecture[32] = {90};
    (void)state;
    built_for(architecture);
    assert_false(sass_hash("kernels/reduce/99_not_there.cu", architecture[0], hash, reason));
    assert_non_null(strstr(reason, "carries no code of this file for sm_"));
    assert_string_equal(hash, "untouched");
    if (!registry_variants[0]) return;
    assert_false(sass_hash(registry_variants[0]->file, 12, hash, reason));
    assert_non_null(strstr(reason, "sm_12"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_has_its_own_hash), cmocka_unit_test(what_is_not_there_has_a_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

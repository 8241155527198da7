#include "collect/one_pass.h"
#include "fixture.h"

#include "catalog/records.h"
#include "host_cupti.h"

static void every_counter_of_a_h100_is_packed(void **state)
{
    struct records records;
    struct one_pass_sets sets;
    (void)state;
    if (*cupti_missing()) SKIP("%.*s", (int)strcspn(cupti_missing(), "\n"), cupti_missing());
    setenv("WHYFAST_DATA", root(), 1);
    assert_int_equal(records_read_own(&records), 0);
    assert_int_equal(one_pass_make(&sets, &records, "GH100"), 0);
    assert_in_range(sets.counters.count, 70, 300);
    assert_in_range(sets.count, 2, 30);
    for (int i = 0; i < sets.counters.count; i++) {
        assert_non_null(sets.counters.plan[i].source);
        assert_in_range(sets.set_of[i], 0, sets.count - 1);
    }
    one_pass_free(&sets);
    records_free(&records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_counter_of_a_h100_is_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

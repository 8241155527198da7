#include "fixture.h"

#include "fleet/cpu_shares.h"

static cpu_set_t set_of(int first, int last)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int cpu = first; cpu <= last; cpu++) CPU_SET(cpu, &set);
    return set;
}

static const char *text(const cpu_set_t *set)
{
    static char buffer[64];
    return cpu_shares_text(set, buffer, sizeof buffer);
}

static void near_processors_are_shared(void **state)
{
    const cpu_set_t near[] = {set_of(0, 7), set_of(8, 15), set_of(0, 7), set_of(8, 15),
                              set_of(0, 7)};
    cpu_set_t share[5];
    (void)state;
    assert_true(cpu_shares_split(share, near, 5));
    assert_string_equal(text(&share[0]), "0-2");
    assert_string_equal(text(&share[2]), "3-5");
    assert_string_equal(text(&share[4]), "6-7");
    assert_string_equal(text(&share[1]), "8-11");
    assert_string_equal(text(&share[3]), "12-15");
}

static void too_few_are_refused(void **state)
{
    const cpu_set_t near[] = {set_of(3, 4), set_of(3, 4), set_of(3, 4)};
    cpu_set_t share[3];
    (void)state;
    assert_false(cpu_shares_split(share, near, 3));
    assert_true(cpu_shares_split(share, near, 2));
    assert_string_equal(text(&share[1]), "4");
}

static void sets_as_text(void **state)
{
    cpu_set_t set = set_of(0, 1);
    char small[4];
    (void)state;
    CPU_SET(5, &set);
    CPU_SET(CPU_SETSIZE - 1, &set);
    assert_string_equal(text(&set), "0-1,5,1023");
    CPU_ZERO(&set);
    assert_string_equal(text(&set), "");
    set = set_of(10, 20);
    assert_string_equal(cpu_shares_text(&set, small, sizeof small), "10-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_processors_are_shared),
        cmocka_unit_test(too_few_are_refused),
        cmocka_unit_test(sets_as_text),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}

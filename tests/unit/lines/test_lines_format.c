#include "fixture.h"

#include "lines/lines_format.h"

TEST(locations_are_read_or_refused)
{
    static const char *const bad[] = {"1",       "1:",   ":2",   "1:2:3",        "a:1",
                                      "1:2,3:4", "-1:2", "1: 2", "1234567890:1", "1:2 x"};
    const char *list = "3:45 0:7";
    struct location location;
    assert_int_equal(location_next(&list, &location), 1);
    assert_int_equal(location.source, 3);
    assert_int_equal(location.line, 45);
    assert_int_equal(location_next(&list, &location), 1);
    assert_int_equal(location.source, 0);
    assert_int_equal(location.line, 7);
    assert_int_equal(location_next(&list, &location), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int more;
        list = bad[i];
        while ((more = location_next(&list, &location)) > 0) continue;
        assert_int_equal(more, -1);
    }
}

TEST(stalls_are_read_or_refused)
{
    static const char *const bad[] = {
        "wait",       "wait=",
        "wait=3",     "wait=3/",
        "wait=/3",    "=3/1",
        "wait=3/4",   "Wait=3/1",
        "wait=3/1;",  "wait=-3/1",
        "wait=3/1 =", "a_reason_that_is_longer_than_any_that_there_is_in_cupti=1/1",
        "wait=1e3/1", "wait=1234567890123456/1"};
    const char *list = "long_scoreboard=30/22 wait=12/0";
    struct stall stall;
    assert_int_equal(stall_next(&list, &stall), 1);
    assert_string_equal(stall.reason, "long_scoreboard");
    assert_true(stall.samples == 30 && stall.not_issued == 22);
    assert_int_equal(stall_next(&list, &stall), 1);
    assert_string_equal(stall.reason, "wait");
    assert_true(stall.samples == 12 && stall.not_issued == 0);
    assert_int_equal(stall_next(&list, &stall), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int more;
        list = bad[i];
        while ((more = stall_next(&list, &stall)) > 0) continue;
        if (more != -1) fail_msg("'%s' is taken", bad[i]);
    }
}

RUN_TESTS(fixture_open, fixture_close)

/*
 * Tests the files of the kernel and of the driver about permissions, and the conclusions drawn from
 * them.
 */
#include "fixture.h"

#include "doctor/doctor.h"

TEST(capabilities_are_the_effective_ones)
{
    uint64_t capabilities = 1;
    const char *path = write_text("status", "Name:\twhyfast\nCapPrm:\t000001ffffffffff\nCapEff:"
                                            "\t0000004000200000\nCapBnd:\tffffffffffffffff\n");
    assert_true(permissions_capabilities(path, &capabilities));
    assert_true(capabilities == (CAPABILITY_SYS_ADMIN | CAPABILITY_PERFMON));
    assert_true(
        permissions_capabilities(write_text("status", "CapEff:\t0000000000000000"), &capabilities));
    assert_true(capabilities == 0);
}

TEST(what_is_no_number_is_not_taken_for_one)
{
    static const char *const bad[] = {"",
                                      "CapEff:\t\n",
                                      "CapEff:\tzz\n",
                                      "CapEff:\t12zz\n",
                                      "CapEff:\t-1\n",
                                      "CapEff:\t11112222333344445\n",
                                      "XCapEff:\t1\n",
                                      "CapEff\n",
                                      "CapEffX:\t1\n"};
    uint64_t capabilities;
    long value;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (permissions_capabilities(write_text("status", bad[i]), &capabilities))
            fail_msg("'%s' was taken", bad[i]);
    assert_false(permissions_capabilities(place("no such file"), &capabilities));
    assert_false(permissions_number(write_text("status", "key: 1x\n"), "key", &value));
    assert_false(permissions_number(place("status"), "other", &value));
    assert_true(permissions_number(write_text("status", "before: 1\nkey:   7 kB\nafter: 2\n"),
                                   "key", &value));
    assert_int_equal(value, 7);
    assert_true(permissions_number(place("status"), "after", &value));
    assert_int_equal(value, 2);
}

/* As driver 580 writes it. */
static const char parameters[] =
    "ResmanDebugLevel: 4294967295\nRmLogonRC: 1\nModifyDeviceFiles: 1\nDeviceFileUID: "
    "0\nRmProfilingAdminOnly: %d\nPreserveVideoMemoryAllocations: 0\nRegistryDwords: \"\"\n";

TEST(the_driver_says_who_may_count)
{
    char text[400];
    for (int value = 0; value < 2; value++) {
        snprintf(text, sizeof text, parameters, value);
        assert_int_equal(permissions_admin_only(write_text("params", text)), value);
    }
    assert_int_equal(permissions_admin_only(write_text("params", "RmProfilingAdminOnlyX: 0\n")),
                     -1);
    assert_int_equal(permissions_admin_only(place("no such file")), -1);
}

TEST(permission_follows)
{
    static const struct {
        int admin_only;
        uint64_t capabilities;
        long driver;
        enum permission expected;
    } row[] = {
        {0, 0, 580, PERMITTED_ALL},
        {1, 0, 580, PERMISSION_REFUSED},
        {1, CAPABILITY_SYS_ADMIN, 0, PERMITTED_ADMIN},
        {1, CAPABILITY_PERFMON, 580, PERMITTED_PERFMON},
        {1, CAPABILITY_PERFMON, 565, PERMITTED_PERFMON},
        {1, CAPABILITY_PERFMON, 550, PERMISSION_REFUSED},
        {1, CAPABILITY_PERFMON, 0, PERMISSION_UNKNOWN},
        {1, ~(CAPABILITY_PERFMON | CAPABILITY_SYS_ADMIN), 580, PERMISSION_REFUSED},
        {-1, 0, 580, PERMISSION_UNKNOWN},
        {-1, CAPABILITY_SYS_ADMIN, 580, PERMITTED_ADMIN},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (permissions_judge(row[i].admin_only, row[i].capabilities, row[i].driver) !=
            row[i].expected)
            fail_msg("row %zu", i);
}

TEST(containers_leave_marks)
{
    make_directory("host");
    assert_null(permissions_container(place("host")));
    make_directory("docker");
    write_text("docker/.dockerenv", "");
    assert_string_equal(permissions_container(place("docker")), "Docker");
    make_directory("podman/run");
    write_text("podman/run/.containerenv", "");
    assert_string_equal(permissions_container(place("podman")), "Podman");
}

RUN_TESTS(fixture_open, fixture_close)

/*
 * Who may read hardware counters here, by what the kernel and the driver say of it in files, whose
 * paths are arguments. Nothing is owned.
 */
#ifndef WHYFAST_COUNTER_PERMISSIONS_H
#define WHYFAST_COUNTER_PERMISSIONS_H

#include <stdint.h>

/* Bits of the capabilities of a process (capability.h of the kernel). */
#define CAPABILITY_SYS_ADMIN (UINT64_C(1) << 21)
#define CAPABILITY_PERFMON (UINT64_C(1) << 38)

/* The effective capabilities that a file like /proc/self/status tells of: 1, or 0 when it does
 * not. */
int permissions_capabilities(const char *path, uint64_t *capabilities);

/* The number behind "key:" in a file like /proc/driver/nvidia/params or /proc/self/status: 1, or
 * 0 when it is not there. */
int permissions_number(const char *path, const char *key, long *value);

/* 1 when counters are for administrators, by RmProfilingAdminOnly of the driver's parameters; 0
 * when they are for everybody; -1 when that is not told. */
int permissions_admin_only(const char *path);

/* May counters be read? By permissions_admin_only, the capabilities and the driver's major
 * version (0: not known): administrators always may, those with CAP_PERFMON since R565. */
enum permission {
    PERMITTED_ALL,
    PERMITTED_ADMIN,
    PERMITTED_PERFMON,
    PERMISSION_REFUSED,
    PERMISSION_UNKNOWN
};
enum permission permissions_judge(int admin_only, uint64_t capabilities, long driver);

/* The container that this process seems to run in, by the files that container engines leave
 * behind under `root` ("" for /): a name, or NULL. */
const char *permissions_container(const char *root);

#endif

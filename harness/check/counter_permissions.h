/*
 * Tells who may read hardware counters, from files of the kernel and the driver, whose paths are
 * arguments. Nothing is owned.
 */
#ifndef WHYFAST_COUNTER_PERMISSIONS_H
#define WHYFAST_COUNTER_PERMISSIONS_H

#include <stdint.h>

/* Bits of the capabilities of a process (capability.h of the kernel). */
#define CAPABILITY_SYS_ADMIN (UINT64_C(1) << 21)
#define CAPABILITY_PERFMON (UINT64_C(1) << 38)

/* Reads the effective capabilities from a file like /proc/self/status. Returns 1, or 0 on failure.
 */
int permissions_capabilities(const char *path, uint64_t *capabilities);

/* Reads the number after "key:" in a file like /proc/self/status. Returns 1, or 0 on failure. */
int permissions_number(const char *path, const char *key, long *value);

/* Returns 1 if counters are for administrators (RmProfilingAdminOnly in the driver's parameters), 0
 * if they are for everybody, -1 if unknown. */
int permissions_admin_only(const char *path);

/* Judges by permissions_admin_only, the capabilities and the driver's major version (0: unknown):
 * administrators may always read counters, processes with CAP_PERFMON since R565. */
enum permission {
    PERMITTED_ALL,
    PERMITTED_ADMIN,
    PERMITTED_PERFMON,
    PERMISSION_REFUSED,
    PERMISSION_UNKNOWN
};
enum permission permissions_judge(int admin_only, uint64_t capabilities, long driver);

/* Returns the name of the container engine that left its files under `root` ("" for /), or NULL. */
const char *permissions_container(const char *root);

#endif

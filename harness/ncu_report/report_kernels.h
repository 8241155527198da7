/*
 * Gathers the launches of reports by kernel: those of one function with one shape, in one NVTX
 * range, are samples of one kernel. Of each launch only the columns of a run are kept, and of a
 * kernel with many launches the counters of the first ones, so that memory does not grow with the
 * reports. A struct report_kernels owns everything until report_kernels_free.
 */
#ifndef WHYFAST_REPORT_KERNELS_H
#define WHYFAST_REPORT_KERNELS_H

#include <time.h>

#include "catalog/records.h"
#include "machine_code/probe_results.h"
#include "ncu_report/report_map.h"

enum { MOST_REPEATS = 20 /* of counters */, LAUNCH_NUMBERS = 32 };

struct report_launch {
    double time_ns, clock_mhz;
};

struct report_kernel {
    char *symbol, *name, *range;
    unsigned grid[3], block[3];
    double dynamic_shared;
    int family, device, report;    /* `report`: which of the files */
    uint64_t source;               /* its code, by a number of that file */
    int repeats;                   /* launches whose counters are kept */
    struct report_value *value;    /* of each repeat, by place of its counter */
    double number[LAUNCH_NUMBERS]; /* columns of launches, by place; NAN: none */
    double blocks_per_sm;
    char limiter[96];
    double total_ns; /* of all launches that have a time */
    size_t count;
    struct report_launch *launch;
};

/* What a report tells about its machine and how it was made; NULL: not told. */
struct report_session {
    time_t made; /* 0: not told */
    char *date, *cuda, *driver, *ncu, *command_line;
};

struct report_kernels {
    const struct records *records;
    const char *directory; /* where the machine code goes, NULL: nowhere */
    int counters;
    const struct record **counter;
    const char **derived; /* what else gives each counter, or NULL */
    int count;
    struct report_kernel *kernel;
    struct probe_results lines; /* of the same kernels */
    int families;
    char **family;                 /* programs, or files if there are several */
    struct text facts;             /* "key\nvalue\n" of the device of the first launch */
    struct report_session session; /* of the first file */
    size_t launches;
    int is_per_file;
};

/* Takes what a session of a report tells that was not told before. */
void report_session_take(struct report_session *session, struct wire message);

/* Returns what the command line told ncu by an option, "--x VALUE" or "--x=VALUE", in `value`; NULL
 * if it did not. */
enum { OPTION_BYTES = 40 };
const char *report_session_option(const struct report_session *session, const char *option,
                                  char value[OPTION_BYTES]);
void report_session_free(struct report_session *session);

/* Reads the reports. Returns FAIL_INPUT, with a message, for a damaged one or if none has a launch.
 */
int report_kernels_read(struct report_kernels *kernels, const struct records *records,
                        const char *const *path, int paths, const char *directory);
/* Returns where the machine code of a report goes. */
struct path report_code_path(const struct report_kernels *kernels, int report, uint64_t source);
void report_kernels_free(struct report_kernels *kernels);

#endif

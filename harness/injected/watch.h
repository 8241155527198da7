/*
 * Declares the parts of the library that whyfast loads into a program (injection.c). All of them
 * work under one lock, which injection.c takes in each callback of CUPTI. The first failure of a
 * part is written to problems.csv, and the part stays off; the program goes on.
 */
#ifndef WHYFAST_INJECT_WATCH_H
#define WHYFAST_INJECT_WATCH_H

#include <cupti.h>
#include <pthread.h>

#include "cupti/functions.h"
#include "injected/watch_plan.h"

enum { MOST_CONTEXTS = 16 };

struct watch {
    char directory[3072];
    int process; /* number of this process among those that use CUDA */
    struct watch_plan plan;
    unsigned patience_s; /* how long the end waits for launches that are timed */
    unsigned most_s;     /* and how long the program may take to end if that work goes on */
    int has_left_work;   /* the program ends, and that work goes on */
    int most_images;     /* of counters in memory, of about 1 MB each */
};

extern struct watch watch;

/* Returns the nanoseconds of a clock that never goes back. */
uint64_t watch_clock(void);

/* The lock is recursive, because a call of CUPTI may call back. */
void watch_lock(void);
void watch_unlock(void);

/* Returns 1 if the call succeeded; else writes a problem and returns 0. */
#define WATCH_OK(call, what, kernel) watch_ok((call), #call, (what), (kernel))
int watch_ok(CUptiResult status, const char *call, const char *what, int kernel);

/* The functions that this library is linked with, for harness/cupti. */
extern const struct cupti linked_cupti;

/* ---- the driver, from the program's own copy (driver.c) -------------------------------------- */

struct driver {
    __typeof__(cuCtxGetCurrent) *current;
    __typeof__(cuCtxSetCurrent) *set_current;
    __typeof__(cuCtxSynchronize) *synchronize;
    __typeof__(cuStreamIsCapturing) *is_capturing;
    __typeof__(cuFuncGetAttribute) *function_attribute;
    __typeof__(cuKernelGetFunction) *kernel_function;
    __typeof__(cuOccupancyMaxActiveBlocksPerMultiprocessor) *occupancy;
    __typeof__(cuDriverGetVersion) *version;
};

extern struct driver driver;

/* Finds the functions. Returns 1, or 0 if the driver lacks one. */
int driver_load(void);

/* ---- process.txt (process_facts.c) ----------------------------------------------------------- */

/* Gives this process the number that the plan has for it, and its directory. Returns the number, or
 * -1 if it has no directory. */
int process_open(const char *directory);

void process_describe(void);

/* Adds the name of the chip, which is known once there is a context. */
void process_describe_chip(CUcontext context);

/* A launch, as the program asks for it. It borrows from the program's call. */
struct watched_launch {
    CUfunction function; /* may be a CUkernel of the runtime */
    CUlaunchConfig config;
    void **parameters, **extra; /* as those of cuLaunchKernel */
    int is_cooperative;
};

/* ---- kernels (kernel_table.c) ---------------------------------------------------------------- */

struct known_kernel {
    int number; /* in order of the first launches */
    struct launch_signature signature;
    int planned; /* number in the plan, or -1 */
    unsigned launches;
};

/* A member is -1 if it is unknown. */
struct kernel_attributes {
    int static_shared, registers, local_bytes; /* bytes per block; per thread; bytes per thread */
    int max_block_threads, blocks_per_sm;
    int is_of_graph;
};

/* Asks the driver, which may load the kernel. The caller must not hold the lock: another thread may
 * wait for it within the driver. */
struct kernel_attributes kernel_attributes(CUfunction function,
                                           const struct launch_signature *signature);

/* Returns the kernel with this signature, or NULL. */
struct known_kernel *kernel_find(const struct launch_signature *signature);

/* Adds a kernel and describes it in kernels.csv. Returns NULL if memory is short. */
struct known_kernel *kernel_add(const struct launch_signature *signature,
                                const struct kernel_attributes *attributes);

/* ---- times (kernel_times.c) ------------------------------------------------------------------ */

int times_open(void);

/* Remembers that the launch with this correlation number is one of the kernel. */
void times_launched(uint32_t correlation, const struct known_kernel *kernel, unsigned ordinal);

/* Asks CUPTI for the records that are complete, or, at the end, for all, and writes the rows of
 * those that are. The caller must not hold the lock. */
void times_flush(int all);

/* ---- the last work on the GPU (last_work.c) -------------------------------------------------- */

/* Waits some seconds until the GPU has ended the work of the calling thread's context.
 * If the work goes on, it is left: has_left_work is set, and the program, which exits with this
 * status, is ended after most_s, because CUPTI may wait for the work, too. The caller must not hold
 * the lock. */
void work_finish(int status);

/* ---- stalls (stall_samples.c) ---------------------------------------------------------------- */

void stalls_open(CUcontext context);
void stalls_drain(void);
void stalls_close(CUcontext context); /* NULL: all contexts */

/* Writes what was sampled, once, at the end. */
void stalls_write(void);

/* ---- counters of whole launches (launch_counters.c) ------------------------------------------ */

/* Profile one launch. `begin` returns 1 if `end` must follow, with 0 if the launch has failed. */
int counters_begin(CUcontext context, int kernel, unsigned ordinal);
void counters_end(CUcontext context, int kernel, unsigned ordinal, int is_launched);

/* Follow the end of a context, and of the program. */
void counters_forget(CUcontext context);
void counters_finish(void);

/* ---- counts of instructions (instruction_counts.c) ------------------------------------------- */

/* Count the instructions of one launch; works once in a process. */
int counts_begin(CUcontext context, int kernel);
void counts_end(CUcontext context);

/* ---- knock-outs (launch_knockouts.c) ----------------------------------------------------------
 */

/* Keeps the machine code of a module if the plan has kernels of it. */
void knockouts_keep(uint64_t crc, const void *cubin, size_t bytes);

/* Times the twins of a launch that is about to happen, and ends the process after the last kernel
 * of the plan. The caller must not hold the lock, because another thread may wait for it within the
 * driver, and lets no other launch begin. */
void knockouts_take(const struct watched_launch *launch, const struct launch_signature *signature,
                    int kernel);

/* Follows the end of a context. */
void knockouts_forget(CUcontext context);

#endif

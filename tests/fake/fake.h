/*
 * A GPU that there is not, for tests: what the fake CUDA runtime, driver, CUPTI and NVML share.
 * Kernels are run by the CPU, and how long they take and what they count follows from a model
 * (struct fake_cost), on a clock of its own: the same for the same program and arguments, and never
 * a measurement. Everything is the process' own; what is asked of it comes from one thread.
 *
 *   FAKE_FAIL=[probe/]CALL:N[+][:STATUS]  the N-th call of that function (+: and all after it)
 *                                         returns STATUS; CALL may be *, for any function. Of the
 *                                         process that was started; with probe/, of the probes
 *                                         alone. Several are separated by spaces.
 *   FAKE_STATE="WORD ..."                 what is the matter with the device; the words stand where
 *                                         they act
 *   FAKE_LOG=FILE                         at the end of each process, added to: lines "PROCESS
 *                                         calls N", "PROCESS call NAME N", "PROCESS left KIND N"
 *                                         for what was opened and not closed, "PROCESS misuse WHAT"
 */
#ifndef FAKE_H
#define FAKE_H

#include <stddef.h>
#include <stdint.h>

/* The status that the call must return, 0 when nothing is planted. To be the first thing that a
 * function of the fake does. */
int fake_call(const char *name);
int fake_state(const char *word);

/* Something was opened (+1) or closed (-1). Closing what is not open is a misuse. */
void fake_held(const char *kind, int change);
void fake_misuse(const char *what);

/* The clock: ns of CLOCK_MONOTONIC as the program sees it. */
uint64_t fake_now(void);
void fake_advance(uint64_t ns);

/* What one launch does, and so what it counts: of the whole grid, warp instructions unless said. */
struct fake_cost {
    double warps;
    double instructions;
    double global_loads, global_stores;
    double global_load_bytes, global_store_bytes;
    double shared_loads, shared_stores;
    double shared_load_wavefronts, shared_store_wavefronts;
    double branches, divergent_branches;
    double additions; /* threads' */
    double dram_read_bytes, dram_written_bytes;
};

enum { FAKE_ARGUMENTS = 14 };

struct fake_launch {
    const struct fake_kernel *kernel;
    unsigned grid[3], block[3];
    size_t shared;
    uint64_t argument[FAKE_ARGUMENTS];
};

struct fake_kernel {
    const void *function; /* by which it is launched; a kernel in C: itself */
    const char *symbol;
    const char *emulates; /* CUDA C's kernels with this in their names are run by this one; NULL: it
                             is a kernel itself */
    const char *arguments; /* bytes of each, as digits */
    void (*run)(const struct fake_launch *launch);
    void (*cost)(const struct fake_launch *launch, struct fake_cost *cost);
    int registers, static_shared;
    int max_dynamic_shared; /* as granted; 0: what every function has */
    struct fake_kernel *next;
};

/* Makes a kernel in C known; launch.function is its address. */
void fake_kernel_add(struct fake_kernel *kernel);
struct fake_kernel *fake_kernel_find(const void *function);

/* Looks for what the harness' kernel is emulated by, known by its mangled name; leaves run NULL
 * for others. */
void fake_kernel_emulate(struct fake_kernel *kernel);

/* Launches from C, for rows that call a library. 0 or a cudaError_t. */
int fake_launch(struct fake_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                const uint64_t *argument, int count, void *stream);

/* ---- the device ------------------------------------------------------------------------------ */

enum {
    FAKE_SMS = 4,
    FAKE_SCHEDULERS = 4, /* of an SM */
    FAKE_MHZ = 1500,
    FAKE_DRAM_BYTES_PER_CYCLE = 64,
    FAKE_L2_BYTES = 1 << 18,
    FAKE_MEMORY_BYTES = 8 << 20,
    FAKE_INSTRUCTIONS = 24 /* of any kernel's code */
};

/* A kernel that has run. */
struct fake_ran {
    const struct fake_launch *launch;
    struct fake_cost cost;
    uint64_t begin_ns, end_ns;
    double cycles;
    double mhz;
};

/* Called for every kernel but those of the gate; NULL: nobody listens. The fake CUPTI sets it. */
extern void (*fake_listener)(const struct fake_ran *ran);

/* Runs whatever is queued. */
void fake_synchronize(void);

/* The clock now, at which globaltimer stands, too. */
double fake_cycles_of(const struct fake_launch *launch, struct fake_cost *cost);

#endif

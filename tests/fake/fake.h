/*
 * Emulates a GPU for tests: shared by the fake CUDA runtime, driver, CUPTI and NVML. The CPU runs
 * the kernels; their times and counts follow from a model (struct fake_cost) on a clock of its own.
 * They are the same for the same program and arguments, and are never measurements. Each process
 * has its own state and uses it from one thread.
 *
 *   FAKE_FAIL=[probe/]CALL:N[+][:STATUS]  the N-th call of that function (+: and all after it)
 *                                         returns STATUS; CALL may be *, for any function. Applies
 *                                         to the started process; with probe/, only to its probes.
 *                                         Several are separated by spaces.
 *   FAKE_STATE="WORD ..."                 faults of the device; the files that use the words list
 *                                         them
 *   FAKE_DEVICES=N                        there are N devices, of which CUDA_VISIBLE_DEVICES shows
 *                                         some, by number or UUID; otherwise there is one
 *   FAKE_LOG=FILE                         each process appends lines when it ends: "PROCESS calls
 *                                         N", "PROCESS call NAME N", "PROCESS left KIND N" for
 *                                         objects left open, "PROCESS misuse WHAT"
 */
#ifndef FAKE_H
#define FAKE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the status that the call must return, 0 if no fault is planted. Every function of the
 * fake calls it first. */
int fake_call(const char *name);
int fake_state(const char *word);

/* The UUID of a device or of a MIG slice, as NVML gives it, after "GPU-" or "MIG-". With
 * FAKE_STATE=mig each device has two slices, FAKE_SLICE and the next. */
#define FAKE_UUID "00000000-0000-0000-0000-%012x"
#define FAKE_SLICE(device) (16 * ((device) + 1))

/* How many devices the process sees, and which of all devices one of them is. */
int fake_devices(void);
int fake_all_devices(void);
int fake_device(int index);

/* A state of the first device that the process sees, planted as WORD_NUMBER. */
int fake_device_state(const char *word);

/* Notes that something was opened (+1) or closed (-1). Closing a thing that is not open is a
 * misuse. */
void fake_held(const char *kind, int change);
void fake_misuse(const char *what);

/* The clock: ns of CLOCK_MONOTONIC as the program sees it. */
uint64_t fake_now(void);
void fake_advance(uint64_t ns);

/* The work of one launch, from which its counts follow: for the whole grid, in warp instructions
 * unless stated. */
struct fake_cost {
    double warps;
    double instructions;
    double global_loads, global_stores;
    double global_load_bytes, global_store_bytes;
    double shared_loads, shared_stores;
    double shared_load_wavefronts, shared_store_wavefronts;
    double branches, divergent_branches;
    double additions; /* in thread instructions */
    double dram_read_bytes, dram_written_bytes;
    double serial_cycles; /* of steps that wait for each other */
};

enum { FAKE_ARGUMENTS = 14 };

struct fake_launch {
    const struct fake_kernel *kernel;
    unsigned grid[3], block[3];
    size_t shared;
    uint64_t argument[FAKE_ARGUMENTS];
};

struct fake_kernel {
    const void *function; /* address by which it is launched; a kernel in C: itself */
    const char *symbol;
    const char *emulates; /* part of the names of the CUDA C kernels that this one runs; NULL: it is
                             a kernel itself */
    const char *arguments; /* bytes of each argument, as digits */
    void (*run)(const struct fake_launch *launch);
    void (*cost)(const struct fake_launch *launch, struct fake_cost *cost);
    int registers, static_shared;
    int ceiling;            /* which of measure/ceiling_kernels.h it is, if it is one of them */
    int max_dynamic_shared; /* as granted; 0: the default of every function */
    struct fake_kernel *next;
};

/* Registers a kernel in C; launch.function is its address. */
void fake_kernel_add(struct fake_kernel *kernel);
struct fake_kernel *fake_kernel_find(const void *function);

/* Finds the emulation of the harness' kernel with this mangled name; leaves run NULL for other
 * kernels. */
void fake_kernel_emulate(struct fake_kernel *kernel);

/* Launches from C, for rows that call a library. Returns 0 or a cudaError_t. */
int fake_launch(struct fake_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                const uint64_t *argument, int count, void *stream);

/* ---- the device ------------------------------------------------------------------------------ */

enum {
    FAKE_SMS = 4,
    FAKE_SCHEDULERS = 4,  /* per SM */
    FAKE_MMA_PEAK = 2730, /* operations of tensor cores, per SM and cycle */
    FAKE_WGMMA_PEAK = 4096,
    FAKE_MHZ = 1500,
    FAKE_DRAM_BYTES_PER_CYCLE = 64,
    FAKE_L2_BYTES = 1 << 18,
    FAKE_MEMORY_BYTES = 8 << 20,
    FAKE_INSTRUCTIONS = 24, /* the code size of every kernel */
    FAKE_HOP_CYCLES = 600,  /* of a load from device memory that others wait for */
    FAKE_BARRIER_CYCLES = 30,
    FAKE_ATOMIC_CYCLES = 3, /* of each addition to the same word */
    FAKE_CLEAR_CYCLES = 900 /* of a memset */
};

/* A kernel that has run. */
struct fake_ran {
    const struct fake_launch *launch;
    struct fake_cost cost;
    uint64_t begin_ns, end_ns;
    double cycles;
    double mhz;
};

/* Called for every kernel except those of the gate; NULL if nobody listens. The fake CUPTI sets
 * it. */
extern void (*fake_listener)(const struct fake_ran *ran);

/* Runs all queued operations. */
void fake_synchronize(void);

/* The current time, which globaltimer shows, too. */
double fake_cycles_of(const struct fake_launch *launch, struct fake_cost *cost);

#endif

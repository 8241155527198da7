/*
 * Predicts the time of a rung from the counters of the rung before it and from counts that the rung
 * declares. Nothing is owned. NAN means absent throughout: a value computed from it is absent, too.
 *
 * Method. Every resource of an SM has a demand: the cycles that it would need if nothing else took
 * time, as in the roofline model (issue slots, wavefronts of the L1 cache and shared memory, tensor
 * cores, DRAM).
 * A block has a chain: the round trips to memory and the barriers that it waits for, and its own
 * work in between. Blocks that share an SM use each other's waiting time, like the customers of a
 * closed queueing network, and no block is faster than its chain (Little's law: S. Hong, H. Kim, An
 * analytical model for a GPU architecture, 2009, has the same two bounds as CWP and MWP). The
 * stalled cycles of the previous rung are divided by its stall reasons, as in GPA (K. Zhou, X.
 * Meng, R. Sai, J. Mellor-Crummey, 2021), whose reported median error is 49 %. The efficiency of
 * the previous rung, the ratio of its measured time to its modelled time, is assumed for this rung,
 * too.
 *
 * Parameters. Ceilings and latencies are those that the run measured; runs that did not measure
 * them get those of an H200. The exponents, which describe how times overlap, and the multiples of
 * the latencies were chosen on an earlier run. On an H200 run of 2026-11-23, without tensor cores,
 * the median error on the gain is 22.9 %; chosen anew for all families but one, and judged on that
 * one, it is 26.1 %. On the recorded H200 it is 27.2 %, and 50.0 % in gemm_tensor.
 *
 * The model ignores the order of instructions, and so how well loads and arithmetic of one warp
 * overlap; contention between SMs other than for bytes (atomics on one word, partitions of the L2
 * cache); uneven work on SMs other than from whole blocks; falling clocks.
 */
#ifndef WHYFAST_PREDICT_MODEL_H
#define WHYFAST_PREDICT_MODEL_H

#include "query/query.h"

/* Quantities that a rung may declare. All are totals over its launches. */
enum quantity {
    QUANTITY_WARP_INSTRUCTIONS,
    QUANTITY_SHARED_INSTRUCTIONS,
    QUANTITY_SHARED_WAVEFRONTS,
    QUANTITY_GLOBAL_WAVEFRONTS,
    QUANTITY_DRAM_BYTES,
    QUANTITY_TENSOR_CYCLES,
    QUANTITY_MEMORY_WAITS,
    QUANTITY_BARRIERS,
    QUANTITY_TAIL_WAITS,
    QUANTITY_CLEARS,
    QUANTITY_REGISTER_CONFLICTS,
    QUANTITY_WORKING_BLOCKS,
    QUANTITY_BUSIEST_SHARE,
    QUANTITY_COUNT
};

/* The name of each quantity, and the metrics whose sum it is checked against, if any. Old runs lack
 * the later one, and have nothing that it counts. */
enum { PREDICT_SUMMANDS = 3 };
extern const struct predict_quantity {
    const char *name, *counter[PREDICT_SUMMANDS], *later;
} predict_quantities[QUANTITY_COUNT];

/* The launch of a rung, known before it runs. */
struct predict_launch {
    double launches, grid_blocks, block_threads, blocks_per_sm, sm_count;
};

/* Ceilings and latencies of the device, measured in the run. */
struct predict_device {
    double dram_gbs, launch_ns, next_launch_ns, clear_ns, memory_latency_ns, barrier_ns;
};

/* Measurements of the rung before. Stalls are cycles per instruction. */
struct predict_measured {
    double time_ns, clock_ghz;
    struct predict_device device;
    double stall_total, stall_barrier, stall_memory, stall_shared, stall_fixed, stall_dispatch,
        stall_not_selected;
};

struct predict_rung {
    struct predict_launch launch;
    double count[QUANTITY_COUNT];
};

/* Inputs are read from a row of metrics: without a prefix for the row's own rung, with "prev_" for
 * the rung before. An absent value or column is NAN. */
double predict_number(const struct scope *row, const char *prefix, const char *name);

/* Reads a quantity from its counters. */
double predict_counted(const struct scope *row, const char *prefix, enum quantity quantity);
struct predict_launch predict_read_launch(const struct scope *row, const char *prefix);
struct predict_measured predict_read_measured(const struct scope *row, const char *prefix);

/* Reads a measured rung: counts from its counters, or from `declared` (NULL: absent) if no counter
 * gives them. */
struct predict_rung predict_read_rung(const struct scope *row, const char *prefix,
                                      const struct predict_rung *declared);

/* Cycles of the busiest SM, by use. */
enum predict_term {
    TERM_ISSUE,  /* demand: issue slots, with those lost to conflicts in the register file */
    TERM_L1,     /* demand: wavefronts of shared memory and of global loads in the one data stage */
    TERM_TENSOR, /* demand: operations of tensor cores, at their peak */
    TERM_DRAM,   /* demand: bytes at the rate that can be reached */
    TERM_MEMORY, /* chain of a slot: round trips to memory that are waited for */
    TERM_BARRIER,  /* chain: barriers */
    TERM_TURNOVER, /* chain: a slot is empty between two blocks */
    TERM_SHARED,   /* in the work of a warp: latency of shared memory */
    TERM_FIXED,    /* in the work of a warp: latency of instructions */
    TERM_TAIL,     /* at the end: consecutive round trips */
    TERM_LAUNCH,   /* launches and memory operations */
    TERM_COUNT
};

extern const char *const predict_term_names[TERM_COUNT];

struct predict_result {
    double time_ns;    /* NAN: not predicted */
    double efficiency; /* measured over modelled cycles of the rung before */
    enum predict_term limiter;
    double term[TERM_COUNT];
};

/* Computes the terms and the efficiency of a measured rung; time_ns is the measured time. */
struct predict_result predict_analyse(const struct predict_rung *rung,
                                      const struct predict_measured *measured);

/* Predicts the time of `rung`, whose counts are declared, from the counts and measurements of the
 * rung before. */
struct predict_result predict_time(const struct predict_rung *rung,
                                   const struct predict_rung *before,
                                   const struct predict_measured *measured);

/* Returns the cycles of two activities that overlap: with exponent 1 they run one after the other,
 * with a large exponent almost side by side. */
double predict_overlap(double a, double b, double exponent);

#endif

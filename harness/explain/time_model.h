/*
 * Models the time of a kernel from its features, so that the model can answer how long it would
 * have taken with some of them changed. Nothing is owned.
 *
 * A feature is a value of one input, charged to a cause. Features of one input are added, but those
 * marked (product) are multiplied, with 1 for none. With the sums as x:
 *
 *   overlap(p; x...) = (sum x^p)^(1/p): one after the other at p = 1, the larger for large p
 *   share(work, wait, n; p) = work / n + overlap(1 + p log2 n; work (1 - 1/n), wait): n customers
 *       of one server need `work` together, and each spends `wait` elsewhere
 *
 *   slots  = overlap(20; issue, fma, alu)
 *   busy   = overlap(10; data, tensor, share(slots, (fixed + short + short_queue) /
 *                              (warps short_slots), warps; 0.2))
 *   long'  = long + long_queue + turnover + loaded_bytes / bytes_per_wait * wait_cycles
 *   sm     = share(busy, long' / (warps long_slots), warps / group; 0.5)
 *   cycles = overlap(4; sm * uneven * unexplained, ghz * l2_ns, ghz * atomic_ns,
 *                    ghz * (dram_ns / dram_rate + round_trip_ns))
 *   time   = launch_ns + (cycles * scale + end) / ghz
 *
 * Warps of a scheduler hide short waits of each other; groups of warps that wait together, because
 * they meet at barriers, hide long ones. Sources: the machine-repairman model, whose balanced case
 * has p = 0.72; the warps of a kernel wait in phase, and smaller exponents fit better; S. Hong, H.
 * Kim, An analytical model for a GPU architecture, 2009, for the bounds by memory-level and
 * computation parallelism. The exponents were chosen on a run of 2026-11-23 and are the
 * same for every kernel.
 */
#ifndef WHYFAST_TIME_MODEL_H
#define WHYFAST_TIME_MODEL_H

enum time_input {
    FEATURE_ISSUE, /* issue slots used, and lost, per scheduler */
    FEATURE_FMA,   /* cycles of the pipes, per scheduler */
    FEATURE_ALU,
    FEATURE_DATA,         /* cycles of the data stage of L1 and shared memory, per SM */
    FEATURE_TENSOR,       /* cycles of the tensor cores, per SM */
    FEATURE_FIXED,        /* waits of warps, in warp-cycles per scheduler: fixed latencies, fetch */
    FEATURE_SHORT,        /* for shared memory and special units */
    FEATURE_SHORT_QUEUE,  /* in the queue of shared memory, and of a busy arithmetic pipe */
    FEATURE_LONG,         /* for memory and barriers */
    FEATURE_LONG_QUEUE,   /* in the queue of memory, beyond a round trip, and beyond a barrier; for
                             the products of a warpgroup, which are work of the tensor cores */
    FEATURE_TURNOVER,     /* slots without a warp, between blocks */
    FEATURE_LOADED_BYTES, /* of global loads, per scheduler; 0 if unknown */
    FEATURE_BYTES_PER_WAIT, /* requested before a warp waits (product) */
    FEATURE_WAIT_CYCLES,    /* of one wait for global memory (product) */
    FEATURE_L2_NS,          /* time that the resource needs alone */
    FEATURE_DRAM_NS,
    FEATURE_ROUND_TRIP_NS, /* to an idle device memory */
    FEATURE_ATOMIC_NS,
    FEATURE_WARPS,       /* slots per scheduler (product) */
    FEATURE_SHORT_SLOTS, /* corrections of `warps` for each kind of waits (products) */
    FEATURE_LONG_SLOTS,
    FEATURE_GROUP,  /* warps per scheduler that wait together (product) */
    FEATURE_UNEVEN, /* work of the busiest SM over that of the mean (product) */
    FEATURE_LAUNCH_NS,
    FEATURE_END,         /* cycles without overlap */
    FEATURE_GHZ,         /* SM clock (product) */
    FEATURE_DRAM_RATE,   /* rate over the ceiling (product) */
    FEATURE_UNEXPLAINED, /* measured over modelled cycles of an SM (product) */
    FEATURE_SCALE,       /* and of the whole, if that is not enough (product) */
    FEATURE_INPUTS
};

/* The name of each input in the table time_features (time_features.sql). */
extern const char *const time_input_names[FEATURE_INPUTS];

/* A point has at most TIME_FEATURES_READ features of its own; the fit adds three. */
enum { TIME_FEATURES_READ = 75, TIME_FEATURES = TIME_FEATURES_READ + 3 };

struct time_feature {
    enum time_input input;
    const char *cause; /* compared as text */
    double value;
};

struct time_point {
    double time_ns; /* measured */
    int count;
    struct time_feature feature[TIME_FEATURES];
};

/* Returns the modelled time of `point`, in ns, with the features of those causes taken from `other`
 * instead for which `takes` returns 1; `takes` may be NULL. */
double time_model_ns(const struct time_point *point, const struct time_point *other,
                     int (*takes)(void *context, const char *cause), void *context);

/* Fits what counters cannot tell to the measured time, in this order: the part of the short and
 * long waits that is not hidden (0 to 1); the part of the queues that is (0 to 1), if the model is
 * too fast even with all waits; the rate of device memory, if this alone would take longer; last
 * the remaining ratio of cycles, a feature of the cause "residual". */
void time_model_fit(struct time_point *point);

/* Returns 1 if device memory alone needs more than 85 % of the busy time at the ceiling. */
int time_model_saturated(const struct time_point *point);

#endif

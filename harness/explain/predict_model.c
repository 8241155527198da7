#include "explain/predict_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double schedulers_per_sm = 4;

/* Multiples of the latencies of the device: a barrier of a block with the usual skew of its warps;
 * the longest one, beyond which warps wait for something else; and the longest time until the next
 * block of a slot works. */
static const double skewed_barriers = 5, most_barriers = 14, most_turnover_round_trips = 1.4;
static const double shared_cycles = 30; /* round trip to shared memory */
static const double saturated =
    0.9; /* part of the time that DRAM alone needs; beyond it waits are queues */

/* Exponents: resources work side by side, nearly the larger of them; other blocks fill the chain of
 * a block by chance. */
static const double side_by_side = 4, by_chance = 2;

const char *const predict_term_names[TERM_COUNT] = {
    [TERM_ISSUE] = "issue slots",
    [TERM_L1] = "L1 and shared memory",
    [TERM_TENSOR] = "tensor cores",
    [TERM_DRAM] = "DRAM bandwidth",
    [TERM_MEMORY] = "waits for memory",
    [TERM_BARRIER] = "barriers",
    [TERM_TURNOVER] = "changes of blocks",
    [TERM_SHARED] = "latency of shared memory",
    [TERM_FIXED] = "latency of instructions",
    [TERM_TAIL] = "round trips at the end",
    [TERM_LAUNCH] = "launches",
};

/* ---- inputs ---------------------------------------------------------------------------------- */

/* To add a quantity: add a row here, its name in enum quantity, and its meaning in the table of
 * metrics/README.md. */
const struct predict_quantity predict_quantities[QUANTITY_COUNT] = {
    [QUANTITY_WARP_INSTRUCTIONS] = {"warp_instructions", {"warp_instructions_hw"}},
    [QUANTITY_SHARED_INSTRUCTIONS] = {"shared_instructions",
                                      {"shared_load_instructions", "shared_store_instructions",
                                       "shared_async_instructions"},
                                      "shared_matrix_load_instructions"},
    [QUANTITY_SHARED_WAVEFRONTS] = {"shared_wavefronts", {"shared_wavefronts"}},
    [QUANTITY_GLOBAL_WAVEFRONTS] = {"global_wavefronts", {NULL}},
    [QUANTITY_DRAM_BYTES] = {"dram_bytes", {"dram_read_bytes", "dram_write_bytes"}},
    [QUANTITY_TENSOR_CYCLES] = {"tensor_cycles", {"tensor_cycles"}},
    [QUANTITY_MEMORY_WAITS] = {"memory_waits", {NULL}},
    [QUANTITY_BARRIERS] = {"barriers", {NULL}},
    [QUANTITY_TAIL_WAITS] = {"tail_waits", {NULL}},
    [QUANTITY_CLEARS] = {"clears", {NULL}},
    [QUANTITY_REGISTER_CONFLICTS] = {"register_conflicts", {NULL}},
    [QUANTITY_WORKING_BLOCKS] = {"working_blocks", {NULL}},
    [QUANTITY_BUSIEST_SHARE] = {"busiest_share", {NULL}},
};

double predict_number(const struct scope *row, const char *prefix, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    const char *value = scope_value(row, full, NULL);
    return value ? strtod(value, NULL) : NAN;
}

double predict_counted(const struct scope *row, const char *prefix, enum quantity quantity)
{
    double sum = predict_quantities[quantity].counter[0] ? 0 : NAN;
    for (int i = 0; i < PREDICT_SUMMANDS && predict_quantities[quantity].counter[i]; i++)
        sum += predict_number(row, prefix, predict_quantities[quantity].counter[i]);
    const char *later = predict_quantities[quantity].later;
    const double more = later ? predict_number(row, prefix, later) : NAN;
    return isnan(more) ? sum : sum + more;
}

struct predict_launch predict_read_launch(const struct scope *row, const char *prefix)
{
    return (struct predict_launch){
        predict_number(row, prefix, "launches"), predict_number(row, prefix, "grid_blocks"),
        predict_number(row, prefix, "block_threads"), predict_number(row, prefix, "blocks_per_sm"),
        predict_number(row, prefix, "sm_count")};
}

/* A ceiling of the run; `other` if an older run did not measure it. */
static double ceiling(const struct scope *row, const char *prefix, const char *name, double other)
{
    const double value = predict_number(row, prefix, name);
    return isnan(value) ? other : value;
}

/* Without ceilings: those of an H200, and 95 % of the peak of the bus. */
static struct predict_device predict_read_device(const struct scope *row, const char *prefix)
{
    return (struct predict_device){
        ceiling(row, prefix, "ceiling_read_gbs",
                0.95 * predict_number(row, prefix, "dram_peak_gbs")),
        ceiling(row, prefix, "ceiling_launch_ns", 3550),
        ceiling(row, prefix, "ceiling_next_launch_ns", 2200),
        ceiling(row, prefix, "ceiling_clear_ns", 830),
        ceiling(row, prefix, "ceiling_memory_latency_ns", 351),
        ceiling(row, prefix, "ceiling_barrier_ns", 14.8),
    };
}

struct predict_measured predict_read_measured(const struct scope *row, const char *prefix)
{
    return (struct predict_measured){
        .time_ns = predict_number(row, prefix, "time_ns"),
        .clock_ghz = predict_number(row, prefix, "sm_clock_mhz") / 1e3,
        .device = predict_read_device(row, prefix),
        .stall_total = predict_number(row, prefix, "stall_total"),
        .stall_barrier = predict_number(row, prefix, "stall_barrier"),
        .stall_memory = predict_number(row, prefix, "stall_long_scoreboard") +
                        predict_number(row, prefix, "stall_lg_throttle"),
        .stall_shared = predict_number(row, prefix, "stall_short_scoreboard") +
                        predict_number(row, prefix, "stall_mio_throttle"),
        .stall_fixed = predict_number(row, prefix, "stall_wait") +
                       predict_number(row, prefix, "stall_no_instruction") +
                       predict_number(row, prefix, "stall_branch_resolving") +
                       predict_number(row, prefix, "stall_other"),
        .stall_dispatch = predict_number(row, prefix, "stall_dispatch_stall"),
        .stall_not_selected = predict_number(row, prefix, "stall_not_selected"),
    };
}

/* Loads are assumed coalesced unless counted otherwise: a wavefront for four sectors.
 */
struct predict_rung predict_read_rung(const struct scope *row, const char *prefix,
                                      const struct predict_rung *declared)
{
    struct predict_rung rung = {.launch = predict_read_launch(row, prefix)};
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        rung.count[i] = predict_counted(row, prefix, (enum quantity)i);
        if (!predict_quantities[i].counter[0] && declared) rung.count[i] = declared->count[i];
    }
    const double sectors = predict_number(row, prefix, "global_load_sectors"),
                 loads = predict_number(row, prefix, "global_load_instructions");
    if (isnan(rung.count[QUANTITY_GLOBAL_WAVEFRONTS]))
        rung.count[QUANTITY_GLOBAL_WAVEFRONTS] = loads > sectors / 4 ? loads : sectors / 4;
    return rung;
}

/* ---- the model ------------------------------------------------------------------------------- */

double predict_overlap(double a, double b, double exponent)
{
    const double larger = fmax(a, b);
    if (!(larger > 0)) return a + b; /* 0, or absent */
    return larger * pow(pow(a / larger, exponent) + pow(b / larger, exponent), 1 / exponent);
}

/* fmin and fmax would ignore an absent value. */
static double least(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static double most(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* The load of the busiest SM. */
struct placement {
    double warps;    /* resident at once: its slots */
    double groups;   /* that wait independently: blocks if there are barriers, else warps */
    double share;    /* of all work: multiplies totals */
    double per_slot; /* warps that a slot takes one after another */
};

static struct placement place(const struct predict_rung *rung)
{
    const struct predict_launch *launch = &rung->launch;
    const double *count = rung->count;
    const double blocks = isnan(count[QUANTITY_WORKING_BLOCKS]) ? launch->grid_blocks
                                                                : count[QUANTITY_WORKING_BLOCKS];
    const double per_sm = blocks / launch->sm_count, busiest = ceil(per_sm - 1e-9);
    const double resident = least(launch->blocks_per_sm, busiest);
    struct placement place;
    place.warps = resident * launch->block_threads / 32;
    place.groups = count[QUANTITY_BARRIERS] > 0 ? resident : place.warps;
    place.share = (isnan(count[QUANTITY_BUSIEST_SHARE]) ? most(1, busiest / per_sm)
                                                        : count[QUANTITY_BUSIEST_SHARE]) /
                  launch->sm_count;
    place.per_slot = launch->grid_blocks * launch->block_threads / 32 * place.share / place.warps;
    return place;
}

/* Time before and between launches, ns. */
static double overhead_ns(const struct predict_rung *rung, const struct predict_device *device)
{
    const double clears = isnan(rung->count[QUANTITY_CLEARS]) ? 0 : rung->count[QUANTITY_CLEARS];
    return device->launch_ns + (rung->launch.launches - 1) * device->next_launch_ns +
           clears * device->clear_ns;
}

static double round_trip_cycles(const struct predict_measured *measured)
{
    return measured->device.memory_latency_ns * measured->clock_ghz;
}

static double barrier_cycles(const struct predict_measured *measured)
{
    return measured->device.barrier_ns * measured->clock_ghz;
}

static double tail_cycles(const struct predict_rung *rung, const struct predict_measured *measured)
{
    const double waits = rung->count[QUANTITY_TAIL_WAITS];
    return isnan(waits) ? 0 : waits * round_trip_cycles(measured);
}

/* Demands on the busiest SM. */
static void set_demands(double *term, const struct predict_rung *rung, const struct placement *at,
                        const struct predict_measured *measured, double lost_slots)
{
    const double *count = rung->count;
    term[TERM_ISSUE] =
        count[QUANTITY_WARP_INSTRUCTIONS] * at->share / schedulers_per_sm * (1 + lost_slots);
    term[TERM_L1] =
        (count[QUANTITY_SHARED_WAVEFRONTS] + count[QUANTITY_GLOBAL_WAVEFRONTS]) * at->share;
    /* Runs older than the counters of tensor cores have no such work. */
    term[TERM_TENSOR] = isnan(count[QUANTITY_TENSOR_CYCLES])
                            ? 0
                            : count[QUANTITY_TENSOR_CYCLES] * at->share * rung->launch.sm_count;
    term[TERM_DRAM] = count[QUANTITY_DRAM_BYTES] / measured->device.dram_gbs * measured->clock_ghz;
}

/* Cycles of the SM, without DRAM. All groups together need the demand; each of them passes through
 * its chain, which contains its own part of the demand and is at least as long as the path of a
 * single warp. */
static double sm_cycles(const double *term, const struct placement *at)
{
    const double demand =
        predict_overlap(predict_overlap(term[TERM_ISSUE], term[TERM_L1], side_by_side),
                        term[TERM_TENSOR], side_by_side);
    const double warp = (term[TERM_ISSUE] + term[TERM_TENSOR]) * schedulers_per_sm / at->warps +
                        term[TERM_L1] / at->warps + term[TERM_FIXED] + term[TERM_SHARED];
    const double work = predict_overlap(demand / at->groups, warp, side_by_side);
    const double chain = term[TERM_MEMORY] + term[TERM_BARRIER] + term[TERM_TURNOVER] + work;
    return predict_overlap(demand, chain, by_chance);
}

/* The same with DRAM: one of the rounds in which a slot requests memory overlaps with nothing. */
static double with_dram(const struct predict_rung *rung, const struct placement *at, double sm,
                        double dram)
{
    const double waits = rung->count[QUANTITY_MEMORY_WAITS] * at->share / at->warps;
    return predict_overlap(sm, dram, side_by_side) +
           (waits > 0 ? least(sm, dram) / most(1, waits) : 0);
}

/* Issue slots lost per instruction: while the dispatcher holds one back, ready ones wait too. */
static double lost_slots(const struct predict_measured *measured)
{
    return measured->stall_dispatch / (1 + measured->stall_not_selected);
}

/* The waits of a slot by reason. Waiting for a busy pipe is part of its demand, and waiting beyond
 * a latency is a queue: neither is a property of the chain. */
static void set_waits(double *term, const struct predict_rung *rung, const struct placement *at,
                      const struct predict_measured *measured, double cycles)
{
    const double *count = rung->count, per_slot = at->share / at->warps;
    const double instructions = count[QUANTITY_WARP_INSTRUCTIONS] * per_slot;
    const int queues = term[TERM_DRAM] > saturated * cycles;
    term[TERM_MEMORY] = measured->stall_memory * instructions;
    if (!isnan(count[QUANTITY_MEMORY_WAITS]))
        term[TERM_MEMORY] = least(term[TERM_MEMORY], count[QUANTITY_MEMORY_WAITS] * per_slot *
                                                         round_trip_cycles(measured));
    term[TERM_BARRIER] = measured->stall_barrier * instructions;
    if (!isnan(count[QUANTITY_BARRIERS]))
        term[TERM_BARRIER] = least(term[TERM_BARRIER],
                                   count[QUANTITY_BARRIERS] * per_slot * barrier_cycles(measured) *
                                       (queues ? skewed_barriers : most_barriers));
    term[TERM_FIXED] = measured->stall_fixed * instructions;
    term[TERM_SHARED] = most(0, measured->stall_shared * instructions -
                                    count[QUANTITY_SHARED_WAVEFRONTS] * at->share / at->groups);
    if (queues)
        term[TERM_SHARED] = least(term[TERM_SHARED],
                                  count[QUANTITY_SHARED_INSTRUCTIONS] * per_slot * shared_cycles);
    const double empty =
        most(0, cycles - measured->stall_total * instructions - tail_cycles(rung, measured));
    term[TERM_TURNOVER] = least(empty, most(1, at->per_slot) * most_turnover_round_trips *
                                           round_trip_cycles(measured));
}

static enum predict_term largest(const double *term)
{
    enum predict_term at = TERM_ISSUE;
    for (int i = 0; i < TERM_COUNT; i++)
        if (term[i] > term[at]) at = (enum predict_term)i;
    return at;
}

struct predict_result predict_analyse(const struct predict_rung *rung,
                                      const struct predict_measured *measured)
{
    const struct placement at = place(rung);
    const double overhead = overhead_ns(rung, &measured->device),
                 cycles = most((measured->time_ns - overhead) * measured->clock_ghz, 300);
    struct predict_result result = {.time_ns = measured->time_ns};
    double *term = result.term;
    set_demands(term, rung, &at, measured, lost_slots(measured));
    set_waits(term, rung, &at, measured, cycles);
    term[TERM_TAIL] = tail_cycles(rung, measured);
    term[TERM_LAUNCH] = overhead * measured->clock_ghz;
    result.efficiency = most(cycles - term[TERM_TAIL], 1) /
                        with_dram(rung, &at, sm_cycles(term, &at), term[TERM_DRAM]);
    result.limiter = largest(term);
    return result;
}

/* Scales a wait of the rung before by its count now; without one before, uses the latency of one.
 * If a count is unknown, the wait scales with the instructions. */
static double scaled(double wait, double count, double before, double instructions, double latency)
{
    if (isnan(count) || isnan(before)) return wait * instructions;
    return before > 0 ? wait * count / before : count * latency;
}

/* The terms of the chain. All counts are those of a slot. */
static void scale_waits(double *term, const struct predict_result *was,
                        const struct predict_rung *rung, const struct placement *at,
                        const struct predict_rung *before, const struct placement *then,
                        const struct predict_measured *measured)
{
    double now[QUANTITY_COUNT], old[QUANTITY_COUNT];
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        now[i] = rung->count[i] * at->share / at->warps;
        old[i] = before->count[i] * then->share / then->warps;
    }
    const double instructions = now[QUANTITY_WARP_INSTRUCTIONS] / old[QUANTITY_WARP_INSTRUCTIONS];
    term[TERM_MEMORY] =
        scaled(was->term[TERM_MEMORY], now[QUANTITY_MEMORY_WAITS], old[QUANTITY_MEMORY_WAITS],
               instructions, round_trip_cycles(measured));
    term[TERM_BARRIER] =
        scaled(was->term[TERM_BARRIER], now[QUANTITY_BARRIERS], old[QUANTITY_BARRIERS],
               instructions, skewed_barriers * barrier_cycles(measured));
    term[TERM_FIXED] = was->term[TERM_FIXED] * instructions;
    /* Half of a wait for shared memory is the latency of each instruction, half the time of its
     * neighbours in the pipe. */
    const double shared = now[QUANTITY_SHARED_INSTRUCTIONS] / old[QUANTITY_SHARED_INSTRUCTIONS] *
                          now[QUANTITY_SHARED_WAVEFRONTS] / old[QUANTITY_SHARED_WAVEFRONTS];
    term[TERM_SHARED] =
        was->term[TERM_SHARED] > 0 && isfinite(shared) ? was->term[TERM_SHARED] * sqrt(shared) : 0;
    /* One wave has one start and one end, whatever the number of blocks. */
    term[TERM_TURNOVER] = was->term[TERM_TURNOVER] *
                          (then->per_slot > 1 ? most(1, at->per_slot) / then->per_slot : 1);
}

struct predict_result predict_time(const struct predict_rung *rung,
                                   const struct predict_rung *before,
                                   const struct predict_measured *measured)
{
    const struct predict_result was = predict_analyse(before, measured);
    const struct placement at = place(rung), then = place(before);
    const double conflicts = rung->count[QUANTITY_REGISTER_CONFLICTS];
    struct predict_result result = {.efficiency = was.efficiency};
    double *term = result.term;
    set_demands(term, rung, &at, measured,
                lost_slots(measured) * (isnan(conflicts) ? 1 : conflicts));
    scale_waits(term, &was, rung, &at, before, &then, measured);
    term[TERM_TAIL] = tail_cycles(rung, measured);
    term[TERM_LAUNCH] = overhead_ns(rung, &measured->device) * measured->clock_ghz;
    /* If DRAM was saturated the efficiency is that of DRAM; otherwise that of the SMs. */
    const double then_cycles = (measured->time_ns - overhead_ns(before, &measured->device)) *
                               measured->clock_ghz,
                 sm = sm_cycles(term, &at);
    const double cycles = was.term[TERM_DRAM] > saturated * then_cycles
                              ? with_dram(rung, &at, sm, term[TERM_DRAM]) * was.efficiency
                              : with_dram(rung, &at, sm * was.efficiency, term[TERM_DRAM]);
    result.time_ns = (cycles + term[TERM_TAIL] + term[TERM_LAUNCH]) / measured->clock_ghz;
    result.limiter = largest(term);
    return result;
}

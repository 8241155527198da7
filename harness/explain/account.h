/*
 * Divides the difference of two times among its causes, exactly and without a fit. No global state;
 * nothing is owned.
 *
 * By Little's law, the time that a point spends on the GPU is what its warps wait for, all
 * together, over the warps that are resident and the clock:
 *
 *     T = L + sum of W_g / (w c f)
 *
 *   T, L, f   clean time; the time of as many empty launches; the clock of the SMs
 *   W_g       cycles in which warps of a scheduler wait for g (explain/sides.sql)
 *   w         resident warps of an active scheduler
 *   c         the part of the time in which the mean SM is active
 *
 * The difference of two such products is divided by logarithmic means (B. W. Ang, The LMDI approach
 * to decomposition analysis, Energy Policy 33, 2005): with t_g the part of T that belongs to g, and
 * lambda = (t_g - t_g') / ln(t_g / t_g'), the waits for g make lambda ln(W_g / W_g'), the resident
 * warps the sum of lambda ln(w' / w), and so on. The terms add up to T - T'. Equations between
 * terms follow, which keep the sum; knock-outs measure some of them; each is named by the most
 * specific count that moved with it, and bounded by knock-outs and by what units need.
 * metrics/method.md has the rules, "How a cause is found".
 */
#ifndef WHYFAST_ACCOUNT_H
#define WHYFAST_ACCOUNT_H

#include <stdint.h>

/* A tenth: a count moved, a cause is worth a name, a unit of secondary use matters. A half: a unit
 * matters. The limit: a unit is at its limit. */
#define ACCOUNT_TENTH 0.10
#define ACCOUNT_HALF 0.50
#define ACCOUNT_LIMIT 0.85
/* The part of a time that is noise of an account, whatever the interval of the time. */
#define ACCOUNT_NOISE 0.01

/* The things that warps wait for, by their names in the table of sides, after "wait_", and the
 * words that name them if no count does (explain/account_words.h); warps wait for nothing where
 * they issue (selected). */
/* clang-format off */
#define ACCOUNT_WAITING(X)                                                                         \
    X(SELECTED, selected, instructions) X(NOT_SELECTED, not_selected, instructions)                \
    X(LOCAL, local, local) X(CONSTANT, constant, constant) X(START, start, turnover)               \
    X(TENSOR, tensor, tensor_wait) X(ATOMICS, atomics, atomics) X(SHUFFLES, shuffles, shuffles)    \
    X(CONVERSIONS, conversions, conversions) X(FP64, fp64, fp64) X(POLLING, polling, barriers)     \
    X(BARRIERS, barriers, barriers) X(GLOBAL, global, global_latency) X(FIXED, fixed, dependency)  \
    X(SHARED, shared, shared_wait) X(QUEUE, queue, global_latency) X(PIPE, pipe, alu_pipe)         \
    X(DISPATCH, dispatch, dispatch) X(SPECIAL, special, dependency) X(BRANCH, branch, fetch)       \
    X(FETCH, fetch, fetch) X(DIVISION, division, division) X(STORES, stores, lg_throttle)         \
    X(AT_GRID, at_grid, barriers)
/* clang-format on */
#define ACCOUNT_WAIT_NAME(NAME, name, word) WAITS_##NAME,
enum account_wait { ACCOUNT_WAITING(ACCOUNT_WAIT_NAME) WAITS_OTHER, ACCOUNT_WAITS };
#undef ACCOUNT_WAIT_NAME
/* The terms of a division: the waits, then these. */
enum account_term {
    TERM_IDLE = ACCOUNT_WAITS,
    TERM_RESIDENT,
    TERM_CLOCK,
    TERM_LAUNCHES,
    TERM_OTHER_LAUNCH,
    TERM_CONTENTION,
    TERM_ISSUE,
    TERM_DRAM_BYTES,
    TERM_DRAM_RATE,
    TERM_L2_WORK,
    TERM_TENSOR_WORK,
    TERM_MEASURED_BARRIERS,
    TERM_MEASURED_CONFLICTS,
    TERM_MEASURED_BOTH,
    ACCOUNT_TERMS
};

/* Sums over the launches of a function, by their names in the table of sides; cycles are those of a
 * scheduler or an SM. Of elapsed only the parts count. Beside them are the warp cycles `main` of
 * the largest launch, and its grid, block and blocks per_sm. */
#define ACCOUNT_SUMMED(X)                                                                          \
    X(instructions) X(issued) X(active) X(resident) X(sm_mean) X(sm_most) X(elapsed)
#define ACCOUNT_SUM_NAME(name) SUM_##name,
enum account_sum { ACCOUNT_SUMMED(ACCOUNT_SUM_NAME) ACCOUNT_SUMS };
#undef ACCOUNT_SUM_NAME

/* Facts of a point, by their names in the table of sides: mostly metrics. */
/* clang-format off */
#define ACCOUNT_FACTS(X)                                                                           \
    X(time_ns) X(time_low_ns) X(time_high_ns) X(launch_ns) X(sm_clock_mhz) X(sm_count)             \
    X(demand_issue_ns) X(demand_conflicts_ns) X(demand_shared_ns) X(demand_l1_ns) X(demand_l2_ns)  \
    X(demand_dram_ns) X(demand_tensor_ns) X(demand_alu_ns) X(demand_fma_ns) X(atomics_ns)          \
    X(copies_ns) X(dram_bytes) X(l2_bytes) X(global_wavefronts) X(global_wavefronts_ns)            \
    X(local_sectors) X(loaded_by_used) X(stored_by_used) X(local_part) X(unused_load_part)         \
    X(unused_store_part) X(conflict_wavefronts) X(line_wavefronts) X(other_wavefronts)             \
    X(same_word_wavefronts) X(l1_miss_ratio) X(l2_miss_ratio) X(global_load_instructions)          \
    X(load_bytes) X(lanes_on) X(division) X(exchange) X(function) X(fp32_instructions)             \
    X(operations_executed) X(tensor_operations) X(tensor_cycles) X(fp64_operations)                \
    X(measured_barriers_ns) X(measured_bank_conflicts_ns) X(measured_barriers_conflicts_ns)        \
    X(measured_loads_ns) X(dram_peak_gbs) X(predicated_on_pct) X(global_excess_sectors)            \
    X(store_excess_sectors) X(off_wavefronts)
/* clang-format on */
#define ACCOUNT_FACT(name) FACT_##name,
enum account_fact { ACCOUNT_FACTS(ACCOUNT_FACT) ACCOUNT_FACT_COUNT };
#undef ACCOUNT_FACT

enum {
    ACCOUNT_FUNCTIONS = 16,
    ACCOUNT_NAME = 256,
    ACCOUNT_NUMBERS = 768,
    ACCOUNT_NUMBER_NAME = 48
};
struct account_number {
    int function;
    char name[ACCOUNT_NUMBER_NAME];
    double value;
};

/* A point, as it is read: its numbers, and the functions that they are of. */
struct account_side {
    char function[ACCOUNT_FUNCTIONS][ACCOUNT_NAME]; /* the first is "": the point as a whole */
    struct account_number number[ACCOUNT_NUMBERS];
    int functions, numbers;
};

/* The names of facts and of waits, as in the table of sides. */
extern const char *const account_fact_names[ACCOUNT_FACT_COUNT];
extern const char *const account_wait_names[ACCOUNT_WAITS];

/* Begins a side without numbers, and takes a number: of a function, or of the point if `function`
 * is NULL or "". What there is no room for is ignored. */
void account_begin(struct account_side *side);
void account_take(struct account_side *side, const char *function, const char *name, double value);

/* Takes away what was measured by knock-outs: an account of such sides infers everything. */
void account_forget_measured(struct account_side *side);

/* Returns a number of the point by its name; NAN if it is absent. */
double account_number(const struct account_side *side, const char *name);

/* Returns the rest of the name of the first number that begins so; NULL if there is none. */
const char *account_word_after(const struct account_side *side, const char *beginning);

/* A point in the units of an account. */
struct account_point {
    double fact[ACCOUNT_FACT_COUNT]; /* 0 if absent on one side */
    double time_ns, gpu_ns, ghz;     /* gpu_ns: on the GPU, of the functions that count */
    double rest_ns;                  /* gpu_ns without the measured costs */
    double active, warps, busy;      /* c and w above; the part of cycles that issue */
    double instructions;             /* of a scheduler */
    double working;             /* the part of the warps that is not at a barrier of the grid */
    double wait[ACCOUNT_WAITS]; /* cycles of its warps */
    double at_barriers;         /* wait[WAITS_BARRIERS], though the cost may be measured */
    double grid, block, per_sm; /* of the main launch */
    double producers;           /* cycles of its warps that wait to fetch, beside those of others */
};

/* A cause: its words (explain/account_words.h), what it saved of the time, and what is left of that
 * after waits that took the place of each other are set off. Room is that for resident warps. */
enum account_kind { ACCOUNT_WORK, ACCOUNT_ROOM, ACCOUNT_COUNT, ACCOUNT_WAIT, ACCOUNT_REST };
struct account_cause {
    uint64_t words;
    enum account_kind kind;
    double saved_ns, left_ns;
};

enum {
    ACCOUNT_CAUSES = 64,
    ACCOUNT_MEASURED_BARRIERS = 1,
    ACCOUNT_MEASURED_CONFLICTS = 2,
    ACCOUNT_MEASURED_BOTH = 4,  /* at once: what they share cannot be told apart */
    ACCOUNT_MEASURED_COPIES = 8 /* conflicts as a part of all that copies cost */
};
struct account {
    const struct account_side *side[2]; /* before, after; of the caller */
    struct account_point before, after;
    double change_ns, half_ns; /* what a cause must exceed to be named */
    double own_ns[2];          /* of the launches of functions that only one side has */
    int is_whole;              /* no launches are left out */
    double term[ACCOUNT_TERMS];
    struct account_cause cause[ACCOUNT_CAUSES];
    int causes;
    unsigned is_measured;      /* ACCOUNT_MEASURED_*: what was measured on both sides */
    enum account_wait special; /* the waits to which those for special registers belong */
    double special_ns;         /* their part of that term */
};

/* Returns the logarithmic mean of two positive numbers, else 0. */
double account_mean(double a, double b);

/* Begins an account of two points: their numbers and the change. Returns 1, or 0 if one of the
 * sides has no counters of its warps. */
int account_compare(struct account *account, const struct account_side *before,
                    const struct account_side *after);

/* Divides the change among the terms. Names no causes. */
void account_divide(struct account *account);

#endif

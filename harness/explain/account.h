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
 * warps the sum of lambda ln(w' / w), and so on. The terms add up to T - T'. Then come equations
 * between terms, which keep the sum:
 *
 *   - Fewer warps that each do more: what resident warps and waits have in common with opposite
 *     sign is neither saved nor lost. The same holds for resident warps and idle SMs. What is left
 *     of a difference of large numbers is contention.
 *   - Issue slots, waits for a slot, fixed latencies and branches follow the number of instructions
 *     as far as it moved.
 *   - If device memory, the L2 cache or the tensor cores are busy for 85 % of the time on both
 * sides, the time is the work of that unit and its idle time.
 *   - Launches of functions that only one side has are a term of their own.
 *
 * Each term is named by the most specific count that moved with it, else by the wait itself
 * (explain/account_names.h).
 */
#ifndef WHYFAST_ACCOUNT_H
#define WHYFAST_ACCOUNT_H

#include <stdint.h>

/* A tenth: a count moved, a cause is worth a name, a unit of secondary use matters. A half: a unit
 * matters. The limit: a unit is at its limit. */
#define ACCOUNT_TENTH 0.10
#define ACCOUNT_HALF 0.50
#define ACCOUNT_LIMIT 0.85

/* The things that warps wait for. */
enum account_wait {
    WAITS_SELECTED, /* for nothing: they issue */
    WAITS_NOT_SELECTED,
    WAITS_LOCAL,
    WAITS_CONSTANT,
    WAITS_START,
    WAITS_TENSOR,
    WAITS_ATOMICS,
    WAITS_SHUFFLES,
    WAITS_CONVERSIONS,
    WAITS_FP64,
    WAITS_POLLING,
    WAITS_BARRIERS,
    WAITS_GLOBAL,
    WAITS_FIXED,
    WAITS_SHARED,
    WAITS_QUEUE,
    WAITS_PIPE,
    WAITS_DISPATCH,
    WAITS_BRANCH,
    WAITS_FETCH,
    WAITS_DIVISION,
    WAITS_OTHER,
    ACCOUNT_WAITS
};
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
    ACCOUNT_TERMS
};

/* Sums over the launches of a function; cycles are those of a scheduler or an SM. */
enum account_sum {
    SUM_INSTRUCTIONS,
    SUM_ISSUED,
    SUM_ACTIVE,
    SUM_RESIDENT, /* warps times cycles */
    SUM_SM_MEAN,
    SUM_SM_MOST,
    SUM_ELAPSED,
    SUM_MAIN, /* of the launch with the most warp cycles, whose grid these are */
    SUM_GRID,
    SUM_BLOCK,
    SUM_PER_SM,
    ACCOUNT_SUMS
};

/* Facts of a point: metrics by their names, NAN if absent. */
#define ACCOUNT_FACTS(X)                                                                           \
    X(time_ns)                                                                                     \
    X(time_low_ns)                                                                                 \
    X(time_high_ns)                                                                                \
    X(sm_clock_mhz)                                                                                \
    X(sm_count)                                                                                    \
    X(launch_ns)                                                                                   \
    X(loads_per_wait)                                                                              \
    X(mix)                                                                                         \
    X(mix_division)                                                                                \
    X(mix_exchange) X(mix_function) X(demand_issue_ns) X(demand_conflicts_ns) X(demand_shared_ns)  \
        X(demand_l1_ns) X(demand_l2_ns) X(demand_dram_ns) X(demand_tensor_ns) X(demand_alu_ns)     \
            X(demand_fma_ns) X(ceiling_atomic_ns) X(l2_atomic_cycles_busiest) X(dram_bytes)        \
                X(l2_bytes) X(l1_wavefronts) X(global_load_bytes) X(global_load_instructions)      \
                    X(global_load_sectors) X(global_excess_sectors) X(global_store_sectors)        \
                        X(store_excess_sectors) X(local_sectors) X(shared_load_instructions_hw)    \
                            X(shared_store_instructions_hw) X(shared_load_instructions)            \
                                X(shared_store_instructions) X(shared_wavefronts)                  \
                                    X(shared_excess_wavefronts) X(shared_excess_exact)             \
                                        X(shared_conflicts_all) X(same_word_wavefronts)            \
                                            X(shared_async_wavefronts) X(async_excess_wavefronts)  \
                                                X(predicated_on_pct)                               \
                                                    X(warp_execution_efficiency_pct)               \
                                                        X(tensor_cycles) X(fp64_operations)
#define ACCOUNT_FACT(name) FACT_##name,
enum account_fact { ACCOUNT_FACTS(ACCOUNT_FACT) ACCOUNT_FACT_COUNT };
#undef ACCOUNT_FACT

enum { ACCOUNT_FUNCTIONS = 16, ACCOUNT_NAME = 256, ACCOUNT_OTHERS = 64, ACCOUNT_OTHER_NAME = 48 };
struct account_function {
    char name[ACCOUNT_NAME];
    double sum[ACCOUNT_SUMS], wait[ACCOUNT_WAITS];
};

/* A point, as it is read. Other numbers than facts are kept by name. */
struct account_side {
    double fact[ACCOUNT_FACT_COUNT];
    struct {
        char name[ACCOUNT_OTHER_NAME];
        double value;
    } other[ACCOUNT_OTHERS];
    int others;
    struct account_function function[ACCOUNT_FUNCTIONS];
    int functions;
};

/* The names of facts, of sums and, after "wait_", of waits, as in the table of sides. */
extern const char *const account_fact_names[ACCOUNT_FACT_COUNT];

/* Begins a side without numbers, and takes a number: of a function, or of the point if `function`
 * is NULL or "". What there is no room for is ignored. */
void account_begin(struct account_side *side);
void account_take(struct account_side *side, const char *function, const char *name, double value);

/* Returns a number of the point by its name; NAN if it is absent. */
double account_number(const struct account_side *side, const char *name);

/* Returns the rest of the name of the first number that begins so; NULL if there is none. */
const char *account_word_after(const struct account_side *side, const char *beginning);

/* A point in the units of an account. */
struct account_point {
    double fact[ACCOUNT_FACT_COUNT];       /* 0 if absent on one side */
    double time_ns, gpu_ns, ghz;           /* gpu_ns: on the GPU, of the functions that count */
    double active, warps, busy;            /* c and w above; the part of cycles that issue */
    double instructions;                   /* of a scheduler */
    double wait[ACCOUNT_WAITS];            /* cycles of its warps */
    double grid, block, per_sm, atomic_ns; /* of the main launch; of the busiest slice of L2 */
};

/* A cause: its words (explain/account_names.h), what it saved of the time, and what is left of that
 * after waits that took the place of each other are set off. */
enum account_kind { ACCOUNT_WORK, ACCOUNT_COUNT, ACCOUNT_WAIT, ACCOUNT_REST };
struct account_cause {
    uint64_t words;
    enum account_kind kind;
    double saved_ns, left_ns;
};

enum { ACCOUNT_CAUSES = 64 };
struct account {
    const struct account_side *side[2]; /* before, after; of the caller */
    struct account_point before, after;
    double change_ns, half_ns; /* what a cause must exceed to be named */
    double term[ACCOUNT_TERMS];
    struct account_cause cause[ACCOUNT_CAUSES];
    int causes;
};

/* Divides the change among the terms. Returns 1, or 0 if one of the sides has no counters of its
 * warps. Names no causes. */
int account_divide(struct account *account, const struct account_side *before,
                   const struct account_side *after);

#endif

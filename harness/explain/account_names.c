#include "explain/account_names.h"

#include <math.h>
#include <string.h>

#define ACCOUNT_WORD(name, id) #name,
const char *const account_words[ACCOUNT_WORD_COUNT] = {ACCOUNT_WORDS(ACCOUNT_WORD)};
#undef ACCOUNT_WORD
#define ACCOUNT_WORD(name, id) #id,
static const char *const ids[ACCOUNT_WORD_COUNT] = {ACCOUNT_WORDS(ACCOUNT_WORD)};

static uint64_t word(enum account_word which)
{
    return (uint64_t)1 << which;
}

/* A word that adds to a name is more telling than the name itself. Loads in flight are none: they
 * only explain a latency. */
const char *account_cause_id(uint64_t words)
{
    static const enum account_word telling[] = {WORD_division, WORD_shuffles, WORD_conversions,
                                                WORD_divergence, WORD_threads};
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (words & word(telling[i])) return ids[telling[i]];
    for (int i = 0; i < ACCOUNT_WORD_COUNT; i++)
        if (words & word((enum account_word)i)) return ids[i];
    return "contention";
}

/* A logarithm of a ratio; a count that appears or vanishes counts as a factor of 400. */
static double ratio(double x, double y)
{
    enum { MOST = 6 };
    if (x <= 0 && y <= 0) return 0;
    return y <= 0 ? MOST : x <= 0 ? -MOST : fmax(fmin(log(x / y), MOST), -MOST);
}

static double sign(double x)
{
    return x > 0 ? 1 : -1;
}

static void add(struct account *account, uint64_t words, enum account_kind kind, double saved_ns)
{
    if (saved_ns == 0) return;
    for (int i = 0; i < account->causes; i++) {
        struct account_cause *cause = &account->cause[i];
        if (cause->words != words || cause->kind != kind) continue;
        cause->saved_ns += saved_ns;
        return;
    }
    if (account->causes < ACCOUNT_CAUSES)
        account->cause[account->causes++] = (struct account_cause){words, kind, saved_ns, 0};
}

/* ---- counts of a point ----------------------------------------------------------------------- */

typedef double count_of(const struct account_point *point);
#define FACT(name) (point->fact[FACT_##name])

/* Accesses to shared memory whose lanes were all predicated off take a wavefront, too. */
static double off_wavefronts(const struct account_point *point)
{
    return fmax(FACT(shared_load_instructions_hw) + FACT(shared_store_instructions_hw) -
                    FACT(shared_load_instructions) - FACT(shared_store_instructions),
                0);
}

static double global_wavefronts(const struct account_point *point)
{
    return fmax(FACT(l1_wavefronts) - FACT(shared_wavefronts) - off_wavefronts(point), 0);
}

/* The part of the time of the busy SMs that so many wavefronts take. */
static double data_stage(const struct account_point *point, double wavefronts)
{
    return FACT(sm_count) > 0
               ? wavefronts / FACT(sm_count) / point->ghz / (point->gpu_ns * point->active)
               : 0;
}

static double local_sectors(const struct account_point *point)
{
    return FACT(local_sectors);
}
static double atomic_time(const struct account_point *point)
{
    return point->atomic_ns;
}
static double loaded_by_used(const struct account_point *point)
{
    return FACT(global_load_sectors) > 0
               ? FACT(global_load_sectors) /
                     fmax(FACT(global_load_sectors) - FACT(global_excess_sectors), 1)
               : 1;
}
static double stored_by_used(const struct account_point *point)
{
    return FACT(global_store_sectors) > 0
               ? FACT(global_store_sectors) /
                     fmax(FACT(global_store_sectors) - FACT(store_excess_sectors), 1)
               : 1;
}
static double copy_conflicts(const struct account_point *point)
{
    return FACT(async_excess_wavefronts);
}
static double dram_bytes(const struct account_point *point)
{
    return FACT(dram_bytes);
}
static double l2_bytes(const struct account_point *point)
{
    return FACT(l2_bytes);
}

static double sectors(const struct account_point *point)
{
    return FACT(global_load_sectors) + FACT(global_store_sectors) + FACT(local_sectors);
}
static double part_of(double x, double whole)
{
    return whole > 0 ? x / whole : 0;
}
static double local_use(const struct account_point *point)
{
    return part_of(FACT(local_sectors), sectors(point));
}
static double load_use(const struct account_point *point)
{
    return part_of(FACT(global_excess_sectors), sectors(point));
}
static double store_use(const struct account_point *point)
{
    return part_of(FACT(store_excess_sectors), sectors(point));
}
static double atomic_use(const struct account_point *point)
{
    return point->atomic_ns / point->time_ns;
}
static double copy_use(const struct account_point *point)
{
    return data_stage(point, FACT(shared_async_wavefronts));
}
static double dram_use(const struct account_point *point)
{
    return FACT(demand_dram_ns) / point->time_ns;
}
static double l2_use(const struct account_point *point)
{
    return FACT(demand_l2_ns) / point->time_ns;
}
static double l1_use(const struct account_point *point)
{
    return data_stage(point, global_wavefronts(point));
}

/* The counts of global memory, the most specific first. */
static const struct {
    enum account_word word;
    count_of *count, *use;
    double least_use;
} global_counts[] = {
    {WORD_local, local_sectors, local_use, ACCOUNT_TENTH},
    {WORD_atomics, atomic_time, atomic_use, ACCOUNT_TENTH},
    {WORD_coalescing, loaded_by_used, load_use, ACCOUNT_TENTH},
    {WORD_store_coalescing, stored_by_used, store_use, ACCOUNT_TENTH},
    {WORD_bank_conflicts, copy_conflicts, copy_use, ACCOUNT_HALF},
    {WORD_dram_bytes, dram_bytes, dram_use, ACCOUNT_HALF},
    {WORD_l2_bytes, l2_bytes, l2_use, ACCOUNT_HALF},
    {WORD_l1_wavefronts, global_wavefronts, l1_use, ACCOUNT_HALF},
};
enum { GLOBAL_COUNTS = sizeof global_counts / sizeof *global_counts, SECTOR_COUNTS = 4 };

/* Returns the count of global memory that explains a term, of the first `counts`; -1 if none does.
 */
static int pick(const struct account *account, double saved_ns, int counts, uint64_t without)
{
    double moved[GLOBAL_COUNTS], most = 0;
    for (int i = 0; i < counts; i++) {
        const struct account_point *b = &account->before, *a = &account->after;
        const int counts_here =
            !(without & word(global_counts[i].word)) &&
            fmax(global_counts[i].use(b), global_counts[i].use(a)) >= global_counts[i].least_use;
        moved[i] = counts_here ? ratio(global_counts[i].count(b), global_counts[i].count(a)) *
                                     sign(saved_ns)
                               : 0;
        most = fmax(most, moved[i]);
    }
    for (int i = 0; i < counts && most >= ACCOUNT_TENTH; i++)
        if (moved[i] >= ACCOUNT_TENTH && moved[i] >= ACCOUNT_HALF * most)
            return (int)global_counts[i].word;
    return -1;
}

/* ---- names of terms -------------------------------------------------------------------------- */

/* Bytes in flight for each wait: of no use beyond the ring of an SM. */
static double in_flight(const struct account_point *point)
{
    enum { MOST_BYTES = 32640 };
    return fmin(FACT(loads_per_wait) * FACT(global_load_bytes) /
                    fmax(FACT(global_load_instructions), 1),
                MOST_BYTES);
}

/* Waits for global memory, of which those for its queue are a part. Nobody waits for a store:
 * stores count if they fill the queue, or are most of the traffic. */
static void name_global(struct account *account, double saved_ns, double queue_ns)
{
    const struct account_point *b = &account->before, *a = &account->after;
    const struct account_point *more =
        a->fact[FACT_store_excess_sectors] > b->fact[FACT_store_excess_sectors] ? a : b;
    const int fills =
        (queue_ns * saved_ns > 0 && fabs(queue_ns) >= ACCOUNT_HALF * fabs(saved_ns)) ||
        more->fact[FACT_store_excess_sectors] >= ACCOUNT_HALF * fmax(sectors(more), 1);
    const int found =
        pick(account, saved_ns, GLOBAL_COUNTS, fills ? 0 : word(WORD_store_coalescing));
    const double x = in_flight(b), y = in_flight(a);
    if (found >= 0)
        add(account, word((enum account_word)found), ACCOUNT_COUNT, saved_ns);
    else if (x > 0 && y > 0 && ratio(y, x) * sign(saved_ns) >= ACCOUNT_TENTH)
        add(account, word(WORD_global_latency) | word(WORD_mlp), ACCOUNT_WAIT, saved_ns);
    else
        add(account, word(WORD_global_latency), ACCOUNT_WAIT, saved_ns);
}

enum { CONFLICTS, OTHERS, SAME_WORD, WAVEFRONTS };
static void wavefronts(const struct account_point *point, double count[WAVEFRONTS])
{
    count[CONFLICTS] = FACT(shared_excess_wavefronts);
    if (FACT(shared_excess_exact) == 0)
        count[CONFLICTS] = fmin(count[CONFLICTS], FACT(shared_conflicts_all));
    count[SAME_WORD] = FACT(same_word_wavefronts);
    count[OTHERS] = fmax(FACT(shared_wavefronts) - count[CONFLICTS] - count[SAME_WORD], 0) +
                    off_wavefronts(point);
}

static void name_shared(struct account *account, double saved_ns)
{
    static const enum account_word words[WAVEFRONTS] = {WORD_bank_conflicts, WORD_shared_wavefronts,
                                                        WORD_same_word};
    double before[WAVEFRONTS], after[WAVEFRONTS], all[2] = {0}, moved = 0;
    wavefronts(&account->before, before);
    wavefronts(&account->after, after);
    for (int i = 0; i < WAVEFRONTS; i++) {
        all[0] += before[i];
        all[1] += after[i];
        moved += fmax((before[i] - after[i]) * sign(saved_ns), 0);
    }
    const double most = fmax(all[0], all[1]);
    if (most <= 0 || (all[0] - all[1]) * sign(saved_ns) < ACCOUNT_TENTH * most) {
        add(account, word(WORD_shared_wait), ACCOUNT_WAIT, saved_ns);
        return;
    }
    for (int i = 0; i < WAVEFRONTS; i++)
        add(account, word(words[i]), ACCOUNT_COUNT,
            saved_ns * fmax((before[i] - after[i]) * sign(saved_ns), 0) / moved);
}

static double blocks_a_time(const struct account_point *point)
{
    return point->grid / fmax(FACT(sm_count) * point->per_sm, 1);
}
static double threads_a_time(const struct account_point *point)
{
    return point->per_sm * point->block;
}
/* How evenly the blocks fill the SMs. */
static double evenness(const struct account_point *point)
{
    const double sms = FACT(sm_count);
    return point->grid > 0 && sms > 0 ? point->grid / (ceil(point->grid / sms) * sms) : 1;
}

static void name_idle(struct account *account, double saved_ns)
{
    const struct account_point *b = &account->before, *a = &account->after;
    const double even = log(evenness(a) / evenness(b)), whole = log(a->active / b->active);
    enum account_word found = WORD_imbalance;
    if ((even * saved_ns > 0 && fabs(even) >= fabs(whole - even)) ||
        fmin(b->active, a->active) < ACCOUNT_HALF)
        found = WORD_idle_sms;
    if (fmax(atomic_use(b), atomic_use(a)) >= ACCOUNT_TENTH &&
        ratio(b->atomic_ns, a->atomic_ns) * saved_ns > 0 && fabs(even) < ACCOUNT_TENTH)
        found = WORD_atomics;
    add(account, word(found), ACCOUNT_WORK, saved_ns);
}

static void name_resident(struct account *account, double saved_ns)
{
    const struct account_point *b = &account->before, *a = &account->after;
    const double waves[2] = {blocks_a_time(b), blocks_a_time(a)},
                 room[2] = {threads_a_time(b), threads_a_time(a)}, least = fmin(waves[0], waves[1]);
    uint64_t words = word(WORD_turnover);
    enum account_kind kind = ACCOUNT_WORK;
    const double more_room = ratio(room[1], room[0]) * sign(saved_ns),
                 more_threads = ratio(waves[1] * room[1], waves[0] * room[0]) * sign(saved_ns);
    if (least < 1 && fabs(more_threads) >= ACCOUNT_TENTH)
        words = word(WORD_occupancy) |
                (more_room >= ACCOUNT_HALF * more_threads && more_room >= ACCOUNT_TENTH
                     ? 0
                     : word(WORD_threads));
    else if (more_room >= ACCOUNT_TENTH)
        words = word(WORD_occupancy);
    else if (least >= 1 && fmax(waves[0], waves[1]) < 1 / ACCOUNT_TENTH &&
             fabs(ratio(waves[0], waves[1])) >= ACCOUNT_TENTH)
        words = word(WORD_idle_sms);
    else {
        kind = ACCOUNT_WAIT;
        if (least < 1 / ACCOUNT_TENTH) {
            add(account, 0, ACCOUNT_REST, saved_ns);
            return;
        }
    }
    add(account, words, kind, saved_ns);
}

static double lanes_on(const struct account_point *point)
{
    const double efficiency = FACT(warp_execution_efficiency_pct);
    return FACT(predicated_on_pct) / 100 * (efficiency > 0 ? efficiency : 100) / 100;
}

/* Issue slots matter where they are used: elsewhere instructions are a wait with a count. */
static void name_issue(struct account *account, double saved_ns)
{
    static const struct {
        enum account_fact part;
        enum account_word word;
    } kinds[] = {{FACT_mix_division, WORD_division},
                 {FACT_mix_exchange, WORD_shuffles},
                 {FACT_mix_function, WORD_conversions}};
    const struct account_point *b = &account->before, *a = &account->after;
    const double moved = b->instructions - a->instructions;
    uint64_t words = word(WORD_instructions);
    for (int i = 0; i < 3 && moved != 0; i++) {
        if (!(b->fact[FACT_mix] > 0 && a->fact[FACT_mix] > 0)) break;
        const double part = b->instructions * b->fact[kinds[i].part] / b->fact[FACT_mix] -
                            a->instructions * a->fact[kinds[i].part] / a->fact[FACT_mix];
        if (part / moved >= ACCOUNT_HALF) words |= word(kinds[i].word);
    }
    if (lanes_on(b) > 0 && lanes_on(a) > 0 &&
        ratio(lanes_on(a), lanes_on(b)) * sign(saved_ns) >=
            ACCOUNT_HALF * fabs(ratio(b->instructions, a->instructions)))
        words |= word(WORD_divergence);
    add(account, words, fmax(b->busy, a->busy) >= ACCOUNT_HALF ? ACCOUNT_WORK : ACCOUNT_COUNT,
        saved_ns);
}

static void name_tensor(struct account *account, double saved_ns)
{
    const double moved =
        ratio(account->before.fact[FACT_tensor_cycles], account->after.fact[FACT_tensor_cycles]) *
        sign(saved_ns);
    if (moved >= ACCOUNT_TENTH)
        add(account, word(WORD_tensor_pipe), ACCOUNT_COUNT, saved_ns);
    else
        add(account, word(WORD_tensor_wait), ACCOUNT_WAIT, saved_ns);
}

/* Bytes of a load tell whether more of them are in flight. */
static void name_rate(struct account *account, double saved_ns)
{
    double wide[2];
    for (int i = 0; i < 2; i++) {
        const struct account_point *point = i ? &account->after : &account->before;
        wide[i] = FACT(global_load_bytes) / fmax(FACT(global_load_instructions), 1);
    }
    const int is_wider =
        wide[0] > 0 && wide[1] > 0 && fabs(log(wide[0] / wide[1])) >= ACCOUNT_TENTH;
    add(account, word(WORD_dram_rate) | (is_wider ? word(WORD_mlp) : 0), ACCOUNT_WORK, saved_ns);
}

/* Terms that have one name each. */
static const struct {
    int term;
    enum account_word word;
    enum account_kind kind;
} plain[] = {{WAITS_BARRIERS, WORD_barriers, ACCOUNT_WAIT},
             {WAITS_POLLING, WORD_barriers, ACCOUNT_WAIT},
             {WAITS_FETCH, WORD_fetch, ACCOUNT_WAIT},
             {WAITS_BRANCH, WORD_fetch, ACCOUNT_WAIT},
             {WAITS_DISPATCH, WORD_dispatch, ACCOUNT_WAIT},
             {WAITS_PIPE, WORD_alu_pipe, ACCOUNT_WAIT},
             {WAITS_FIXED, WORD_dependency, ACCOUNT_WAIT},
             {WAITS_CONSTANT, WORD_constant, ACCOUNT_WAIT},
             {WAITS_LOCAL, WORD_local, ACCOUNT_WAIT},
             {WAITS_ATOMICS, WORD_atomics, ACCOUNT_WAIT},
             {WAITS_SHUFFLES, WORD_shuffles, ACCOUNT_WAIT},
             {WAITS_DIVISION, WORD_division, ACCOUNT_WAIT},
             {WAITS_START, WORD_turnover, ACCOUNT_WAIT},
             {TERM_LAUNCHES, WORD_launches, ACCOUNT_WORK},
             {TERM_CLOCK, WORD_clock, ACCOUNT_WORK},
             {TERM_OTHER_LAUNCH, WORD_other_launch, ACCOUNT_WORK},
             {TERM_DRAM_BYTES, WORD_dram_bytes, ACCOUNT_COUNT},
             {TERM_TENSOR_WORK, WORD_tensor_pipe, ACCOUNT_COUNT}};

void account_name_terms(struct account *account)
{
    const double *term = account->term;
    const double global_ns = term[WAITS_GLOBAL] + term[WAITS_QUEUE];
    const double *fp64[] = {&account->before.fact[FACT_fp64_operations],
                            &account->after.fact[FACT_fp64_operations]};
    const int is_fp64 = fabs(ratio(*fp64[0], *fp64[1])) >= ACCOUNT_TENTH;
    if (global_ns != 0) name_global(account, global_ns, term[WAITS_QUEUE]);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        add(account, word(plain[i].word), plain[i].kind, term[plain[i].term]);
    add(account, word(WORD_fp64), ACCOUNT_WAIT,
        term[WAITS_FP64] + (is_fp64 ? term[WAITS_CONVERSIONS] : 0));
    add(account, word(WORD_conversions), ACCOUNT_WAIT, is_fp64 ? 0 : term[WAITS_CONVERSIONS]);
    if (term[WAITS_SHARED] != 0) name_shared(account, term[WAITS_SHARED]);
    if (term[TERM_IDLE] != 0) name_idle(account, term[TERM_IDLE]);
    if (term[TERM_RESIDENT] != 0) name_resident(account, term[TERM_RESIDENT]);
    if (term[TERM_ISSUE] != 0) name_issue(account, term[TERM_ISSUE]);
    if (term[WAITS_TENSOR] != 0) name_tensor(account, term[WAITS_TENSOR]);
    if (term[TERM_DRAM_RATE] != 0) name_rate(account, term[TERM_DRAM_RATE]);
    if (term[TERM_L2_WORK] != 0) {
        const int found = pick(account, term[TERM_L2_WORK], SECTOR_COUNTS, word(WORD_atomics));
        add(account, word(found < 0 ? WORD_l2_bytes : (enum account_word)found), ACCOUNT_COUNT,
            term[TERM_L2_WORK]);
    }
    add(account, 0, ACCOUNT_REST, term[TERM_CONTENTION] + term[WAITS_OTHER]);
}

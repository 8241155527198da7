#include "explain/account_names.h"

#include <math.h>
#include <string.h>

/* Copies from several lines are counted among bank conflicts. */
static uint64_t access_word(enum account_word which)
{
    return BIT_OF(which) | (which == WORD_copied_lines ? BIT(bank_conflicts) : 0);
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

static double change_of(const struct account *account, enum account_fact fact)
{
    return account_ratio(account->before.fact[fact], account->after.fact[fact]);
}

/* A use is a part of the time of all SMs, of that of the busy ones, or a part itself. */
enum use { IS_PART, OF_TIME, OF_BUSY_SMS };
static double most_use(const struct account *account, enum account_fact fact, enum use use)
{
    double most = 0;
    for (int i = 0; i < 2; i++) {
        const struct account_point *point = i ? &account->after : &account->before;
        const double whole = use == OF_TIME       ? point->time_ns
                             : use == OF_BUSY_SMS ? point->gpu_ns * point->active
                                                  : 1;
        most = fmax(most, point->fact[fact] / whole);
    }
    return most;
}

/* The counts of global memory, the most specific first; the misses of a cache follow what it asks
 * the next one for. */
static const struct {
    enum account_word word;
    enum account_fact count, used;
    enum use use;
    double least_use;
} global_counts[] = {
    {WORD_local, FACT_local_sectors, FACT_local_part, IS_PART, ACCOUNT_TENTH},
    {WORD_atomics, FACT_atomics_ns, FACT_atomics_ns, OF_TIME, ACCOUNT_TENTH},
    {WORD_copied_lines, FACT_line_wavefronts, FACT_copies_ns, OF_BUSY_SMS, ACCOUNT_HALF},
    {WORD_coalescing, FACT_loaded_by_used, FACT_unused_load_part, IS_PART, ACCOUNT_TENTH},
    {WORD_store_coalescing, FACT_stored_by_used, FACT_unused_store_part, IS_PART, ACCOUNT_TENTH},
    {WORD_dram_bytes, FACT_dram_bytes, FACT_demand_dram_ns, OF_TIME, ACCOUNT_HALF},
    {WORD_l2_bytes, FACT_l2_bytes, FACT_demand_l2_ns, OF_TIME, ACCOUNT_HALF},
    {WORD_l1_wavefronts, FACT_global_wavefronts, FACT_global_wavefronts_ns, OF_BUSY_SMS,
     ACCOUNT_HALF},
};
enum {
    GLOBAL_COUNTS = sizeof global_counts / sizeof *global_counts,
    SECTOR_COUNTS = 5,
    DRAM_COUNT = SECTOR_COUNTS,
    L2_COUNT
};

/* Unused sectors moved as far as their number and their part of all did, whichever moved less.
 * Where the bytes that threads load moved twice as far, unused sectors are not the reason. */
static double sectors_of(const struct account *account, enum account_fact fact, double saved_ns)
{
    const enum account_fact loads = FACT_global_load_instructions;
    const int is_loads = fact == FACT_loaded_by_used,
              by_threads = account->before.fact[loads] > 0 && account->after.fact[loads] > 0;
    const double part = change_of(account, fact) * sign(saved_ns),
                 bytes = change_of(account, loads) + change_of(account, FACT_load_bytes),
                 number = change_of(account, is_loads ? FACT_global_excess_sectors
                                                      : FACT_store_excess_sectors) *
                          sign(saved_ns);
    if (is_loads && by_threads && part < ACCOUNT_HALF * bytes * sign(saved_ns)) return 0;
    return number == 0 ? part : fmin(part, number);
}

/* Warps wait for stores only in the queue, which reads of special registers share: if that is less
 * than half of a wait, their sectors do not name it. Nor do sectors of flags that are polled name
 * waits for data. What is measured apart names nothing. */
static int is_used(const struct account *account, int place, double queue)
{
    const enum account_word which = global_counts[place].word;
    if (which == WORD_copied_lines && account->is_measured & ACCOUNT_MEASURED_CONFLICTS) return 0;
    if (which == WORD_coalescing &&
        fmin(account->before.working, account->after.working) < 1 - ACCOUNT_TENTH)
        return 0;
    return most_use(account, global_counts[place].used, global_counts[place].use) >=
               global_counts[place].least_use &&
           (which != WORD_store_coalescing || queue >= ACCOUNT_HALF);
}

/* Returns the place of the count of global memory that explains a term of which this part is of the
 * queue, of the first `counts`; -1 if none does. */
static int pick(const struct account *account, double saved_ns, double queue, int counts)
{
    double moved[GLOBAL_COUNTS], most = 0;
    for (int i = 0; i < counts; i++) {
        const enum account_fact count = global_counts[i].count;
        moved[i] = !is_used(account, i, queue) ? 0
                   : count == FACT_loaded_by_used || count == FACT_stored_by_used
                       ? sectors_of(account, count, saved_ns)
                       : change_of(account, count) * sign(saved_ns);
        most = fmax(most, moved[i]);
    }
    for (int i = 0; i < counts && most >= ACCOUNT_TENTH; i++)
        if (moved[i] >= ACCOUNT_TENTH && moved[i] >= ACCOUNT_HALF * most) return i;
    return -1;
}

/* The word for the misses of a cache, if their part of the requests and their number moved with a
 * term, and the part at least half as much as `whole`; else 0. Where the hardware copies tiles, the
 * ratio of L1 says nothing; where the number of loads moved further, it is not the reason. */
static uint64_t misses(const struct account *account, double saved_ns, enum account_word which,
                       double whole)
{
    const int is_l1 = which == WORD_l1_misses;
    const enum account_fact fact = is_l1 ? FACT_l1_miss_ratio : FACT_l2_miss_ratio;
    const double b = account->before.fact[fact], a = account->after.fact[fact],
                 moved = account_ratio(b, a) * sign(saved_ns),
                 number =
                     change_of(account, is_l1 ? FACT_l2_bytes : FACT_dram_bytes) * sign(saved_ns);
    const int is_known =
        b > 0 && a > 0 &&
        (!is_l1 || (fmax(b, a) <= 1 + ACCOUNT_TENTH &&
                    change_of(account, FACT_global_load_instructions) * sign(saved_ns) <= moved));
    return is_known && fmin(moved, number) >= ACCOUNT_TENTH && moved >= ACCOUNT_HALF * fabs(whole)
               ? BIT_OF(which)
               : 0;
}

/* A count of global memory; the bytes of a cache with its misses. */
static uint64_t memory_words(const struct account *account, double saved_ns, int place)
{
    const enum account_word found = global_counts[place].word;
    const double moved = change_of(account, global_counts[place].count);
    return access_word(found) |
           (found == WORD_l2_bytes     ? misses(account, saved_ns, WORD_l1_misses, moved)
            : found == WORD_dram_bytes ? misses(account, saved_ns, WORD_l2_misses, moved)
                                       : 0);
}

/* ---- names of terms -------------------------------------------------------------------------- */

/* The part of a term of unused sectors that stores have, if theirs moved at least half as far as
 * those of loads: that of all these sectors. */
static double part_of_stores(const struct account *account, double saved_ns)
{
    const double loads = sectors_of(account, FACT_loaded_by_used, saved_ns),
                 stores = sectors_of(account, FACT_stored_by_used, saved_ns),
                 moved[] = {account->before.fact[FACT_global_excess_sectors] -
                                account->after.fact[FACT_global_excess_sectors],
                            account->before.fact[FACT_store_excess_sectors] -
                                account->after.fact[FACT_store_excess_sectors]};
    return most_use(account, FACT_unused_store_part, IS_PART) >= ACCOUNT_TENTH &&
                   stores >= fmax(ACCOUNT_TENTH, ACCOUNT_HALF * loads) && moved[0] * moved[1] > 0
               ? moved[1] / (moved[0] + moved[1])
               : 0;
}

/* Waits for global memory, and for its queue, in which no data are missing yet. */
static void name_global(struct account *account, double saved_ns)
{
    const double waits =
        account_ratio(account->before.wait[WAITS_GLOBAL], account->after.wait[WAITS_GLOBAL]);
    const double stores_ns = account->term[WAITS_STORES],
                 queue_ns = account->term[WAITS_QUEUE] + stores_ns +
                            (account->special == WAITS_GLOBAL ? account->special_ns : 0);
    const int found = pick(account, saved_ns, queue_ns / (saved_ns + stores_ns), GLOBAL_COUNTS),
              is_wait = account->term[WAITS_GLOBAL] / saved_ns >= ACCOUNT_HALF;
    uint64_t words = found >= 0 ? memory_words(account, saved_ns, found) : BIT(global_latency);
    if (found < 0 && is_wait) {
        const uint64_t l1 = misses(account, saved_ns, WORD_l1_misses, waits);
        words |= l1 ? l1 : misses(account, saved_ns, WORD_l2_misses, waits);
    }
    const double stores = words == BIT(coalescing) ? part_of_stores(account, saved_ns) : 0;
    add(account, BIT(store_coalescing), ACCOUNT_COUNT, stores * saved_ns);
    add(account, words, found >= 0 ? ACCOUNT_COUNT : ACCOUNT_WAIT, (1 - stores) * saved_ns);
}

/* Waits at stores are in the queue alone. */
static void name_stores(struct account *account, double saved_ns)
{
    const int found = pick(account, saved_ns, 1, GLOBAL_COUNTS);
    if (found >= 0)
        add(account, memory_words(account, saved_ns, found), ACCOUNT_COUNT, saved_ns);
    else
        add(account, BIT(lg_throttle), ACCOUNT_WAIT, saved_ns);
}

/* Wavefronts divide the waits for shared memory as far as they moved. */
static void name_shared(struct account *account, double saved_ns)
{
    static const struct {
        enum account_word word;
        enum account_fact count;
    } kinds[] = {{WORD_bank_conflicts, FACT_conflict_wavefronts}, /* these two may be measured */
                 {WORD_copied_lines, FACT_line_wavefronts},
                 {WORD_shared_wavefronts, FACT_other_wavefronts},
                 {WORD_same_word, FACT_same_word_wavefronts}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    double part[KINDS] = {0}, before = 0, after = 0, moved = 0;
    for (int i = account->is_measured & ACCOUNT_MEASURED_CONFLICTS ? 2 : 0; i < KINDS; i++) {
        const double b = account->before.fact[kinds[i].count],
                     a = account->after.fact[kinds[i].count];
        before += b;
        after += a;
        part[i] = fmax((b - a) * sign(saved_ns), 0);
        moved += part[i];
    }
    if (!((before - after) * sign(saved_ns) >= ACCOUNT_TENTH * fmax(before, after)) || moved <= 0) {
        add(account, BIT(shared_wait), ACCOUNT_WAIT, saved_ns);
        return;
    }
    for (int i = 0; i < KINDS; i++)
        add(account, access_word(kinds[i].word), ACCOUNT_COUNT, saved_ns * part[i] / moved);
}

/* How evenly the blocks fill the SMs. */
static double evenness(const struct account_point *point)
{
    const double sms = point->fact[FACT_sm_count];
    return point->grid > 0 && sms > 0 ? point->grid / (ceil(point->grid / sms) * sms) : 1;
}

static void name_idle(struct account *account, double saved_ns)
{
    const struct account_point *b = &account->before, *a = &account->after;
    const double even = log(evenness(a) / evenness(b)), whole = log(a->active / b->active),
                 launch_ns = b->fact[FACT_launch_ns] - a->fact[FACT_launch_ns];
    const int is_same = fabs(account_ratio(b->grid, a->grid)) < ACCOUNT_NOISE && launch_ns == 0;
    enum account_word found = WORD_imbalance; /* the same blocks leave as many SMs without work */
    if ((even * saved_ns > 0 && fabs(even) >= fabs(whole - even)) ||
        (fmin(b->active, a->active) < ACCOUNT_HALF && !is_same))
        found = WORD_idle_sms;
    if (most_use(account, FACT_atomics_ns, OF_TIME) >= ACCOUNT_TENTH &&
        change_of(account, FACT_atomics_ns) * saved_ns > 0 && fabs(even) < ACCOUNT_TENTH)
        found = WORD_atomics;
    add(account, BIT_OF(found), ACCOUNT_WORK, saved_ns);
}

/* The threads of the blocks on an active SM. */
static double threads_of(const struct account_point *point)
{
    const double each = point->grid / fmax(point->fact[FACT_sm_count], 1);
    return point->block * fmin(fmax(each, 1), fmax(point->per_sm, 1));
}

/* Less room on an SM, which may be that of warps that only fetch, or fewer threads of a grid that
 * does not fill it; warps that leave before the others of their block, if both sides count them;
 * else blocks that start and end, if there are many where fewer warps are resident. Other changes
 * of the resident warps are contention. */
static void name_resident(struct account *account, double saved_ns)
{
    const struct account_point *b = &account->before, *a = &account->after;
    const double sms = b->fact[FACT_sm_count],
                 waves[] = {b->grid / fmax(sms * b->per_sm, 1), a->grid / fmax(sms * a->per_sm, 1)},
                 least = fmin(waves[0], waves[1]), fewer = waves[a->warps < b->warps],
                 more_room =
                     account_ratio(a->per_sm * a->block, b->per_sm * b->block) * sign(saved_ns),
                 more_threads = account_ratio(threads_of(a), threads_of(b)) * sign(saved_ns),
                 stayed_ns = account_mean(b->rest_ns, a->rest_ns) *
                             log((100 - account_number(account->side[1], "left_warps_pct")) /
                                 (100 - account_number(account->side[0], "left_warps_pct")));
    if (more_room >= ACCOUNT_TENTH &&
        (b->producers - a->producers) * sign(saved_ns) <= -ACCOUNT_NOISE)
        add(account, BIT(producers), ACCOUNT_WORK, saved_ns);
    else if (more_room >= ACCOUNT_TENTH && (least >= 1 || fabs(more_threads) < ACCOUNT_TENTH ||
                                            more_room >= ACCOUNT_HALF * more_threads))
        add(account, BIT(occupancy), ACCOUNT_ROOM, saved_ns);
    else if (least < 1 && more_threads >= ACCOUNT_TENTH)
        add(account, BIT(occupancy) | BIT(threads), ACCOUNT_ROOM, saved_ns);
    else {
        const double left_ns = stayed_ns * saved_ns > 0
                                   ? copysign(fmin(fabs(stayed_ns), fabs(saved_ns)), saved_ns)
                                   : 0;
        add(account, BIT(leaving), ACCOUNT_WAIT, left_ns);
        if (fewer >= 1 / ACCOUNT_TENTH)
            add(account, BIT(turnover), ACCOUNT_WAIT, saved_ns - left_ns);
        else
            add(account, 0, ACCOUNT_REST, saved_ns - left_ns);
    }
}

/* Returns 1 if the data stage of L1 matters on both sides, and issue slots are a quarter as busy.
 */
static int is_idle_beside_data_stage(const struct account *account)
{
    for (int i = 0; i < 2; i++) {
        const struct account_point *point = i ? &account->after : &account->before;
        const double stage = account_stage_ns(point) / (point->gpu_ns * point->active);
        if (stage < ACCOUNT_HALF || point->busy > stage / 4) return 0;
    }
    return 1;
}

/* Issue slots matter where they are used: elsewhere instructions are a wait with a count. Where the
 * data stage of L1 is much busier, warps that wait for a slot wait for others that it holds up. */
static void name_issue(struct account *account, double saved_ns)
{
    static const struct {
        enum account_fact part;
        enum account_word word;
    } kinds[] = {{FACT_division, WORD_division},
                 {FACT_exchange, WORD_shuffles},
                 {FACT_function, WORD_conversions},
                 {FACT_fp32_instructions, WORD_operations}};
    const struct account_point *b = &account->before, *a = &account->after;
    const double moved = b->instructions - a->instructions;
    uint64_t words = BIT(instructions);
    for (int i = 0; i < 4 && moved != 0; i++)
        if ((b->fact[kinds[i].part] - a->fact[kinds[i].part]) / moved >= ACCOUNT_HALF)
            words |= BIT_OF(kinds[i].word);
    if (change_of(account, FACT_operations_executed) * sign(moved) < ACCOUNT_TENTH)
        words &= ~BIT(operations); /* other units execute them */
    if (b->fact[FACT_lanes_on] > 0 && a->fact[FACT_lanes_on] > 0 &&
        fabs(account_ratio(b->instructions, a->instructions)) >= ACCOUNT_TENTH &&
        -change_of(account, FACT_lanes_on) * sign(saved_ns) >=
            ACCOUNT_HALF * fabs(account_ratio(b->instructions, a->instructions)))
        words |=
            BIT_OF(change_of(account, FACT_predicated_on_pct) / change_of(account, FACT_lanes_on) >=
                           ACCOUNT_HALF
                       ? WORD_predication
                       : WORD_divergence);
    if (is_idle_beside_data_stage(account))
        add(account, 0, ACCOUNT_REST, saved_ns);
    else
        add(account, words, fmax(b->busy, a->busy) >= ACCOUNT_HALF ? ACCOUNT_WORK : ACCOUNT_COUNT,
            saved_ns);
}

/* Returns 1 if loads of threads have at least half of the bytes of device memory. */
static int is_loaded_by_threads(const struct account_point *point)
{
    return point->fact[FACT_load_bytes] * point->fact[FACT_global_load_instructions] >=
           ACCOUNT_HALF * point->fact[FACT_dram_bytes];
}

uint64_t account_rate_word(const struct account *account)
{
    const struct account_point *b = &account->before, *a = &account->after;
    const double direction = sign(account->term[TERM_DRAM_RATE]),
                 waits[] = {account_number(account->side[0], "loads_per_wait"),
                            account_number(account->side[1], "loads_per_wait")},
                 bytes = -direction *
                         (change_of(account, FACT_load_bytes) +
                          (waits[0] > 0 && waits[1] > 0 ? account_ratio(waits[0], waits[1]) : 0)),
                 in_flight = bytes - direction * account_ratio(b->warps, a->warps),
                 instructions = direction * account_ratio(b->instructions, a->instructions);
    if (instructions >= fmax(in_flight, ACCOUNT_TENTH) &&
        fmax(b->busy, a->busy) >= ACCOUNT_HALF / 2)
        return BIT(instructions);
    if (in_flight >= ACCOUNT_TENTH && is_loaded_by_threads(b) && is_loaded_by_threads(a))
        return BIT_OF(bytes >= ACCOUNT_HALF * in_flight ? WORD_mlp : WORD_occupancy);
    return 0;
}

/* Cycles of the tensor cores follow their operations, or the kind of their instructions. */
static void name_tensor(struct account *account, double saved_ns, int is_work)
{
    const double operations = change_of(account, FACT_tensor_operations) * sign(saved_ns),
                 cycles = change_of(account, FACT_tensor_cycles) * sign(saved_ns);
    if (is_work || cycles >= ACCOUNT_TENTH)
        add(account, BIT(tensor_pipe) | (operations >= ACCOUNT_TENTH ? BIT(operations) : 0),
            ACCOUNT_COUNT, saved_ns);
    else
        add(account, BIT(tensor_wait), ACCOUNT_WAIT, saved_ns);
}

/* Waits that no count explains: those beside double precision are of it. Where as many
 * blocks start, their start is the reason of none. */
static void name_waits(struct account *account)
{
    double wait[ACCOUNT_WAITS];
    memcpy(wait, account->term, sizeof wait);
    name_global(account, wait[WAITS_GLOBAL] + wait[WAITS_QUEUE]);
    name_stores(account, wait[WAITS_STORES]);
    name_shared(account, wait[WAITS_SHARED]);
    name_tensor(account, wait[WAITS_TENSOR], 0);
    wait[WAITS_GLOBAL] = wait[WAITS_QUEUE] = wait[WAITS_STORES] = wait[WAITS_SHARED] =
        wait[WAITS_TENSOR] = 0;
    const int is_fp64 = fabs(change_of(account, FACT_fp64_operations)) >= ACCOUNT_TENTH;
    if (is_fp64) {
        add(account, BIT(fp64), ACCOUNT_COUNT,
            wait[WAITS_FP64] + wait[WAITS_CONVERSIONS] + wait[WAITS_PIPE] + wait[WAITS_FIXED]);
        wait[WAITS_FP64] = wait[WAITS_CONVERSIONS] = wait[WAITS_PIPE] = wait[WAITS_FIXED] = 0;
    }
    if (fabs(account_ratio(account->before.grid, account->after.grid)) < ACCOUNT_TENTH) {
        add(account, 0, ACCOUNT_REST, wait[WAITS_START]);
        wait[WAITS_START] = 0;
    }
    for (int i = 0; i < WAITS_OTHER; i++)
        add(account, BIT_OF(account_wait_words[i]), ACCOUNT_WAIT, wait[i]);
}

void account_name_terms(struct account *account)
{
    const double *term = account->term;
    name_waits(account);
    add(account, BIT(launches), ACCOUNT_WORK, term[TERM_LAUNCHES]);
    add(account, BIT(clock), ACCOUNT_WORK, term[TERM_CLOCK]);
    add(account, BIT_OF(account_barrier_word(account)), ACCOUNT_WORK, term[TERM_MEASURED_BARRIERS]);
    add(account, BIT_OF(account_conflict_word(account)), ACCOUNT_WORK,
        term[TERM_MEASURED_CONFLICTS]);
    add(account, BIT_OF(account_joint_word(account)), ACCOUNT_WORK, term[TERM_MEASURED_BOTH]);
    add(account, BIT(other_launch), ACCOUNT_WORK, term[TERM_OTHER_LAUNCH]);
    name_idle(account, term[TERM_IDLE]);
    name_resident(account, term[TERM_RESIDENT]);
    name_issue(account, term[TERM_ISSUE]);
    name_tensor(account, term[TERM_TENSOR_WORK], 1);
    add(account, BIT(dram_rate) | account_rate_word(account), ACCOUNT_WORK, term[TERM_DRAM_RATE]);
    const int found = pick(account, term[TERM_L2_WORK], 1, SECTOR_COUNTS);
    add(account, memory_words(account, term[TERM_L2_WORK], found < 0 ? L2_COUNT : found),
        ACCOUNT_COUNT, term[TERM_L2_WORK]);
    add(account, memory_words(account, term[TERM_DRAM_BYTES], DRAM_COUNT), ACCOUNT_COUNT,
        term[TERM_DRAM_BYTES]);
    add(account, 0, ACCOUNT_REST, term[TERM_CONTENTION] + term[WAITS_OTHER]);
}

#include "knockout/twin_rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "knockout/steering.h"

/* A conflict below this part of the ideal is none. */
static const double LEAST_EXCESS = 1.05;

enum { LEAST_ARCHITECTURE = 90 };

int twin_leave(struct twin_planning *planning, const char *reason)
{
    if (!*planning->twin->reason) snprintf(planning->twin->reason, TWIN_REASON, "%s", reason);
    return CHOICE_LEFT;
}

/* A barrier orders the initial values and the phases of mbarriers, for which threads wait. */
static int orders_mbarriers(const struct twin_kernel *kernel, int instruction)
{
    const struct control_flow *flow = kernel->flow;
    const int block = flow->block_of[instruction];
    int loops = 0;
    for (int l = 0; l < flow->loop_count; l++) {
        if (!flow->loop[l].is_in[block]) continue;
        loops++;
        for (int i = 0; i < kernel->count; i++)
            if (flow->loop[l].is_in[flow->block_of[i]] && sass_is(&kernel->sass[i], "SYNCS"))
                return 1;
    }
    return !loops;
}

static int choose_global(struct twin_planning *planning, int i)
{
    return sass_is_strong(&planning->kernel->sass[i])
               ? twin_leave(planning, "an access for which threads may wait stays")
               : PATCH_GUARD;
}

static int choose_atomic(struct twin_planning *planning, int i)
{
    return planning->kernel->sass[i].write_count > 0
               ? twin_leave(planning, "an atomic that returns a value stays")
               : PATCH_GUARD;
}

/* An access with conflicts gets addresses that have none and as few wavefronts as it needs: by
 * lane, or one for all lanes if its lanes share words. */
static int choose_conflict(struct twin_planning *planning, int i)
{
    const struct sass *sass = &planning->kernel->sass[i];
    const struct counted_instruction *counted = &planning->kernel->counted[i];
    const int loads = sass_is(sass, "LDS"), matrices = sass_is(sass, "LDSM"),
              shares = counted->ideal / counted->executed < 0.75 * access_width(sass) / 4;
    if (counted->executed > 0 && isnan(counted->wavefronts))
        return twin_leave(planning, "its wavefronts were not counted");
    if (!(counted->executed > 0) || !(counted->wavefronts > LEAST_EXCESS * counted->ideal))
        return CHOICE_NONE;
    if (planning->kernel->architecture < LEAST_ARCHITECTURE)
        return twin_leave(planning,
                          "where shared memory begins is not known before compute capability "
                          "9.0");
    if (matrices || (loads && (shares || planning->uses_r1))) return PATCH_ONE_WORD;
    if (planning->uses_r1) return twin_leave(planning, "no register is free for the lane");
    return !loads && planning->has_mbarriers
               ? twin_leave(planning, "stores beside mbarriers in shared memory stay")
               : PATCH_LINEAR;
}

static int choose_constant(struct twin_planning *planning, int i)
{
    return sass_indexes_constant(&planning->kernel->sass[i], SASS_UR) ? PATCH_ONE_WORD
                                                                      : CHOICE_NONE;
}

static int choose_guard(struct twin_planning *planning, int i)
{
    (void)planning, (void)i;
    return PATCH_GUARD;
}

static int is_access(const struct sass *sass)
{
    return sass_loads_from(sass) || sass_stores_to(sass);
}

/* Returns 1 if a barrier that the instruction sets may also tell that earlier instructions of its
 * block, which stay, have read their operands: a queue serves them in order, so that the compiler
 * lets the last one speak for all. One whose result was waited for needs nobody. */
static int speaks_for_others(const struct twin_planning *planning, int i)
{
    const struct twin_kernel *kernel = planning->kernel;
    const int first = kernel->flow->block[kernel->flow->block_of[i]].first;
    struct instruction_word word = word_at(kernel->code, i);
    unsigned waited = waits_for(&word);
    const int accesses = is_access(&kernel->sass[i]); /* accesses have a queue of their own */
    if (read_barrier(&word) == NO_BARRIER && write_barrier(&word) == NO_BARRIER) return 0;
    for (int j = i - 1; j >= first; j--) {
        const struct sass *sass = &kernel->sass[j];
        word = word_at(kernel->code, j);
        const int result = write_barrier(&word);
        const int is_queued = is_access(sass) == accesses && (accesses || result != NO_BARRIER);
        if (is_queued && planning->choice[j] != PATCH_NOP && sass->read_count) {
            if (read_barrier(&word) != NO_BARRIER) return 0; /* it speaks for those before it */
            if (result == NO_BARRIER || !(waited >> result & 1)) return 1;
        }
        waited |= waits_for(&word);
    }
    return 0;
}

static int choose_nop(struct twin_planning *planning, int i)
{
    return speaks_for_others(planning, i) ? PATCH_GUARD : PATCH_NOP;
}

static int choose_barrier(struct twin_planning *planning, int i)
{
    if (sass_is(&planning->kernel->sass[i], "BAR.RED"))
        return twin_leave(planning, "a barrier that returns a value stays");
    if (planning->has_mbarriers && orders_mbarriers(planning->kernel, i))
        return twin_leave(planning, "a barrier beside mbarriers stays");
    return choose_nop(planning, i);
}

/* Takes every second one of a block. */
static int choose_half(struct twin_planning *planning, int i, int choice)
{
    const int block = planning->kernel->flow->block_of[i];
    if (planning->block != block) planning->seen = 0;
    planning->block = block;
    return planning->seen++ % 2 ? choice : CHOICE_NONE;
}

static int choose_half_guard(struct twin_planning *planning, int i)
{
    return choose_half(planning, i, PATCH_GUARD);
}

static int choose_half_nop(struct twin_planning *planning, int i)
{
    return choose_half(planning, i, choose_nop(planning, i));
}

static int choose_group(struct twin_planning *planning, int i)
{
    (void)i;
    return twin_leave(planning, "products of warp groups stay: they are waited for in groups");
}

static int choose_bank(struct twin_planning *planning, int i)
{
    const struct twin_kernel *kernel = planning->kernel;
    const struct control_flow *flow = kernel->flow;
    const int is_first = flow->block[flow->block_of[i]].first == i;
    return has_bank_conflict(&kernel->sass[i], is_first ? NULL : &kernel->sass[i - 1],
                             planning->setting.registers)
               ? PATCH_BANK
               : CHOICE_NONE;
}

/* They belong to the cost, and cannot be taken out. */
static int choose_nothing(struct twin_planning *planning, int i)
{
    (void)i;
    return twin_leave(planning, "fences, mbarriers and waits for asynchronous copies stay");
}

/* They may be of the kind, and have no register for an address that could be changed, or are waited
 * for. */
static int choose_other(struct twin_planning *planning, int i)
{
    (void)i;
    return twin_leave(planning, "generic accesses, bulk copies and accesses by descriptor stay");
}

#define WITHOUT(name) (1u << KNOCKOUT_##name)
#define ANY_CONFLICTS (WITHOUT(CONFLICTS) | WITHOUT(BARRIERS_CONFLICTS))

/* Which instructions each knock-out takes, as sass_is tells them. */
static const struct rule {
    unsigned knockouts;
    const char *operation;
    int (*choose)(struct twin_planning *planning, int i);
} rules[] = {
    {WITHOUT(BARRIERS) | WITHOUT(BARRIERS_CONFLICTS) | WITHOUT(ALL), "BAR", choose_barrier},
    {WITHOUT(BARRIERS) | WITHOUT(BARRIERS_CONFLICTS), "MEMBAR", choose_nothing},
    {WITHOUT(BARRIERS) | WITHOUT(BARRIERS_CONFLICTS), "SYNCS", choose_nothing},
    {WITHOUT(BARRIERS) | WITHOUT(BARRIERS_CONFLICTS), "LDGDEPBAR", choose_nothing},
    {WITHOUT(BARRIERS) | WITHOUT(BARRIERS_CONFLICTS), "UCGABAR_WAIT", choose_nothing},
    {ANY_CONFLICTS | WITHOUT(LOAD_CONFLICTS), "LDS", choose_conflict},
    {ANY_CONFLICTS | WITHOUT(STORE_CONFLICTS), "STS", choose_conflict},
    {ANY_CONFLICTS | WITHOUT(STORE_CONFLICTS), "STSM", choose_conflict},
    {ANY_CONFLICTS | WITHOUT(MATRIX_CONFLICTS), "LDSM", choose_conflict},
    {ANY_CONFLICTS | WITHOUT(ATOMIC_CONFLICTS), "ATOMS", choose_conflict},
    {ANY_CONFLICTS | WITHOUT(COPY_CONFLICTS), "LDGSTS", choose_conflict},
    {ANY_CONFLICTS | WITHOUT(LOAD_CONFLICTS) | WITHOUT(GLOBAL_LOADS), "LD", choose_other},
    {ANY_CONFLICTS | WITHOUT(STORE_CONFLICTS) | WITHOUT(GLOBAL_STORES), "ST", choose_other},
    {ANY_CONFLICTS | WITHOUT(LOAD_CONFLICTS), "HGMMA", choose_other},
    {ANY_CONFLICTS | WITHOUT(LOAD_CONFLICTS), "IGMMA", choose_other},
    {ANY_CONFLICTS | WITHOUT(LOAD_CONFLICTS), "QGMMA", choose_other},
    {ANY_CONFLICTS | WITHOUT(LOAD_CONFLICTS), "BGMMA", choose_other},
    {WITHOUT(GLOBAL_LOADS), "UTMALDG", choose_other},
    {WITHOUT(GLOBAL_LOADS), "UBLKCP", choose_other},
    {WITHOUT(GLOBAL_STORES), "UTMASTG", choose_other},
    {WITHOUT(ATOMICS), "ATOM", choose_other},
    {WITHOUT(ATOMICS), "UTMAREDG", choose_other},
    {WITHOUT(ATOMICS), "UBLKRED", choose_other},
    {WITHOUT(GLOBAL_LOADS) | WITHOUT(ALL), "LDG", choose_global},
    {WITHOUT(GLOBAL_LOADS) | WITHOUT(ALL), "LDGSTS", choose_global},
    {WITHOUT(GLOBAL_STORES) | WITHOUT(ALL), "STG", choose_global},
    {WITHOUT(ATOMICS) | WITHOUT(ALL), "RED", choose_atomic},
    {WITHOUT(ATOMICS) | WITHOUT(ALL), "REDG", choose_atomic},
    {WITHOUT(ATOMICS) | WITHOUT(ALL), "ATOMG", choose_atomic},
    {WITHOUT(ATOMICS) | WITHOUT(ALL), "ATOMS", choose_atomic},
    {WITHOUT(LOCAL_MEMORY), "LDL", choose_nop},
    {WITHOUT(LOCAL_MEMORY), "STL", choose_nop},
    {WITHOUT(CONSTANT_READS), "LDC", choose_constant},
    {WITHOUT(DOUBLES), "DADD", choose_nop},
    {WITHOUT(DOUBLES), "DMUL", choose_nop},
    {WITHOUT(DOUBLES), "DFMA", choose_nop},
    {WITHOUT(DOUBLES), "DMNMX", choose_nop},
    {WITHOUT(DOUBLES), "DSETP", choose_nop},
    {WITHOUT(DOUBLES), "F2F", choose_nop},
    {WITHOUT(DOUBLES), "F2I", choose_nop},
    {WITHOUT(DOUBLES), "I2F", choose_nop},
    {WITHOUT(HALF_FP32), "FFMA", choose_half_guard},
    {WITHOUT(HALF_FP32), "FADD", choose_half_guard},
    {WITHOUT(HALF_FP32), "FMUL", choose_half_guard},
    {WITHOUT(HALF_TENSOR), "HMMA", choose_half_nop},
    {WITHOUT(HALF_TENSOR), "IMMA", choose_half_nop},
    {WITHOUT(HALF_TENSOR), "DMMA", choose_half_nop},
    {WITHOUT(HALF_TENSOR), "QMMA", choose_half_nop},
    {WITHOUT(HALF_TENSOR), "HGMMA", choose_group},
    {WITHOUT(HALF_TENSOR), "IGMMA", choose_group},
    {WITHOUT(HALF_TENSOR), "QGMMA", choose_group},
    {WITHOUT(HALF_TENSOR), "BGMMA", choose_group},
    {WITHOUT(REGISTER_BANKS), "FFMA", choose_bank},
    {WITHOUT(ALL), "LDS", choose_guard},
    {WITHOUT(ALL), "LDSM", choose_guard},
    {WITHOUT(ALL), "STS", choose_guard},
    {WITHOUT(ALL), "STSM", choose_guard},
    {WITHOUT(ALL), "LDL", choose_guard},
    {WITHOUT(ALL), "STL", choose_guard},
};

int twin_choose(struct twin_planning *planning, int i)
{
    const struct sass *sass = &planning->kernel->sass[i];
    const unsigned wanted = 1u << planning->twin->knockout;
    for (size_t r = 0; r < sizeof rules / sizeof *rules && !sass->is_never; r++)
        if ((rules[r].knockouts & wanted) && sass_is(sass, rules[r].operation))
            return rules[r].choose(planning, i);
    return CHOICE_NONE;
}

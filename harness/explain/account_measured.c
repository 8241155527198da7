#include "explain/account_measured.h"

#include <math.h>
#include <stdio.h>

#include "explain/account_words.h"

static int is_on_both_sides(const struct account *account, enum account_fact fact)
{
    return isfinite(account_number(account->side[0], account_fact_names[fact])) &&
           isfinite(account_number(account->side[1], account_fact_names[fact]));
}

/* Returns 1 if device memory is at its limit on one side. */
static int is_at_dram_limit(const struct account *account)
{
    const struct account_point *b = &account->before, *a = &account->after;
    return fmax(b->fact[FACT_demand_dram_ns] / b->gpu_ns,
                a->fact[FACT_demand_dram_ns] / a->gpu_ns) >= ACCOUNT_LIMIT;
}

/* The part of the waits for shared memory that conflicts have. A copy without conflicts writes the
 * words of several cache lines side by side, too. */
static double conflict_part(const struct account_point *point)
{
    const double conflicts =
                     point->fact[FACT_conflict_wavefronts] + point->fact[FACT_line_wavefronts],
                 all = conflicts + point->fact[FACT_other_wavefronts] +
                       point->fact[FACT_same_word_wavefronts];
    return all > 0 ? conflicts / all : 0;
}

/* Returns 1 if barriers and conflicts were knocked out at once, too, and what they share moved. */
static int is_shared(const struct account *account, const double *cost)
{
    const enum account_fact both = FACT_measured_barriers_conflicts_ns;
    const struct account_point *b = &account->before, *a = &account->after;
    const double moved = cost[0] - b->fact[both] - (cost[1] - a->fact[both]);
    return is_on_both_sides(account, both) &&
           fabs(moved) > ACCOUNT_NOISE * (b->time_ns + a->time_ns) / 2;
}

/* If one of barriers and conflicts makes less than a quarter of what both moved at once, the other
 * one has its own cost, and the first the rest, if that is between half and twice its own. Else
 * what they share cannot be told apart: they are one term. Returns 1 if they are two. */
static int split_joint(struct account *account, double joint)
{
    double *term = account->term;
    const int larger = fabs(term[TERM_MEASURED_BARRIERS]) > fabs(term[TERM_MEASURED_CONFLICTS])
                           ? TERM_MEASURED_BARRIERS
                           : TERM_MEASURED_CONFLICTS,
              other = TERM_MEASURED_BARRIERS + TERM_MEASURED_CONFLICTS - larger;
    const double rest = joint - term[larger], part = rest / term[other];
    if (fabs(term[other]) < ACCOUNT_HALF / 2 * fabs(joint) && part >= ACCOUNT_HALF &&
        part <= 1 / ACCOUNT_HALF) {
        term[other] = rest;
        return 1;
    }
    term[larger] = term[other] = 0;
    term[TERM_MEASURED_BOTH] = joint;
    return 0;
}

/* Returns 1 if the cost of loads is that of copies from several cache lines. */
static int is_of_copies(const struct account *account)
{
    const struct account_point *b = &account->before, *a = &account->after;
    const double loads = b->fact[FACT_measured_loads_ns] - a->fact[FACT_measured_loads_ns],
                 conflicts = b->fact[FACT_measured_bank_conflicts_ns] -
                             a->fact[FACT_measured_bank_conflicts_ns];
    return is_on_both_sides(account, FACT_measured_loads_ns) &&
           account_conflict_word(account) == WORD_copied_lines && loads * conflicts >= 0 &&
           fabs(loads) >= fabs(conflicts);
}

void account_take_measured(struct account *account)
{
    const int is_copies = is_of_copies(account);
    const struct {
        enum account_fact cost;
        enum account_term term;
    } kinds[] = {{FACT_measured_barriers_ns, TERM_MEASURED_BARRIERS},
                 {is_copies ? FACT_measured_loads_ns : FACT_measured_bank_conflicts_ns,
                  TERM_MEASURED_CONFLICTS}};
    struct account_point *point[] = {&account->before, &account->after};
    int is_known[2];
    double cost[2] = {0};
    for (int k = 0; k < 2; k++) {
        is_known[k] = is_on_both_sides(account, kinds[k].cost) && !(is_copies && k == 0);
        for (int i = 0; i < 2 && is_known[k]; i++) cost[i] += point[i]->fact[kinds[k].cost];
    }
    const int both = is_known[0] && is_known[1] && is_shared(account, cost);
    for (int i = 0; i < 2 && both; i++)
        cost[i] = point[i]->fact[FACT_measured_barriers_conflicts_ns];
    if (!account->is_whole || !(cost[0] < point[0]->gpu_ns && cost[1] < point[1]->gpu_ns)) return;
    for (int i = 0; i < 2; i++) {
        point[i]->rest_ns = point[i]->gpu_ns - cost[i];
        if (is_known[0]) point[i]->wait[WAITS_BARRIERS] = 0;
        if (is_known[1]) point[i]->wait[WAITS_SHARED] *= 1 - conflict_part(point[i]);
        if (is_copies) point[i]->wait[WAITS_GLOBAL] = point[i]->wait[WAITS_QUEUE] = 0;
    }
    for (int k = 0; k < 2; k++)
        if (is_known[k])
            account->term[kinds[k].term] =
                point[0]->fact[kinds[k].cost] - point[1]->fact[kinds[k].cost];
    const int is_joint = both && !split_joint(account, cost[0] - cost[1]);
    account->is_measured = (is_known[0] ? ACCOUNT_MEASURED_BARRIERS : 0) |
                           (is_known[1] ? ACCOUNT_MEASURED_CONFLICTS : 0) |
                           (is_joint ? ACCOUNT_MEASURED_BOTH : 0) |
                           (is_copies ? ACCOUNT_MEASURED_COPIES : 0);
}

/* The time that a cause had before waits were set off against each other, beyond what is left. */
static double room_of(const struct account *account, const struct account_cause *cause, double sign)
{
    const uint64_t exact =
        BIT(launches) | BIT(clock) | BIT(other_launch) | account_measured_words(account);
    return cause->words & exact ? 0 : fmax((cause->saved_ns - cause->left_ns) * sign, 0);
}

/* Keeps what causes with one of these words saved (sign 1) or cost (-1) within `most`. What is
 * beyond belongs to a cause named `to`; if that is 0, to the others that have room for it, and what
 * they have none for to no cause, or at the limit of device memory still to these. */
static void cap(struct account *account, uint64_t words, double sign, double most, uint64_t to)
{
    double own = 0, room = 0;
    for (int i = 0; i < account->causes; i++) {
        const struct account_cause *cause = &account->cause[i];
        if (cause->words & words)
            own += fmax(cause->left_ns * sign, 0);
        else if (!to)
            room += room_of(account, cause, sign);
    }
    const double beyond = own - fmax(most, 0), given = fmin(beyond, room),
                 taken = is_at_dram_limit(account) && !to ? given : beyond;
    if (!(beyond > account->half_ns) || account->causes == ACCOUNT_CAUSES) return;
    for (int i = 0; i < account->causes; i++) {
        struct account_cause *cause = &account->cause[i];
        if (cause->words & words && cause->left_ns * sign > 0)
            cause->left_ns *= 1 - taken / own;
        else if (!(cause->words & words) && given > 0)
            cause->left_ns += sign * given * room_of(account, cause, sign) / room;
    }
    if (taken > given)
        account->cause[account->causes++] = (struct account_cause){
            to, to ? ACCOUNT_WAIT : ACCOUNT_REST, sign * (taken - given), sign * (taken - given)};
}

/* Sectors that no lane uses cost at most what the units that move them need; what warps wait beyond
 * that is latency. */
static void cap_sectors(struct account *account)
{
    double needs[2];
    for (int i = 0; i < 2; i++) {
        const struct account_point *point = i ? &account->after : &account->before;
        needs[i] = account_number(account->side[i], "demand_l1_ns") / point->active +
                   point->fact[FACT_demand_l2_ns] + point->fact[FACT_demand_dram_ns];
    }
    if (!isfinite(needs[0] + needs[1])) return;
    cap(account, BIT(coalescing), 1, needs[0] - needs[1], BIT(global_latency));
    cap(account, BIT(coalescing), -1, needs[1] - needs[0], BIT(global_latency));
}

/* Wavefronts without conflicts cost at most what arithmetic leaves of the time: with an unlimited
 * L1 cache the kernel still has to compute, which has what is beyond. */
static void cap_wavefronts(struct account *account)
{
    static const struct {
        enum account_fact demand;
        uint64_t words;
    } units[] = {{FACT_demand_issue_ns, BIT(instructions)},
                 {FACT_demand_alu_ns, BIT(alu_pipe)},
                 {FACT_demand_fma_ns, BIT(alu_pipe)},
                 {FACT_demand_tensor_ns, BIT(tensor_pipe)}};
    for (int i = 0; i < 2; i++) {
        const struct account_point *point = i ? &account->after : &account->before;
        int most = 0;
        for (int u = 1; u < 4; u++)
            if (point->fact[units[u].demand] > point->fact[units[most].demand]) most = u;
        cap(account, BIT(shared_wavefronts) | BIT(l1_wavefronts), i ? -1 : 1,
            point->gpu_ns - point->fact[units[most].demand] / point->active, units[most].words);
    }
}

/* A half of the products saves the side with more cycles of the tensor cores what it was measured
 * to save; a smaller part saves no more, and a larger one no more in proportion, because other
 * limits follow. */
static void cap_products(struct account *account)
{
    const double cycles[] = {account->before.fact[FACT_tensor_cycles],
                             account->after.fact[FACT_tensor_cycles]};
    const int more = cycles[1] > cycles[0];
    const double half = account_number(account->side[more], "measured_half_tensor_ns"),
                 part = 1 - cycles[!more] / cycles[more];
    if (isfinite(half) && part >= ACCOUNT_TENTH)
        cap(account, BIT(tensor_pipe) | BIT(tensor_wait), more ? -1 : 1, half * fmax(2 * part, 1),
            0);
}

/* Resident warps save no more than a setting of the same kernel gained or lost by half of their
 * change or more, in proportion. */
static void cap_warps(struct account *account)
{
    for (int i = 0; i < 2; i++) {
        const struct account_side *side = account->side[i];
        const double change = log(account->after.warps / account->before.warps) * (i ? -1 : 1);
        double least = INFINITY;
        int percent;
        for (int n = 0; n < side->numbers; n++)
            if (sscanf(side->number[n].name, "lost_at_%d_pct", &percent) == 1) {
                const double part = fmin(log(percent / 100.0) / change, 1),
                             lost = side->number[n].value / part;
                if (part >= ACCOUNT_HALF && fabs(lost) < fabs(least)) least = lost;
            }
        for (int sign = -1; sign <= 1 && isfinite(least); sign += 2)
            cap(account, BIT(occupancy) | BIT(threads), sign, sign * least * (i ? 1 : -1), 0);
    }
}

/* A cause saved no more than its knock-out from the kernel before, and cost no more than its
 * knock-out from the one after, though the other kernel has none. That of all loads bounds all that
 * loads cause. */
void account_bound(struct account *account)
{
    const struct {
        uint64_t words;
        const char *cost;
    } kinds[] = {{BIT(barriers), "measured_barriers_ns"},
                 {BIT(bank_conflicts), "measured_bank_conflicts_ns"},
                 {BIT(global_latency) | BIT(coalescing) | BIT(l1_wavefronts) | BIT(l1_misses),
                  "measured_loads_ns"}};
    cap_sectors(account);
    cap_products(account);
    cap_wavefronts(account);
    cap_warps(account);
    for (int k = 0; k < 3; k++) {
        if (kinds[k].words & account_measured_words(account)) continue;
        for (int i = 0; i < 2; i++) {
            const double cost = account_number(account->side[i], kinds[k].cost),
                         other = account_number(account->side[!i], kinds[k].cost);
            if (isfinite(cost))
                cap(account, kinds[k].words, i ? -1 : 1, cost - (isfinite(other) ? other : 0), 0);
        }
    }
}

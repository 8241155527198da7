#include "explain/account_units.h"

#include <math.h>
#include <string.h>

#include "explain/account_words.h"

/* The parts of a unit's demand, with the words that name them. */
enum { UNIT_PARTS = 4, STAGE = 1 };
struct unit {
    enum account_fact part[UNIT_PARTS];
    uint64_t named[UNIT_PARTS]; /* 0 beyond the last part */
    uint64_t words;             /* of all causes that use it */
};

#define ACCESSES (BIT(coalescing) | BIT(store_coalescing) | BIT(local) | BIT(l1_wavefronts))
#define INSTRUCTIONS                                                                               \
    (BIT(instructions) | BIT(division) | BIT(shuffles) | BIT(conversions) | BIT(divergence) |      \
     BIT(predication) | BIT(alu_pipe) | BIT(dispatch))
static const struct unit units[] = {
    {{FACT_demand_tensor_ns}, {BIT(tensor_pipe)}, BIT(tensor_pipe) | BIT(tensor_wait)},
    {{FACT_demand_conflicts_ns, FACT_global_wavefronts_ns, FACT_line_wavefronts,
      FACT_demand_shared_ns},
     {BIT(bank_conflicts), BIT(l1_wavefronts), BIT(copied_lines) | BIT(bank_conflicts),
      BIT(shared_wavefronts)},
     BIT(shared_wavefronts) | BIT(bank_conflicts) | BIT(same_word) | BIT(shared_wait) |
         BIT(barriers_conflicts) | ACCESSES},
    {{FACT_demand_issue_ns}, {BIT(instructions)}, INSTRUCTIONS},
    {{FACT_demand_l2_ns},
     {BIT(l2_bytes)},
     BIT(l2_bytes) | BIT(l1_misses) | BIT(dram_bytes) | BIT(l2_misses) | BIT(atomics) | ACCESSES},
    {{FACT_demand_dram_ns},
     {BIT(dram_bytes)},
     BIT(dram_bytes) | BIT(dram_rate) | BIT(l2_misses) | BIT(l2_bytes) | ACCESSES}};
enum { UNITS = sizeof units / sizeof *units };

/* Shared memory has the rest of the data stage of L1, beside conflicts and global memory; accesses
 * whose lanes are all off are in it. */
static double part_of(const struct account_point *point, const struct unit *unit, int part)
{
    const double *fact = point->fact, own = fact[unit->part[part]],
                 lines = fact[FACT_line_wavefronts];
    if (unit != &units[STAGE] || part < 2) return own;
    const double lines_ns = lines > 0 ? lines / (fact[FACT_sm_count] * point->ghz) : 0;
    return part == 2 ? lines_ns
                     : account_stage_ns(point) - fact[FACT_demand_conflicts_ns] -
                           fact[FACT_global_wavefronts_ns] - lines_ns;
}

static double demand_of(const struct account_point *point, const struct unit *unit)
{
    double sum = 0;
    for (int i = 0; i < UNIT_PARTS && unit->named[i]; i++) sum += part_of(point, unit, i);
    return sum;
}

/* The side that takes longer. */
static const struct account_point *longer(const struct account *account)
{
    return account->change_ns > 0 ? &account->before : &account->after;
}

static const struct account_point *shorter(const struct account *account)
{
    return account->change_ns > 0 ? &account->after : &account->before;
}

/* Returns 0 if nothing is known. */
static double least_of(const struct account *account, const struct unit *unit)
{
    const struct account_point *less = shorter(account);
    return fmax(demand_of(longer(account), unit) -
                    fmax(less->time_ns - less->fact[FACT_launch_ns], demand_of(less, unit)),
                0);
}

/* Returns the time of a cause, above 0 along the change. */
static double along(const struct account *account, const struct account_cause *cause)
{
    return cause->left_ns * (account->change_ns > 0 ? 1 : -1);
}

static double own_of(const struct account *account, const struct unit *unit)
{
    double own = 0;
    for (int i = 0; i < account->causes; i++)
        if (account->cause[i].words & unit->words) own += along(account, &account->cause[i]);
    return own;
}

/* Returns the time that a cause may give to a unit: the part that its own units do not need. */
static double spare_of(const struct account *account, const struct account_cause *cause,
                       const struct unit *to)
{
    const uint64_t exact = BIT(launches) | BIT(clock) | BIT(other_launch),
                   measured = account_measured_words(account);
    double part = 1;
    if (along(account, cause) <= 0 || cause->words & (to->words | exact) ||
        (cause->kind == ACCOUNT_WORK && cause->words & measured))
        return 0;
    for (int u = 0; u < UNITS; u++) {
        const double own = own_of(account, &units[u]);
        if (cause->words & units[u].words && own > 0)
            part = fmin(part, fmax(1 - least_of(account, &units[u]) / own, 0));
    }
    return part * along(account, cause);
}

/* There is room (see bound). */
static struct account_cause *cause_of(struct account *account, uint64_t words)
{
    int i = 0;
    while (i < account->causes &&
           (account->cause[i].words != words || account->cause[i].kind != ACCOUNT_COUNT))
        i++;
    if (i == account->causes)
        account->cause[account->causes++] = (struct account_cause){words, ACCOUNT_COUNT, 0, 0};
    return &account->cause[i];
}

/* How far the demands of the parts moved along the change, without what was measured. */
static double moved_parts(const struct account *account, const struct unit *unit, double *moved)
{
    double sum = 0;
    for (int i = 0; i < UNIT_PARTS && unit->named[i]; i++) {
        moved[i] =
            unit->named[i] & account_measured_words(account)
                ? 0
                : fmax(part_of(longer(account), unit, i) - part_of(shorter(account), unit, i), 0);
        sum += moved[i];
    }
    return sum;
}

/* Gives a unit what it lacks of its least, from causes that can spare it. */
static void bound(struct account *account, const struct unit *unit)
{
    const int causes = account->causes;
    const double lack = least_of(account, unit) - own_of(account, unit);
    double spare[ACCOUNT_CAUSES], all = 0, moved[UNIT_PARTS] = {0};
    const double parts = moved_parts(account, unit, moved);
    for (int i = 0; i < causes; i++) {
        spare[i] = spare_of(account, &account->cause[i], unit);
        all += spare[i];
    }
    if (!(least_of(account, unit) > 0 && lack > account->half_ns && all > 0 && parts > 0) ||
        causes + UNIT_PARTS > ACCOUNT_CAUSES)
        return;
    const double given = fmin(lack, all), sign = copysign(1, account->change_ns);
    for (int i = 0; i < causes; i++) account->cause[i].left_ns -= sign * given * spare[i] / all;
    for (int i = 0; i < UNIT_PARTS; i++)
        if (moved[i] > 0)
            cause_of(account, unit->named[i])->left_ns += sign * given * moved[i] / parts;
}

void account_bound_units(struct account *account)
{
    int is_done[UNITS] = {0};
    for (int round = 0; round < UNITS; round++) {
        int most = -1;
        for (int u = 0; u < UNITS; u++)
            if (!is_done[u] &&
                (most < 0 || least_of(account, &units[u]) > least_of(account, &units[most])))
                most = u;
        bound(account, &units[most]);
        is_done[most] = 1;
    }
}

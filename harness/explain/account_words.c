#include "explain/account_words.h"

#include <math.h>
#include <stdio.h>

#define ACCOUNT_WORD(name, id) #name,
const char *const account_words[ACCOUNT_WORD_COUNT] = {ACCOUNT_WORDS(ACCOUNT_WORD)};
#undef ACCOUNT_WORD
#define ACCOUNT_WORD(name, id) #id,
static const char *const ids[ACCOUNT_WORD_COUNT] = {ACCOUNT_WORDS(ACCOUNT_WORD)};

/* A word that adds to a name is more telling than the name itself. Loads in flight are none: they
 * only explain a latency. */
const char *account_cause_id(uint64_t words)
{
    if (words & ~BIT(dram_rate)) words &= ~BIT(dram_rate); /* its reason */
    static const enum account_word telling[] = {
        WORD_division, WORD_shuffles,  WORD_conversions, WORD_divergence, WORD_predication,
        WORD_threads,  WORD_l1_misses, WORD_l2_misses,   WORD_operations, WORD_copied_lines};
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (words & BIT_OF(telling[i])) return ids[telling[i]];
    for (int i = 0; i < ACCOUNT_WORD_COUNT; i++)
        if (words & BIT_OF((enum account_word)i)) return ids[i];
    return "contention";
}

static const char *open_name(const char *cause, char name[ACCOUNT_NUMBER_NAME])
{
    snprintf(name, ACCOUNT_NUMBER_NAME, "open_%s", cause);
    return name;
}

void account_leave_open(struct account_side *before, enum account_word which)
{
    char name[ACCOUNT_NUMBER_NAME];
    account_take(before, NULL, open_name(ids[which], name), 1);
}

int account_is_open(const struct account *account, const char *cause)
{
    char name[ACCOUNT_NUMBER_NAME];
    return isfinite(account_number(account->side[0], open_name(cause, name)));
}

double account_ratio(double x, double y)
{
    enum { MOST = 6 };
    if (x <= 0 && y <= 0) return 0;
    return y <= 0 ? MOST : x <= 0 ? -MOST : fmax(fmin(log(x / y), MOST), -MOST);
}

enum account_word account_conflict_word(const struct account *account)
{
    const double *b = account->before.fact, *a = account->after.fact;
    return fabs(b[FACT_line_wavefronts] - a[FACT_line_wavefronts]) >
                   fabs(b[FACT_conflict_wavefronts] - a[FACT_conflict_wavefronts])
               ? WORD_copied_lines
               : WORD_bank_conflicts;
}

static double moved(const struct account *account, enum account_fact fact)
{
    return account->before.fact[fact] - account->after.fact[fact];
}

enum account_word account_barrier_word(const struct account *account)
{
    const struct account_point *b = &account->before, *a = &account->after;
    const double barriers = moved(account, FACT_measured_barriers_ns),
                 loads = moved(account, FACT_measured_loads_ns),
                 executed = account_ratio(account_number(account->side[0], "barriers"),
                                          account_number(account->side[1], "barriers")),
                 room = account_ratio(a->per_sm * a->block, b->per_sm * b->block),
                 waits = account_ratio(b->wait[WAITS_GLOBAL], a->wait[WAITS_GLOBAL]) *
                         copysign(1, barriers);
    const int is_of_loads =
        waits >= ACCOUNT_TENTH &&
        waits > account_ratio(b->at_barriers, a->at_barriers) * copysign(1, barriers);
    return (fabs(executed) < ACCOUNT_TENTH || is_of_loads) && fabs(room) < ACCOUNT_TENTH &&
                   loads * barriers > 0 && fabs(loads) >= fabs(barriers)
               ? WORD_global_latency
               : WORD_barriers;
}

enum account_word account_joint_word(const struct account *account)
{
    const double joint = account->term[TERM_MEASURED_BOTH], least = ACCOUNT_HALF / 2 * fabs(joint);
    const int barriers = moved(account, FACT_measured_barriers_ns) * copysign(1, joint) >= least,
              conflicts =
                  moved(account, FACT_measured_bank_conflicts_ns) * copysign(1, joint) >= least;
    return barriers == conflicts ? WORD_barriers_conflicts
           : barriers            ? account_barrier_word(account)
                                 : account_conflict_word(account);
}

uint64_t account_measured_words(const struct account *account)
{
    const unsigned measured = account->is_measured;
    if (measured & ACCOUNT_MEASURED_BOTH) return BIT_OF(account_joint_word(account));
    return (measured & ACCOUNT_MEASURED_BARRIERS ? BIT_OF(account_barrier_word(account)) : 0) |
           (measured & ACCOUNT_MEASURED_CONFLICTS ? BIT_OF(account_conflict_word(account)) : 0);
}

double account_stage_ns(const struct account_point *point)
{
    return point->fact[FACT_demand_shared_ns] + point->fact[FACT_demand_conflicts_ns] +
           point->fact[FACT_demand_l1_ns];
}

#define ACCOUNT_WAIT_WORD(NAME, name, which) WORD_##which,
const enum account_word account_wait_words[WAITS_OTHER] = {ACCOUNT_WAITING(ACCOUNT_WAIT_WORD)};

const char *account_wait_cause(enum account_wait wait)
{
    return wait < WAITS_OTHER ? ids[account_wait_words[wait]] : NULL;
}

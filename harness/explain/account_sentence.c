#include "explain/account_sentence.h"

#include <math.h>
#include <string.h>

#include "explain/account_measured.h"
#include "explain/account_names.h"
#include "explain/account_units.h"

/* ---- set-offs -------------------------------------------------------------------------------- */

static int is_one(const struct account_cause *cause, unsigned kinds, int direction)
{
    return kinds >> cause->kind & 1 && cause->left_ns * direction > 0;
}

/* Cancels what causes of some kinds have in common with those of other kinds, which are against
 * them, in proportion. */
static void set_off(struct account *account, unsigned kinds, int direction, unsigned others)
{
    double sum[2] = {0};
    for (int i = 0; i < account->causes; i++) {
        const struct account_cause *cause = &account->cause[i];
        if (is_one(cause, kinds, direction)) sum[0] += fabs(cause->left_ns);
        if (is_one(cause, others, -direction)) sum[1] += fabs(cause->left_ns);
    }
    const double common = fmin(sum[0], sum[1]);
    for (int i = 0; i < account->causes && common > 0; i++) {
        struct account_cause *cause = &account->cause[i];
        if (is_one(cause, kinds, direction))
            cause->left_ns *= common < sum[0] ? 1 - common / sum[0] : 0;
        else if (is_one(cause, others, -direction))
            cause->left_ns *= common < sum[1] ? 1 - common / sum[1] : 0;
    }
}

/* Other waits cause contention: the rest of it belongs to those that move with it. */
static void share_contention(struct account *account, int direction)
{
    enum { WAITS = 1 << ACCOUNT_WAIT | 1 << ACCOUNT_COUNT };
    double contention = 0, waits = 0;
    for (int i = 0; i < account->causes; i++) {
        const struct account_cause *cause = &account->cause[i];
        if (is_one(cause, 1 << ACCOUNT_REST, direction)) contention += cause->left_ns;
        if (is_one(cause, WAITS, direction)) waits += cause->left_ns;
    }
    if (fabs(waits) < ACCOUNT_HALF * fabs(contention)) return;
    for (int i = 0; i < account->causes && contention != 0 && waits != 0; i++) {
        struct account_cause *cause = &account->cause[i];
        if (is_one(cause, WAITS, direction))
            cause->left_ns *= 1 + contention / waits;
        else if (is_one(cause, 1 << ACCOUNT_REST, direction))
            cause->left_ns = 0;
    }
}

/* Sets off waits in their order (account_sentence.h). */
static void set_off_waits(struct account *account)
{
    enum { WAIT = 1 << ACCOUNT_WAIT, COUNT = 1 << ACCOUNT_COUNT, REST = 1 << ACCOUNT_REST };
    for (int i = 0; i < account->causes; i++)
        account->cause[i].left_ns = account->cause[i].saved_ns;
    set_off(account, REST, 1, WAIT | COUNT);
    set_off(account, REST, -1, WAIT | COUNT);
    share_contention(account, 1);
    share_contention(account, -1);
    set_off(account, WAIT, 1, WAIT);
    set_off(account, WAIT, 1, 1 << ACCOUNT_ROOM);
    set_off(account, WAIT, -1, 1 << ACCOUNT_ROOM);
    set_off(account, WAIT, 1, COUNT);
    set_off(account, WAIT, -1, COUNT);
}

int account_make(struct account *account, const struct account_side *before,
                 const struct account_side *after)
{
    if (!account_compare(account, before, after)) return 0;
    account_take_measured(account);
    account_divide(account);
    account_name_terms(account);
    set_off_waits(account);
    account_bound_units(account);
    account_bound(account);
    return 1;
}

/* ---- what a sentence names ------------------------------------------------------------------- */

/* Causes of the same resource are named together. */
static uint64_t resource_of(uint64_t words)
{
    static const uint64_t shared = BIT(bank_conflicts) | BIT(shared_wavefronts) | BIT(same_word) |
                                   BIT(shared_wait),
                          parallel = BIT(idle_sms) | BIT(threads);
    return words & shared ? shared : words & parallel ? parallel : words;
}

/* The time that each unit needs alone, and its count. */
static const struct {
    enum account_fact fact;
    enum account_word word;
} demands[] = {{FACT_demand_issue_ns, WORD_instructions},
               {FACT_demand_conflicts_ns, WORD_bank_conflicts},
               {FACT_demand_shared_ns, WORD_shared_wavefronts},
               {FACT_global_wavefronts_ns, WORD_l1_wavefronts},
               {FACT_demand_l2_ns, WORD_l2_bytes},
               {FACT_demand_dram_ns, WORD_dram_bytes},
               {FACT_demand_tensor_ns, WORD_tensor_pipe},
               {FACT_demand_alu_ns, WORD_alu_pipe},
               {FACT_demand_fma_ns, WORD_alu_pipe}};
enum { DEMANDS = sizeof demands / sizeof *demands, COUNTED_DEMANDS = DEMANDS - 2 };

/* Wavefronts without conflicts count only if all of shared memory moved with them, and half as far:
 * conflicts may have taken their place. */
static int is_of_whole(const struct account *account, int demand, double change_ns)
{
    static const enum account_fact others[] = {FACT_conflict_wavefronts, FACT_line_wavefronts,
                                               FACT_same_word_wavefronts};
    const double *b = account->before.fact, *a = account->after.fact,
                 part = b[FACT_other_wavefronts] - a[FACT_other_wavefronts];
    double whole = part;
    for (int i = 0; i < 3; i++) whole += b[others[i]] - a[others[i]];
    return demands[demand].word != WORD_shared_wavefronts ||
           b[FACT_other_wavefronts] + a[FACT_other_wavefronts] == 0 ||
           (whole * change_ns > 0 && fabs(whole) >= ACCOUNT_HALF * fabs(part));
}

/* Names the unit whose demand changed most along a change that must have a cause, and by a tenth of
 * it. Returns 0 if there is none. */
static int name_unit(const struct account *account, struct account_named *named)
{
    double most = ACCOUNT_TENTH;
    if (fabs(account->change_ns) < ACCOUNT_LEAST_CHANGE * account->before.time_ns) return 0;
    for (int i = 0; i < DEMANDS; i++) {
        const double change_ns =
            account->before.fact[demands[i].fact] - account->after.fact[demands[i].fact];
        if (!is_of_whole(account, i, change_ns) || change_ns / account->change_ns <= most) continue;
        most = change_ns / account->change_ns;
        *named =
            (struct account_named){BIT_OF(demands[i].word), 1, account_fact_names[demands[i].fact]};
    }
    return most > ACCOUNT_TENTH;
}

/* A wait of which little is left only moved to another wait. */
static int may_be_named(const struct account *account, const struct account_cause *cause)
{
    return cause->words && !account_is_open(account, account_cause_id(cause->words)) &&
           (cause->kind != ACCOUNT_WAIT || cause->left_ns / cause->saved_ns >= ACCOUNT_TENTH);
}

/* A group of causes of one resource and direction. */
struct group {
    uint64_t resource, words;
    double left_ns, lead;
    int direction;
};

static int group_causes(const struct account *account, struct group *group)
{
    int count = 0;
    for (int i = 0; i < account->causes; i++) {
        const struct account_cause *cause = &account->cause[i];
        if (!may_be_named(account, cause)) continue;
        const uint64_t resource = resource_of(cause->words);
        const int direction = cause->left_ns > 0;
        int g = 0;
        while (g < count && (group[g].resource != resource || group[g].direction != direction)) g++;
        if (g == count) group[count++] = (struct group){resource, 0, 0, 0, direction};
        group[g].left_ns += cause->left_ns;
        group[g].words |= cause->words;
        group[g].lead = fmax(group[g].lead, fabs(cause->left_ns));
    }
    return count;
}

/* Returns the largest group that is worth a name, has this direction and one of these words, and
 * was not taken: -1 if there is none. */
static int largest(const struct account *account, const struct group *group, int count, int along,
                   uint64_t words)
{
    int best = -1;
    for (int g = 0; g < count; g++) {
        const double share = group[g].left_ns / account->change_ns * (along ? 1 : -1);
        if (group[g].lead <= 0 || share < ACCOUNT_TENTH || !(group[g].words & words) ||
            fabs(group[g].left_ns) <= account->half_ns)
            continue;
        if (best < 0 || fabs(group[g].left_ns) > fabs(group[best].left_ns)) best = g;
    }
    return best;
}

int account_sentence(const struct account *account, struct account_named named[ACCOUNT_NAMED])
{
    struct group group[ACCOUNT_CAUSES];
    const int count = group_causes(account, group);
    double sum = 0;
    int found = 0;
    for (int round = 0; round < 2 * ACCOUNT_NAMED && found < ACCOUNT_NAMED; round++) {
        /* Three along the change and one against it, then what is missing of the sum, of which
         * little must have been measured. */
        const int is_missing = round >= ACCOUNT_NAMED,
                  along = is_missing ? sum < 1 : round < ACCOUNT_NAMED - 1,
                  is_little = is_missing && fabs(sum - 1) <= ACCOUNT_HALF / 2;
        if (round == ACCOUNT_NAMED - 1 && !found && name_unit(account, named)) return 1;
        const int best = largest(account, group, count, along,
                                 is_little ? account_measured_words(account) : UINT64_MAX);
        if (best < 0) continue;
        const double share = group[best].left_ns / account->change_ns;
        if (is_missing && fabs(sum + share - 1) >= fabs(sum - 1)) break;
        named[found++] = (struct account_named){group[best].words, share, NULL};
        sum += share;
        group[best].lead = 0;
    }
    return found;
}

/* Accesses whose lanes are all off are among those of shared memory without conflicts. */
static double need_of(const struct account_point *point, int demand)
{
    const double off =
        demands[demand].word == WORD_shared_wavefronts ? point->fact[FACT_off_wavefronts] : 0;
    return point->fact[demands[demand].fact] +
           (off > 0 ? off / (point->fact[FACT_sm_count] * point->ghz) : 0);
}

int account_moved(const struct account *account, const struct account_named *named, int count,
                  uint64_t moved[ACCOUNT_MOVED])
{
    const struct account_point *b = &account->before, *a = &account->after;
    const double room = log(a->per_sm * a->block / (b->per_sm * b->block)),
                 filled = log(a->warps / b->warps) * copysign(1, room);
    double change[COUNTED_DEMANDS];
    uint64_t words = 0;
    int found = 0;
    for (int i = 0; i < count; i++) words |= named[i].words;
    if (words >> WORD_barriers_conflicts & 1) words |= BIT(bank_conflicts);
    for (int i = 0; i < COUNTED_DEMANDS; i++) {
        const double before = need_of(b, i), after = need_of(a, i), most = fmax(before, after);
        const int counts = !(words >> demands[i].word & 1) &&
                           fmax(before / b->time_ns, after / a->time_ns) >= ACCOUNT_TENTH &&
                           fabs(before - after) >= ACCOUNT_TENTH * most &&
                           is_of_whole(account, i, before - after);
        change[i] = counts ? fabs(before - after) : 0;
    }
    while (found < ACCOUNT_MOVED - 1) {
        int best = 0;
        for (int i = 1; i < COUNTED_DEMANDS; i++)
            if (change[i] > change[best]) best = i;
        if (change[best] <= 0) break;
        moved[found++] = BIT_OF(demands[best].word);
        change[best] = 0;
    }
    if (isfinite(room) && fabs(room) >= ACCOUNT_HALF && filled >= ACCOUNT_TENTH &&
        !(words >> WORD_occupancy & 1))
        moved[found++] = BIT(occupancy);
    return found;
}

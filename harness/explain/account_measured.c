#include "explain/account_measured.h"

#include <math.h>

#include "explain/account_words.h"

static int is_on_both_sides(const struct account *account, enum account_fact fact)
{
    return isfinite(account_number(account->side[0], account_fact_names[fact])) &&
           isfinite(account_number(account->side[1], account_fact_names[fact]));
}

/* The most that a term can be of the time: that of its waits on the side that has more of it. What
 * no wait shows has no bound. */
static double most_of(const struct account *account, int term)
{
    static const enum account_wait issue[] = {WAITS_SELECTED, WAITS_NOT_SELECTED, WAITS_FIXED,
                                              WAITS_BRANCH,   WAITS_PIPE,         WAITS_DISPATCH};
    double most = 0;
    if (term != TERM_ISSUE && term >= ACCOUNT_WAITS) return INFINITY;
    for (int i = 0; i < 2; i++) {
        const struct account_point *point = i ? &account->after : &account->before;
        double all = 0, own = term == TERM_ISSUE ? 0 : point->wait[term];
        for (int g = 0; g < ACCOUNT_WAITS; g++) all += g == WAITS_AT_GRID ? 0 : point->wait[g];
        for (int j = 0; term == TERM_ISSUE && j < 6; j++) own += point->wait[issue[j]];
        most = fmax(most, point->rest_ns * own / all);
    }
    return most;
}

/* Returns 1 if device memory is at its limit on one side. */
static int is_at_dram_limit(const struct account *account)
{
    const struct account_point *b = &account->before, *a = &account->after;
    return fmax(b->fact[FACT_demand_dram_ns] / b->gpu_ns,
                a->fact[FACT_demand_dram_ns] / a->gpu_ns) >= ACCOUNT_LIMIT;
}

/* Returns 1 if a term is known without the division: it takes nothing of others. */
static int is_exact(int term)
{
    return term == TERM_IDLE || term == TERM_CLOCK || term == TERM_LAUNCHES ||
           term == TERM_OTHER_LAUNCH;
}

/* Keeps two terms together within `bound`. What is beyond belongs to the others that moved in the
 * same direction. Where device memory is the limit of one side, the other costs lie within those of
 * the two, and have no more of it than warps wait for them. */
static void keep_within(struct account *account, int first, int second, double bound)
{
    double *term = account->term, others = 0, other[TERM_MEASURED_BARRIERS] = {0};
    const double sum = term[first] + term[second], most = sum > 0 ? fmax(bound, 0) : fmin(bound, 0);
    if (fabs(sum) <= fabs(most)) return;
    for (int g = 0; g < TERM_MEASURED_BARRIERS; g++)
        if (g != first && g != second && !is_exact(g) && term[g] * sum > 0)
            others += other[g] = term[g];
    double left = sum - most;
    for (int g = 0; g < TERM_MEASURED_BARRIERS; g++) {
        if (other[g] == 0) continue;
        const double room = is_at_dram_limit(account) ? fmax(most_of(account, g) - fabs(term[g]), 0)
                                                      : INFINITY,
                     part = copysign(fmin(fabs((sum - most) * term[g] / others), room), sum);
        term[g] += part;
        left -= part;
    }
    term[first] *= (most + left) / sum;
    term[second] *= (most + left) / sum;
}

/* Waits for loads saved no more than the loads themselves: without the loads the kernels differ by
 * the rest, too. */
static void bound_loads(struct account *account)
{
    if (is_on_both_sides(account, FACT_measured_loads_ns))
        keep_within(account, WAITS_GLOBAL, WAITS_QUEUE,
                    account->before.fact[FACT_measured_loads_ns] -
                        account->after.fact[FACT_measured_loads_ns]);
}

/* A half of the products saves the side with more cycles of the tensor cores what it was measured
 * to save; a smaller part saves no more, and a larger one no more in proportion, because other
 * limits follow. */
static void bound_products(struct account *account)
{
    const double cycles[] = {account->before.fact[FACT_tensor_cycles],
                             account->after.fact[FACT_tensor_cycles]};
    const int more = cycles[1] > cycles[0];
    const double half = account_number(account->side[more], "measured_half_tensor_ns"),
                 part = 1 - cycles[!more] / cycles[more];
    if (isfinite(half) && part >= ACCOUNT_TENTH)
        keep_within(account, WAITS_TENSOR, TERM_TENSOR_WORK,
                    (more ? -1 : 1) * half * fmax(2 * part, 1));
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

void account_bound(struct account *account)
{
    bound_loads(account);
    bound_products(account);
}

#include "explain/account.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- sides ----------------------------------------------------------------------------------- */

#define ACCOUNT_FACT(name) #name,
const char *const account_fact_names[ACCOUNT_FACT_COUNT] = {ACCOUNT_FACTS(ACCOUNT_FACT)};
#define ACCOUNT_SUM_NAME(name) #name,
static const char *const sum_names[ACCOUNT_SUMS] = {ACCOUNT_SUMMED(ACCOUNT_SUM_NAME)};
#define ACCOUNT_WAIT_NAME(NAME, name, word) "wait_" #name,
const char *const account_wait_names[ACCOUNT_WAITS] = {
    ACCOUNT_WAITING(ACCOUNT_WAIT_NAME) "wait_other"};

void account_begin(struct account_side *side)
{
    side->function[0][0] = 0;
    side->functions = 1;
    side->numbers = 0;
}

static int find_function(const struct account_side *side, const char *name)
{
    int f = 0;
    while (f < side->functions && strncmp(side->function[f], name, ACCOUNT_NAME - 1)) f++;
    return f;
}

void account_take(struct account_side *side, const char *function, const char *name, double value)
{
    const int f = find_function(side, function ? function : "");
    if (f == ACCOUNT_FUNCTIONS || side->numbers == ACCOUNT_NUMBERS || !isfinite(value)) return;
    if (f == side->functions)
        snprintf(side->function[side->functions++], ACCOUNT_NAME, "%s", function);
    struct account_number *number = &side->number[side->numbers++];
    number->function = f;
    number->value = value;
    snprintf(number->name, sizeof number->name, "%s", name);
}

void account_forget_measured(struct account_side *side)
{
    static const char measured[] = "measured_";
    int kept = 0;
    for (int i = 0; i < side->numbers; i++)
        if (strncmp(side->number[i].name, measured, sizeof measured - 1) != 0)
            side->number[kept++] = side->number[i];
    side->numbers = kept;
}

static double number_of(const struct account_side *side, int function, const char *name)
{
    for (int i = 0; i < side->numbers; i++)
        if (side->number[i].function == function && !strcmp(side->number[i].name, name))
            return side->number[i].value;
    return NAN;
}

double account_number(const struct account_side *side, const char *name)
{
    return number_of(side, 0, name);
}

const char *account_word_after(const struct account_side *side, const char *beginning)
{
    const size_t length = strlen(beginning);
    for (int i = 0; i < side->numbers; i++)
        if (!strncmp(side->number[i].name, beginning, length)) return side->number[i].name + length;
    return NULL;
}

static int has_function(const struct account_side *side, const char *name)
{
    return find_function(side, name) < side->functions;
}

/* The function whose warps are resident for longest. */
static int largest_function(const struct account_side *side)
{
    int largest = 1;
    for (int f = 2; f < side->functions; f++)
        if (number_of(side, f, "resident") > number_of(side, largest, "resident")) largest = f;
    return largest;
}

/* Returns 1 if one function of a side takes nearly all of its time. */
static int has_one(const struct account_side *side)
{
    const double most = number_of(side, largest_function(side), "elapsed");
    double all = 0;
    for (int f = 1; f < side->functions; f++) all += fmax(number_of(side, f, "elapsed"), 0);
    return most >= ACCOUNT_LIMIT * all;
}

/* Functions that both sides have are compared, or else the largest ones with each other, if they
 * take nearly all of the time. */
enum comparison { COMPARE_ALL, COMPARE_COMMON, COMPARE_LARGEST };
static enum comparison compared(const struct account_side *before, const struct account_side *after)
{
    const int most = before->functions > after->functions ? before->functions : after->functions;
    int common = 1; /* the point as a whole */
    for (int f = 1; f < before->functions; f++) common += has_function(after, before->function[f]);
    if (common == 1)
        return most > 2 && has_one(before) && has_one(after) ? COMPARE_LARGEST : COMPARE_ALL;
    return common < most ? COMPARE_COMMON : COMPARE_ALL;
}

static int is_compared(const struct account_side *side, const struct account_side *other, int f,
                       enum comparison comparison)
{
    return comparison == COMPARE_ALL ||
           (comparison == COMPARE_COMMON ? has_function(other, side->function[f])
                                         : f == largest_function(side));
}

/* Sums over the functions of a side that are compared; the largest launch of those has the grid.
 * Stores in *own_ns the time of the rest.
 * A fact that one side lacks is of no use. Returns 0 if there are no counters, or if instrumented
 * code did not count accesses. */
static int sum_up(struct account_point *point, const struct account_side *side,
                  const struct account_side *other, enum comparison comparison, double *own_ns)
{
    double sum[ACCOUNT_SUMS] = {0}, elapsed = 0, most = 0, waits = 0;
    memset(point, 0, sizeof *point);
    for (int i = 0; i < ACCOUNT_FACT_COUNT; i++) {
        const double number = account_number(side, account_fact_names[i]);
        if (isfinite(number) && isfinite(account_number(other, account_fact_names[i])))
            point->fact[i] = number;
    }
    for (int f = 1; f < side->functions; f++) {
        elapsed += fmax(number_of(side, f, "elapsed"), 0);
        if (!is_compared(side, other, f, comparison)) continue;
        for (int j = 0; j < ACCOUNT_SUMS; j++) sum[j] += fmax(number_of(side, f, sum_names[j]), 0);
        for (int j = 0; j < ACCOUNT_WAITS; j++) {
            const double wait = fmax(number_of(side, f, account_wait_names[j]), 0);
            point->wait[j] += wait;
            waits += wait;
        }
        if (number_of(side, f, "main") < most) continue;
        most = number_of(side, f, "main");
        point->grid = fmax(number_of(side, f, "grid"), 0);
        point->block = fmax(number_of(side, f, "block"), 0);
        point->per_sm = fmax(number_of(side, f, "per_sm"), 0);
    }
    point->time_ns = point->fact[FACT_time_ns];
    point->ghz = point->fact[FACT_sm_clock_mhz] / 1000;
    if (!(isfinite(account_number(side, "global_load_instructions")) && sum[SUM_active] > 0 &&
          sum[SUM_resident] > 0 && elapsed > 0 && point->time_ns > 0 && point->ghz > 0 &&
          sum[SUM_instructions] > 0 && waits > 0))
        return 0;
    const double whole = point->time_ns - point->fact[FACT_launch_ns];
    point->gpu_ns = point->rest_ns = whole * sum[SUM_elapsed] / elapsed;
    *own_ns = whole - point->gpu_ns;
    point->at_barriers = point->wait[WAITS_BARRIERS];
    point->active = sum[SUM_sm_most] > 0 ? fmin(sum[SUM_sm_mean] / sum[SUM_sm_most], 1) : 1;
    point->warps = sum[SUM_resident] / sum[SUM_active];
    point->busy = sum[SUM_issued] / sum[SUM_active];
    point->instructions = sum[SUM_instructions];
    point->producers = sum[SUM_harmless] / sum[SUM_resident];
    return point->active > 0 && point->gpu_ns > 0;
}

/* ---- the division ---------------------------------------------------------------------------- */

double account_mean(double a, double b)
{
    if (a <= 0 || b <= 0) return 0;
    return fabs(a - b) < 1e-9 * a ? a : (a - b) / log(a / b);
}

struct division {
    const struct account_point *before, *after;
    double *term, lambda[ACCOUNT_TERMS];
    int is_waited[ACCOUNT_TERMS]; /* 1: more resident warps shorten it */
    struct account *account;
};

/* Divides the time on the GPU by the shares of its parts. */
static void divide(struct division *division, const double *before, const double *after)
{
    const struct account_point *b = division->before, *a = division->after;
    const double idle = log(a->active / b->active), clock = log(a->ghz / b->ghz),
                 resident = log(a->warps / b->warps);
    double sum_before = 0, sum_after = 0;
    for (int g = 0; g < ACCOUNT_TERMS; g++) {
        sum_before += before[g];
        sum_after += after[g];
    }
    for (int g = 0; g < ACCOUNT_TERMS; g++) {
        if (before[g] <= 0 && after[g] <= 0) continue;
        const double time_before = b->rest_ns * before[g] / sum_before,
                     time_after = a->rest_ns * after[g] / sum_after,
                     lambda = account_mean(time_before, time_after);
        division->lambda[g] = lambda;
        division->term[TERM_CLOCK] += lambda * clock;
        division->term[TERM_IDLE] += lambda * idle;
        if (division->is_waited[g]) division->term[TERM_RESIDENT] += lambda * resident;
        division->term[g] += time_before - time_after -
                             lambda * (clock + idle + (division->is_waited[g] ? resident : 0));
    }
}

/* Cancels what two terms of opposite sign have in common. */
static void cancel(double *x, double *y)
{
    if (*x * *y >= 0) return;
    const double common = fmin(fabs(*x), fabs(*y));
    *x -= copysign(common, *x);
    *y -= copysign(common, *y);
}

/* Fewer warps that each do more. */
static void cancel_resident(struct division *division)
{
    double *term = division->term, total = 0, weight = 0;
    const double resident = term[TERM_RESIDENT];
    for (int g = 0; g < ACCOUNT_TERMS; g++) {
        if (!division->is_waited[g]) continue;
        total += term[g];
        weight += division->lambda[g];
    }
    if (total * resident >= 0) return;
    const double common = copysign(fmin(fabs(total), fabs(resident)), total);
    for (int g = 0; g < ACCOUNT_TERMS; g++)
        if (division->is_waited[g] && weight > 0) term[g] -= common * division->lambda[g] / weight;
    term[TERM_RESIDENT] += common;
}

/* Idle SMs take no more than their part of the time; what is beyond is contention. */
static void limit_idle(struct division *division)
{
    double *idle = &division->term[TERM_IDLE];
    const struct account_point *more = *idle > 0 ? division->before : division->after;
    const double beyond = fabs(*idle) - (1 - more->active) * more->rest_ns;
    if (beyond <= 0) return;
    division->term[TERM_CONTENTION] += copysign(beyond, *idle);
    *idle -= copysign(beyond, *idle);
}

/* The part of a term that a count explains: it has its sign and is not larger than the whole. */
static double explained(double whole, double part)
{
    return part * whole <= 0 ? 0 : copysign(fmin(fabs(part), fabs(whole)), whole);
}

/* Special registers are read through the queue of memory accesses: their waits belong to those for
 * memory that are larger and have their sign, else to the fixed latencies. Warps that wait in the
 * queue of shared memory for one instead of the other wait as long. */
static void place_special(struct division *division)
{
    double *term = division->term;
    const struct account_point *b = division->before, *a = division->after;
    const double special = term[WAITS_SPECIAL], sign = special > 0 ? 1 : -1,
                 shared = term[WAITS_SHARED] * sign,
                 global = (term[WAITS_GLOBAL] + term[WAITS_QUEUE]) * sign;
    const int is_queue = shared < 0 && b->wait[WAITS_SHARED] + a->wait[WAITS_SHARED] >=
                                           b->wait[WAITS_SPECIAL] + a->wait[WAITS_SPECIAL];
    const int to = is_queue                               ? WAITS_SHARED
                   : fmax(shared, global) < fabs(special) ? WAITS_FIXED
                   : shared >= global                     ? WAITS_SHARED
                                                          : WAITS_GLOBAL;
    term[to] += special;
    term[WAITS_SPECIAL] = 0;
    division->account->special = (enum account_wait)to;
    division->account->special_ns = special;
}

/* The wait for a slot grows faster than the work; its rest is caused by other waits. */
static void follow_instructions(struct division *division)
{
    const struct account_point *b = division->before, *a = division->after;
    const double moved = log(b->instructions / a->instructions),
                 busy = fmin((b->busy + a->busy) / 2, 0.95);
    double *term = division->term, *lambda = division->lambda;
    const double turn = explained(term[WAITS_NOT_SELECTED],
                                  lambda[WAITS_NOT_SELECTED] * moved / (1 - busy)),
                 own = explained(term[WAITS_SELECTED], lambda[WAITS_SELECTED] * moved);
    term[TERM_CONTENTION] += term[WAITS_NOT_SELECTED] - turn + term[WAITS_SELECTED] - own;
    term[TERM_ISSUE] += turn + own;
    term[WAITS_NOT_SELECTED] = term[WAITS_SELECTED] = 0;
    static const int others[] = {WAITS_FIXED, WAITS_BRANCH, WAITS_PIPE, WAITS_DISPATCH};
    for (int i = 0; i < 4; i++) {
        const double part = explained(term[others[i]], lambda[others[i]] * moved);
        term[others[i]] -= part;
        term[TERM_ISSUE] += part;
    }
    const double most = account_mean(b->rest_ns, a->rest_ns) * moved,
                 beyond = term[TERM_ISSUE] - explained(term[TERM_ISSUE], most);
    term[TERM_ISSUE] -= beyond;
    term[TERM_CONTENTION] += beyond;
}

/* Divides the time of a point by the waits. A unit at its limit has its work for the part of the
 * time in which it is busy, and the waits for other things have the rest. */
static void shares(const struct account_point *point, int work, double busy, int own, double *share)
{
    double sum = 0;
    memset(share, 0, ACCOUNT_TERMS * sizeof *share);
    for (int g = 0; g < ACCOUNT_WAITS; g++) sum += g == own ? 0 : point->wait[g];
    for (int g = 0; g < ACCOUNT_WAITS; g++)
        share[g] = g == own || sum <= 0 ? 0 : (1 - busy) * point->wait[g] / sum;
    if (work >= 0) share[work] = busy;
}

static void divide_waits(struct division *division, int work, const double *busy, int own)
{
    double before[ACCOUNT_TERMS], after[ACCOUNT_TERMS];
    shares(division->before, work, busy[0], own, before);
    shares(division->after, work, busy[1], own, after);
    for (int g = 0; g < ACCOUNT_WAITS; g++) division->is_waited[g] = before[g] > 0 || after[g] > 0;
    divide(division, before, after);
    cancel(&division->term[TERM_IDLE], &division->term[TERM_RESIDENT]);
    limit_idle(division);
    cancel_resident(division);
    place_special(division);
    follow_instructions(division);
    if (work >= 0 || division->term[WAITS_POLLING] == 0) return;
    /* Blocks that wait for others are idle. */
    division->term[WAITS_BARRIERS] += division->term[WAITS_POLLING];
    division->term[WAITS_POLLING] = 0;
    cancel(&division->term[TERM_IDLE], &division->term[WAITS_BARRIERS]);
}

/* Device memory at its limit: bytes, idle SMs, and the rate that busy SMs reach. */
static void divide_bytes(struct division *division)
{
    const struct account_point *b = division->before, *a = division->after;
    const double lambda = account_mean(b->rest_ns, a->rest_ns),
                 bytes[2] = {b->fact[FACT_dram_bytes], a->fact[FACT_dram_bytes]};
    double *term = division->term;
    if (bytes[0] > 0 && bytes[1] > 0) term[TERM_DRAM_BYTES] = lambda * log(bytes[0] / bytes[1]);
    term[TERM_IDLE] = lambda * log(a->active / b->active);
    term[TERM_DRAM_RATE] = b->rest_ns - a->rest_ns - term[TERM_DRAM_BYTES] - term[TERM_IDLE];
    cancel(&term[TERM_IDLE], &term[TERM_DRAM_RATE]);
}

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
        for (int g = 0; g < ACCOUNT_WAITS; g++) all += point->wait[g];
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

/* Keeps two terms together within `bound`. What is beyond belongs to the others that moved in the
 * same direction. Where device memory is the limit of one side, the other costs lie within those of
 * the two, and have no more of it than warps wait for them. */
static void keep_within(struct account *account, int first, int second, double bound)
{
    double *term = account->term, others = 0;
    const double sum = term[first] + term[second], most = sum > 0 ? fmax(bound, 0) : fmin(bound, 0);
    if (fabs(sum) <= fabs(most)) return;
    for (int g = 0; g < TERM_MEASURED_BARRIERS; g++)
        if (g != first && g != second && term[g] * sum > 0) others += term[g];
    double left = sum - most;
    for (int g = 0; g < TERM_MEASURED_BARRIERS; g++) {
        if (g == first || g == second || term[g] * sum <= 0) continue;
        const double room = is_at_dram_limit(account) ? fmax(most_of(account, g) - fabs(term[g]), 0)
                                                      : INFINITY,
                     part = copysign(fmin(fabs((sum - most) * term[g] / others), room), sum);
        term[g] += part;
        left -= part;
    }
    term[first] *= (most + left) / sum;
    term[second] *= (most + left) / sum;
}

/* Waits for loads saved no more than the loads themselves, which knock-outs bound: without the
 * loads the kernels differ by the rest, too. */
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

/* The unit that is busiest on both sides. */
static void divide_time(struct division *division)
{
    static const struct {
        int demand, is_of_sms, work, own;
    } units[] = {{FACT_demand_dram_ns, 0, TERM_DRAM_BYTES, -1},
                 {FACT_demand_l2_ns, 0, TERM_L2_WORK, -1},
                 {FACT_demand_tensor_ns, 1, TERM_TENSOR_WORK, WAITS_TENSOR}};
    const struct account_point *side[] = {division->before, division->after};
    double busy[2] = {0}, most = 0;
    int limit = -1;
    for (int u = 0; u < 3; u++) {
        double part[2];
        for (int i = 0; i < 2; i++)
            part[i] = side[i]->fact[units[u].demand] / side[i]->gpu_ns /
                      (units[u].is_of_sms ? side[i]->active : 1);
        if (fmin(part[0], part[1]) <= most) continue;
        most = fmin(part[0], part[1]);
        limit = u;
        for (int i = 0; i < 2; i++) busy[i] = fmin(part[i] * side[i]->gpu_ns / side[i]->rest_ns, 1);
    }
    if (most < ACCOUNT_LIMIT) {
        divide_waits(division, -1, (const double[]){0, 0}, -1);
        bound_loads(division->account);
    } else if (limit == 0) {
        divide_bytes(division);
    } else {
        divide_waits(division, units[limit].work, busy, units[limit].own);
    }
}

/* ---- measured costs -------------------------------------------------------------------------- */

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

/* Leaves out of both sides what was measured, with the waits for it. */
static void take_measured(struct account *account)
{
    static const struct {
        enum account_fact cost;
        enum account_term term;
    } kinds[] = {{FACT_measured_barriers_ns, TERM_MEASURED_BARRIERS},
                 {FACT_measured_bank_conflicts_ns, TERM_MEASURED_CONFLICTS}};
    struct account_point *point[] = {&account->before, &account->after};
    int is_known[2];
    double cost[2] = {0};
    for (int k = 0; k < 2; k++) {
        is_known[k] = is_on_both_sides(account, kinds[k].cost);
        for (int i = 0; i < 2; i++) cost[i] += point[i]->fact[kinds[k].cost];
    }
    const int both = is_known[0] && is_known[1] && is_shared(account, cost);
    for (int i = 0; i < 2 && both; i++)
        cost[i] = point[i]->fact[FACT_measured_barriers_conflicts_ns];
    if (!(cost[0] < point[0]->gpu_ns && cost[1] < point[1]->gpu_ns)) return;
    for (int i = 0; i < 2; i++) {
        point[i]->rest_ns = point[i]->gpu_ns - cost[i];
        if (is_known[0]) point[i]->wait[WAITS_BARRIERS] = 0;
        if (is_known[1]) point[i]->wait[WAITS_SHARED] *= 1 - conflict_part(point[i]);
    }
    for (int k = 0; k < 2; k++)
        account->term[kinds[k].term] =
            point[0]->fact[kinds[k].cost] - point[1]->fact[kinds[k].cost];
    const int is_joint = both && !split_joint(account, cost[0] - cost[1]);
    account->is_measured = (is_known[0] ? ACCOUNT_MEASURED_BARRIERS : 0) |
                           (is_known[1] ? ACCOUNT_MEASURED_CONFLICTS : 0) |
                           (is_joint ? ACCOUNT_MEASURED_BOTH : 0);
}

int account_divide(struct account *account, const struct account_side *before,
                   const struct account_side *after)
{
    const enum comparison comparison = compared(before, after);
    double *own = account->own_ns;
    memset(account, 0, sizeof *account);
    account->side[0] = before;
    account->side[1] = after;
    struct account_point *b = &account->before, *a = &account->after;
    if (!sum_up(b, before, after, comparison, &own[0]) ||
        !sum_up(a, after, before, comparison, &own[1]))
        return 0;
    if (comparison == COMPARE_ALL) take_measured(account);
    account->special = WAITS_FIXED;
    struct division division = {.before = b, .after = a, .term = account->term, .account = account};
    divide_time(&division);
    bound_products(account);
    account->term[TERM_LAUNCHES] = b->fact[FACT_launch_ns] - a->fact[FACT_launch_ns];
    account->term[TERM_OTHER_LAUNCH] = own[0] - own[1];
    account->change_ns = b->time_ns - a->time_ns;
    const double half[] = {(b->fact[FACT_time_high_ns] - b->fact[FACT_time_low_ns]) / 2,
                           (a->fact[FACT_time_high_ns] - a->fact[FACT_time_low_ns]) / 2,
                           ACCOUNT_NOISE * (b->time_ns + a->time_ns) / 2};
    account->half_ns = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    return 1;
}

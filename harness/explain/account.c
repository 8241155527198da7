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

/* The function that takes longest. */
static int largest_function(const struct account_side *side)
{
    int largest = 1;
    for (int f = 2; f < side->functions; f++)
        if (number_of(side, f, "elapsed") > number_of(side, largest, "elapsed")) largest = f;
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
 * Stores in *own_ns the time of the rest. A fact that one side lacks is of no use. Returns 0 if
 * there are no counters. */
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
        point->producers = fmax(number_of(side, f, "harmless"), 0) / number_of(side, f, "resident");
    }
    point->time_ns = point->fact[FACT_time_ns];
    point->ghz = point->fact[FACT_sm_clock_mhz] / 1000;
    if (!(sum[SUM_active] > 0 && sum[SUM_resident] > 0 && elapsed > 0 && point->time_ns > 0 &&
          point->ghz > 0 && sum[SUM_instructions] > 0 && waits > 0))
        return 0;
    const double whole = point->time_ns - point->fact[FACT_launch_ns];
    point->gpu_ns = point->rest_ns = whole * sum[SUM_elapsed] / elapsed;
    *own_ns = whole - point->gpu_ns;
    point->at_barriers = point->wait[WAITS_BARRIERS];
    point->active = sum[SUM_sm_most] > 0 ? fmin(sum[SUM_sm_mean] / sum[SUM_sm_most], 1) : 1;
    point->warps = sum[SUM_resident] / sum[SUM_active];
    point->busy = sum[SUM_issued] / sum[SUM_active];
    point->instructions = sum[SUM_instructions];
    point->working = fmax(1 - point->wait[WAITS_AT_GRID] / sum[SUM_resident], ACCOUNT_NOISE);
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
                 resident = log(a->warps / b->warps), working = log(a->working / b->working);
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
        if (division->is_waited[g]) {
            division->term[TERM_RESIDENT] += lambda * resident;
            division->term[WAITS_AT_GRID] += lambda * working;
        }
        division->term[g] +=
            time_before - time_after -
            lambda * (clock + idle + (division->is_waited[g] ? resident + working : 0));
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

/* Blocks at a barrier of the grid fill SMs in vain, but they start and execute instructions, too.
 */
static void place_grid(struct division *division)
{
    static const enum account_wait own[] = {WAITS_START,    WAITS_FETCH,        WAITS_BRANCH,
                                            WAITS_SELECTED, WAITS_NOT_SELECTED, WAITS_FIXED};
    double *term = division->term;
    if (term[WAITS_AT_GRID] == 0) return;
    cancel(&term[TERM_IDLE], &term[WAITS_AT_GRID]);
    cancel(&term[TERM_RESIDENT], &term[WAITS_AT_GRID]);
    for (int i = 0; i < 6; i++) cancel(&term[TERM_RESIDENT], &term[own[i]]);
    term[WAITS_BARRIERS] += term[WAITS_AT_GRID];
    term[WAITS_AT_GRID] = 0;
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
 * memory that are larger and have their sign, else to the fixed latencies. */
static void place_special(struct division *division)
{
    double *term = division->term;
    const double special = term[WAITS_SPECIAL], sign = special > 0 ? 1 : -1,
                 shared = term[WAITS_SHARED] * sign,
                 global = (term[WAITS_GLOBAL] + term[WAITS_QUEUE] + term[WAITS_STORES]) * sign;
    const int to = fmax(shared, global) < fabs(special) ? WAITS_FIXED
                   : shared >= global                   ? WAITS_SHARED
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

/* Returns 1 if SMs became active as threads were added: the same threads on more SMs would leave
 * fewer for each. */
static int is_filled(const struct division *division)
{
    const struct account_point *b = division->before, *a = division->after;
    const double active = log(a->active / b->active),
                 threads = log(a->grid * a->block / (b->grid * b->block));
    return threads * active > 0 && fabs(threads) >= ACCOUNT_HALF * fabs(active);
}

/* Divides the time of a point by the waits of warps that are not at a barrier of the grid. A unit
 * at its limit has its work for the part of the time in which it is busy, and the waits for other
 * things have the rest. */
static void shares(const struct account_point *point, int work, double busy, int own, double *share)
{
    double sum = 0;
    memset(share, 0, ACCOUNT_TERMS * sizeof *share);
    for (int g = 0; g < ACCOUNT_WAITS; g++)
        sum += share[g] = g == own || g == WAITS_AT_GRID ? 0 : point->wait[g];
    for (int g = 0; g < ACCOUNT_WAITS; g++) share[g] = sum <= 0 ? 0 : (1 - busy) * share[g] / sum;
    if (work >= 0) share[work] = busy;
}

static void divide_waits(struct division *division, int work, const double *busy, int own)
{
    double before[ACCOUNT_TERMS], after[ACCOUNT_TERMS];
    shares(division->before, work, busy[0], own, before);
    shares(division->after, work, busy[1], own, after);
    for (int g = 0; g < ACCOUNT_WAITS; g++) division->is_waited[g] = before[g] > 0 || after[g] > 0;
    divide(division, before, after);
    place_grid(division);
    if (division->term[WAITS_POLLING] != 0) { /* Blocks that wait for others are idle. */
        division->term[WAITS_BARRIERS] += division->term[WAITS_POLLING];
        division->term[WAITS_POLLING] = 0;
        cancel(&division->term[TERM_IDLE], &division->term[WAITS_BARRIERS]);
    }
    if (!is_filled(division)) cancel(&division->term[TERM_IDLE], &division->term[TERM_RESIDENT]);
    limit_idle(division);
    cancel_resident(division);
    place_special(division);
    follow_instructions(division);
    cancel(&division->term[TERM_RESIDENT], &division->term[TERM_CONTENTION]);
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
    if (most < ACCOUNT_LIMIT)
        divide_waits(division, -1, (const double[]){0, 0}, -1);
    else if (limit == 0)
        divide_bytes(division);
    else
        divide_waits(division, units[limit].work, busy, units[limit].own);
}

int account_compare(struct account *account, const struct account_side *before,
                    const struct account_side *after)
{
    const enum comparison comparison = compared(before, after);
    struct account_point *b = &account->before, *a = &account->after;
    memset(account, 0, sizeof *account);
    account->side[0] = before;
    account->side[1] = after;
    account->is_whole = comparison == COMPARE_ALL;
    if (!sum_up(b, before, after, comparison, &account->own_ns[0]) ||
        !sum_up(a, after, before, comparison, &account->own_ns[1]))
        return 0;
    account->change_ns = b->time_ns - a->time_ns;
    const double half[] = {(b->fact[FACT_time_high_ns] - b->fact[FACT_time_low_ns]) / 2,
                           (a->fact[FACT_time_high_ns] - a->fact[FACT_time_low_ns]) / 2,
                           ACCOUNT_NOISE * (b->time_ns + a->time_ns) / 2};
    account->half_ns = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    return 1;
}

void account_divide(struct account *account)
{
    const struct account_point *b = &account->before, *a = &account->after;
    struct division division = {.before = b, .after = a, .term = account->term, .account = account};
    account->special = WAITS_FIXED;
    divide_time(&division);
    account->term[TERM_LAUNCHES] = b->fact[FACT_launch_ns] - a->fact[FACT_launch_ns];
    account->term[TERM_OTHER_LAUNCH] = account->own_ns[0] - account->own_ns[1];
}

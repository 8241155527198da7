#include "explain/account_scaled.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explain/account_words.h"
#include "explain/account_sentence.h"

static double scaled(const struct account_side *side, const char *cost, const char *end)
{
    char name[ACCOUNT_NUMBER_NAME];
    snprintf(name, sizeof name, "scaled_%s_%s_ns", cost, end);
    return account_number(side, name);
}

int account_is_scaled(const struct account_side *side, const char *measured)
{
    char cost[ACCOUNT_NUMBER_NAME];
    const int is_name = sscanf(measured, "measured_%40s", cost) == 1 && strlen(cost) > 3;
    if (is_name) cost[strlen(cost) - 3] = 0; /* _ns */
    return is_name && isfinite(scaled(side, cost, "most"));
}

static void take(struct account_side *side, const char *cost, double value)
{
    char name[ACCOUNT_NUMBER_NAME];
    snprintf(name, sizeof name, "measured_%s_ns", cost);
    account_take(side, NULL, name, value);
}

/* The most or the least of a cost: at another size; else what was measured, or what warps wait for
 * the copy engine. */
static double end_of_cost(const struct account_side *side, const char *cost, int is_most)
{
    char name[ACCOUNT_NUMBER_NAME];
    double number = scaled(side, cost, is_most ? "most" : "least");
    snprintf(name, sizeof name, "measured_%s_ns", cost);
    if (!isfinite(number)) number = account_number(side, name);
    snprintf(name, sizeof name, "waited_%s_ns", cost);
    return isfinite(number) ? number : account_number(side, name);
}

/* The end of the interval of what a step saved: the most, if the first side cost its most and the
 * second its least. */
static double end_of(struct account_side *const side[2], const char *cost, int is_most)
{
    return end_of_cost(side[0], cost, is_most) - end_of_cost(side[1], cost, !is_most);
}

static void take_end(struct account_side *const side[2], const char *cost, int is_most)
{
    for (int i = 0; i < 2; i++) take(side[i], cost, end_of_cost(side[i], cost, i != is_most));
}

/* Returns the time that causes with one of these words saved. */
static double saved_by(const struct account *account, uint64_t words)
{
    double sum = 0;
    for (int i = 0; i < account->causes; i++)
        if (account->cause[i].words & words) sum += account->cause[i].left_ns;
    return sum;
}

void account_scale(struct account_side *before, struct account_side *after)
{
    static const uint64_t conflicts = BIT(bank_conflicts) | BIT(copied_lines);
    struct account_side *const side[] = {before, after};
    struct account account;
    int is_taken[2] = {0};
    if (!account_make(&account, before, after)) return;
    const int is_copies = account_conflict_word(&account) == WORD_copied_lines &&
                          isfinite(end_of(side, "loads", 1)),
              is_other_size = isfinite(scaled(before, "loads", "most")) ||
                              isfinite(scaled(after, "loads", "most"));
    const struct {
        const char *cost;
        uint64_t words;
    } kinds[] = {{"barriers", BIT(barriers)}, {is_copies ? "loads" : "bank_conflicts", conflicts}};
    if (is_copies && !is_other_size) take_end(side, "loads", 1);
    if (!account_word_after(before, "scaled_") || !account_word_after(after, "scaled_")) return;
    for (int i = 0; i < 2; i++) {
        const double most = scaled(side[i], "half_tensor", "most");
        if (isfinite(most)) take(side[i], "half_tensor", most);
    }
    if (!is_copies && isfinite(scaled(before, "loads", "most") + scaled(after, "loads", "most")))
        take_end(side, "loads", account.term[WAITS_GLOBAL] + account.term[WAITS_QUEUE] > 0);
    /* The farthest one first: the other one has its share of what that leaves. */
    for (int round = 0; round < 2 && account_make(&account, before, after); round++) {
        double most = account.half_ns;
        int farthest = -1, is_most = 0;
        for (int k = 0; k < 2; k++) {
            const double saved = saved_by(&account, kinds[k].words),
                         above = saved - end_of(side, kinds[k].cost, 1),
                         below = end_of(side, kinds[k].cost, 0) - saved;
            if (is_taken[k] || !(fmax(above, below) > most)) continue;
            most = fmax(above, below);
            farthest = k;
            is_most = above > below;
        }
        if (farthest < 0) return;
        take_end(side, kinds[farthest].cost, is_most);
        is_taken[farthest] = 1;
        if (end_of(side, kinds[farthest].cost, 0) * end_of(side, kinds[farthest].cost, 1) < 0)
            account_leave_open(before, farthest ? account_conflict_word(&account) : WORD_barriers);
    }
}

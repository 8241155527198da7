#include "explain/cause_witness.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "explain/account_words.h"
#include "explain/account_scaled.h"
#include "explain/account_sentence.h"

/* A number of the account itself, or else of a side. Instructions are those of the whole GPU. */
static double number_of(const struct account *account, int side, const char *cause,
                        const char *name)
{
    const struct account_point *point = side ? &account->after : &account->before;
    const double schedulers = account_number(account->side[side], "scheduler_count");
    double cycles = 0;
    if (!strcmp(name, "active_sms_pct")) return 100 * point->active;
    if (!strcmp(name, "resident_warps")) return point->warps;
    if (!strcmp(name, "instructions")) return point->instructions * schedulers;
    if (!strcmp(name, "division") || !strcmp(name, "barriers"))
        return account_number(account->side[side], name) * schedulers;
    if (!strcmp(name, "other_kernels_ns")) return account->own_ns[side];
    if (!strcmp(name, "bytes_per_wait"))
        return point->fact[FACT_load_bytes] * account_number(account->side[side], "loads_per_wait");
    for (int i = WAITS_NOT_SELECTED + 1; i < WAITS_OTHER; i++)
        if (!strcmp(
                account_wait_cause(i == WAITS_SPECIAL ? account->special : (enum account_wait)i),
                cause))
            cycles += point->wait[i];
    return !strcmp(name, "warp_cycles")       ? cycles
           : !strcmp(name, "cycles_per_warp") ? cycles / point->warps
                                              : account_number(account->side[side], name);
}

/* The time that follows a number of a side: the whole, but of waits only what warps spend in them.
 */
static double time_of(const struct account_point *point, const struct witness *witness, int side)
{
    double cycles = witness->number[side], all = 0;
    if (!text_matches("*wait_cycles", witness->name) &&
        !text_matches("*_per_warp", witness->name) && strcmp(witness->name, "warp_cycles"))
        return point->time_ns;
    for (int i = 0; i < ACCOUNT_WAITS; i++) all += i == WAITS_AT_GRID ? 0 : point->wait[i];
    if (!strcmp(witness->name, "cycles_per_warp")) cycles *= point->warps;
    return point->rest_ns * cycles / all;
}

/* Returns 1 if a witness moved with the cause by this much, and far enough: no time changes by a
 * larger part than what takes it, but for a tenth. */
static int carries(const struct account *account, const struct cause_row *row,
                   const struct witness *witness, int is_less, double least)
{
    const double moved = log(witness->number[0] / witness->number[1]) * (is_less ? -1 : 1),
                 b = time_of(&account->before, witness, 0),
                 a = time_of(&account->after, witness, 1),
                 most = isinf(moved) ? fmax(b, a) : fabs(moved) * account_mean(b, a);
    return moved * row->saved_ns > 0 && fabs(moved) >= least &&
           most * (1 + ACCOUNT_TENTH) >= fmin(fabs(row->saved_ns), fabs(row->gross_ns));
}

/* The measured cost that a cause has its time from. */
static const char *measured_name(const struct account *account, const char *cause)
{
    const uint64_t joint = BIT_OF(account_joint_word(account));
    const int is_joint =
        account->is_measured & ACCOUNT_MEASURED_BOTH && !strcmp(cause, account_cause_id(joint));
    return account_fact_names[is_joint || !strcmp(cause, "barriers_conflicts")
                                  ? FACT_measured_barriers_conflicts_ns
                              : !strcmp(cause, "barriers") ? FACT_measured_barriers_ns
                              : account->is_measured & ACCOUNT_MEASURED_COPIES
                                  ? FACT_measured_loads_ns
                                  : FACT_measured_bank_conflicts_ns];
}

/* Returns 1 if the cost of loads is what warps wait for the copy engine. */
static int has_engine(const struct account_side *side)
{
    return isfinite(account_number(side, "waited_loads_ns"));
}

struct witness cause_witness(const struct account *account, const struct cause_row *row,
                             const struct record *record)
{
    static const struct {
        const char *cause, *name; /* NULL: of each cause; the metric of its record */
        int is_less;              /* less of it costs time */
        int is_reason; /* it makes the waits: it moved by a tenth, and half as much as they */
    } known[] = {{"division", "division", 0, 0},
                 {"global_latency", "load_distance", 1, 1},
                 {"global_latency", "loads_per_wait", 1, 1},
                 {"global_latency", "bytes_per_wait", 1, 1},
                 {"barriers", "barriers", 0, 1},
                 {"bytes_in_flight", "bytes_per_wait", 1, 0},
                 {"other_launches", "other_kernels_ns", 0, 0},
                 {NULL, NULL, 0, 0},
                 {"idle_sms", "active_sms_pct", 1, 0},
                 {"imbalance", "active_sms_pct", 1, 0},
                 {"threads", "resident_warps", 1, 0},
                 {"residency", "resident_warps", 1, 0},
                 {"producer_warps", "resident_warps", 1, 0},
                 {"early_exits", "left_warps_pct", 0, 0},
                 {"instructions", "instructions", 0, 0},
                 {"launches", "launch_ns", 0, 0},
                 {NULL, "warp_cycles", 0, 0},
                 {NULL, "cycles_per_warp", 0, 0}};
    const char *metric = row->demand ? row->demand
                         : record    ? record_field(record, "witness")
                                     : NULL,
               *costs = record ? record_field(record, "costs") : NULL;
    const double waits = log(number_of(account, 0, row->cause, "warp_cycles") /
                             number_of(account, 1, row->cause, "warp_cycles")),
                 least = fmax(ACCOUNT_TENTH, ACCOUNT_HALF * fabs(waits));
    const int only_moved = row->named > ACCOUNT_NAMED || row->demand,
              is_measured = !isnan(row->inferred_ns);
    struct witness witness;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int is_less = known[i].name ? known[i].is_less : costs && !strcmp(costs, "less");
        witness.name = is_measured                    ? measured_name(account, row->cause)
                       : known[i].name && !only_moved ? known[i].name
                                                      : metric;
        if (!witness.name || (known[i].cause && strcmp(known[i].cause, row->cause))) continue;
        if (known[i].is_reason && !account->is_whole) continue; /* it is of all functions */
        for (int j = 0; j < 2; j++)
            witness.number[j] = number_of(account, j, row->cause, witness.name);
        if (is_measured && (account_is_scaled(account->side[0], witness.name) ||
                            account_is_scaled(account->side[1], witness.name)))
            witness.name = "scaled_cost_ns";
        else if (is_measured && account->is_measured & ACCOUNT_MEASURED_COPIES &&
                 (has_engine(account->side[0]) || has_engine(account->side[1])))
            witness.name = "waited_loads_ns";
        if (is_measured || only_moved ||
            carries(account, row, &witness, is_less, known[i].is_reason ? least : 0))
            return witness;
    }
    return (struct witness){NULL, {NAN, NAN}};
}

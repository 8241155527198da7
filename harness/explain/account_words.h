/*
 * The words that name the causes of an account, and what is known of them. No global state; nothing
 * is owned.
 */
#ifndef WHYFAST_ACCOUNT_WORDS_H
#define WHYFAST_ACCOUNT_WORDS_H

#include "explain/account.h"

/* The words of causes, bits of account_cause.words, each with the id of its record
 * (metrics/causes.metric). */
/* clang-format off */
#define ACCOUNT_WORDS(X)                                                                           \
    X(local, spills) X(atomics, atomics) X(coalescing, uncoalesced)                                \
    X(store_coalescing, uncoalesced_writes) X(bank_conflicts, bank_conflicts)                      \
    X(same_word, same_word) X(shared_wavefronts, shared_traffic) X(shared_wait, shared_waits)      \
    X(dram_bytes, dram_bytes) X(dram_rate, dram_rate) X(l2_bytes, l2)                              \
    X(l1_wavefronts, global_traffic) X(global_latency, global_latency) X(mlp, bytes_in_flight)     \
    X(idle_sms, idle_sms) X(imbalance, imbalance) X(occupancy, residency) X(threads, threads)      \
    X(turnover, turnover) X(instructions, instructions) X(division, division)                      \
    X(shuffles, exchange) X(conversions, functions) X(divergence, divergence)                      \
    X(tensor_pipe, tensor_pipe) X(tensor_wait, tensor_waits) X(barriers, barriers)                 \
    X(fetch, fetch) X(dispatch, dispatch) X(alu_pipe, pipes) X(dependency, dependencies)           \
    X(constant, constant) X(fp64, double_precision) X(launches, launches) X(clock, clock)          \
    X(other_launch, other_launches) X(l1_misses, l1_misses) X(l2_misses, l2_misses)                \
    X(operations, operations) X(copied_lines, copied_lines) X(predication, predication)            \
    X(barriers_conflicts, barriers_conflicts) X(producers, producer_warps)                         \
    X(lg_throttle, stores) X(leaving, early_exits)
/* clang-format on */
#define ACCOUNT_WORD(name, id) WORD_##name,
enum account_word { ACCOUNT_WORDS(ACCOUNT_WORD) ACCOUNT_WORD_COUNT };
#undef ACCOUNT_WORD
#define BIT_OF(word) ((uint64_t)1 << (word))
#define BIT(name) BIT_OF(WORD_##name)
extern const char *const account_words[ACCOUNT_WORD_COUNT];

/* Returns the id of the record of a cause: that of the most telling of its words. */
const char *account_cause_id(uint64_t words);

/* Notes in the side before that a cause may have saved or cost time, and asks for that: bounds
 * leave its direction open. Such a cause is not named. */
void account_leave_open(struct account_side *before, enum account_word which);
int account_is_open(const struct account *account, const char *cause);

/* Returns the id of the cause that names a wait if no count does; NULL for other waits. */
const char *account_wait_cause(enum account_wait wait);

/* Returns the word of the measured cost of conflicts: copies from several lines are in it, and may
 * be what moved. */
enum account_word account_conflict_word(const struct account *account);

/* Returns the word of the measured cost of barriers: they cost more or less because loads do, if as
 * many of them are executed by as many warps and without loads the kernels differ by at least as
 * much. */
enum account_word account_barrier_word(const struct account *account);

/* Returns the word of what barriers and conflicts cost at once: that of the one whose own cost
 * moved with it, if the other's did not or by less than a quarter of it. */
enum account_word account_joint_word(const struct account *account);

/* Returns the words of what knock-outs measured. */
uint64_t account_measured_words(const struct account *account);

/* Returns the time that the data stage of L1 needs: for shared memory, conflicts and the cache. */
double account_stage_ns(const struct account_point *point);

/* The words that name waits if no count does. */
extern const enum account_word account_wait_words[WAITS_OTHER];

/* A logarithm of a ratio; a count that appears or vanishes counts as a factor of 400. */
double account_ratio(double x, double y);

#endif

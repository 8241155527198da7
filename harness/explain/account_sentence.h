/*
 * Accounts for the change between two points, and chooses what a sentence says of it.
 * metrics/method.md has the rules, set-offs among them, "From the terms to the causes".
 */
#ifndef WHYFAST_ACCOUNT_SENTENCE_H
#define WHYFAST_ACCOUNT_SENTENCE_H

#include "catalog/busy_limit.h"
#include "explain/account.h"

/* Makes the account. Returns 1, or 0 if one of the sides has no counters of its warps. */
int account_make(struct account *account, const struct account_side *before,
                 const struct account_side *after);

/* The most causes that a sentence names. */
#define ACCOUNT_NAMED 4

/* The least change, as a part of the time before, that must have a cause. */
#define ACCOUNT_LEAST_CHANGE 0.02

/* The least share of a change, in per cent, of a cause that is its main one, or that counters and
 * lines are shown to prove. */
#define ACCOUNT_MAIN_PCT 30

/* A main cause of less than so many per cent of the change is shown with its share. */
#define ACCOUNT_MOST_PCT 50

/* For scripts of SQL. A share of more than SAID_WHOLE_PCT is printed as more than the change. */
#define SAID_WHOLE_PCT "100.5"
#define SAID_NAMED VALUE_TEXT(ACCOUNT_NAMED)
#define SAID_LEAST_CHANGE VALUE_TEXT(ACCOUNT_LEAST_CHANGE)
#define SAID_MAIN_PCT VALUE_TEXT(ACCOUNT_MAIN_PCT)
#define SAID_MOST_PCT VALUE_TEXT(ACCOUNT_MOST_PCT)
#define SAID_LIMIT_PCT VALUE_TEXT(BUSY_LIMIT_PCT)
#define SAID_NOISE VALUE_TEXT(ACCOUNT_NOISE)
#define LIMIT_OF_UNITS VALUE_TEXT(ACCOUNT_LIMIT)

/* Chooses the causes of the sentence: those along the change, the largest first, then the one
 * against it, then further ones. If there is no cause along a change that must have one, the unit
 * whose demand changed most, with share 1. Returns their number. */
struct account_named {
    uint64_t words;
    double share;
    const char *demand; /* NULL; of no cause, but the unit that changed most: its demand */
};
int account_sentence(const struct account *account, struct account_named named[ACCOUNT_NAMED]);

/* Chooses the counts that moved by a tenth beside these causes: of at most two units whose demand
 * is a tenth of the time, those whose demand changed most; and the occupancy, if its limit moved by
 * half and the resident warps by a tenth with it: blocks may be too few to fill more room. Returns
 * their number. */
enum { ACCOUNT_MOVED = 3 };
int account_moved(const struct account *account, const struct account_named *named, int count,
                  uint64_t moved[ACCOUNT_MOVED]);

#endif

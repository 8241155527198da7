/*
 * Grades the causes that a sentence names against those that are known to be right. A row of
 * steps.csv has words separated by "|": of causes that may come first, that may be named, and that
 * must not come first. A word counts for what made the change; "-" before it, for what was against
 * it; "~", for both.
 *
 *   right    the first cause along the change is accepted, all others may be named, and the named
 *            ones add up to the change within a quarter
 *   partly   the first is accepted, or may be named
 *   wrong    the rest
 */
#ifndef TESTS_TRUTH_GRADE_H
#define TESTS_TRUTH_GRADE_H

#include <math.h>
#include <string.h>

#include "explain/account_names.h"
#include "explain/account_sentence.h"

enum grade { GRADE_RIGHT, GRADE_PARTLY, GRADE_WRONG };

/* Words that are accepted along the change, and against it. */
struct accepted {
    uint64_t along, against;
};

static struct accepted accepted_words(const char *words)
{
    struct accepted accepted = {0, 0};
    while (*words) {
        const char sign = *words;
        if (sign == '-' || sign == '~') words++;
        const size_t length = strcspn(words, "|");
        for (int i = 0; i < ACCOUNT_WORD_COUNT; i++) {
            if (strlen(account_words[i]) != length || strncmp(account_words[i], words, length))
                continue;
            if (sign != '-') accepted.along |= (uint64_t)1 << i;
            if (sign == '-' || sign == '~') accepted.against |= (uint64_t)1 << i;
        }
        words += length + (words[length] == '|');
    }
    return accepted;
}

static int is_accepted(struct accepted accepted, const struct account_named *named)
{
    return ((named->share > 0 ? accepted.along : accepted.against) & named->words) != 0;
}

/* Sets *is_first to 1 if the first cause along the change is accepted. */
static enum grade grade_step(const char *first, const char *may, const char *must_not,
                             const struct account_named *named, int count, int *is_first)
{
    const struct accepted firsts = accepted_words(first), others = accepted_words(may),
                          bad = accepted_words(must_not);
    const int none_is_right = strstr(first, "none") != NULL;
    *is_first = !count && none_is_right;
    if (!strcmp(first, "none") || !count || named[0].share <= 0)
        return *is_first ? GRADE_RIGHT : GRADE_WRONG;
    struct account_named rest = named[0];
    rest.words &= ~(bad.along | bad.against);
    if ((is_accepted(bad, &named[0]) && !is_accepted(firsts, &rest)) ||
        (is_accepted(bad, &named[0]) && (named[0].words & (named[0].words - 1)) &&
         (named[0].words >> WORD_dependency & 1)))
        return GRADE_WRONG;
    if (!is_accepted(firsts, &named[0]))
        return is_accepted(others, &named[0]) ? GRADE_PARTLY : GRADE_WRONG;
    *is_first = 1;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += named[i].share;
        if (!is_accepted(firsts, &named[i]) && !is_accepted(others, &named[i])) return GRADE_PARTLY;
    }
    return fabs(sum - 1) <= 0.25 ? GRADE_RIGHT : GRADE_PARTLY;
}

#endif

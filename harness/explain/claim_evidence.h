/*
 * The numbers behind a claim: those that its expression names, for programs and in words.
 */
#ifndef WHYFAST_CLAIM_EVIDENCE_H
#define WHYFAST_CLAIM_EVIDENCE_H

#include "base/text.h"
#include "catalog/records.h"
#include "query/query.h"

struct claim_evidence {
    struct text numbers;  /* "name = value; ..." */
    struct text measured; /* the same in words, as records give them (metrics/README.md) */
    int is_missing;       /* counters or facts are absent */
    int is_about_step;    /* the first is the speed-up over the rung before */
    int is_open;          /* the words say that a flag is not decided */
};

/* Collects the values of a row of the ladder; with `wants_missing` the texts end with the names of
 * what is absent. The caller frees them. */
int claim_evidence_collect(struct query *query, const struct records *records,
                           const struct scope *row, const char *expression, int wants_missing,
                           struct claim_evidence *evidence);

#endif

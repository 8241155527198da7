/*
 * Plans all twins of a kernel, from its listing and the counts of its instructions. A struct
 * twin_plans owns its twins and arrays until twin_plans_free, and borrows the texts of the listing
 * and the bytes of the cubin.
 */
#ifndef WHYFAST_TWIN_PLANS_H
#define WHYFAST_TWIN_PLANS_H

#include "machine_code/probe_results.h"
#include "knockout/twin.h"
#include "machine_code/cubin.h"
#include "machine_code/kernel_listing.h"

struct twin_request {
    const struct cubin *cubin;
    const char *symbol;
    int architecture; /* 90 for sm_90 and sm_90a */
    const struct listing *listing;
    const struct probe_result *counts; /* without instructions if there are none */
    unsigned wanted;                   /* the knock-outs, as bits 1 << enum knockout */
    const char *line;                  /* to which they are limited (catalog/knockout.h); or NULL */
    unsigned shared_bytes;             /* of a block, static and dynamic */
};

struct twin_plans {
    struct twin twin[KNOCKOUTS]; /* the unchanged copy is always one; of those that are not wanted
                                    `knockout` is KNOCKOUTS */
    struct sass *sass;
    struct control_flow flow;
    struct counted_instruction *counted;
    unsigned char *is_chosen;
};

/* Returns FAIL_GPU with a reason, without a message, if the code cannot be read; FAIL_OUTPUT or
 * FAIL_INTERRUPTED on failure. The caller frees the plans in any case. */
enum { TWIN_PLANS_REASON = 160 };
int twin_plans_make(struct twin_plans *plans, const struct twin_request *request,
                    char reason[TWIN_PLANS_REASON]);
void twin_plans_free(struct twin_plans *plans);

/* Writes the status of a twin that is not timed: there is nothing to knock out, or why not. */
void twin_status(const struct twin *twin, char *status, size_t bytes);

#endif

/*
 * The listings of many kernels, made side by side: what takes its time is the disassembler, which
 * is started for each. The caller owns the listings.
 */
#ifndef WHYFAST_LISTING_MANY_H
#define WHYFAST_LISTING_MANY_H

#include "code/kernel_listing.h"

struct listing_request {
    const char *file, *symbol; /* as for listing_make */
};

/* Makes listing[i] of request[i], up to `threads` of them at once. A kernel that this executable
 * does not carry has an empty listing, whose statuses say so. 0 or FAIL_OUTPUT; the caller frees
 * them all with listing_free, also after a failure. */
int listing_make_many(struct listing *listing, const struct listing_request *request, int count,
                      int architecture, int threads);

#endif

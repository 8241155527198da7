/*
 * Tells whose wait at an mbarrier it is, from what the code does when the wait is over. Nothing is
 * owned.
 *
 * Method: all ways from the end of the wait up to the next try-wait are followed, inside of the
 * innermost loop around it that copies or computes at all. A warp that only copies (bulk copies and
 * asynchronous ones) produces; one that computes or reads shared memory consumes. One that does
 * both waits for a slot if the copies are made only after the wait, but the work also without it.
 * If only other waits come next, what comes after those decides; a warp of a kernel with copies
 * that then ends was a producer.
 */
#ifndef WHYFAST_BARRIER_ROLES_H
#define WHYFAST_BARRIER_ROLES_H

#include "machine_code/control_flow.h"

enum wait_role {
    ROLE_UNKNOWN,
    ROLE_CONSUMER, /* computes with what has arrived */
    ROLE_PRODUCER, /* only copies: waits for a free slot; nobody's work waits for that */
    ROLE_BOTH      /* waits for a free slot, copies, and computes later: its work is delayed */
};

/* Finds the role of the try-wait (SYNCS.PHASECHK) at an index. Returns FAIL_OUTPUT if memory is
 * short. */
int barrier_role(const struct control_flow *flow, const struct sass *sass, int wait,
                 enum wait_role *role);

#endif

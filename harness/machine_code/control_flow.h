/*
 * Finds the basic blocks of a kernel, from which block to which it can go, and its loops. A struct
 * control_flow owns its arrays until control_flow_free.
 *
 * A jump leads to its target and, unless it is unconditional, to the next instruction. BSYNC leads
 * to the target of the BSSY before it of the same barrier register, a return to behind all calls of
 * the subroutine that it ends. A jump to an address in a register leads to all blocks that nothing
 * else leads to. So there may be too many ways, but none is missing as long as the text of every
 * jump is known.
 */
#ifndef WHYFAST_CONTROL_FLOW_H
#define WHYFAST_CONTROL_FLOW_H

#include "machine_code/sass_text.h"

struct code_block {
    int first, count;     /* instructions */
    int edge, edge_count; /* the range of control_flow.to: where it can go */
};

struct code_loop {
    int head, size;       /* a block, and the number of blocks of the loop */
    unsigned char *is_in; /* for each block */
};

struct control_flow {
    int block_count, edge_count, loop_count;
    struct code_block *block;
    int *to;                  /* blocks */
    int *block_of;            /* for each instruction */
    unsigned char *dominates; /* [a * block_count + b]: every way to b leads through a */
    struct code_loop *loop;   /* natural loops, one for each jump back, the smallest first */
};

/* Fills *flow for `count` instructions by pc, 16 bytes each and without a gap. Returns FAIL_OUTPUT
 * if memory is short; the caller frees it in any case. */
int control_flow_make(struct control_flow *flow, const struct sass *sass, int count);
void control_flow_free(struct control_flow *flow);

/* Returns the number of instructions of the subroutine at the target of a call: up to its last
 * return before the next subroutine. 0 if `call` is no call, or its target is unknown. */
int control_flow_subroutine(const struct sass *sass, int count, int call, int *first);

#endif

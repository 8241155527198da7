/*
 * Finds the instructions of a kernel whose results steer it: they can reach a branch, the guard or
 * the address of an access to memory that still happens, an election of lanes, or a poll. Without
 * such a result the kernel would not only compute something else, it would run somewhere else. A
 * struct steering owns its arrays until steering_free.
 *
 * Method: data flow against the direction of execution, by registers. Each register is needed
 * always, never, or only where a guard is true: a write under a guard ends the need of readers
 * under the same guard. Shared and global memory are one cell each: if one value that is loaded
 * from it steers, all values that are stored to it do. Local memory belongs to one thread: each of
 * its words is followed like a register, as long as it is accessed by a constant distance from the
 * stack pointer. An access by another address, or a stack pointer that changes, may mean any word.
 */
#ifndef WHYFAST_STEERING_H
#define WHYFAST_STEERING_H

#include "machine_code/control_flow.h"
#include "machine_code/sass_text.h"

enum memory_space { SPACE_SHARED, SPACE_GLOBAL, SPACE_LOCAL };

/* What a patch does to an instruction. */
enum steering_patch {
    STEERING_UNCHANGED,
    STEERING_OFF,  /* it does nothing */
    STEERING_MOVED /* its access to shared or constant memory happens at another address */
};

struct steering_code {
    const struct sass *sass; /* by pc, 16 bytes each and without a gap */
    int count;
    const struct control_flow *flow;
    const unsigned char *patch; /* for each instruction: enum steering_patch */
    int follows_global;         /* values that the kernel stores to global memory may be loaded by
                                   it, in this launch or a later one */
};

struct steering {
    unsigned char *steers; /* for each instruction: its result, or what it stores to local memory */
    unsigned char by_memory[SPACE_LOCAL]; /* some value that is loaded from this memory */
};

/* Returns FAIL_OUTPUT if memory is short; the caller frees it in any case. */
int steering_find(struct steering *steering, const struct steering_code *code);
void steering_free(struct steering *steering);

/* Tells which memory an instruction reads and writes, as bits 1 << enum memory_space. */
unsigned sass_loads_from(const struct sass *sass);
unsigned sass_stores_to(const struct sass *sass);

#endif

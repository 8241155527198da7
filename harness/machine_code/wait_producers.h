/*
 * Finds for each instruction of a kernel which earlier instructions it can have to wait for: those
 * of variable latency whose result it needs, or whose operands it overwrites. A struct
 * wait_producers owns its arrays until wait_producers_free.
 *
 * Method: forward data flow over the blocks of the kernel. An instruction of variable latency is
 * pending until an instruction needs its result (or writes the register of the result), or
 * overwrites a register that it may not have read yet. The hardware makes the same instruction
 * wait, by six counters ("scoreboards") that the compiler sets; the text of the code does not show
 * them. Where the compiler waits earlier than it has to (for a counter that several instructions
 * share, or at the end of a block), the wait is found only among the instructions that are still
 * pending: WAIT_PENDING. Compared with the counters in the machine code of the recorded run
 * (compute capability 9.0), 99.9 % of the samples get an operation that the counters name.
 */
#ifndef WHYFAST_WAIT_PRODUCERS_H
#define WHYFAST_WAIT_PRODUCERS_H

#include "machine_code/barrier_roles.h"
#include "machine_code/sass_text.h"

/* The classes of instructions of variable latency, by what they do. */
enum wait_class {
    WAIT_NONE, /* of fixed latency, or unknown */
    /* long_scoreboard */
    WAIT_GLOBAL_LOAD,
    WAIT_LOCAL_LOAD,
    WAIT_TEXTURE,
    WAIT_GLOBAL_STORE,
    WAIT_LOCAL_STORE,
    WAIT_GLOBAL_ATOMIC,
    WAIT_ASYNC_COPY,
    WAIT_BULK_COPY,
    WAIT_MBARRIER,        /* a try-wait */
    WAIT_MBARRIER_UPDATE, /* an arrival, or the initial value */
    WAIT_FENCE,
    /* short_scoreboard */
    WAIT_SHARED_LOAD,
    WAIT_MATRIX_LOAD,
    WAIT_SHARED_STORE,
    WAIT_SHARED_ATOMIC,
    WAIT_CONSTANT_LOAD,
    WAIT_SPECIAL_FUNCTION,
    WAIT_CONVERSION,
    WAIT_BIT_COUNT,
    WAIT_SHUFFLE,
    WAIT_WARP_REDUCTION,
    WAIT_SPECIAL_REGISTER,
    WAIT_REGISTER_POOL,
    WAIT_DOUBLE_PRECISION, /* where it is slow: GeForce */
    /* gmma */
    WAIT_TENSOR,
    WAIT_CLASSES
};

/* Returns the class of an instruction; its name ("global_load"; "" for WAIT_NONE); and the stall
 * reason of those that wait for it ("long_scoreboard"). */
enum wait_class wait_class_of(const struct sass *sass);
const char *wait_class_name(enum wait_class wait_class);
const char *wait_class_reason(enum wait_class wait_class);

/* Why one instruction can wait for another, the most certain first. */
enum wait_kind {
    WAIT_RESULT,   /* needs its result */
    WAIT_OPERANDS, /* overwrites what it may not have read yet: the wait is for its queue */
    WAIT_PENDING,  /* it is the last one with this stall reason that is not finished yet */
    WAIT_KINDS
};

struct wait {
    int instruction, producer;  /* which waits, and for which: indices */
    enum wait_class wait_class; /* of the producer */
    enum wait_kind kind;
};

struct wait_producers {
    struct wait *wait; /* by instruction; by kind; by producer */
    int count;
    int *first;           /* wait[first[i]] up to wait[first[i + 1] - 1] are of instruction i */
    enum wait_role *role; /* of each instruction; ROLE_UNKNOWN unless it is WAIT_MBARRIER */
};

/* Fills *found for `count` instructions, by pc from 0 on without a gap. Returns FAIL_OUTPUT if
 * memory is short; the caller frees it in any case. */
int wait_producers_find(struct wait_producers *found, const struct sass *sass, int count);
void wait_producers_free(struct wait_producers *found);

/* Names a kind ("result", "operands", "pending") and a role ("consumer", "producer", "both"; "" for
 * ROLE_UNKNOWN). */
const char *wait_kind_name(enum wait_kind kind);
const char *wait_role_name(enum wait_role role);

#endif
